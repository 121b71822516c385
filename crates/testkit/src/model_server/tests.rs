use super::*;
use serde_json::json;

fn asked(format: WireFormat, body: Value) -> RecordedRequest {
    let (path, headers) = match format {
        WireFormat::Anthropic => {
            ("/v1/messages", vec![("anthropic-version", "2026-10-21"), ("x-api-key", "sk-test")])
        }
        WireFormat::OpenAi => ("/v1/chat/completions", vec![("authorization", "Bearer sk-test")]),
        WireFormat::Responses => ("/v1/responses", vec![("authorization", "Bearer sk-test")]),
    };
    let headers = headers.into_iter().chain([("content-type", "application/json")]);
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    RecordedRequest { path: path.to_owned(), headers, body }
}

/// The complaints about a valid request after a change.
fn judged(format: WireFormat, change: impl FnOnce(&mut Value)) -> String {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    let mut body = match format {
        WireFormat::Anthropic => json!({
            "model": "m", "max_tokens": 9, "system": [{ "type": "text", "text": "s" }],
            "tools": [{ "name": "f", "description": "d", "input_schema": schema }],
            "messages": [
                { "role": "user", "content": [{ "type": "text", "text": "q" }] },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "", "signature": "x" },
                    { "type": "tool_use", "id": "c1", "name": "f", "input": { "a": 1 } },
                    { "type": "tool_use", "id": "c2", "name": "f", "input": {} },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "c2", "content": "2" },
                    { "type": "tool_result", "tool_use_id": "c1", "content": "1" },
                    { "type": "text", "text": "and?" },
                ] },
            ],
        }),
        WireFormat::OpenAi => {
            let call = |id: &str| json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } });
            json!({
                "model": "m", "max_tokens": 9,
                "tools": [{ "type": "function", "function": { "name": "f", "description": "d", "parameters": schema } }],
                "messages": [
                    { "role": "system", "content": "s" },
                    { "role": "user", "content": "q" },
                    { "role": "assistant", "content": null, "tool_calls": [call("c1"), call("c2")] },
                    { "role": "tool", "tool_call_id": "c2", "content": "2" },
                    { "role": "tool", "tool_call_id": "c1", "content": "1" },
                    { "role": "user", "content": "and?" },
                ],
            })
        }
        WireFormat::Responses => {
            let call =
                |id: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": "{}" });
            let result = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "1" });
            let text = |text: &str| {
                let content = json!([{ "type": "input_text", "text": text }]);
                json!({ "type": "message", "role": "user", "content": content })
            };
            json!({
                "model": "m", "max_output_tokens": 9, "store": false, "instructions": "s",
                "tools": [{ "type": "function", "name": "f", "description": "d", "parameters": schema, "strict": false }],
                "input": [text("q"), call("c1"), call("c2"), result("c2"), result("c1"), text("and?")],
            })
        }
    };
    change(&mut body);
    validate::complaints(format, &asked(format, body)).join("; ")
}

fn remove(list: &mut Value, at: usize) {
    list.as_array_mut().unwrap().remove(at);
}

fn push(list: &mut Value, value: Value) {
    list.as_array_mut().unwrap().push(value);
}

#[test]
fn a_valid_request_causes_no_complaint() {
    assert_eq!(judged(WireFormat::Anthropic, |_| {}), "");
    assert_eq!(judged(WireFormat::OpenAi, |_| {}), "");
    let full = |body: &mut Value| {
        body["stream"] = json!(true);
        body["reasoning"] = json!({ "effort": "high" });
        body["include"] = json!(["reasoning.encrypted_content"]);
        let summary = json!([{ "type": "summary_text", "text": "Hm." }]);
        let thought =
            json!({ "type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "x" });
        body["input"].as_array_mut().unwrap().insert(1, thought);
        let image =
            json!({ "type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AA==" });
        push(&mut body["input"][0]["content"], image);
    };
    assert_eq!(judged(WireFormat::Responses, |_| {}), "");
    assert_eq!(judged(WireFormat::Responses, full), "");
    assert_eq!(judged(WireFormat::Anthropic, |body| body["stream"] = json!(true)), "");
    let stream = |body: &mut Value| {
        body["stream"] = json!(true);
        body["stream_options"] = json!({ "include_usage": true });
        body["reasoning_effort"] = json!("high");
    };
    assert_eq!(judged(WireFormat::OpenAi, stream), "");
}

#[test]
fn fields_unknown_to_the_clients_are_refused_and_named() {
    let found = judged(WireFormat::Anthropic, |body| body["messages"][1]["content"][1]["inputs"] = json!({}));
    assert!(found.contains("/messages/1/content/1") && found.contains("inputs"), "{found}");
    let found = judged(WireFormat::OpenAi, |body| {
        body["messages"][2]["tool_calls"][0]["function"]["args"] = json!(1);
    });
    assert!(found.contains("/messages/2/tool_calls/0/function") && found.contains("args"), "{found}");
    for format in [WireFormat::Anthropic, WireFormat::OpenAi] {
        assert!(judged(format, |body| body["extra"] = json!(1)).contains("extra"));
        assert!(judged(format, |body| body["model"] = Value::Null).contains("model"));
        assert!(judged(format, |body| *body = Value::Null).contains("null"));
        assert!(judged(format, |body| body["max_tokens"] = json!("9")).contains("max_tokens"));
    }
}

#[test]
fn rules_of_the_responses_api_beyond_the_types() {
    let check = |change: &dyn Fn(&mut Value), words: &str| {
        let found = judged(WireFormat::Responses, change);
        assert!(found.contains(words), "{words}: {found}");
    };
    check(&|body| body["extra"] = json!(1), "extra");
    check(&|body| body["model"] = json!(""), "model: empty");
    check(&|body| remove(&mut body["input"], 3), "`c2` has no result");
    check(&|body| remove(&mut body["input"], 1), "not an open call");
    check(&|body| body["input"][1]["call_id"] = json!("c2"), "used before");
    check(&|body| body["input"][1]["arguments"] = json!("{"), "not JSON");
    let two = json!({ "type": "function", "name": "f", "description": "d", "parameters": { "type": "object" }, "strict": false });
    check(&|body| push(&mut body["tools"], two.clone()), "occurs twice");
    let answer = json!({ "type": "message", "role": "assistant", "content": "a" });
    check(&|body| push(&mut body["input"], answer.clone()), "the last item");
}

#[test]
fn rules_of_anthropic_beyond_the_types() {
    let check = |change: &dyn Fn(&mut Value), words: &str| {
        let found = judged(WireFormat::Anthropic, change);
        assert!(found.contains(words), "{words}: {found}");
    };
    check(&|body| remove(&mut body["messages"], 0), "alternate");
    check(&|body| remove(&mut body["messages"][2]["content"], 0), "`c2` has no result");
    check(&|body| remove(&mut body["messages"], 2), "has no result");
    check(&|body| remove(&mut body["messages"], 2), "the last message is not the user's");
    check(&|body| remove(&mut body["messages"][1]["content"], 1), "not an open call");
    check(
        &|body| body["messages"][2]["content"].as_array_mut().unwrap().rotate_right(1),
        "after other content",
    );
    check(&|body| body["messages"][1]["content"][1]["id"] = json!("c2"), "used before");
    check(&|body| body["messages"][1]["content"][1]["name"] = json!("a.b"), "not a valid name of a tool");
    check(&|body| body["messages"][1]["content"][0]["signature"] = json!(""), "signature");
    check(&|body| body["messages"][0]["content"][0]["text"] = json!(""), "text is empty");
    check(&|body| body["messages"][0]["content"] = json!([]), "empty");
    check(&|body| body["system"][0]["text"] = json!(""), "text is empty");
    check(&|body| body["max_tokens"] = json!(0), "less than 1");
    let tool = json!({ "name": "f", "input_schema": { "type": "object" } });
    check(&|body| push(&mut body["tools"], tool.clone()), "twice");
    check(&|body| body["tools"][0]["input_schema"] = json!({ "type": "string" }), "object");
    check(&|body| body["tools"][0]["input_schema"]["properties"]["a"]["type"] = json!("int"), "is not valid");
    check(&|body| body["tools"][0]["name"] = json!("é"), "not a valid name");
    let many = |body: &mut Value| {
        for _ in 0..5 {
            let part = json!({ "type": "text", "text": "x", "cache_control": { "type": "ephemeral" } });
            push(&mut body["system"], part);
        }
    };
    check(&many, "cache_control");
}

#[test]
fn rules_of_chat_completions_beyond_the_types() {
    let check = |change: &dyn Fn(&mut Value), words: &str| {
        let found = judged(WireFormat::OpenAi, change);
        assert!(found.contains(words), "{words}: {found}");
    };
    check(&|body| remove(&mut body["messages"], 3), "`c2` has no result");
    check(&|body| remove(&mut body["messages"], 2), "cannot follow");
    check(&|body| body["messages"][4]["tool_call_id"] = json!("c9"), "not an open call");
    check(&|body| body["messages"].as_array_mut().unwrap().swap(0, 1), "`system` cannot follow `user`");
    check(&|body| body["messages"].as_array_mut().unwrap().truncate(3), "has no result");
    check(&|body| push(&mut body["messages"], json!({ "role": "user", "content": "x" })), "cannot follow");
    check(
        &|body| push(&mut body["messages"], json!({ "role": "assistant", "content": "x" })),
        "the last message",
    );
    check(&|body| body["messages"][2]["tool_calls"] = json!([]), "list of calls is empty");
    check(&|body| body["max_completion_tokens"] = json!(1), "exclude");
    check(&|body| body["stream_options"] = json!({}), "allowed only with stream");
    check(&|body| body["tools"][0]["function"]["name"] = json!("x".repeat(65)), "not a valid name");
    check(&|body| body["tools"][0]["function"]["parameters"] = json!({}), "object");
}

#[test]
fn headers_must_match_the_format() {
    let judged = |format, name: &str, value: Option<&str>| {
        let mut asked = asked(format, Value::Null);
        asked.headers.retain(|(header, _)| header != name);
        asked.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        validate::complaints(format, &asked).join("; ")
    };
    assert!(judged(WireFormat::Anthropic, "anthropic-version", None).contains("anthropic-version"));
    assert!(judged(WireFormat::Anthropic, "authorization", Some("Bearer x")).contains("both"));
    assert!(judged(WireFormat::OpenAi, "x-api-key", Some("x")).contains("x-api-key"));
    assert!(judged(WireFormat::OpenAi, "authorization", Some("sk-test")).contains("authorization"));
    assert!(judged(WireFormat::OpenAi, "content-type", Some("text/plain")).contains("content-type"));
}

/// Sends an invalid request.
fn send_invalid_request(server: &ModelServer) -> String {
    use std::io::{Read as _, Write as _};
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn an_invalid_request_is_refused_in_the_format_s_shape_and_recorded() {
    let server = ModelServer::new([ModelAnswer::says("Hi.")]);
    let answer = send_invalid_request(&server);
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("\"invalid_request_error\""), "{answer}");
    assert!(!server.complaints().is_empty());
    assert!(!server.take_complaints().is_empty());
    assert!(server.complaints().is_empty());
}

#[test]
#[should_panic(expected = "requests that the real servers refuse")]
fn a_test_with_unexpected_complaints_fails() {
    let server = ModelServer::new([ModelAnswer::says("Hi.")]);
    let _answer = send_invalid_request(&server);
}
