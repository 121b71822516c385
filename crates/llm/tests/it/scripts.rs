//! The same script over both formats, streamed and not; and servers that fail in every known way.

use serde_json::json;
use skillful_llm::{
    Arguments, Cancel, Client, Delta, Effort, Error, Limits, Message, Part, Provider, Reply, Request, Role,
    SecretString, Stop, StreamLimits, ToolSpec, Usage, Wire,
};
use skillful_testkit::{AnswerPart, ModelAnswer, ModelServer};
use std::time::Duration;

const WIRES: [Wire; 2] = [Wire::Anthropic, Wire::OpenAi];
const LIMITS: StreamLimits =
    StreamLimits { total: Duration::from_mins(1), idle: Duration::from_secs(20), attempts: 3 };

fn provider(server: &ModelServer, wire: Wire) -> Provider {
    Provider::new(wire, &format!("{}/v1", server.url()), "m", Some(SecretString::from("sk-secret"))).unwrap()
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "read_file".to_owned(),
        description: "Reads a file.".to_owned(),
        schema: json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] }),
    }
}

fn request() -> Request {
    Request { tools: vec![tool()], effort: Some(Effort::Low), ..Request::new("Be brief.", "Grüße?", 64) }
}

fn stream(
    server: &ModelServer,
    wire: Wire,
    request: &Request,
    limits: StreamLimits,
) -> (Vec<Delta>, Result<Reply, Error>) {
    let mut deltas = Vec::new();
    let reply = Client::default().stream(
        &provider(server, wire),
        request,
        limits,
        &Cancel::default(),
        &mut |delta| {
            deltas.push(delta);
        },
    );
    (deltas, reply)
}

fn answered(
    answers: impl IntoIterator<Item = ModelAnswer>,
    wire: Wire,
) -> (Vec<Delta>, Result<Reply, Error>) {
    stream(&ModelServer::new(answers), wire, &request(), LIMITS)
}

fn again(deltas: &[Delta]) -> usize {
    deltas.iter().filter(|delta| matches!(delta, Delta::Retry { .. })).count()
}

/// Without ids, which differ in each run.
fn plain(mut reply: Reply) -> Reply {
    for part in &mut reply.parts {
        if let Part::Call { id, .. } = part {
            id.clear();
        }
    }
    reply
}

#[test]
fn a_script_gives_the_same_answer_over_both_formats_streamed_or_not() {
    let script = vec![
        AnswerPart::thinking("Hm, 🤔 …"),
        AnswerPart::text("Grüße, 🌍! Ich schaue nach."),
        AnswerPart::call("read_file", json!({ "path": "ä/\"b\".txt", "n": [1, null, { "x": true }] })),
        AnswerPart::call("list_dir", json!({})),
        AnswerPart::raw_call("read_file", "{\"path\": \"unclosed"),
        AnswerPart::Usage { input: 100, output: 20, cached: 60 },
    ];
    for wire in WIRES {
        let server = ModelServer::new([ModelAnswer::Parts(script.clone())]);
        let (deltas, streamed) = stream(&server, wire, &request(), LIMITS);
        let streamed = streamed.unwrap();
        let limits = Limits { timeout: Duration::from_mins(1) };
        let whole = Client::default().complete(&provider(&server, wire), &request(), limits).unwrap();
        assert_eq!(plain(streamed.clone()), plain(whole));
        assert_eq!(streamed.stop, Stop::Calls);
        assert_eq!(streamed.text(), "Grüße, 🌍! Ich schaue nach.");
        assert_eq!(streamed.usage, Usage { input: 100, output: 20, cached: 60, stored: 0 });
        let calls = streamed.parts.iter().filter_map(|part| match part {
            Part::Call { name, arguments, .. } => Some((name.as_str(), arguments.clone())),
            _ => None,
        });
        let read = |value: serde_json::Value| Arguments::Read(value.as_object().unwrap().clone());
        let wanted = [
            ("read_file", read(json!({ "path": "ä/\"b\".txt", "n": [1, null, { "x": true }] }))),
            ("list_dir", read(json!({}))),
            ("read_file", Arguments::Unread("{\"path\": \"unclosed".to_owned())),
        ];
        assert_eq!(calls.collect::<Vec<_>>(), wanted);
        let shown: String = deltas.iter().fold(String::new(), |text, delta| match delta {
            Delta::Text(piece) => text + piece,
            _ => text,
        });
        assert_eq!(shown, streamed.text());
    }
}

#[test]
fn messages_with_calls_are_sent_in_the_form_of_the_vendors_types() {
    for wire in WIRES {
        let first = ModelAnswer::Parts(vec![
            AnswerPart::thinking("hm"),
            AnswerPart::text("I look."),
            AnswerPart::call("read_file", json!({ "path": "a" })),
            AnswerPart::raw_call("no such tool!", "[1"),
        ]);
        let server = ModelServer::new([first, ModelAnswer::says("Done.")]);
        let mut request = request();
        let reply = stream(&server, wire, &request, LIMITS).1.unwrap();
        let results = reply.parts.iter().filter_map(|part| match part {
            Part::Call { id, arguments, .. } => Some(Part::Result {
                id: id.clone(),
                text: if matches!(arguments, Arguments::Read(_)) {
                    "content".to_owned()
                } else {
                    String::new()
                },
                failed: !matches!(arguments, Arguments::Read(_)),
            }),
            _ => None,
        });
        let results = results.collect();
        request.messages.push(Message { role: Role::Assistant, parts: reply.parts });
        request.messages.push(Message { role: Role::User, parts: results });
        request.messages.push(Message::user("Go on."));
        assert_eq!(stream(&server, wire, &request, LIMITS).1.unwrap().text(), "Done.");
        assert_eq!(server.complaints(), Vec::<String>::new());
        assert_eq!(server.asked().len(), 2);
    }
}

#[test]
fn an_unanswered_call_is_refused_by_the_server() {
    for wire in WIRES {
        let server = ModelServer::new([ModelAnswer::says("x")]);
        let mut request = request();
        let call = Part::Call {
            id: "c".to_owned(),
            name: "read_file".to_owned(),
            arguments: Arguments::Unread(String::new()),
        };
        request.messages.push(Message { role: Role::Assistant, parts: vec![call] });
        request.messages.push(Message::user("Well?"));
        let reply = stream(&server, wire, &request, LIMITS).1;
        assert!(matches!(reply, Err(Error::Status { status: 400, .. })), "{reply:?}");
        assert!(server.take_complaints()[0].contains("has no result"));
    }
}

#[test]
fn an_answer_that_ends_early_or_stalls_is_retried() {
    for wire in WIRES {
        for bytes in [0, 1, 5, 200, 700] {
            let cut = ModelAnswer::says("A longer text.").cut_after(bytes);
            let (deltas, reply) = answered([cut, ModelAnswer::says("Fine.")], wire);
            assert_eq!(reply.unwrap().text(), "Fine.", "{bytes}");
            assert_eq!(again(&deltas), 1);
        }
        let stalled = ModelAnswer::says("A longer text.").stalled_after(300);
        let server = ModelServer::new([stalled, ModelAnswer::says("Fine.")]);
        let limits = StreamLimits { idle: Duration::from_secs(2), ..LIMITS };
        let (deltas, reply) = stream(&server, wire, &request(), limits);
        assert_eq!(reply.unwrap().text(), "Fine.");
        assert!(again(&deltas) >= 1, "on a busy machine there may be more than one retry");
    }
}

#[test]
fn rate_limits_and_overloads_are_retried() {
    for wire in WIRES {
        for wish in [None, Some("0.05")] {
            let answers = ModelAnswer::storm(429, 2, wish).into_iter().chain([ModelAnswer::says("Fine.")]);
            let (deltas, reply) = answered(answers, wire);
            assert_eq!(reply.unwrap().text(), "Fine.");
            assert_eq!(again(&deltas), 2);
        }
        let (deltas, reply) =
            answered([ModelAnswer::overloaded_after("Wait"), ModelAnswer::says("Fine.")], wire);
        assert_eq!(reply.unwrap().text(), "Fine.");
        assert!(deltas.iter().any(|delta| matches!(delta, Delta::Retry { why, .. } if why.contains("529"))));
        let (_, reply) = answered([ModelAnswer::Fail(400, "no".to_owned())], wire);
        assert!(matches!(reply, Err(Error::Status { status: 400, .. })), "{reply:?}");
        let (_, reply) =
            answered([ModelAnswer::error_with_success("broken"), ModelAnswer::says("Fine.")], wire);
        assert_eq!(reply.unwrap().text(), "Fine.");
    }
}

#[test]
fn garbage_is_malformed_and_a_flood_of_small_pieces_is_read() {
    for wire in WIRES {
        for garbage in
            ["data: {\"choices\": [\n\n", "data: \u{fffd}\u{0}\n\n", "<html>busy</html>", "data: []\n\n"]
        {
            let (_, reply) = answered([ModelAnswer::Events(garbage.to_owned())], wire);
            let cut = wire == Wire::Anthropic && garbage == "data: []\n\n";
            let is_right =
                |error: &Error| matches!(error, Error::Malformed(_)) || cut && *error == Error::Cut;
            assert!(reply.as_ref().is_err_and(is_right), "{garbage}: {reply:?}");
        }
        let (deltas, reply) = answered([ModelAnswer::flood("read_file", &json!({ "path": "a" }), 400)], wire);
        assert_eq!((reply.unwrap().parts.len(), deltas.len()), (400, 400));
    }
}

#[test]
fn a_complete_answer_is_returned_though_the_connection_stays_open() {
    for wire in WIRES {
        // The complete answer without the end of the HTTP body.
        let server = ModelServer::new([ModelAnswer::says("Hi.").stalled_after(usize::MAX)]);
        let (deltas, reply) = stream(&server, wire, &request(), LIMITS);
        assert_eq!(reply.unwrap().text(), "Hi.");
        assert_eq!(again(&deltas), 0);
    }
}
