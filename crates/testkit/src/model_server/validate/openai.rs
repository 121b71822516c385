//! Rules of chat completions, as the strictest servers apply them.

use super::Calls;
use serde_json::Value;

pub(super) fn rules(body: &Value, found: &mut Vec<String>) {
    let none = Vec::new();
    if body["model"] == "" {
        found.push("model: empty".to_owned());
    }
    if body.get("max_tokens").is_some() && body.get("max_completion_tokens").is_some() {
        found.push("max_tokens and max_completion_tokens exclude each other".to_owned());
    }
    if body.get("stream_options").is_some() && body["stream"] != true {
        found.push("stream_options is allowed only with stream".to_owned());
    }
    let tools = body["tools"].as_array().unwrap_or(&none);
    let tools = tools.iter().map(|tool| &tool["function"]);
    super::tools(tools.map(|tool| (&tool["name"], &tool["parameters"])), found);
    let mut calls = Calls::default();
    let mut before = "";
    for (at, message) in body["messages"].as_array().unwrap_or(&none).iter().enumerate() {
        let place = format!("messages.{at}");
        let role = message["role"].as_str().unwrap_or_default();
        let follows = match role {
            "system" | "developer" => matches!(before, "" | "system" | "developer"),
            "user" => before != "user",
            "assistant" => matches!(before, "user" | "tool"),
            _ => matches!(before, "assistant" | "tool"),
        };
        if !follows {
            found.push(format!("{place}: `{role}` cannot follow `{before}`"));
        }
        before = role;
        if role == "tool" {
            calls.answered(&place, &message["tool_call_id"], found);
            continue;
        }
        calls.settled(&place, found);
        let made = message["tool_calls"].as_array();
        if made.is_some_and(Vec::is_empty) {
            found.push(format!("{place}: the list of calls is empty"));
        }
        if message["content"].is_null() && made.is_none() {
            found.push(format!("{place}: neither text nor calls"));
        }
        for call in made.unwrap_or(&none) {
            calls.made(&place, &call["id"], &call["function"]["name"], found);
        }
    }
    calls.settled("the end", found);
    if !matches!(before, "user" | "tool") {
        found.push("messages: the last message is neither the user's nor a result".to_owned());
    }
}
