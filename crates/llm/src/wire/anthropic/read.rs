//! Parses an answer that is not streamed.

use super::{redacted, stop};
use crate::{
    message::{Part, Reply, Usage},
    wire::{
        Malformed,
        common::{arguments_of, assembled},
        parse,
    },
};
use serde_json::Value;

/// Parses the body of an answer. Parts of unknown types are skipped.
pub fn reply(body: &[u8]) -> Result<Reply, Malformed> {
    let value = parse(body)?;
    let content = value.get("content").and_then(Value::as_array).ok_or(Malformed::Field("content"))?;
    let mut usage = Counts::default();
    usage.update(&value["usage"]);
    Ok(assembled(
        content.iter().filter_map(part).collect(),
        stop(value["stop_reason"].as_str().unwrap_or_default()),
        usage.usage(),
        value["model"].as_str().unwrap_or_default().to_owned(),
    ))
}

/// Parses a block, also the start of a streamed one.
pub(super) fn part(block: &Value) -> Option<Part> {
    let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
    let signature = || block["signature"].as_str().filter(|mark| !mark.is_empty()).map(str::to_owned);
    Some(match block["type"].as_str()? {
        "text" => Part::Text { text: text("text") },
        "thinking" => Part::Thinking { text: text("thinking"), signature: signature() },
        "redacted_thinking" => redacted(&text("data")),
        "tool_use" => {
            Part::Call { id: text("id"), name: text("name"), arguments: arguments_of(&block["input"]) }
        }
        _ => return None,
    })
}

/// The token counts of the format. Here cached tokens are counted separately from the input.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    input: u64,
    output: u64,
    cached: u64,
    stored: u64,
}

impl Counts {
    /// Updates the counts that are present; the others keep their values.
    pub(super) fn update(&mut self, usage: &Value) {
        for (count, name) in [
            (&mut self.input, "input_tokens"),
            (&mut self.output, "output_tokens"),
            (&mut self.cached, "cache_read_input_tokens"),
            (&mut self.stored, "cache_creation_input_tokens"),
        ] {
            *count = usage[name].as_u64().unwrap_or(*count);
        }
    }

    pub(super) fn usage(self) -> Usage {
        Usage {
            input: self.input.saturating_add(self.cached).saturating_add(self.stored),
            output: self.output,
            cached: self.cached,
            stored: self.stored,
        }
    }
}
