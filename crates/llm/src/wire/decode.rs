//! Decodes an answer from bytes as they arrive.

use super::{anthropic, common, openai, parse, responses, sse};
use crate::{
    error::Error,
    key,
    message::{Part, Reply},
    provider::Wire,
    stream::Delta,
    wire::Malformed,
};
use secrecy::SecretString;

/// Bytes of an answer that are read.
pub const ANSWER_LIMIT: u64 = 32 << 20;
/// How a stream of events begins.
const BEGINNINGS: [&[u8]; 5] = [b"data:", b"event:", b":", b"id:", b"retry:"];
/// Length of the longest of these.
const BEGINNING: usize = 6;

/// Decodes an answer piece by piece. Accepts a stream of events, or a single JSON body from a server that
/// does not stream. The result does not depend on how the bytes are split.
#[derive(Clone, Debug)]
pub struct Decoder {
    wire: Wire,
    /// Removed from error messages of the server before they are truncated.
    key: Option<SecretString>,
    total: u64,
    /// The first bytes that are not blank.
    beginning: Vec<u8>,
    /// The complete body of an answer that is not streamed.
    whole: Vec<u8>,
    events: sse::Reader,
    anthropic: anthropic::Stream,
    openai: openai::Stream,
    responses: responses::Stream,
    has_events: bool,
    is_done: bool,
}

impl Decoder {
    /// Makes a decoder for a wire format.
    pub fn new(wire: Wire) -> Self {
        Self {
            wire,
            key: None,
            total: 0,
            beginning: Vec::new(),
            whole: Vec::new(),
            events: sse::Reader::default(),
            anthropic: anthropic::Stream::default(),
            openai: openai::Stream::default(),
            responses: responses::Stream::default(),
            has_events: false,
            is_done: false,
        }
    }

    /// Hides a key in error messages of the server.
    #[must_use]
    pub fn hiding(mut self, key: Option<SecretString>) -> Self {
        self.key = key;
        self
    }

    /// Processes some bytes and returns the deltas in them.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, Error> {
        self.total = self.total.saturating_add(bytes.len() as u64);
        if self.total > ANSWER_LIMIT {
            return Err(Error::TooLarge(ANSWER_LIMIT));
        }
        let is_skipped = |byte: &u8| byte.is_ascii_whitespace() || b"\xEF\xBB\xBF".contains(byte);
        for byte in bytes {
            if self.beginning.len() >= BEGINNING {
                break;
            }
            if !self.beginning.is_empty() || !is_skipped(byte) {
                self.beginning.push(*byte);
            }
        }
        if self.is_whole() {
            self.whole.extend_from_slice(bytes);
            return Ok(Vec::new());
        }
        let mut deltas = Vec::new();
        for event in self.events.push(bytes)? {
            self.take(&event, &mut deltas)?;
        }
        deltas.retain(|delta| !matches!(delta, Delta::Text(text) | Delta::Thinking(text) if text.is_empty()));
        Ok(deltas)
    }

    fn take(&mut self, event: &sse::Event, deltas: &mut Vec<Delta>) -> Result<(), Error> {
        if self.is_done {
            return Ok(());
        }
        self.has_events = true;
        let data = event.data.trim_ascii();
        if data == b"[DONE]" {
            self.is_done = self.is_complete();
            return Ok(());
        }
        if data.is_empty() {
            return Ok(());
        }
        let value = parse(data)?;
        let kind = value["type"].as_str().unwrap_or(&event.name);
        let failed = value.get("error").or_else(|| value.pointer("/response/error"));
        if kind == "error" || kind == "response.failed" || failed.is_some_and(|error| !error.is_null()) {
            return Err(self.reported_error(data).unwrap_or(Error::Malformed(Malformed::Field("error"))));
        }
        match self.wire {
            Wire::Anthropic => self.anthropic.take(kind, &value, deltas)?,
            Wire::OpenAi => self.openai.take(&value, deltas)?,
            Wire::Responses => self.responses.take(kind, &value, deltas)?,
        }
        self.is_done |= self.anthropic.is_done() || self.responses.is_done();
        Ok(())
    }

    fn reported_error(&self, body: &[u8]) -> Option<Error> {
        match &self.key {
            // Before truncation, which could leave a part of the key that is not recognised.
            Some(key) => {
                common::reported_error(key::hide(Some(key), &String::from_utf8_lossy(body)).as_bytes())
            }
            None => common::reported_error(body),
        }
    }

    /// Whether nothing relevant can follow.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether the answer is complete; token counts may still follow.
    pub fn is_complete(&self) -> bool {
        match self.wire {
            Wire::Anthropic => self.anthropic.is_done(),
            Wire::OpenAi => self.openai.is_complete(),
            Wire::Responses => self.responses.is_done(),
        }
    }

    /// Whether the server answers without streaming. Its deltas are those of [`shown`].
    pub fn is_whole(&self) -> bool {
        self.beginning.first() == Some(&b'{')
    }

    /// The answer, when no more bytes come.
    pub fn finish(mut self) -> Result<Reply, Error> {
        if self.is_whole() {
            return self.finish_whole();
        }
        match std::mem::take(&mut self.events).finish()? {
            // An incomplete event at the end is ignored.
            Some(event) => match self.take(&event, &mut Vec::new()) {
                Err(Error::Malformed(Malformed::Json)) if self.is_complete() => {}
                Err(Error::Malformed(Malformed::Json)) if self.looks_like_events() => return Err(Error::Cut),
                taken => taken?,
            },
            None if !self.has_events && !self.looks_like_events() => {
                return Err(Error::Malformed(Malformed::Events));
            }
            None => {}
        }
        if !self.is_complete() {
            return Err(if self.looks_like_events() { Error::Cut } else { Malformed::Events.into() });
        }
        Ok(match self.wire {
            Wire::Anthropic => self.anthropic.reply(),
            Wire::OpenAi => self.openai.reply(),
            Wire::Responses => self.responses.reply(),
        })
    }

    /// Whether the body is a stream of events. A truncated body of a few bytes may still become one.
    fn looks_like_events(&self) -> bool {
        let begins = |beginning: &[u8]| {
            let length = beginning.len().min(self.beginning.len());
            beginning.get(..length) == self.beginning.get(..length)
        };
        self.has_events || BEGINNINGS.into_iter().any(begins)
    }

    fn finish_whole(&self) -> Result<Reply, Error> {
        whole(self.wire, &self.whole, self.key.as_ref())
    }
}

/// An answer that is not streamed, or the error in it: some servers report errors with a successful status.
pub(crate) fn whole(wire: Wire, body: &[u8], key: Option<&SecretString>) -> Result<Reply, Error> {
    let read = match wire {
        Wire::Anthropic => anthropic::reply(body),
        Wire::OpenAi => openai::reply(body),
        Wire::Responses => responses::reply(body),
    };
    read.map_err(|malformed| {
        let body = match key {
            Some(key) => key::hide(Some(key), &String::from_utf8_lossy(body)).into_bytes(),
            None => body.to_vec(),
        };
        common::reported_error(&body).unwrap_or(Error::Malformed(malformed))
    })
}

/// The deltas of an answer that is not streamed, for display.
pub fn shown(reply: &Reply) -> Vec<Delta> {
    let delta = |part: &Part| match part {
        Part::Text { text } => Some(Delta::Text(text.clone())),
        Part::Thinking { text, .. } if text.is_empty() => None,
        Part::Thinking { text, .. } => Some(Delta::Thinking(text.clone())),
        Part::Call { name, .. } => Some(Delta::Call { name: name.clone() }),
        Part::Image { .. } | Part::Result { .. } => None,
    };
    reply.parts.iter().filter_map(delta).collect()
}

#[cfg(test)]
mod tests;
