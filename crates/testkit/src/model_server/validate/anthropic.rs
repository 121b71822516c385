//! Rules of Anthropic Messages.

use super::Calls;
use serde_json::Value;

/// Largest number of cache marks in one request.
const MARKS: usize = 4;

pub(super) fn rules(body: &Value, found: &mut Vec<String>) {
    let none = Vec::new();
    if body["model"] == "" {
        found.push("model: empty".to_owned());
    }
    if body["max_tokens"].as_i64().unwrap_or(0) < 1 {
        found.push("max_tokens: less than 1".to_owned());
    }
    let tools = body["tools"].as_array().unwrap_or(&none);
    super::tools(tools.iter().map(|tool| (&tool["name"], &tool["input_schema"])), found);
    for (at, block) in body["system"].as_array().unwrap_or(&none).iter().enumerate() {
        text(&format!("system.{at}"), block, found);
    }
    let messages = body["messages"].as_array().unwrap_or(&none);
    let mut calls = Calls::default();
    for (at, message) in messages.iter().enumerate() {
        let wanted = if at % 2 == 0 { "user" } else { "assistant" };
        if message["role"] != wanted {
            found.push(format!("messages.{at}: the roles must alternate and start with the user"));
        }
        content(at, message, &mut calls, found);
    }
    calls.settled("the end", found);
    if messages.last().is_none_or(|message| message["role"] != "user") {
        found.push("messages: the last message is not the user's".to_owned());
    }
    let marks = marks(body);
    if marks > MARKS {
        found.push(format!("{marks} blocks with cache_control; {MARKS} are allowed"));
    }
}

fn content<'a>(at: usize, message: &'a Value, calls: &mut Calls<'a>, found: &mut Vec<String>) {
    let is_user = message["role"] == "user";
    let Some(blocks) = message["content"].as_array() else {
        if message["content"] == "" {
            found.push(format!("messages.{at}: empty"));
        }
        calls.settled(&format!("messages.{at}"), found);
        return;
    };
    if blocks.is_empty() {
        found.push(format!("messages.{at}: empty"));
    }
    let mut has_words = false;
    for (number, block) in blocks.iter().enumerate() {
        let place = format!("messages.{at}.content.{number}");
        let kind = block["type"].as_str().unwrap_or_default();
        if (kind == "tool_result") != is_user && kind != "text" {
            found.push(format!("{place}: a `{kind}` in a message of the wrong role"));
            continue;
        }
        if kind == "tool_result" {
            if has_words {
                found.push(format!("{place}: a result after other content"));
            }
            if block["is_error"] == true && block["content"].as_str().unwrap_or_default().is_empty() {
                found.push(format!("{place}: an error without a text"));
            }
            calls.answered(&place, &block["tool_use_id"], found);
            continue;
        }
        if is_user || !has_words {
            // Calls of the same message come later.
            calls.settled(&place, found);
        }
        has_words = true;
        match kind {
            "text" => text(&place, block, found),
            "thinking" if block["signature"] == "" => {
                found.push(format!("{place}: thinking without a signature"));
            }
            "tool_use" => calls.made(&place, &block["id"], &block["name"], found),
            _ => {}
        }
    }
}

fn text(place: &str, block: &Value, found: &mut Vec<String>) {
    if block["text"] == "" {
        found.push(format!("{place}: the text is empty"));
    }
}

/// Counts only the marks of the format: a tool may have a field of that name.
fn marks(body: &Value) -> usize {
    let none = Vec::new();
    let list = |value: &Value| {
        let blocks = value.as_array().unwrap_or(&none);
        blocks.iter().filter(|block| block["cache_control"].is_object()).count()
    };
    let messages = body["messages"].as_array().unwrap_or(&none);
    let in_messages: usize = messages.iter().map(|message| list(&message["content"])).sum();
    in_messages + list(&body["system"]) + list(&body["tools"])
}
