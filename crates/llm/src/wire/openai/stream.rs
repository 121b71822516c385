//! Parses a streamed answer.

use super::{stop, thinking, usage, words};
use crate::{
    message::{Part, Reply, Stop, Usage},
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
    text: String,
    thinking: String,
    refusal: String,
    calls: Vec<Call>,
    /// Position of the call with an index; the newest, when a server uses one index for several calls.
    places: BTreeMap<u64, usize>,
    /// Position of the call with an id, for servers without an index.
    ids: BTreeMap<String, usize>,
    stop: Option<Stop>,
    usage: Usage,
    model: String,
}

#[derive(Clone, Debug, Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

impl Stream {
    /// Processes a chunk.
    pub(in crate::wire) fn take(&mut self, chunk: &Value, deltas: &mut Vec<Delta>) -> Result<(), Malformed> {
        if !chunk.is_object() {
            return Err(Malformed::Field("choices"));
        }
        if let Some(model) = chunk["model"].as_str().filter(|model| !model.is_empty()) {
            model.clone_into(&mut self.model);
        }
        if chunk["usage"].is_object() {
            self.usage = usage(&chunk["usage"]);
        }
        let choices = chunk["choices"].as_array().into_iter().flatten();
        for choice in choices.filter(|choice| choice["index"].as_u64().unwrap_or(0) == 0) {
            self.grow(&choice["delta"], deltas)?;
            if let Some(word) = choice["finish_reason"].as_str().filter(|word| !word.is_empty()) {
                self.stop = Some(stop(word));
            }
        }
        Ok(())
    }

    fn grow(&mut self, delta: &Value, deltas: &mut Vec<Delta>) -> Result<(), Malformed> {
        if let Some(piece) = thinking(delta).filter(|piece| !piece.is_empty()) {
            self.thinking.push_str(piece);
            deltas.push(Delta::Thinking(piece.to_owned()));
        }
        let piece = words(&delta["content"]).ok_or(Malformed::Field("content"))?;
        self.text.push_str(&piece);
        let refusal = delta["refusal"].as_str().unwrap_or_default();
        self.refusal.push_str(refusal);
        for piece in [piece.as_str(), refusal].into_iter().filter(|piece| !piece.is_empty()) {
            deltas.push(Delta::Text(piece.to_owned()));
        }
        for piece in delta["tool_calls"].as_array().into_iter().flatten() {
            self.call(piece, deltas);
        }
        Ok(())
    }

    fn call(&mut self, piece: &Value, deltas: &mut Vec<Delta>) {
        let id = piece["id"].as_str().unwrap_or_default();
        let name = piece["function"]["name"].as_str().unwrap_or_default();
        let place = self.place(piece["index"].as_u64(), id, name);
        let Some(call) = self.calls.get_mut(place) else { return };
        if call.id.is_empty() && !id.is_empty() {
            id.clone_into(&mut call.id);
            self.ids.insert(id.to_owned(), place);
        }
        if call.name.is_empty() && !name.is_empty() {
            name.clone_into(&mut call.name);
            deltas.push(Delta::Call { name: name.to_owned() });
        }
        match &piece["function"]["arguments"] {
            Value::String(text) => call.arguments.push_str(text),
            // Some servers send the arguments as a JSON object instead of a string.
            value @ Value::Object(_) if call.arguments.is_empty() => call.arguments = value.to_string(),
            _ => {}
        }
    }

    /// The position of the call that a piece belongs to. Some servers send no index, and some send the same
    /// index for every call.
    fn place(&mut self, index: Option<u64>, id: &str, name: &str) -> usize {
        let known = match index {
            Some(index) => self.places.get(&index).copied(),
            None if !id.is_empty() => self.ids.get(id).copied(),
            None if !name.is_empty() => None,
            None => self.calls.len().checked_sub(1),
        };
        let is_other =
            |call: &Call| !id.is_empty() && !name.is_empty() && !call.id.is_empty() && call.id != id;
        if let Some(place) = known.filter(|place| !self.calls.get(*place).is_some_and(is_other)) {
            return place;
        }
        self.calls.push(Call::default());
        let place = self.calls.len() - 1;
        if let Some(index) = index {
            self.places.insert(index, place);
        }
        place
    }

    /// Whether the model is finished; token counts may still follow.
    pub(in crate::wire) fn is_complete(&self) -> bool {
        self.stop.is_some()
    }

    /// The complete answer.
    pub(in crate::wire) fn reply(self) -> Reply {
        let is_refusal = !self.refusal.is_empty();
        let text = if self.text.is_empty() { self.refusal } else { self.text };
        let mut parts = vec![Part::Thinking { text: self.thinking, signature: None }, Part::Text { text }];
        parts.extend(self.calls.into_iter().map(|Call { id, name, arguments: text }| Part::Call {
            id,
            name,
            arguments: arguments(&text),
        }));
        let stop = self.stop.unwrap_or(Stop::Other(String::new()));
        let stop = if is_refusal { Stop::Refusal } else { stop };
        assembled(parts, stop, self.usage, self.model)
    }
}
