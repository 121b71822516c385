//! Streamed answers, from servers that behave and servers that do not.

use skillful_llm::{
    Cancel, Client, Delta, Error, Provider, Reply, Request, SecretString, StreamLimits, Wire,
};
use skillful_testkit::{ModelAnswer, ModelServer, wait_until};
use std::{
    thread,
    time::{Duration, Instant},
};

const LIMITS: StreamLimits =
    StreamLimits { total: Duration::from_mins(1), idle: Duration::from_secs(20), attempts: 3 };

fn provider(server: &ModelServer, wire: Wire) -> Provider {
    Provider::new(wire, &format!("{}/v1", server.url()), "m", Some(SecretString::from("sk-secret"))).unwrap()
}

fn ask(server: &ModelServer, limits: StreamLimits) -> (Vec<Delta>, Result<Reply, Error>) {
    let mut deltas = Vec::new();
    let reply = Client::default().stream(
        &provider(server, Wire::OpenAi),
        &Request::new("s", "q", 64),
        limits,
        &Cancel::default(),
        &mut |delta| deltas.push(delta),
    );
    (deltas, reply)
}

fn events(body: &str) -> ModelAnswer {
    ModelAnswer::Status(200, Vec::new(), body.to_owned())
}

const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

#[test]
fn an_answer_is_streamed_to_the_caller() {
    let server = ModelServer::new([events(HELLO)]);
    let (deltas, reply) = ask(&server, LIMITS);
    assert_eq!(reply.unwrap().text(), "Hello");
    assert_eq!(deltas, [Delta::Text("Hel".to_owned()), Delta::Text("lo".to_owned())]);
    let body = &server.asked()[0].body;
    assert_eq!(body["stream"], true);
    assert_eq!(body["stream_options"]["include_usage"], true);
}

#[test]
fn an_answer_of_a_server_that_does_not_stream_is_read() {
    let server = ModelServer::new([ModelAnswer::chat("Hi.")]);
    let (deltas, reply) = ask(&server, LIMITS);
    assert_eq!(reply.unwrap().text(), "Hi.");
    assert_eq!(deltas, [Delta::Text("Hi.".to_owned())]);
}

#[test]
fn an_answer_that_ends_early_is_retried_and_its_pieces_are_void() {
    let server = ModelServer::new([events(&HELLO[..60]), events(HELLO)]);
    let (deltas, reply) = ask(&server, LIMITS);
    assert_eq!(reply.unwrap().text(), "Hello");
    assert!(matches!(&deltas[1], Delta::Retry { attempt: 2, .. }), "{deltas:?}");
    assert_eq!(deltas.len(), 4);
}

#[test]
fn the_number_of_attempts_is_limited() {
    let server = ModelServer::new([ModelAnswer::error(529, "overloaded")]);
    let (deltas, reply) = ask(&server, LIMITS);
    assert!(matches!(reply, Err(Error::Status { status: 529, .. })), "{reply:?}");
    assert_eq!((server.asked().len(), deltas.len()), (3, 2));
}

#[test]
fn a_refusal_is_not_retried_and_hides_the_key() {
    let server = ModelServer::new([ModelAnswer::error(401, "bad key sk-secret")]);
    let (deltas, reply) = ask(&server, LIMITS);
    assert_eq!(reply.unwrap_err().to_string(), "the model's server answered 401: bad key [key]");
    assert_eq!((server.asked().len(), deltas.len()), (1, 0));
    let server =
        ModelServer::new([events("data: {\"error\":{\"code\":400,\"message\":\"bad sk-secret\"}}\n\n")]);
    let reply = ask(&server, LIMITS).1;
    assert_eq!(reply.unwrap_err().to_string(), "the model's server answered 400: bad [key]");
}

#[test]
fn a_server_that_closes_the_connection_or_is_not_started_yet_is_retried() {
    let server = ModelServer::new([ModelAnswer::HangUp, events(HELLO)]);
    assert_eq!(ask(&server, LIMITS).1.unwrap().text(), "Hello");
    // Tests never listen on ports below 1024.
    let unreachable = Provider::new(Wire::OpenAi, "http://127.0.0.1:1", "m", None).unwrap();
    let mut again = 0;
    let limits = StreamLimits { attempts: 2, ..LIMITS };
    let request = Request::new("", "x", 1);
    let reply =
        Client::default().stream(&unreachable, &request, limits, &Cancel::default(), &mut |_| again += 1);
    assert!(matches!(reply, Err(Error::Unreachable(_))), "{reply:?}");
    assert_eq!(again, 1);
}

#[test]
fn a_silent_server_is_reported_as_stalled() {
    let server = ModelServer::new([ModelAnswer::Slow(Duration::from_mins(1), Box::new(events(HELLO)))]);
    let limits = StreamLimits { idle: Duration::from_millis(200), attempts: 2, ..LIMITS };
    let (deltas, reply) = ask(&server, limits);
    assert_eq!(reply, Err(Error::Stalled(limits.idle)));
    assert_eq!(deltas.len(), 1);
}

#[test]
fn all_attempts_together_have_a_time_limit() {
    let server = ModelServer::new([ModelAnswer::Slow(Duration::from_mins(1), Box::new(events(HELLO)))]);
    let limits = StreamLimits { total: Duration::from_millis(300), ..LIMITS };
    assert_eq!(ask(&server, limits).1, Err(Error::Timeout(limits.total)));
}

#[test]
fn cancelling_returns_at_once() {
    let busy = ModelAnswer::Status(429, vec![("retry-after".to_owned(), "30".to_owned())], String::new());
    let silent = ModelAnswer::Slow(Duration::from_mins(1), Box::new(events(HELLO)));
    for answer in [busy, silent] {
        let server = ModelServer::new([answer]);
        let cancel = Cancel::default();
        let provider = provider(&server, Wire::Anthropic);
        let request = Request::new("s", "q", 64);
        let cancelled = thread::scope(|scope| {
            let canceller = scope.spawn(|| {
                wait_until("the model is asked", || !server.asked().is_empty());
                cancel.cancel();
                Instant::now()
            });
            let reply = Client::default().stream(&provider, &request, LIMITS, &cancel, &mut |_| {});
            assert_eq!(reply, Err(Error::Cancelled));
            canceller.join().unwrap()
        });
        // It takes 50 ms; a busy machine gets more, and less than the server wants.
        assert!(cancelled.elapsed() < Duration::from_secs(20));
        let reply = Client::default().stream(&provider, &request, LIMITS, &cancel, &mut |_| {});
        assert_eq!(reply, Err(Error::Cancelled), "no request is sent");
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_server_that_refuses_token_counts_is_called_without_them() {
    let server = ModelServer::with(|asked| match asked.body.get("stream_options") {
        Some(_) => ModelAnswer::error(400, "unknown field: stream_options"),
        None => events(HELLO),
    });
    let client = Client::default();
    for asked in [2, 3] {
        let request = Request::new("s", "q", 64);
        let provider = provider(&server, Wire::OpenAi);
        let reply = client.stream(&provider, &request, LIMITS, &Cancel::default(), &mut |_| {});
        assert_eq!(reply.unwrap().text(), "Hello");
        assert_eq!(server.asked().len(), asked, "the refusal is remembered");
    }
}

#[test]
fn an_endless_answer_is_stopped_at_the_limit() {
    let server = ModelServer::new([ModelAnswer::Endless(1 << 40)]);
    assert!(matches!(ask(&server, LIMITS).1, Err(Error::TooLarge(_))));
}

#[test]
fn models_are_listed() {
    let list = serde_json::json!({ "data": [{ "id": "a" }, { "id": "b" }] });
    let server = ModelServer::new([ModelAnswer::Json(list)]);
    for wire in [Wire::Anthropic, Wire::OpenAi] {
        assert_eq!(Client::default().models(&provider(&server, wire)).unwrap(), ["a", "b"]);
    }
    assert!(server.asked().iter().all(|asked| asked.path == "/v1/models"));
}
