//! The body of a call.

use super::REDACTED;
use crate::{
    message::{Arguments, Effort, Message, Part, Request, Role, ToolSpec},
    wire::{
        common::{plain, tool_name, turns},
        responses::REASONING,
    },
};
use serde_json::{Value, json};

/// Sent for a failed tool without output; the format refuses an empty error.
const NO_MESSAGE: &str = "the tool failed without a message";

/// Whether the server is asked to cache the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// Cache the system prompt and the messages so far, with which the next turn starts.
    Keep,
    /// Cache nothing. For servers without caching, and for requests that are not repeated.
    Leave,
}

/// The body of a call. The format has no temperature.
pub fn request(model: &str, request: &Request, cache: Cache) -> Value {
    let mut messages: Vec<Value> = turns(&request.messages).into_iter().filter_map(message).collect();
    if cache == Cache::Keep {
        // The message before is marked, too: the server looks for a cached beginning at most 20 parts before a mark, and a
        // step with many calls has more.
        for message in messages.iter_mut().rev().filter(|message| message["role"] == "user").take(2) {
            let last = message["content"].as_array_mut().and_then(|parts| parts.last_mut());
            // The format does not allow a cache mark on reasoning.
            if let Some(part) = last.filter(|part| !is_thinking(part)) {
                mark(part);
            }
        }
    }
    let mut body = json!({ "model": model, "max_tokens": request.max_tokens, "messages": messages });
    if let Some(system) = request.system.as_ref().filter(|system| !system.is_empty()) {
        let mut part = json!({ "type": "text", "text": system });
        if cache == Cache::Keep {
            mark(&mut part);
        }
        body["system"] = json!([part]);
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if let Some(effort) = request.effort {
        let word = match effort {
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        };
        body["output_config"] = json!({ "effort": word });
    }
    body
}

fn is_thinking(part: &Value) -> bool {
    matches!(part["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

fn mark(part: &mut Value) {
    part["cache_control"] = json!({ "type": "ephemeral" });
}

fn tool(tool: &ToolSpec) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema })
}

/// One turn. Results come first, as the format requires. An empty turn is skipped.
fn message((role, turn): (Role, Vec<&Message>)) -> Option<Value> {
    let role = match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let parts = || turn.iter().flat_map(|message| &message.parts);
    let is_result = |part: &&Part| matches!(part, Part::Result { .. });
    let parts = parts().filter(is_result).chain(parts().filter(|part| !is_result(part)));
    let content: Vec<Value> = parts.filter_map(part).collect();
    (!content.is_empty()).then(|| json!({ "role": role, "content": content }))
}

fn part(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text { text } if text.is_empty() => return None,
        Part::Text { text } => json!({ "type": "text", "text": text }),
        Part::Image { media, data } => {
            json!({ "type": "image", "source": { "type": "base64", "media_type": media, "data": data } })
        }
        // The format does not accept reasoning without a signature, such as that of another server.
        Part::Thinking { signature: None, .. } => return None,
        Part::Thinking { signature: Some(signature), .. } if signature.starts_with(REASONING) => return None,
        Part::Thinking { text, signature: Some(signature) } => match signature.strip_prefix(REDACTED) {
            Some(data) => json!({ "type": "redacted_thinking", "data": data }),
            None => json!({ "type": "thinking", "thinking": text, "signature": signature }),
        },
        Part::Call { id, name, arguments } => {
            let input = match arguments {
                Arguments::Read(map) => Value::Object(map.clone()),
                Arguments::Unread(_) => json!({}),
            };
            json!({ "type": "tool_use", "id": plain(id), "name": tool_name(name), "input": input })
        }
        Part::Result { id, text, failed } => {
            let mut result = json!({ "type": "tool_result", "tool_use_id": plain(id) });
            let text = if *failed && text.is_empty() { NO_MESSAGE } else { text };
            if !text.is_empty() {
                result["content"] = json!(text);
            }
            if *failed {
                result["is_error"] = json!(true);
            }
            result
        }
    })
}
