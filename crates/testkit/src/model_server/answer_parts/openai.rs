//! A script as chat completions.

use super::{AnswerPart, ScriptedAnswer, WireFormat, pieces};
use serde_json::{Value, json};

/// An arbitrary time.
const CREATED: u64 = 1_700_000_000;

pub(super) fn whole(script: &ScriptedAnswer<'_>) -> Value {
    let (mut text, mut thinking, mut calls) = (String::new(), String::new(), Vec::new());
    for part in script.parts {
        match part {
            AnswerPart::Text(said) => text += said,
            AnswerPart::Thinking(said) => thinking += said,
            AnswerPart::Call { .. } | AnswerPart::RawCall { .. } => calls.push(call(part, script)),
            AnswerPart::Stop(_) | AnswerPart::Usage { .. } | AnswerPart::Overloaded => {}
        }
    }
    let content = if text.is_empty() { Value::Null } else { json!(text) };
    let mut message = json!({ "role": "assistant", "content": content, "refusal": null });
    if !thinking.is_empty() {
        message["reasoning_content"] = json!(thinking);
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({
        "id": script.id("chatcmpl"), "object": "chat.completion", "created": CREATED, "model": script.model,
        "choices": [{
            "index": 0, "message": message, "logprobs": null, "finish_reason": stop(script.stop()),
        }],
        "usage": usage(script),
    })
}

pub(super) fn events(script: &ScriptedAnswer<'_>, with_counts: bool) -> String {
    let id = script.id("chatcmpl");
    let mut text = String::new();
    let mut chunk = |choices: Value, usage: Value| {
        let mut chunk = json!({
            "id": id, "object": "chat.completion.chunk", "created": CREATED, "model": script.model,
            "choices": choices,
        });
        if with_counts {
            chunk["usage"] = usage;
        }
        text += &format!("data: {chunk}\n\n");
    };
    let choice = |delta: Value, finish: Option<&str>| json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }]);
    let mut delta = |delta: Value| chunk(choice(delta, None), Value::Null);
    delta(json!({ "role": "assistant", "content": "" }));
    let mut index = 0;
    for part in script.parts {
        match part {
            AnswerPart::Text(said) => {
                for piece in pieces(said) {
                    delta(json!({ "content": piece }));
                }
            }
            AnswerPart::Thinking(said) => {
                for piece in pieces(said) {
                    delta(json!({ "reasoning_content": piece }));
                }
            }
            AnswerPart::Call { .. } | AnswerPart::RawCall { .. } => {
                let mut call = call(part, script);
                call["index"] = json!(index);
                let arguments = call["function"]["arguments"].take();
                call["function"]["arguments"] = json!("");
                delta(json!({ "tool_calls": [call] }));
                for piece in pieces(arguments.as_str().unwrap_or_default()) {
                    delta(json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }));
                }
                index += 1;
            }
            AnswerPart::Overloaded => {
                text += &format!("data: {}\n\n", WireFormat::OpenAi.error(529, "Overloaded"));
                return text;
            }
            AnswerPart::Stop(_) | AnswerPart::Usage { .. } => {}
        }
    }
    chunk(choice(json!({}), Some(stop(script.stop()))), Value::Null);
    if with_counts {
        chunk(json!([]), usage(script));
    }
    text + "data: [DONE]\n\n"
}

fn call(part: &AnswerPart, script: &ScriptedAnswer<'_>) -> Value {
    let (name, arguments) = match part {
        AnswerPart::Call { name, arguments } => (name.as_str(), arguments.to_string()),
        AnswerPart::RawCall { name, arguments } => (name.as_str(), arguments.clone()),
        _ => ("", String::new()),
    };
    let function = json!({ "name": name, "arguments": arguments });
    json!({ "id": script.id("call"), "type": "function", "function": function })
}

fn stop(word: &str) -> &str {
    match word {
        "end" => "stop",
        "calls" => "tool_calls",
        "refusal" => "content_filter",
        word => word,
    }
}

fn usage(script: &ScriptedAnswer<'_>) -> Value {
    let (input, output, cached) = script.usage();
    json!({
        "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        "prompt_tokens_details": { "cached_tokens": cached },
    })
}
