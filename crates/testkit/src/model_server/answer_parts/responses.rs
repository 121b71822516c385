//! A script as an answer of the Responses API.

use super::{AnswerPart, ScriptedAnswer, pieces};
use serde_json::{Value, json};

/// An arbitrary time.
const CREATED: u64 = 1_700_000_000;

pub(super) fn whole(script: &ScriptedAnswer<'_>) -> Value {
    let items: Vec<Value> = script.parts.iter().filter_map(|part| item(part, script)).collect();
    response(script, &script.id("resp"), &items, true)
}

pub(super) fn events(script: &ScriptedAnswer<'_>) -> String {
    let id = script.id("resp");
    let (mut text, mut number) = (String::new(), 0);
    let mut event = |kind: &str, mut body: Value| {
        body["type"] = json!(kind);
        body["sequence_number"] = json!(number);
        number += 1;
        text += &format!("event: {kind}\ndata: {body}\n\n");
    };
    event("response.created", json!({ "response": response(script, &id, &[], false) }));
    event("response.in_progress", json!({ "response": response(script, &id, &[], false) }));
    let mut items = Vec::new();
    for part in script.parts {
        if *part == AnswerPart::Overloaded {
            let body = json!({ "code": "server_error", "message": "Overloaded", "param": null });
            event("error", body);
            return text;
        }
        let Some(item) = item(part, script) else { continue };
        let place = items.len();
        let mut empty = item.clone();
        empty["status"] = json!("in_progress");
        match part {
            AnswerPart::Text(said) => {
                empty["content"] = json!([]);
                event("response.output_item.added", json!({ "output_index": place, "item": empty }));
                let at = json!({ "item_id": item["id"], "output_index": place, "content_index": 0 });
                let blank = json!({ "type": "output_text", "text": "", "annotations": [], "logprobs": [] });
                event("response.content_part.added", with(&at, "part", blank));
                for piece in pieces(said) {
                    let delta = with(&with(&at, "delta", json!(piece)), "logprobs", json!([]));
                    event("response.output_text.delta", delta);
                }
                let done = with(&with(&at, "text", json!(said)), "logprobs", json!([]));
                event("response.output_text.done", done);
                event("response.content_part.done", with(&at, "part", item["content"][0].clone()));
            }
            AnswerPart::Thinking(said) => {
                empty["summary"] = json!([]);
                event("response.output_item.added", json!({ "output_index": place, "item": empty }));
                let at = json!({ "item_id": item["id"], "output_index": place, "summary_index": 0 });
                let blank = json!({ "type": "summary_text", "text": "" });
                event("response.reasoning_summary_part.added", with(&at, "part", blank));
                for piece in pieces(said) {
                    event("response.reasoning_summary_text.delta", with(&at, "delta", json!(piece)));
                }
                event("response.reasoning_summary_text.done", with(&at, "text", json!(said)));
                event("response.reasoning_summary_part.done", with(&at, "part", item["summary"][0].clone()));
            }
            _ => {
                empty["arguments"] = json!("");
                event("response.output_item.added", json!({ "output_index": place, "item": empty }));
                let at = json!({ "item_id": item["id"], "output_index": place });
                for piece in pieces(item["arguments"].as_str().unwrap_or_default()) {
                    event("response.function_call_arguments.delta", with(&at, "delta", json!(piece)));
                }
                let done =
                    with(&with(&at, "arguments", item["arguments"].clone()), "name", item["name"].clone());
                event("response.function_call_arguments.done", done);
            }
        }
        event("response.output_item.done", json!({ "output_index": place, "item": item }));
        items.push(item);
    }
    let whole = response(script, &id, &items, true);
    let kind = if whole["status"] == "completed" { "response.completed" } else { "response.incomplete" };
    event(kind, json!({ "response": whole }));
    text
}

/// A value with one more key.
fn with(value: &Value, key: &str, more: Value) -> Value {
    let mut value = value.clone();
    value[key] = more;
    value
}

/// The item of a part; `None` when the part is not one.
fn item(part: &AnswerPart, script: &ScriptedAnswer<'_>) -> Option<Value> {
    let call = |name: &str, arguments: String| {
        json!({
            "type": "function_call", "id": script.id("fc"), "call_id": script.id("call"), "name": name,
            "arguments": arguments, "status": "completed",
        })
    };
    Some(match part {
        AnswerPart::Text(said) => json!({
            "type": "message", "id": script.id("msg"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": said, "annotations": [], "logprobs": [] }],
        }),
        AnswerPart::Thinking(said) => json!({
            "type": "reasoning", "id": script.id("rs"), "status": "completed",
            "summary": [{ "type": "summary_text", "text": said }], "encrypted_content": "b64==",
        }),
        AnswerPart::Call { name, arguments } => call(name, arguments.to_string()),
        AnswerPart::RawCall { name, arguments } => call(name, arguments.clone()),
        AnswerPart::Stop(_) | AnswerPart::Usage { .. } | AnswerPart::Overloaded => return None,
    })
}

fn response(script: &ScriptedAnswer<'_>, id: &str, items: &[Value], ended: bool) -> Value {
    let (status, reason) = match script.stop() {
        _ if !ended => ("in_progress", None),
        "length" => ("incomplete", Some("max_output_tokens")),
        "refusal" => ("incomplete", Some("content_filter")),
        _ => ("completed", None),
    };
    let (input, output, cached) = script.usage();
    let usage = json!({
        "input_tokens": input, "output_tokens": output, "total_tokens": input + output,
        "input_tokens_details": { "cached_tokens": cached }, "output_tokens_details": { "reasoning_tokens": 0 },
    });
    json!({
        "id": id, "object": "response", "created_at": CREATED, "model": script.model, "status": status,
        "error": null, "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
        "instructions": null, "metadata": {}, "output": items, "parallel_tool_calls": true, "temperature": 1.0,
        "tool_choice": "auto", "tools": [], "top_p": 1.0,
        "usage": if ended { usage } else { Value::Null },
    })
}
