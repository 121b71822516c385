use super::*;
use crate::message::{Message, Request, Stop, Usage};
use serde_json::json;

fn asked() -> Request {
    let mut asked = Request::new("Be brief.", "Hello?", 100);
    asked.messages.push(Message::assistant("Hi."));
    asked.messages.push(Message::user("Why?"));
    asked
}

#[test]
fn anthropic_puts_the_system_beside_the_messages() {
    let body = anthropic::request("claude", &asked());
    assert_eq!(body["system"], "Be brief.");
    assert_eq!(body["max_tokens"], 100);
    assert_eq!(
        body["messages"][0],
        json!({ "role": "user", "content": [{ "type": "text", "text": "Hello?" }] })
    );
    assert_eq!(body["messages"][1]["role"], "assistant");
    assert!(body.get("temperature").is_none());
}

#[test]
fn openai_puts_the_system_first() {
    let body = openai::request("gpt", &Request { temperature: Some(0.0), ..asked() }, openai::Limit::Tokens);
    assert_eq!(body["messages"][0], json!({ "role": "system", "content": "Be brief." }));
    assert_eq!(body["messages"][3], json!({ "role": "user", "content": "Why?" }));
    assert_eq!(body["max_tokens"], 100);
    assert_eq!(body["temperature"], 0.0);
    let body = openai::request("gpt", &asked(), openai::Limit::Completion);
    assert_eq!(body["max_completion_tokens"], 100);
    assert!(body.get("max_tokens").is_none());
}

#[test]
fn an_anthropic_answer_is_its_text_and_what_it_cost() {
    let body = json!({
        "model": "claude-1", "stop_reason": "end_turn",
        "content": [{ "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "a" }, { "type": "text", "text": "b" }],
        "usage": { "input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 3 },
    });
    let reply = anthropic::reply(body.to_string().as_bytes()).unwrap();
    assert_eq!(reply.text(), "ab");
    assert_eq!(reply.stop, Stop::End);
    assert_eq!(reply.usage, Usage { input: 15, output: 3, cached: 5, stored: 0 });
    assert_eq!(reply.model, "claude-1");
}

#[test]
fn an_openai_answer_may_be_text_parts_or_a_refusal() {
    let read = |message: Value, finish: &str| {
        let body = json!({ "choices": [{ "message": message, "finish_reason": finish }] });
        let reply = openai::reply(body.to_string().as_bytes()).unwrap();
        (reply.text(), reply.stop)
    };
    assert_eq!(read(json!({ "content": "a" }), "stop"), ("a".to_owned(), Stop::End));
    let parts = json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] });
    assert_eq!(read(parts, "length"), ("ab".to_owned(), Stop::Length));
    assert_eq!(read(json!({ "content": null, "refusal": "no" }), "stop"), ("no".to_owned(), Stop::Refusal));
    assert_eq!(read(json!({ "content": "" }), "odd"), (String::new(), Stop::Other("odd".to_owned())));
}

#[test]
fn anything_else_is_malformed_and_never_a_panic() {
    for body in
        ["", "x", "[]", "{}", "null", r#"{"choices":[]}"#, r#"{"content":3,"choices":[{}],"data":[{}]}"#]
    {
        assert!(anthropic::reply(body.as_bytes()).is_err(), "{body}");
        assert!(openai::reply(body.as_bytes()).is_err(), "{body}");
        assert!(embeddings::reply(body.as_bytes(), 1).is_err(), "{body}");
    }
}

#[test]
fn vectors_come_back_in_the_order_of_their_texts() {
    let read = |body: Value, wanted| embeddings::reply(body.to_string().as_bytes(), wanted);
    let two = json!({ "data": [{ "index": 1, "embedding": [3, 4.5] }, { "index": 0, "embedding": [1, 2] }] });
    assert_eq!(read(two.clone(), 2).unwrap(), [[1.0, 2.0], [3.0, 4.5]]);
    assert_eq!(read(two.clone(), 3), Err(Malformed::Vectors { wanted: 3, found: 2 }));
    assert_eq!(read(two, 1), Err(Malformed::Vectors { wanted: 1, found: 2 }));
    let unequal = json!({ "data": [{ "embedding": [1, 2] }, { "embedding": [1] }] });
    assert!(read(unequal, 2).is_err());
    assert!(read(json!({ "data": [{ "embedding": [1e300] }] }), 1).is_err());
    assert!(read(json!({ "data": [{ "embedding": ["1"] }] }), 1).is_err());
    assert_eq!(read(json!({ "data": [] }), 0), Ok(Vec::new()));
}

#[test]
fn a_server_s_error_is_one_short_line() {
    assert_eq!(error_message(br#"{"error":{"message":"bad\nmodel\u001b[31m"}}"#), "bad model [31m");
    assert_eq!(error_message(br#"{"error":"overloaded"}"#), "overloaded");
    assert_eq!(error_message(b""), "no message");
    assert!(error_message("x".repeat(5000).as_bytes()).chars().count() <= MESSAGE_LIMIT + 1);
}
