//! Rules of the Responses API, as its server applies them.

use super::Calls;
use serde_json::Value;

pub(super) fn rules(body: &Value, found: &mut Vec<String>) {
    let none = Vec::new();
    if body["model"] == "" {
        found.push("model: empty".to_owned());
    }
    let tools = body["tools"].as_array().unwrap_or(&none);
    super::tools(tools.iter().map(|tool| (&tool["name"], &tool["parameters"])), found);
    let input = match &body["input"] {
        Value::Array(items) => items,
        Value::String(_) => return,
        _ => &none,
    };
    let mut calls = Calls::default();
    let mut last = "";
    for (at, item) in input.iter().enumerate() {
        let place = format!("input.{at}");
        let kind = item["type"].as_str().unwrap_or("message");
        match kind {
            "function_call" => {
                calls.made(&place, &item["call_id"], &item["name"], found);
                let arguments = item["arguments"].as_str().unwrap_or_default();
                if serde_json::from_str::<Value>(arguments).is_err() {
                    found.push(format!("{place}: the arguments are not JSON"));
                }
            }
            "function_call_output" => calls.answered(&place, &item["call_id"], found),
            "reasoning" => {}
            _ => calls.settled(&place, found),
        }
        last = match (kind, item["role"].as_str()) {
            ("message", Some(role)) => role,
            (kind, _) => kind,
        };
    }
    calls.settled("the end", found);
    if !matches!(last, "user" | "function_call_output") {
        found.push("input: the last item is neither the user's nor a result".to_owned());
    }
}
