use skillful_llm::{Client, Error, Limits, Provider, Request, SecretString, Stop, Wire};
use skillful_testkit::{ModelAnswer, ModelServer};
use std::time::{Duration, Instant};

fn limits(milliseconds: u64) -> Limits {
    Limits { timeout: Duration::from_millis(milliseconds) }
}

const PATIENT: u64 = 20_000;

fn provider(server: &ModelServer, wire: Wire) -> Provider {
    Provider::new(wire, &format!("{}/v1/", server.url()), "some-model", Some(SecretString::from("sk-secret")))
        .unwrap()
}

fn ask(server: &ModelServer, timeout: u64) -> Result<String, Error> {
    let request = Request::new("Be brief.", "Hello?", 64);
    let reply = Client::default().complete(&provider(server, Wire::OpenAi), &request, limits(timeout));
    reply.map(|reply| reply.text())
}

#[test]
fn anthropic_is_called_in_its_format() {
    let server = ModelServer::new([ModelAnswer::message("Hi.")]);
    let request = Request::new("Be brief.", "Hello?", 64);
    let reply =
        Client::default().complete(&provider(&server, Wire::Anthropic), &request, limits(PATIENT)).unwrap();
    assert_eq!((reply.text().as_str(), reply.stop), ("Hi.", Stop::End));
    assert_eq!((reply.usage.input, reply.usage.output), (7, 3));
    let asked = server.asked().remove(0);
    assert_eq!(asked.path, "/v1/messages");
    assert_eq!(asked.header("x-api-key"), Some("sk-secret"));
    assert_eq!(asked.header("anthropic-version"), Some("2026-10-21"));
    assert_eq!(asked.header("authorization"), None);
    assert_eq!(asked.body["model"], "some-model");
    assert_eq!(asked.body["system"][0]["text"], "Be brief.");
}

#[test]
fn openai_is_called_in_its_format() {
    let server = ModelServer::new([ModelAnswer::chat("Hi.")]);
    assert_eq!(ask(&server, PATIENT).unwrap(), "Hi.");
    let asked = server.asked().remove(0);
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.header("authorization"), Some("Bearer sk-secret"));
    assert_eq!(asked.header("x-api-key"), None);
    assert_eq!(asked.body["max_tokens"], 64);
}

#[test]
fn embeddings_come_in_the_order_of_the_texts() {
    let data = serde_json::json!({ "data": [{ "index": 1, "embedding": [0, 1] }, { "index": 0, "embedding": [1, 0] }] });
    let server = ModelServer::new([ModelAnswer::Json(data)]);
    let client = Client::default();
    let vectors = client.embed(&provider(&server, Wire::OpenAi), &["a", "b"], limits(PATIENT)).unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(server.asked()[0].path, "/v1/embeddings");
    assert_eq!(server.asked()[0].body["input"], serde_json::json!(["a", "b"]));
    assert_eq!(client.embed(&provider(&server, Wire::OpenAi), &[], limits(PATIENT)).unwrap().len(), 0);
    let refused = client.embed(&provider(&server, Wire::Anthropic), &["a"], limits(PATIENT));
    assert_eq!(refused, Err(Error::NoEmbeddings));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_429_is_retried_after_the_pause_the_server_asks_for() {
    let busy = ModelAnswer::Status(429, vec![("retry-after".to_owned(), "0.3".to_owned())], String::new());
    let server = ModelServer::new([busy, ModelAnswer::chat("Hi.")]);
    let start = Instant::now();
    assert_eq!(ask(&server, PATIENT).unwrap(), "Hi.");
    assert!(start.elapsed() >= Duration::from_millis(300));
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_429_with_a_pause_beyond_the_timeout_is_not_retried() {
    let busy = ModelAnswer::Status(429, vec![("retry-after".to_owned(), "3600".to_owned())], String::new());
    let server = ModelServer::new([busy]);
    let error = ask(&server, PATIENT).unwrap_err();
    assert!(matches!(error, Error::Status { status: 429, retry_after: Some(_), .. }), "{error:?}");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_server_that_stays_down_is_called_three_times() {
    let server = ModelServer::new([ModelAnswer::error(503, "overloaded")]);
    let error = ask(&server, PATIENT).unwrap_err();
    assert_eq!(error.to_string(), "the model's server answered 503: overloaded");
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn a_refusal_is_not_retried() {
    let server = ModelServer::new([ModelAnswer::error(401, "invalid key")]);
    assert!(matches!(ask(&server, PATIENT), Err(Error::Status { status: 401, .. })));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_slow_answer_is_a_timeout() {
    let server =
        ModelServer::new([ModelAnswer::Slow(Duration::from_mins(1), Box::new(ModelAnswer::chat("late")))]);
    assert_eq!(ask(&server, 300), Err(Error::Timeout(Duration::from_millis(300))));
}

#[test]
fn a_missing_server_is_unreachable() {
    let server = ModelServer::new([]);
    assert!(
        matches!(ask(&server, PATIENT), Err(Error::Unreachable(_))),
        "a server that closes the connection"
    );
    // Tests never listen on ports below 1024.
    let unreachable = Provider::new(Wire::OpenAi, "http://127.0.0.1:1", "m", None).unwrap();
    let answer = Client::default().complete(&unreachable, &Request::new("", "x", 1), limits(PATIENT));
    assert!(matches!(answer, Err(Error::Unreachable(_))), "{answer:?}");
}

#[test]
fn an_endless_answer_is_stopped_at_the_limit() {
    let server = ModelServer::new([ModelAnswer::Endless(1 << 40)]);
    assert!(matches!(ask(&server, PATIENT), Err(Error::TooLarge(_))));
}

#[test]
fn redirects_are_not_followed() {
    let other = ModelServer::new([ModelAnswer::chat("caught")]);
    let away = |status| {
        let location = ("location".to_owned(), format!("{}/v1/chat/completions", other.url()));
        ModelServer::new([ModelAnswer::Status(status, vec![location], String::new())])
    };
    for status in [301, 302, 307, 308] {
        let answer = ask(&away(status), PATIENT);
        assert!(matches!(answer, Err(Error::Status { status: found, .. }) if found == status), "{answer:?}");
    }
    assert!(other.asked().is_empty(), "the key must not be sent to another server");
}

#[test]
fn an_answer_in_another_format_is_malformed() {
    let server = ModelServer::new([ModelAnswer::message("in the other format")]);
    assert!(matches!(ask(&server, PATIENT), Err(Error::Malformed(_))));
    let server = ModelServer::new([ModelAnswer::Status(200, Vec::new(), "<html>".to_owned())]);
    assert!(matches!(ask(&server, PATIENT), Err(Error::Malformed(_))));
}

#[test]
fn the_proxy_is_used_for_https_servers_on_other_machines() {
    let proxy = ModelServer::new([ModelAnswer::error(403, "not through here")]);
    let client = Client::with_proxy(&proxy.url()).unwrap();
    let server = ModelServer::new([ModelAnswer::chat("Hi.")]);
    let request = Request::new("", "x", 1);
    let reply = client.complete(&provider(&server, Wire::OpenAi), &request, limits(PATIENT));
    assert_eq!(reply.unwrap().text(), "Hi.");
    assert!(proxy.asked().is_empty());
    let away =
        Provider::new(Wire::OpenAi, "https://model.invalid/v1", "m", Some(SecretString::from("sk-secret")))
            .unwrap();
    let answer = client.complete(&away, &request, limits(PATIENT));
    assert!(answer.is_err());
    let asked = proxy.asked();
    assert_eq!(asked[0].path, "model.invalid:443", "the proxy only gets the CONNECT request");
    assert!(asked.iter().all(|asked| !format!("{asked:?}").contains("sk-secret")));
}
