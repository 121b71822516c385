//! `OpenAI` chat completions, as `OpenAI` and the many servers that speak it understand them.

use super::{Malformed, parse};
use crate::message::{Part, Reply, Request, Role, Stop, Usage};
use serde_json::{Value, json};

/// The name under which a server takes the longest answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `max_completion_tokens`: `OpenAI` itself, whose newer models refuse the old name.
    Completion,
    /// `max_tokens`: everybody else, who may not know the new one.
    Tokens,
}

/// The body of a call.
pub fn request(model: &str, request: &Request, limit: Limit) -> Value {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in &request.messages {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let text = |part: &Part| match part {
            Part::Text { text } => text.clone(),
            _ => String::new(),
        };
        // Plain text, because not every server takes a list of parts.
        let content: String = message.parts.iter().map(text).collect();
        messages.push(json!({ "role": role, "content": content }));
    }
    let mut body = json!({ "model": model, "messages": messages });
    let limit = match limit {
        Limit::Completion => "max_completion_tokens",
        Limit::Tokens => "max_tokens",
    };
    body[limit] = json!(request.max_tokens);
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    body
}

/// Reads the body of an answer.
pub fn reply(body: &[u8]) -> Result<Reply, Malformed> {
    let value = parse(body)?;
    let choice = value.pointer("/choices/0").ok_or(Malformed::Field("choices"))?;
    let message = choice.get("message").ok_or(Malformed::Field("message"))?;
    let refusal = message["refusal"].as_str();
    let text = match &message["content"] {
        Value::String(text) => text.clone(),
        // Some servers answer in parts, as they may be asked.
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        Value::Null => refusal.unwrap_or_default().to_owned(),
        _ => return Err(Malformed::Field("content")),
    };
    let count = |name: &str| value["usage"][name].as_u64().unwrap_or(0);
    Ok(Reply {
        parts: vec![Part::Text { text }],
        stop: match choice["finish_reason"].as_str().unwrap_or_default() {
            _ if refusal.is_some() => Stop::Refusal,
            "stop" => Stop::End,
            "length" => Stop::Length,
            "content_filter" => Stop::Refusal,
            other => Stop::Other(other.to_owned()),
        },
        usage: Usage {
            input: count("prompt_tokens"),
            output: count("completion_tokens"),
            ..Usage::default()
        },
        model: value["model"].as_str().unwrap_or_default().to_owned(),
    })
}
