//! Shared by the formats: names and ids that every server accepts, arguments, and the end of an answer.

use crate::{
    error::Error,
    message::{Arguments, Message, Part, Reply, Role, Stop, Usage},
    wire::{error_message, parse},
};
use serde_json::{Map, Value};
use std::{borrow::Cow, collections::HashSet};

/// Longest tool name that both formats accept.
const NAME_LIMIT: usize = 64;

/// A name or id in a form that every server accepts. A model may invent any name, and another server may have
/// produced the id.
pub(crate) fn plain(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if word.chars().all(is_plain) && !word.is_empty() {
        return Cow::Borrowed(word);
    }
    let word: String = word.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    Cow::Owned(if word.is_empty() { "unnamed".to_owned() } else { word })
}

/// A tool name in a form that every server accepts.
pub(crate) fn tool_name(name: &str) -> String {
    plain(name).chars().take(NAME_LIMIT).collect()
}

/// Groups neighbouring messages of the same role, because servers require alternating roles.
pub(crate) fn turns(messages: &[Message]) -> Vec<(Role, Vec<&Message>)> {
    let mut turns: Vec<(Role, Vec<&Message>)> = Vec::new();
    for message in messages {
        match turns.last_mut() {
            Some((role, turn)) if *role == message.role => turn.push(message),
            _ => turns.push((message.role, vec![message])),
        }
    }
    turns
}

/// Parses arguments as a model wrote them. Empty text means no arguments, because many servers omit `{}`.
pub(crate) fn arguments(text: &str) -> Arguments {
    if text.trim().is_empty() {
        return Arguments::Read(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Arguments::Read(map),
        _ => Arguments::Unread(text.to_owned()),
    }
}

/// Arguments that came as JSON, or as JSON in a string.
pub(crate) fn arguments_of(value: &Value) -> Arguments {
    match value {
        Value::Object(map) => Arguments::Read(map.clone()),
        Value::String(text) => arguments(text),
        Value::Null => Arguments::Read(Map::new()),
        other => Arguments::Unread(other.to_string()),
    }
}

/// Builds an answer from its parts: removes empty parts, gives each call a unique id, and makes the stop
/// reason agree with the content, because servers use different terms.
pub(crate) fn assembled(parts: Vec<Part>, stop: Stop, usage: Usage, model: String) -> Reply {
    let mut seen = HashSet::new();
    let mut kept = Vec::with_capacity(parts.len());
    let mut number = 0_usize;
    for part in parts {
        match part {
            Part::Text { text } if text.is_empty() => {}
            Part::Thinking { text, signature: None } if text.is_empty() => {}
            Part::Call { mut id, name, arguments } => {
                number += 1;
                if id.is_empty() || seen.contains(&id) {
                    // An id that no other call of this answer has.
                    id = format!("call_{number}");
                    while seen.contains(&id) {
                        id.push('_');
                    }
                }
                seen.insert(id.clone());
                kept.push(Part::Call { id, name, arguments });
            }
            part => kept.push(part),
        }
    }
    let stop = match stop {
        Stop::End if number > 0 => Stop::Calls,
        Stop::Calls if number == 0 => Stop::End,
        stop => stop,
    };
    Reply { parts: kept, stop, usage, model }
}

/// The error that a server reports inside an answer with a successful status.
pub(crate) fn reported_error(body: &[u8]) -> Option<Error> {
    let value = parse(body).ok()?;
    // `OpenAI` Responses has the error in the response, or as the event itself.
    let inner = || value.pointer("/response/error").filter(|error| error.is_object());
    let event = || Some(&value).filter(|value| value["type"] == "error" && value["message"].is_string());
    let error = value.get("error").filter(|error| error.is_object() || error.is_string());
    let error = error.or_else(inner).or_else(event)?;
    let named = |name: &str| error[name].as_str().unwrap_or_default();
    let number = [&error["code"], &error["status"]].into_iter().filter_map(Value::as_u64);
    let number = number.filter_map(|code| u16::try_from(code).ok()).find(|code| (400..600).contains(code));
    let status = number.or_else(|| [named("type"), named("code")].into_iter().find_map(status));
    Some(Error::Status { status: status.unwrap_or(500), message: error_message(body), retry_after: None })
}

/// The HTTP status that corresponds to the name of an error.
fn status(word: &str) -> Option<u16> {
    Some(match word {
        "invalid_request_error" | "context_length_exceeded" => 400,
        "authentication_error" | "invalid_api_key" => 401,
        "billing_error" | "insufficient_quota" => 402,
        "permission_error" => 403,
        "not_found_error" | "model_not_found" => 404,
        "request_too_large" => 413,
        "rate_limit_error" | "rate_limit_exceeded" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}
