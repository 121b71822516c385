//! Parses server-sent events from bytes that arrive in arbitrary pieces.

use crate::error::Error;

/// Longest event in bytes: its longest line, and all its data together.
pub(crate) const EVENT_LIMIT: usize = 8 << 20;
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its name; empty when it has none.
    pub(crate) name: String,
    /// Its data, lines joined.
    pub(crate) data: Vec<u8>,
}

/// Reads lines that end in `\n`, `\r\n` or `\r`, and combines them into events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reader {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// The last byte was `\r`, so a `\n` that follows belongs to it.
    after_return: bool,
    has_begun: bool,
}

impl Reader {
    /// The events that end in these bytes.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, Error> {
        let mut events = Vec::new();
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_return) && bytes.first() == Some(&b'\n') {
                bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (line, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + line.len() > EVENT_LIMIT {
                return Err(Error::TooLarge(EVENT_LIMIT as u64));
            }
            self.line.extend_from_slice(line);
            bytes = rest;
            if let Some((end, rest)) = rest.split_first() {
                self.after_return = *end == b'\r';
                bytes = rest;
                events.extend(self.end_line()?);
            }
        }
        Ok(events)
    }

    /// The event left when no more bytes come: some servers omit the empty line after the last event.
    pub(crate) fn finish(mut self) -> Result<Option<Event>, Error> {
        let last = if self.line.is_empty() { None } else { self.end_line()? };
        Ok(last.or_else(|| self.has_data.then_some(self.event)))
    }

    fn end_line(&mut self) -> Result<Option<Event>, Error> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !std::mem::replace(&mut self.has_begun, true) {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return Ok(std::mem::take(&mut self.has_data).then_some(event));
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"event" => self.event.name = String::from_utf8_lossy(value).into_owned(),
            b"data" => {
                if self.event.data.len() + value.len() >= EVENT_LIMIT {
                    return Err(Error::TooLarge(EVENT_LIMIT as u64));
                }
                if self.has_data {
                    self.event.data.push(b'\n');
                }
                self.has_data = true;
                self.event.data.extend_from_slice(value);
            }
            // Comments, ids and reconnection times are ignored.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
