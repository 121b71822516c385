//! Anthropic Messages.

use super::{Malformed, parse};
use crate::message::{Message, Part, Reply, Request, Role, Stop, Usage};
use serde_json::{Value, json};

/// The version header that the format asks for.
pub const VERSION: &str = "2023-06-01";

/// The body of a call.
pub fn request(model: &str, request: &Request) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_tokens,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
    });
    if let Some(system) = &request.system {
        body["system"] = json!(system);
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    body
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let part = |part: &Part| match part {
        Part::Text { text } => Some(json!({ "type": "text", "text": text })),
        _ => None,
    };
    json!({ "role": role, "content": message.parts.iter().filter_map(part).collect::<Vec<_>>() })
}

/// Reads the body of an answer. Parts that we do not know are left out.
pub fn reply(body: &[u8]) -> Result<Reply, Malformed> {
    let value = parse(body)?;
    let content = value.get("content").and_then(Value::as_array).ok_or(Malformed::Field("content"))?;
    let parts = content.iter().filter(|part| part["type"] == "text");
    let parts = parts.filter_map(|part| part["text"].as_str());
    let count = |name: &str| value["usage"][name].as_u64().unwrap_or(0);
    Ok(Reply {
        parts: parts.map(|text| Part::Text { text: text.to_owned() }).collect(),
        stop: match value["stop_reason"].as_str().unwrap_or_default() {
            "end_turn" | "stop_sequence" => Stop::End,
            "max_tokens" | "model_context_window_exceeded" => Stop::Length,
            "refusal" => Stop::Refusal,
            other => Stop::Other(other.to_owned()),
        },
        usage: Usage {
            input: count("input_tokens")
                .saturating_add(count("cache_read_input_tokens"))
                .saturating_add(count("cache_creation_input_tokens")),
            output: count("output_tokens"),
            cached: count("cache_read_input_tokens"),
            stored: count("cache_creation_input_tokens"),
        },
        model: value["model"].as_str().unwrap_or_default().to_owned(),
    })
}
