//! Parses an answer that is not streamed, which is also the last event of a streamed one.

use super::REASONING;
use crate::{
    message::{Part, Reply, Stop, Usage},
    wire::{
        Malformed,
        common::{arguments_of, assembled},
        parse,
    },
};
use serde_json::{Value, json};

/// Parses the body of an answer.
pub fn reply(body: &[u8]) -> Result<Reply, Malformed> {
    let value = parse(body)?;
    let output = value["output"].as_array().ok_or(Malformed::Field("output"))?;
    answer(&value, output)
}

/// An answer with these items.
pub(super) fn answer(response: &Value, output: &[Value]) -> Result<Reply, Malformed> {
    let status = response["status"].as_str().ok_or(Malformed::Field("status"))?;
    let mut refused = false;
    let mut parts = Vec::new();
    for item in output {
        match item["type"].as_str().unwrap_or_default() {
            "message" => message(item, &mut parts, &mut refused),
            "reasoning" => parts.push(reasoning(item)),
            "function_call" => parts.push(Part::Call {
                id: item["call_id"].as_str().unwrap_or_default().to_owned(),
                name: item["name"].as_str().unwrap_or_default().to_owned(),
                arguments: arguments_of(&item["arguments"]),
            }),
            _ => {}
        }
    }
    let stop = match (status, response["incomplete_details"]["reason"].as_str()) {
        _ if refused => Stop::Refusal,
        ("completed", _) => Stop::End,
        ("incomplete", Some("max_output_tokens")) => Stop::Length,
        ("incomplete", Some("content_filter")) => Stop::Refusal,
        (status, _) => Stop::Other(status.to_owned()),
    };
    let model = response["model"].as_str().unwrap_or_default().to_owned();
    Ok(assembled(parts, stop, usage(&response["usage"]), model))
}

fn message(item: &Value, parts: &mut Vec<Part>, refused: &mut bool) {
    for part in item["content"].as_array().into_iter().flatten() {
        match (part["text"].as_str(), part["refusal"].as_str()) {
            (Some(text), _) => parts.push(Part::text(text)),
            (None, Some(refusal)) => {
                *refused = true;
                parts.push(Part::text(refusal));
            }
            (None, None) => {}
        }
    }
}

/// Reasoning, with what the server needs to read it again.
fn reasoning(item: &Value) -> Part {
    let summary = item["summary"].as_array().into_iter().flatten();
    let text: Vec<&str> = summary.filter_map(|part| part["text"].as_str()).collect();
    let signature = item["encrypted_content"].as_str().map(|content| {
        let again = json!({
            "type": "reasoning",
            "id": item["id"],
            "summary": item["summary"],
            "encrypted_content": content,
        });
        format!("{REASONING}{again}")
    });
    Part::Thinking { text: text.join("\n\n"), signature }
}

fn usage(value: &Value) -> Usage {
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    Usage {
        input: count("/input_tokens"),
        output: count("/output_tokens"),
        cached: count("/input_tokens_details/cached_tokens"),
        stored: count("/input_tokens_details/cache_write_tokens"),
    }
}
