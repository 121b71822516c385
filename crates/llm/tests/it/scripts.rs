//! One script, both formats, streamed and whole; and servers that break down in every way we know of.

use serde_json::json;
use skillful_llm::{
    Arguments, Cancel, Client, Delta, Effort, Error, Limits, Message, Part, Provider, Reply, Request, Role,
    SecretString, Stop, StreamLimits, ToolSpec, Usage, Wire,
};
use skillful_testkit::{Answer, ModelServer, Say};
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

fn answered(answers: impl IntoIterator<Item = Answer>, wire: Wire) -> (Vec<Delta>, Result<Reply, Error>) {
    stream(&ModelServer::new(answers), wire, &request(), LIMITS)
}

fn again(deltas: &[Delta]) -> usize {
    deltas.iter().filter(|delta| matches!(delta, Delta::Again { .. })).count()
}

/// Without ids, which are new each time.
fn plain(mut reply: Reply) -> Reply {
    for part in &mut reply.parts {
        if let Part::Call { id, .. } = part {
            id.clear();
        }
    }
    reply
}

#[test]
fn a_script_is_the_same_answer_over_both_formats_streamed_and_whole() {
    let script = vec![
        Say::thinking("Hm, 🤔 …"),
        Say::text("Grüße, 🌍! Ich schaue nach."),
        Say::call("read_file", json!({ "path": "ä/\"b\".txt", "n": [1, null, { "x": true }] })),
        Say::call("list_dir", json!({})),
        Say::raw_call("read_file", "{\"path\": \"unclosed"),
        Say::Usage { input: 100, output: 20, cached: 60 },
    ];
    for wire in WIRES {
        let server = ModelServer::new([Answer::Say(script.clone())]);
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
fn a_conversation_with_calls_goes_back_in_the_form_that_the_clients_types_ask_for() {
    for wire in WIRES {
        let first = Answer::Say(vec![
            Say::thinking("hm"),
            Say::text("I look."),
            Say::call("read_file", json!({ "path": "a" })),
            Say::raw_call("no such tool!", "[1"),
        ]);
        let server = ModelServer::new([first, Answer::says("Done.")]);
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
        let server = ModelServer::new([Answer::says("x")]);
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
fn an_answer_that_is_cut_or_falls_silent_anywhere_is_asked_for_again() {
    for wire in WIRES {
        for bytes in [0, 1, 5, 200, 700] {
            let cut = Answer::says("A longer text.").cut_after(bytes);
            let (deltas, reply) = answered([cut, Answer::says("Fine.")], wire);
            assert_eq!(reply.unwrap().text(), "Fine.", "{bytes}");
            assert_eq!(again(&deltas), 1);
        }
        let stalled = Answer::says("A longer text.").stalled_after(300);
        let server = ModelServer::new([stalled, Answer::says("Fine.")]);
        let limits = StreamLimits { idle: Duration::from_secs(2), ..LIMITS };
        let (deltas, reply) = stream(&server, wire, &request(), limits);
        assert_eq!(reply.unwrap().text(), "Fine.");
        assert!(again(&deltas) >= 1, "a busy machine may fall silent once more");
    }
}

#[test]
fn storms_and_overloads_pass() {
    for wire in WIRES {
        for wish in [None, Some("0.05")] {
            let answers = Answer::storm(429, 2, wish).into_iter().chain([Answer::says("Fine.")]);
            let (deltas, reply) = answered(answers, wire);
            assert_eq!(reply.unwrap().text(), "Fine.");
            assert_eq!(again(&deltas), 2);
        }
        let (deltas, reply) = answered([Answer::overloaded_after("Wait"), Answer::says("Fine.")], wire);
        assert_eq!(reply.unwrap().text(), "Fine.");
        assert!(deltas.iter().any(|delta| matches!(delta, Delta::Again { why, .. } if why.contains("529"))));
        let (_, reply) = answered([Answer::Fail(400, "no".to_owned())], wire);
        assert!(matches!(reply, Err(Error::Status { status: 400, .. })), "{reply:?}");
        let (_, reply) = answered([Answer::error_with_success("broken"), Answer::says("Fine.")], wire);
        assert_eq!(reply.unwrap().text(), "Fine.");
    }
}

#[test]
fn garbage_is_malformed_and_a_flood_is_read() {
    for wire in WIRES {
        for garbage in
            ["data: {\"choices\": [\n\n", "data: \u{fffd}\u{0}\n\n", "<html>busy</html>", "data: []\n\n"]
        {
            let (_, reply) = answered([Answer::Events(garbage.to_owned())], wire);
            let cut = wire == Wire::Anthropic && garbage == "data: []\n\n";
            let is_right =
                |error: &Error| matches!(error, Error::Malformed(_)) || cut && *error == Error::Cut;
            assert!(reply.as_ref().is_err_and(is_right), "{garbage}: {reply:?}");
        }
        let (deltas, reply) = answered([Answer::flood("read_file", &json!({ "path": "a" }), 400)], wire);
        assert_eq!((reply.unwrap().parts.len(), deltas.len()), (400, 400));
    }
}

#[test]
fn a_server_that_says_all_and_never_closes_is_not_waited_for() {
    for wire in WIRES {
        // All but the end of the body itself.
        let server = ModelServer::new([Answer::says("Hi.").stalled_after(usize::MAX)]);
        let (deltas, reply) = stream(&server, wire, &request(), LIMITS);
        assert_eq!(reply.unwrap().text(), "Hi.");
        assert_eq!(again(&deltas), 0);
    }
}
