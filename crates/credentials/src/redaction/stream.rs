//! One output on its way through the redactor.

use super::{MARK, Patterns, forms};
use aho_corasick::{
    Anchored,
    automaton::{Automaton, StateID},
};
use std::{collections::VecDeque, ops::Range, sync::Arc};

/// Bytes that may be held beyond one pattern, so that output is moved in pieces.
const HELD: usize = 8 << 10;
/// A run of blanks longer than this ends the match before it.
const BLANKS_LIMIT: usize = 64 << 10;

/// One output being redacted. Bytes that could still become part of a secret are buffered.
pub struct RedactedStream {
    patterns: Option<Arc<Patterns>>,
    state: StateID,
    /// What has not left yet.
    pub(super) held: VecDeque<u8>,
    /// The offset of the first held byte.
    at: usize,
    /// The offsets of the last bytes that were matched.
    letters: VecDeque<usize>,
    /// Secrets among the held bytes, in order and not touching.
    found: VecDeque<Range<usize>>,
    /// Blanks since the last byte that was matched.
    blanks: usize,
}

impl std::fmt::Debug for RedactedStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RedactedStream(***)")
    }
}

impl RedactedStream {
    pub(super) fn new(patterns: Option<Arc<Patterns>>) -> Self {
        let state = patterns.as_ref().map(|patterns| patterns.start).unwrap_or_default();
        Self {
            patterns,
            state,
            held: VecDeque::new(),
            at: 0,
            letters: VecDeque::new(),
            found: VecDeque::new(),
            blanks: 0,
        }
    }

    /// Takes bytes in and returns those that are safe.
    #[must_use = "the returned bytes are the output"]
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let Some(patterns) = self.patterns.clone() else { return bytes.to_vec() };
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            let place = self.end();
            self.held.push_back(*byte);
            if forms::is_blank(*byte) {
                self.blanks += 1;
                if self.blanks > BLANKS_LIMIT {
                    self.state = patterns.start;
                    self.letters.clear();
                }
            } else {
                self.blanks = 0;
                self.letter(&patterns, *byte, place);
            }
            if self.held.len() > patterns.longest + HELD {
                self.release(self.safe(), &mut out);
            }
        }
        self.release(self.safe(), &mut out);
        out
    }

    /// The rest, when the output ended by itself.
    #[must_use = "the returned bytes are the output"]
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.release(self.end(), &mut out);
        out
    }

    /// The rest, when the output was cut off: what could be the beginning of a secret is treated as one.
    #[must_use = "the returned bytes are the output"]
    pub fn finish_cut(mut self) -> Vec<u8> {
        if self.safe() < self.end() {
            self.mark(self.safe()..self.end());
        }
        self.finish()
    }

    fn letter(&mut self, patterns: &Patterns, byte: u8, place: usize) {
        self.state = patterns.automaton.next_state(Anchored::No, self.state, byte);
        if self.state == patterns.start {
            self.letters.clear();
            return;
        }
        if self.letters.len() == patterns.longest {
            self.letters.pop_front();
        }
        self.letters.push_back(place);
        if patterns.automaton.is_match(self.state) {
            let automaton = &patterns.automaton;
            let lengths = (0..automaton.match_len(self.state))
                .map(|at| automaton.pattern_len(automaton.match_pattern(self.state, at)));
            let first = self.letters.len().saturating_sub(lengths.max().unwrap_or_default());
            let start = self.letters.get(first).copied().unwrap_or(place);
            self.mark(start..place + 1);
        }
    }

    /// The offset behind the last byte that came in.
    fn end(&self) -> usize {
        self.at + self.held.len()
    }

    /// The offset before which no byte can become part of a secret any more.
    fn safe(&self) -> usize {
        self.letters.front().copied().unwrap_or_else(|| self.end())
    }

    /// Records a secret, merged with those it touches.
    fn mark(&mut self, found: Range<usize>) {
        let mut start = found.start;
        while let Some(last) = self.found.pop_back_if(|last| last.end >= start) {
            start = start.min(last.start);
        }
        self.found.push_back(start..found.end);
    }

    /// Moves the bytes before an offset to `out`, with a mark for each secret.
    fn release(&mut self, before: usize, out: &mut Vec<u8>) {
        let is_end = before == self.end();
        while self.at < before {
            match self.found.front().cloned() {
                // It could still grow, but its bytes need not be kept.
                Some(found) if found.start <= self.at && found.end >= before && !is_end => {
                    self.drop_until(before);
                }
                Some(found) if found.start <= self.at => {
                    out.extend_from_slice(MARK.as_bytes());
                    self.drop_until(found.end);
                    self.found.pop_front();
                }
                found => {
                    let until = found.map_or(before, |found| found.start.min(before));
                    out.extend(self.held.drain(..until - self.at));
                    self.at = until;
                }
            }
        }
    }

    fn drop_until(&mut self, place: usize) {
        self.held.drain(..place.saturating_sub(self.at));
        self.at = self.at.max(place);
    }
}
