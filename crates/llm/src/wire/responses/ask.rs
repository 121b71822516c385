//! The body of a call.

use super::REASONING;
use crate::{
    message::{Arguments, Effort, Message, Part, Request, Role, ToolSpec},
    wire::common::{plain, tool_name, turns},
};
use serde_json::{Value, json};

/// Prefix of the result of a failed tool, because the format has no field for failure.
const FAILED: &str = "The tool failed: ";

/// The body of a call.
pub fn request(model: &str, request: &Request) -> Value {
    let mut input = Vec::new();
    for (role, turn) in turns(&request.messages) {
        match role {
            Role::User => user(&turn, &mut input),
            Role::Assistant => assistant(&turn, &mut input),
        }
    }
    let mut body = json!({
        "model": model,
        "input": input,
        "max_output_tokens": request.max_tokens,
        "store": false,
        "include": ["reasoning.encrypted_content"],
    });
    if let Some(system) = request.system.as_ref().filter(|system| !system.is_empty()) {
        body["instructions"] = json!(system);
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(effort) = request.effort {
        let word = match effort {
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        };
        body["reasoning"] = json!({ "effort": word });
    }
    body
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": false,
    })
}

/// One item for each result, then one for the text and the images.
fn user(turn: &[&Message], input: &mut Vec<Value>) {
    let parts = || turn.iter().flat_map(|message| &message.parts);
    for part in parts() {
        if let Part::Result { id, text, failed } = part {
            let text = if *failed { format!("{FAILED}{text}") } else { text.clone() };
            input.push(json!({ "type": "function_call_output", "call_id": plain(id), "output": text }));
        }
    }
    let content: Vec<Value> = parts()
        .filter_map(|part| match part {
            Part::Text { text } if !text.is_empty() => Some(json!({ "type": "input_text", "text": text })),
            Part::Image { media, data } => {
                let url = format!("data:{media};base64,{data}");
                Some(json!({ "type": "input_image", "detail": "auto", "image_url": url }))
            }
            _ => None,
        })
        .collect();
    if !content.is_empty() {
        input.push(json!({ "type": "message", "role": "user", "content": content }));
    }
}

/// The items of the model, in its order.
fn assistant(turn: &[&Message], input: &mut Vec<Value>) {
    for part in turn.iter().flat_map(|message| &message.parts) {
        match part {
            Part::Text { text } if !text.is_empty() => {
                input.push(json!({ "type": "message", "role": "assistant", "content": text }));
            }
            // Reasoning of other formats means nothing to this server.
            Part::Thinking { signature: Some(signature), .. } => {
                let item = signature.strip_prefix(REASONING);
                input.extend(item.and_then(|item| serde_json::from_str::<Value>(item).ok()));
            }
            Part::Call { id, name, arguments } => {
                let arguments = match arguments {
                    Arguments::Read(map) => Value::Object(map.clone()).to_string(),
                    // Servers refuse a request whose history has arguments that are not JSON.
                    Arguments::Unread(_) => "{}".to_owned(),
                };
                input.push(json!({
                    "type": "function_call",
                    "call_id": plain(id),
                    "name": tool_name(name),
                    "arguments": arguments,
                }));
            }
            _ => {}
        }
    }
}
