//! The body of a call.

use crate::{
    message::{Arguments, Effort, Message, Part, Request, Role, ToolSpec},
    wire::common::{plain, tool_name, turns},
};
use serde_json::{Value, json};

/// Prefix of the result of a failed tool, because the format has no field for failure.
const FAILED: &str = "The tool failed: ";

/// The name of the field for the longest answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `max_completion_tokens`: `OpenAI` itself, whose newer models refuse the old name.
    Completion,
    /// `max_tokens`: all other servers, which may not support the new name.
    Tokens,
}

/// The body of a call.
pub fn request(model: &str, request: &Request, limit: Limit) -> Value {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for (role, turn) in turns(&request.messages) {
        match role {
            Role::User => user(&turn, &mut messages),
            Role::Assistant => messages.extend(assistant(&turn)),
        }
    }
    let mut body = json!({ "model": model, "messages": messages });
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    let limit = match limit {
        Limit::Completion => "max_completion_tokens",
        Limit::Tokens => "max_tokens",
    };
    body[limit] = json!(request.max_tokens);
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(effort) = request.effort {
        body["reasoning_effort"] = json!(match effort {
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        });
    }
    body
}

fn tool(tool: &ToolSpec) -> Value {
    let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
    json!({ "type": "function", "function": function })
}

/// The text of a turn as a plain string, because not every server accepts a list of parts.
fn words(turn: &[&Message]) -> String {
    let texts = turn.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
        Part::Text { text } if !text.is_empty() => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The images of a turn.
fn images(turn: &[&Message]) -> Vec<Value> {
    let image = |part: &Part| match part {
        Part::Image { media, data } => {
            let url = format!("data:{media};base64,{data}");
            Some(json!({ "type": "image_url", "image_url": { "url": url } }))
        }
        _ => None,
    };
    turn.iter().flat_map(|message| &message.parts).filter_map(image).collect()
}

/// One message for each result, which cannot have images, then one for the text and the images.
fn user(turn: &[&Message], messages: &mut Vec<Value>) {
    let mut has_results = false;
    for part in turn.iter().flat_map(|message| &message.parts) {
        if let Part::Result { id, text, failed } = part {
            let text = if *failed { format!("{FAILED}{text}") } else { text.clone() };
            messages.push(json!({ "role": "tool", "tool_call_id": plain(id), "content": text }));
            has_results = true;
        }
    }
    let (text, images) = (words(turn), images(turn));
    if !images.is_empty() {
        let text = Some(json!({ "type": "text", "text": text })).filter(|_| !text.is_empty());
        let parts: Vec<Value> = text.into_iter().chain(images).collect();
        messages.push(json!({ "role": "user", "content": parts }));
    } else if !text.is_empty() || !has_results {
        messages.push(json!({ "role": "user", "content": text }));
    }
}

/// The message of the model, without its reasoning.
fn assistant(turn: &[&Message]) -> Option<Value> {
    let calls = turn.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
        Part::Call { id, name, arguments } => {
            let arguments = match arguments {
                Arguments::Read(map) => Value::Object(map.clone()).to_string(),
                // Servers refuse a request whose history has arguments that are not JSON.
                Arguments::Unread(_) => "{}".to_owned(),
            };
            let function = json!({ "name": tool_name(name), "arguments": arguments });
            Some(json!({ "id": plain(id), "type": "function", "function": function }))
        }
        _ => None,
    });
    let calls: Vec<Value> = calls.collect();
    let text = words(turn);
    match (text.is_empty(), calls.is_empty()) {
        (true, true) => None,
        (_, true) => Some(json!({ "role": "assistant", "content": text })),
        (true, false) => Some(json!({ "role": "assistant", "content": null, "tool_calls": calls })),
        (false, false) => Some(json!({ "role": "assistant", "content": text, "tool_calls": calls })),
    }
}
