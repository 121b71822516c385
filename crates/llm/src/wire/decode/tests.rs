use super::*;
use crate::message::{Arguments, Stop, Usage};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const ANTHROPIC: &str = r#"event: message_start
data: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":1}}}

event: ping
data: {"type":"ping"}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm … "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Grüße, "}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"🌍"}}

event: something_new
data: {"type":"something_new","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c1","name":"read_file","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"pa"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"th\":\"ä\"}"}}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"c2","name":"list","input":{}}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42}}

event: message_stop
data: {"type":"message_stop"}

"#;

const OPENAI: &str = r#": comment

data: {"model":"gpt-x","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"hm … "},"finish_reason":null}],"usage":null}

data: {"choices":[{"index":0,"delta":{"content":"Grüße, "}}]}

data: {"choices":[{"index":0,"delta":{"content":"🌍"}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"pa"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"list","arguments":"{}"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"th\":\"ä\"}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":42,"prompt_tokens_details":{"cached_tokens":7}}}

data: [DONE]

"#;

const RESPONSES: &str = r#"event: response.created
data: {"type":"response.created","response":{"id":"r1","status":"in_progress","model":"gpt-x","error":null,"output":[]}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs1","summary":[]}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"hm … "}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs1","summary":[{"type":"summary_text","text":"hm … "}],"encrypted_content":"sealed"}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"Grüße, "}

event: response.output_text.delta
data: {"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"🌍"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":1,"item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Grüße, 🌍","annotations":[]}]}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"c1","name":"read_file","arguments":""}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"pa"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"c1","name":"read_file","arguments":"{\"path\":\"ä\"}"}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","call_id":"c2","name":"list","arguments":""}}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":3,"item":{"type":"function_call","call_id":"c2","name":"list","arguments":"{}"}}

event: response.completed
data: {"type":"response.completed","response":{"id":"r1","status":"completed","model":"gpt-x","error":null,"output":[],"usage":{"input_tokens":12,"input_tokens_details":{"cached_tokens":7},"output_tokens":42}}}

"#;

fn read(wire: Wire, pieces: &[&[u8]]) -> (Vec<Delta>, Result<Reply, Error>) {
    let mut decoder = Decoder::new(wire);
    let mut deltas = Vec::new();
    for piece in pieces {
        match decoder.push(piece) {
            Ok(more) => deltas.extend(more),
            Err(error) => return (deltas, Err(error)),
        }
    }
    (deltas, decoder.finish())
}

fn whole_text(wire: Wire, text: &str) -> Result<Reply, Error> {
    read(wire, &[text.as_bytes()]).1
}

fn object(value: Value) -> Arguments {
    match value {
        Value::Object(map) => Arguments::Read(map),
        other => Arguments::Unread(other.to_string()),
    }
}

fn call(id: &str, name: &str, arguments: Arguments) -> Part {
    Part::Call { id: id.to_owned(), name: name.to_owned(), arguments }
}

/// Reasoning as the server takes it again.
fn sealed() -> Value {
    json!({
        "type": "reasoning", "id": "rs1", "summary": [{ "type": "summary_text", "text": "hm … " }],
        "encrypted_content": "sealed",
    })
}

fn expected(wire: Wire) -> Reply {
    let (signature, model) = match wire {
        Wire::Anthropic => (Some("sig".to_owned()), "claude-x"),
        Wire::OpenAi => (None, "gpt-x"),
        Wire::Responses => (Some(format!("responses:{}", sealed())), "gpt-x"),
    };
    Reply {
        parts: vec![
            Part::Thinking { text: "hm … ".to_owned(), signature },
            Part::text("Grüße, 🌍"),
            call("c1", "read_file", object(json!({ "path": "ä" }))),
            call("c2", "list", Arguments::Read(Map::new())),
        ],
        stop: Stop::Calls,
        usage: Usage { input: 12, output: 42, cached: 7, stored: 0 },
        model: model.to_owned(),
    }
}

const ALL: [(Wire, &str); 3] =
    [(Wire::Anthropic, ANTHROPIC), (Wire::OpenAi, OPENAI), (Wire::Responses, RESPONSES)];

#[test]
fn a_stream_gives_deltas_and_the_complete_answer_at_its_end() {
    for (wire, text) in ALL {
        let (deltas, reply) = read(wire, &[text.as_bytes()]);
        assert_eq!(reply.unwrap(), expected(wire));
        let words = |text: &str| Delta::Text(text.to_owned());
        let name = |name: &str| Delta::Call { name: name.to_owned() };
        let wanted = [
            Delta::Thinking("hm … ".to_owned()),
            words("Grüße, "),
            words("🌍"),
            name("read_file"),
            name("list"),
        ];
        assert_eq!(deltas, wanted);
        let returns = text.replace('\n', "\r\n");
        assert_eq!(whole_text(wire, &returns).unwrap(), expected(wire));
    }
}

#[test]
fn splitting_the_bytes_anywhere_gives_the_same_answer() {
    for (wire, text) in ALL {
        let bytes = text.as_bytes();
        let wanted = read(wire, &[bytes]);
        for at in 0..bytes.len() {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(read(wire, &[head, tail]), wanted, "{at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(read(wire, &single), wanted);
    }
}

#[test]
fn a_stream_that_ends_early_is_an_error() {
    let end = |wire, text: &str| match wire {
        Wire::Anthropic => text.find("event: message_stop").unwrap(),
        Wire::OpenAi => text.find("data: {\"choices\":[{\"index\":0,\"delta\":{},").unwrap(),
        Wire::Responses => text.find("event: response.completed").unwrap(),
    };
    for (wire, text) in ALL {
        for at in 0..end(wire, text) {
            let reply = read(wire, &[&text.as_bytes()[..at]]).1;
            assert_eq!(reply, Err(Error::Cut), "{at}: {}", text.get(..at).unwrap_or_default());
        }
    }
}

#[test]
fn an_openai_stream_with_a_finish_reason_is_complete_without_done() {
    let text = OPENAI.replace("data: [DONE]\n\n", "");
    assert_eq!(whole_text(Wire::OpenAi, &text).unwrap(), expected(Wire::OpenAi));
    let at = OPENAI.find("data: {\"choices\":[],\"usage\"").unwrap();
    let reply = whole_text(Wire::OpenAi, &OPENAI[..at + 20]).unwrap();
    assert_eq!(reply.usage, Usage::default());
    assert_eq!(reply.parts, expected(Wire::OpenAi).parts);
}

fn openai_calls(deltas: &[Value]) -> Vec<Part> {
    let mut text = String::new();
    for delta in deltas {
        text += &format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": [delta] } }] }));
    }
    text += "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    whole_text(Wire::OpenAi, &text).unwrap().parts
}

#[test]
fn calls_without_an_index_or_an_id_are_distinguished() {
    let one = object(json!({ "a": 1 }));
    let two = [call("call_1", "f", one.clone()), call("call_2", "g", one.clone())];
    // Complete calls with neither index nor id.
    assert_eq!(
        openai_calls(&[
            json!({ "function": { "name": "f", "arguments": "{\"a\":1}" } }),
            json!({ "function": { "name": "g", "arguments": { "a": 1 } } }),
        ]),
        two
    );
    // Pieces without an index belong to the call that started last.
    assert_eq!(
        openai_calls(&[
            json!({ "function": { "name": "f", "arguments": "{\"a\"" } }),
            json!({ "function": { "arguments": ":1}" } }),
            json!({ "function": { "name": "g" } }),
            json!({ "function": { "arguments": "{\"a\":1}" } }),
        ]),
        two
    );
    // The same index for all calls, but different ids.
    assert_eq!(
        openai_calls(&[
            json!({ "index": 0, "id": "x", "function": { "name": "f", "arguments": "{\"a\":1}" } }),
            json!({ "index": 0, "id": "y", "function": { "name": "f", "arguments": "{\"a\"" } }),
            json!({ "index": 0, "function": { "arguments": ":1}" } }),
        ]),
        [call("x", "f", one.clone()), call("y", "f", one.clone())]
    );
    // The same id for all calls.
    assert_eq!(
        openai_calls(&[
            json!({ "index": 0, "id": "x", "function": { "name": "f", "arguments": "{\"a\":1}" } }),
            json!({ "index": 7, "id": "x", "function": { "name": "g", "arguments": "{\"a\":1}" } }),
        ]),
        [call("x", "f", one.clone()), call("call_2", "g", one)]
    );
}

#[test]
fn errors_inside_a_stream_have_a_status() {
    let status = |wire, text: &str| match whole_text(wire, text) {
        Err(Error::Status { status, message, .. }) => (status, message),
        other => panic!("{other:?}"),
    };
    let event = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    assert_eq!(status(Wire::Anthropic, event), (529, "Overloaded".to_owned()));
    let (begun, _) = ANTHROPIC.split_at(ANTHROPIC.find("event: message_delta").unwrap());
    assert_eq!(status(Wire::Anthropic, &format!("{begun}{event}")).0, 529);
    for (error, code) in [
        (json!({ "message": "m", "code": 502 }), 502),
        (json!({ "message": "m", "type": "invalid_request_error" }), 400),
        (json!({ "message": "m", "code": "rate_limit_exceeded", "type": "tokens" }), 429),
        (json!({ "message": "m", "type": "server_error" }), 500),
        (json!("m"), 500),
    ] {
        let text = format!("data: {}\n\n", json!({ "error": error }));
        assert_eq!(status(Wire::OpenAi, &text), (code, "m".to_owned()));
    }
    // An error as the whole body, with a successful status.
    let body = json!({ "type": "error", "error": { "type": "rate_limit_error", "message": "slow down" } });
    assert_eq!(status(Wire::Anthropic, &body.to_string()), (429, "slow down".to_owned()));
    assert_eq!(status(Wire::OpenAi, &body.to_string()), (429, "slow down".to_owned()));
}

#[test]
fn a_server_that_does_not_stream_is_read_whole() {
    let body = "\n {\"choices\":[{\"message\":{\"content\":\"Hi.\"},\"finish_reason\":\"stop\"}]}";
    let pieces: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
    let (deltas, reply) = read(Wire::OpenAi, &pieces);
    let reply = reply.unwrap();
    assert_eq!((reply.text().as_str(), deltas.len()), ("Hi.", 0));
    assert_eq!(shown(&reply), [Delta::Text("Hi.".to_owned())]);
}

#[test]
fn other_bodies_are_malformed_and_the_start_of_a_stream_is_incomplete() {
    for text in ["<html>", "no events here\n\n", "data: {\n\n", "data: 7\n\n"] {
        let reply = whole_text(Wire::OpenAi, text);
        assert!(matches!(reply, Err(Error::Malformed(_))), "{text}: {reply:?}");
    }
    for text in ["", "\n", "d", "data", "event: x", ": waiting\n\n"] {
        assert_eq!(whole_text(Wire::Anthropic, text), Err(Error::Cut), "{text}");
    }
}

#[test]
fn arguments_that_are_not_an_object_are_kept_as_written() {
    let text = ANTHROPIC.replace(r#"th\":\"ä\"}"#, r#"th\": "#);
    let reply = whole_text(Wire::Anthropic, &text).unwrap();
    assert_eq!(reply.parts[2], call("c1", "read_file", Arguments::Unread("{\"path\": ".to_owned())));
}

#[test]
fn the_size_of_an_answer_is_limited() {
    let mut decoder = Decoder::new(Wire::OpenAi);
    let piece =
        format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": "x".repeat(1 << 20) } }] }));
    let pushed: Result<Vec<_>, _> = (0..40).map(|_| decoder.push(piece.as_bytes())).collect();
    assert_eq!(pushed, Err(Error::TooLarge(ANSWER_LIMIT)));
}

proptest! {
    #[test]
    fn any_split_of_the_bytes_gives_the_same_answer(
        cuts in proptest::collection::vec(0_usize..4000, 0..40),
        returns: bool,
    ) {
        for (wire, text) in ALL {
            let text = if returns { text.replace('\n', "\r\n") } else { text.to_owned() };
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % text.len()).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts {
                pieces.push(&text.as_bytes()[from..cut]);
                from = cut;
            }
            pieces.push(&text.as_bytes()[from..]);
            prop_assert_eq!(read(wire, &pieces).1.unwrap(), expected(wire));
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for (wire, _) in ALL {
            let _any = read(wire, &[&bytes]);
        }
    }

    /// Replaces a part of a real stream, which reaches more code than random bytes.
    #[test]
    fn damaged_streams_never_panic(
        at in 0_usize..4000,
        length in 0_usize..60,
        noise in proptest::collection::vec(proptest::sample::select(b"{}[]\":,\n\r 0-x\xC3".to_vec()), 0..20),
    ) {
        for (wire, text) in ALL {
            let at = at % text.len();
            let end = (at + length).min(text.len());
            let _any = read(wire, &[&text.as_bytes()[..at], &noise, &text.as_bytes()[end..]]);
        }
    }
}
