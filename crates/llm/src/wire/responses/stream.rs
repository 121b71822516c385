//! Parses a streamed answer: deltas for display, whole items for the answer.

use super::read::answer;
use crate::{
    message::{Reply, Stop, Usage},
    stream::Delta,
    wire::{Malformed, common::assembled},
};
use serde_json::Value;
use std::collections::BTreeMap;

/// The part of the answer received so far.
#[derive(Clone, Debug, Default)]
pub(in crate::wire) struct Stream {
    /// Finished items by their place.
    items: BTreeMap<u64, Value>,
    /// The answer, from the last event.
    reply: Option<Reply>,
}

impl Stream {
    /// Processes an event.
    pub(in crate::wire) fn take(
        &mut self,
        kind: &str,
        event: &Value,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), Malformed> {
        let delta = || event["delta"].as_str().unwrap_or_default().to_owned();
        match kind {
            "response.output_text.delta" | "response.refusal.delta" => deltas.push(Delta::Text(delta())),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                deltas.push(Delta::Thinking(delta()));
            }
            "response.output_item.added" if event["item"]["type"] == "function_call" => {
                let name = event["item"]["name"].as_str().unwrap_or_default().to_owned();
                deltas.push(Delta::Call { name });
            }
            "response.output_item.done" => {
                let place = event["output_index"].as_u64().unwrap_or(self.items.len() as u64);
                self.items.insert(place, event["item"].clone());
            }
            "response.completed" | "response.incomplete" => {
                let response = &event["response"];
                let own: Vec<Value> = self.items.values().cloned().collect();
                // Some servers send no items with the last event.
                let output = match response["output"].as_array() {
                    Some(output) if !output.is_empty() => output,
                    _ => &own,
                };
                self.reply = Some(answer(response, output)?);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the answer is complete.
    pub(in crate::wire) fn is_done(&self) -> bool {
        self.reply.is_some()
    }

    /// The complete answer.
    pub(in crate::wire) fn reply(self) -> Reply {
        let nothing = || assembled(Vec::new(), Stop::Other(String::new()), Usage::default(), String::new());
        self.reply.unwrap_or_else(nothing)
    }
}
