//! Parses an answer that is not streamed.

use super::{stop, thinking, usage, words};
use crate::{
    message::{Part, Reply, Stop},
    wire::{
        Malformed,
        common::{arguments_of, assembled},
        parse,
    },
};
use serde_json::Value;

/// Parses the body of an answer.
pub fn reply(body: &[u8]) -> Result<Reply, Malformed> {
    let value = parse(body)?;
    let choice = value.pointer("/choices/0").ok_or(Malformed::Field("choices"))?;
    let message = choice.get("message").ok_or(Malformed::Field("message"))?;
    let refusal = message["refusal"].as_str().filter(|refusal| !refusal.is_empty());
    let mut text = words(&message["content"]).ok_or(Malformed::Field("content"))?;
    if text.is_empty() {
        refusal.unwrap_or_default().clone_into(&mut text);
    }
    let thinking = thinking(message).unwrap_or_default().to_owned();
    let mut parts = vec![Part::Thinking { text: thinking, signature: None }, Part::Text { text }];
    parts.extend(message["tool_calls"].as_array().into_iter().flatten().map(call));
    let stop = match refusal {
        Some(_) => Stop::Refusal,
        None => stop(choice["finish_reason"].as_str().unwrap_or_default()),
    };
    let model = value["model"].as_str().unwrap_or_default().to_owned();
    Ok(assembled(parts, stop, usage(&value["usage"]), model))
}

fn call(call: &Value) -> Part {
    let function = &call["function"];
    Part::Call {
        id: call["id"].as_str().unwrap_or_default().to_owned(),
        name: function["name"].as_str().unwrap_or_default().to_owned(),
        arguments: arguments_of(&function["arguments"]),
    }
}
