//! Parses a streamed answer.

use super::{
    read::{Counts, part},
    stop,
};
use crate::{
    message::{Part, Reply, Stop},
    stream::Delta,
    wire::{
        Malformed,
        common::{arguments, assembled},
    },
};
use serde_json::Value;
use std::collections::BTreeMap;

/// The part of the answer received so far.
#[derive(Clone, Debug, Default)]
pub(in crate::wire) struct Stream {
    blocks: BTreeMap<u64, Block>,
    stop: Option<Stop>,
    counts: Counts,
    model: String,
    is_done: bool,
}

#[derive(Clone, Debug)]
struct Block {
    part: Part,
    /// Arguments arrive as pieces of a JSON text.
    json: String,
}

impl Stream {
    /// Processes an event; unknown events are ignored.
    pub(in crate::wire) fn take(
        &mut self,
        kind: &str,
        event: &Value,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), Malformed> {
        match kind {
            "message_start" => {
                event["message"]["model"].as_str().unwrap_or_default().clone_into(&mut self.model);
                self.counts.update(&event["message"]["usage"]);
            }
            "content_block_start" => {
                if let Some(part) = part(&event["content_block"]) {
                    deltas.extend(shown(&part));
                    self.blocks.insert(index(event)?, Block { part, json: String::new() });
                }
            }
            "content_block_delta" => self.grow(index(event)?, &event["delta"], deltas)?,
            "message_delta" => {
                if let Some(word) = event["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop(word));
                }
                self.counts.update(&event["usage"]);
            }
            "message_stop" => self.is_done = true,
            _ => {}
        }
        Ok(())
    }

    fn grow(&mut self, index: u64, delta: &Value, deltas: &mut Vec<Delta>) -> Result<(), Malformed> {
        let kind = delta["type"].as_str().unwrap_or_default();
        let empty = match kind {
            "text_delta" => Part::Text { text: String::new() },
            "thinking_delta" | "signature_delta" => Part::Thinking { text: String::new(), signature: None },
            "input_json_delta" if !self.blocks.contains_key(&index) => return Ok(()),
            "input_json_delta" => Part::text(""),
            _ => return Ok(()),
        };
        // Some servers omit the start of a block; the type of the delta is enough.
        let block = self.blocks.entry(index).or_insert(Block { part: empty, json: String::new() });
        let piece = |name: &'static str| delta[name].as_str().ok_or(Malformed::Field(name));
        match (kind, &mut block.part) {
            ("text_delta", Part::Text { text }) => {
                text.push_str(piece("text")?);
                deltas.push(Delta::Text(piece("text")?.to_owned()));
            }
            ("thinking_delta", Part::Thinking { text, .. }) => {
                text.push_str(piece("thinking")?);
                deltas.push(Delta::Thinking(piece("thinking")?.to_owned()));
            }
            ("signature_delta", Part::Thinking { signature, .. }) => {
                signature.get_or_insert_default().push_str(piece("signature")?);
            }
            ("input_json_delta", Part::Call { .. }) => block.json.push_str(piece("partial_json")?),
            _ => return Err(Malformed::Field("delta")),
        }
        Ok(())
    }

    pub(in crate::wire) fn is_done(&self) -> bool {
        self.is_done
    }

    /// The complete answer.
    pub(in crate::wire) fn reply(self) -> Reply {
        let parts = self.blocks.into_values().map(|Block { part, json }| match part {
            Part::Call { id, name, .. } if !json.is_empty() => {
                Part::Call { id, name, arguments: arguments(&json) }
            }
            part => part,
        });
        let stop = self.stop.unwrap_or(Stop::Other(String::new()));
        assembled(parts.collect(), stop, self.counts.usage(), self.model)
    }
}

fn index(event: &Value) -> Result<u64, Malformed> {
    event["index"].as_u64().ok_or(Malformed::Field("index"))
}

/// The delta for the start of a block.
fn shown(part: &Part) -> Option<Delta> {
    match part {
        Part::Text { text } if !text.is_empty() => Some(Delta::Text(text.clone())),
        Part::Thinking { text, .. } if !text.is_empty() => Some(Delta::Thinking(text.clone())),
        Part::Call { name, .. } => Some(Delta::Call { name: name.clone() }),
        _ => None,
    }
}
