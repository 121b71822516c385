//! Tracks, line by line, whether the text is inside a quoted or a block value.

use super::line::{closes, indent_of, item_start, key_of};

/// The quotes, blocks and brackets that are open at the end of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QuoteState {
    quote: Option<u8>,
    block: Option<usize>,
    /// Number of open brackets and braces.
    flow: usize,
}

impl QuoteState {
    pub(crate) fn is_open(self) -> bool {
        self.quote.is_some()
    }

    /// The mark that would close the open quote.
    pub(crate) fn quote(self) -> Option<u8> {
        self.quote
    }

    /// Whether a bracket or brace is open.
    pub(crate) fn in_flow(self) -> bool {
        self.flow > 0
    }

    /// Whether `line` would be text of a block value.
    pub(crate) fn in_block(self, line: &str) -> bool {
        self.block.is_some_and(|parent| indent_of(line) > parent || line.trim().is_empty())
    }

    pub(crate) fn advance(&mut self, line: &str) {
        if let Some(quote) = self.quote {
            if let Some(at) = closes(line, quote) {
                self.quote = None;
                if self.in_flow() {
                    let _ = self.flow(&line[at + 1..], false);
                }
            }
            return;
        }
        if self.in_flow() {
            // A bracket that is never closed must not hide the keys below it.
            if indent_of(line) > 0 || key_of(line).is_none() {
                let _ = self.flow(line, true);
                return;
            }
            self.flow = 0;
        }
        if self.in_block(line) {
            return;
        }
        self.block = None;
        let (indent, value) = match key_of(line) {
            Some(key) => (key.indent, &line[key.value..]),
            None => (indent_of(line), &line[item_start(line)..]),
        };
        match value.as_bytes().first() {
            Some(b'|' | b'>') => self.block = Some(indent),
            Some(quote @ (b'"' | b'\'')) if closes(&value[1..], *quote).is_none() => {
                self.quote = Some(*quote);
            }
            Some(b'[' | b'{') => {
                let _ = self.flow(value, true);
            }
            _ => {}
        }
    }

    /// The offset at which the flow collection at the start of `value` ends, if it ends on this
    /// line.
    pub(crate) fn flow_end(value: &str) -> Option<usize> {
        Self::default().flow(value, true)
    }

    /// Follows the brackets and quotes of a flow collection to its end or to the end of the line.
    /// `fresh` is true when a value may start here; elsewhere a quote mark is an ordinary
    /// character.
    fn flow(&mut self, line: &str, mut fresh: bool) -> Option<usize> {
        let bytes = line.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                quote @ (b'"' | b'\'') if fresh => {
                    match closes(&line[at + 1..], quote) {
                        Some(length) => at += length + 1,
                        None => {
                            self.quote = Some(quote);
                            return None;
                        }
                    }
                    fresh = false;
                }
                b'[' | b'{' => {
                    self.flow += 1;
                    fresh = true;
                }
                b']' | b'}' => {
                    self.flow = self.flow.saturating_sub(1);
                    if !self.in_flow() {
                        return Some(at + 1);
                    }
                    fresh = false;
                }
                b',' | b':' => fresh = true,
                b'#' if at == 0 || matches!(bytes[at - 1], b' ' | b'\t') => return None,
                b' ' | b'\t' => {}
                _ => fresh = false,
            }
            at += 1;
        }
        None
    }
}
