use super::*;
use crate::message::{Arguments, Effort, Message, Part, Request, Role, Stop, ToolSpec, Usage};
use serde_json::json;

fn asked() -> Request {
    let mut asked = Request::new("Be brief.", "Hello?", 100);
    asked.messages.push(Message::assistant("Hi."));
    asked.messages.push(Message::user("Why?"));
    asked
}

#[test]
fn anthropic_puts_the_system_beside_the_messages() {
    let body = anthropic::request("claude", &asked(), anthropic::Cache::Leave);
    assert_eq!(body["system"], json!([{ "type": "text", "text": "Be brief." }]));
    assert_eq!(body["max_tokens"], 100);
    assert_eq!(
        body["messages"][0],
        json!({ "role": "user", "content": [{ "type": "text", "text": "Hello?" }] })
    );
    assert_eq!(body["messages"][1]["role"], "assistant");
}

#[test]
fn anthropic_requests_have_no_temperature() {
    let request = Request { temperature: Some(0.5), ..asked() };
    let body = anthropic::request("claude", &request, anthropic::Cache::Leave);
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
fn an_anthropic_answer_gives_text_and_usage() {
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
fn other_bodies_are_malformed_and_never_panic() {
    for body in
        ["", "x", "[]", "{}", "null", r#"{"choices":[]}"#, r#"{"content":3,"choices":[{}],"data":[{}]}"#]
    {
        assert!(anthropic::reply(body.as_bytes()).is_err(), "{body}");
        assert!(openai::reply(body.as_bytes()).is_err(), "{body}");
        assert!(embeddings::reply(body.as_bytes(), 1).is_err(), "{body}");
    }
}

#[test]
fn vectors_are_returned_in_the_order_of_their_texts() {
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
fn the_error_message_of_a_server_is_one_short_line() {
    assert_eq!(error_message(br#"{"error":{"message":"bad\nmodel\u001b[31m"}}"#), "bad model [31m");
    assert_eq!(error_message(br#"{"error":"overloaded"}"#), "overloaded");
    assert_eq!(error_message(b""), "no message");
    assert!(error_message("x".repeat(5000).as_bytes()).chars().count() <= MESSAGE_LIMIT + 1);
}

/// A turn with reasoning, two calls and their results.
fn worked() -> Request {
    let read = json!({ "path": "a" }).as_object().unwrap().clone();
    let call =
        |id: &str, arguments| Part::Call { id: id.to_owned(), name: "read_file".to_owned(), arguments };
    let result =
        |id: &str, text: &str, failed| Part::Result { id: id.to_owned(), text: text.to_owned(), failed };
    let mut request = Request::new("s", "q", 100);
    request.messages.push(Message {
        role: Role::Assistant,
        parts: vec![
            Part::Thinking { text: "hm".to_owned(), signature: Some("sig".to_owned()) },
            Part::Thinking { text: "unsigned".to_owned(), signature: None },
            Part::text("I look."),
            call("c1", Arguments::Read(read)),
            call("c2", Arguments::Unread("{\"path".to_owned())),
        ],
    });
    request.messages.push(Message {
        role: Role::User,
        parts: vec![
            Part::text("Also this."),
            result("c1", "text", false),
            result("c2", "no such file", true),
        ],
    });
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let name = "read_file".to_owned();
    request.tools.push(ToolSpec { name, description: "Reads a file.".to_owned(), schema });
    request.effort = Some(Effort::High);
    request
}

#[test]
fn anthropic_gets_tools_calls_and_results_in_one_message() {
    let body = anthropic::request("m", &worked(), anthropic::Cache::Leave);
    assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
    assert_eq!(body["output_config"], json!({ "effort": "high" }));
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            { "type": "thinking", "thinking": "hm", "signature": "sig" },
            { "type": "text", "text": "I look." },
            { "type": "tool_use", "id": "c1", "name": "read_file", "input": { "path": "a" } },
            { "type": "tool_use", "id": "c2", "name": "read_file", "input": {} },
        ])
    );
    assert_eq!(
        body["messages"][2],
        json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "c1", "content": "text" },
            { "type": "tool_result", "tool_use_id": "c2", "content": "no such file", "is_error": true },
            { "type": "text", "text": "Also this." },
        ] })
    );
}

#[test]
fn openai_gets_a_message_for_each_result_and_no_thinking() {
    let body = openai::request("m", &worked(), openai::Limit::Tokens);
    assert_eq!(body["tools"][0]["function"]["parameters"]["type"], "object");
    assert_eq!(body["reasoning_effort"], "high");
    assert_eq!(
        body["messages"].as_array().unwrap()[2..],
        [
            json!({ "role": "assistant", "content": "I look.", "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "read_file", "arguments": "{\"path\":\"a\"}" } },
                { "id": "c2", "type": "function", "function": { "name": "read_file", "arguments": "{}" } },
            ] }),
            json!({ "role": "tool", "tool_call_id": "c1", "content": "text" }),
            json!({ "role": "tool", "tool_call_id": "c2", "content": "The tool failed: no such file" }),
            json!({ "role": "user", "content": "Also this." }),
        ]
    );
}

#[test]
fn anthropic_is_asked_to_cache_the_system_prompt_and_the_messages() {
    let body = anthropic::request("m", &worked(), anthropic::Cache::Keep);
    let mark = json!({ "type": "ephemeral" });
    assert_eq!(body["system"][0]["cache_control"], mark);
    assert_eq!(body["messages"][2]["content"][2]["cache_control"], mark);
    // The message that the request before ended with, so that it is found however much came since.
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], mark);
    assert_eq!(body.to_string().matches("cache_control").count(), 3);
    let body = anthropic::request("m", &worked(), anthropic::Cache::Leave);
    assert!(!body.to_string().contains("cache_control"));
}

#[test]
fn neighbouring_messages_of_one_role_are_merged_and_empty_ones_dropped() {
    let mut request = Request::new("", "one", 1);
    request.messages.push(Message::user("two"));
    request.messages.push(Message::assistant(""));
    let body = anthropic::request("m", &request, anthropic::Cache::Leave);
    assert!(body.get("system").is_none());
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    assert_eq!(body["messages"][0]["content"][1]["text"], "two");
    let body = openai::request("m", &request, openai::Limit::Tokens);
    assert_eq!(body["messages"][1], json!({ "role": "user", "content": "one\n\ntwo" }));
    assert_eq!(body["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn invented_names_and_ids_are_sent_back_in_a_form_that_servers_accept() {
    let mut request = Request::new("s", "q", 1);
    let name = format!("weather.get now{}", "x".repeat(80));
    let call = Part::Call { id: "a:1".to_owned(), name, arguments: Arguments::Unread("[]".to_owned()) };
    let result = Part::Result { id: "a:1".to_owned(), text: String::new(), failed: true };
    request.messages.push(Message { role: Role::Assistant, parts: vec![call] });
    request.messages.push(Message { role: Role::User, parts: vec![result] });
    let body = anthropic::request("m", &request, anthropic::Cache::Leave);
    let sent = &body["messages"][1]["content"][0];
    assert_eq!(sent["id"], "a_1");
    assert_eq!(sent["name"].as_str().unwrap().len(), 64);
    assert!(sent["name"].as_str().unwrap().starts_with("weather_get_now"));
    assert_eq!(body["messages"][2]["content"][0]["tool_use_id"], "a_1");
    assert!(!body["messages"][2]["content"][0]["content"].as_str().unwrap().is_empty());
    let body = openai::request("m", &request, openai::Limit::Tokens);
    assert_eq!(body["messages"][2]["content"], Value::Null);
    assert_eq!(body["messages"][2]["tool_calls"][0]["id"], body["messages"][3]["tool_call_id"]);
}

#[test]
fn calls_are_read_from_an_answer_that_is_not_streamed() {
    let body = json!({
        "model": "m", "stop_reason": "tool_use",
        "content": [
            { "type": "thinking", "thinking": "hm", "signature": "sig" },
            { "type": "redacted_thinking", "data": "zzz" },
            { "type": "tool_use", "id": "c1", "name": "f", "input": { "a": 1 } },
            { "type": "tool_use", "id": "c2", "name": "g", "input": [1] },
        ],
    });
    let reply = anthropic::reply(body.to_string().as_bytes()).unwrap();
    assert_eq!(reply.stop, Stop::Calls);
    let again = Request { messages: vec![Message { role: Role::Assistant, parts: reply.parts }], ..asked() };
    let sent = anthropic::request("m", &again, anthropic::Cache::Leave);
    let sent = sent["messages"][0]["content"].as_array().unwrap().clone();
    assert_eq!(sent[..3], body["content"].as_array().unwrap()[..3]);
    assert_eq!(sent[3]["input"], json!({}), "the format accepts only objects");
}

#[test]
fn openai_calls_can_lack_ids_and_have_any_arguments() {
    let call = |arguments: Value| json!({ "function": { "name": "f", "arguments": arguments } });
    let calls = [json!("{\"a\":1}"), json!(""), json!("{\"a\":"), json!({ "a": 1 }), Value::Null].map(call);
    let message = json!({ "content": null, "reasoning_content": "hm", "tool_calls": calls });
    let body = json!({ "choices": [{ "message": message, "finish_reason": "stop" }] });
    let reply = openai::reply(body.to_string().as_bytes()).unwrap();
    assert_eq!(reply.stop, Stop::Calls, "the server's term does not matter");
    let one = Arguments::Read(json!({ "a": 1 }).as_object().unwrap().clone());
    let none = Arguments::Read(serde_json::Map::new());
    let wanted = [one.clone(), none.clone(), Arguments::Unread("{\"a\":".to_owned()), one, none];
    let wanted = wanted.into_iter().enumerate().map(|(at, arguments)| Part::Call {
        id: format!("call_{}", at + 1),
        name: "f".to_owned(),
        arguments,
    });
    let thinking = Part::Thinking { text: "hm".to_owned(), signature: None };
    assert_eq!(reply.parts, std::iter::once(thinking).chain(wanted).collect::<Vec<_>>());
}

#[test]
fn the_list_of_models_gives_their_ids() {
    let body = json!({ "data": [{ "id": "a" }, { "id": "b\u{1b}" }, { "name": "c" }, { "id": "d" }] });
    assert_eq!(models::reply(body.to_string().as_bytes()).unwrap(), ["a", "d"]);
    assert!(models::reply(b"{}").is_err());
}

#[test]
fn responses_have_the_session_as_items_and_nothing_is_stored() {
    let mut asked = asked();
    asked.messages.push(Message {
        role: Role::Assistant,
        parts: vec![
            Part::Thinking {
                text: String::new(),
                signature: Some("responses:{\"type\":\"reasoning\"}".to_owned()),
            },
            Part::Thinking { text: String::new(), signature: Some("of another format".to_owned()) },
            Part::Call {
                id: "c1".to_owned(),
                name: "look".to_owned(),
                arguments: Arguments::Unread("{".to_owned()),
            },
        ],
    });
    asked.messages.push(Message {
        role: Role::User,
        parts: vec![
            Part::Image { media: "image/png".to_owned(), data: "AAAA".to_owned() },
            Part::Result { id: "c1".to_owned(), text: "no".to_owned(), failed: true },
        ],
    });
    asked.tools.push(ToolSpec {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        schema: json!({}),
    });
    let body = responses::request("gpt", &Request { effort: Some(Effort::Low), ..asked });
    assert_eq!((&body["instructions"], &body["store"]), (&json!("Be brief."), &json!(false)));
    assert_eq!(body["reasoning"], json!({ "effort": "low" }));
    assert_eq!(
        body["input"],
        json!([
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Hello?" }] },
            { "type": "message", "role": "assistant", "content": "Hi." },
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Why?" }] },
            { "type": "reasoning" },
            { "type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "c1", "output": "The tool failed: no" },
            { "type": "message", "role": "user", "content": [
                { "type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AAAA" },
            ] },
        ])
    );
}

#[test]
fn responses_say_why_they_end() {
    let end = |status: &str, reason: Option<&str>, content: Value| {
        let body = json!({
            "status": status, "incomplete_details": { "reason": reason }, "model": "gpt",
            "output": [{ "type": "message", "content": [content] }],
        });
        let reply = responses::reply(body.to_string().as_bytes()).unwrap();
        (reply.text(), reply.stop)
    };
    let text = || json!({ "type": "output_text", "text": "a" });
    assert_eq!(end("completed", None, text()), ("a".to_owned(), Stop::End));
    assert_eq!(end("incomplete", Some("max_output_tokens"), text()).1, Stop::Length);
    assert_eq!(end("incomplete", Some("content_filter"), text()).1, Stop::Refusal);
    let refusal = json!({ "type": "refusal", "refusal": "no" });
    assert_eq!(end("completed", None, refusal), ("no".to_owned(), Stop::Refusal));
}

#[test]
fn images_go_with_the_text_and_not_into_results() {
    let mut asked = asked();
    asked.messages.push(Message::assistant("Hm."));
    asked.messages.push(Message {
        role: Role::User,
        parts: vec![
            Part::text("See"),
            Part::text("this"),
            Part::Image { media: "image/png".to_owned(), data: "AAAA".to_owned() },
        ],
    });
    let body = openai::request("gpt", &asked, openai::Limit::Tokens);
    assert_eq!(
        body["messages"][5]["content"],
        json!([
            { "type": "text", "text": "See\n\nthis" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } },
        ])
    );
    let body = anthropic::request("claude", &asked, anthropic::Cache::Leave);
    assert_eq!(
        body["messages"][4]["content"][2],
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } })
    );
}
