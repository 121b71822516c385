//! Taking secrets out of what programs write, before anybody reads it.
//!
//! A [`Redactor`] knows a set of secrets and every form of `forms`; a [`Stream`] is one output,
//! fed piece by piece. Blanks, line ends and NUL bytes are looked through and letters match in either
//! case, so wrapping, indenting, hex groups and UTF-16 hide nothing. One pass, one step for each
//! byte, and memory for one pattern.
//!
//! This is the second wall, not the first. A program that was given a secret can still carry it out
//! in a form that nobody foresaw: letter by letter, in a picture, by its exit code. The first wall is
//! that only the programs of one skill get it.

use aho_corasick::{
    Anchored, MatchKind,
    automaton::{Automaton, StateID},
    nfa::contiguous,
};
use secrecy::{ExposeSecret, SecretString};
use skillful_format::{Code, Diagnostic};
use std::{collections::VecDeque, ops::Range, sync::Arc};

mod forms;
#[cfg(test)]
mod tests;

/// What stands in the place of a secret.
pub const MARK: &str = "[redacted]";
/// A secret shorter than this is not looked for: its letters come up in ordinary text.
pub const SHORTEST: usize = 6;
/// A secret longer than this is not looked for; whoever hands it out must not show output.
pub const LONGEST: usize = 16 << 10;
/// All secrets together; the patterns take some hundred times as much memory.
pub const TOTAL_LIMIT: usize = 64 << 10;
/// A secret longer than this is looked for in pieces, so that a part of a long key is found, too.
const PIECE: usize = 96;
/// By how much pieces overlap, so that encodings leave nothing between them.
const OVERLAP: usize = 8;
/// Every part of a secret of this length is looked for as it is and in hex, which is a line of a hex dump.
const FRAGMENT: usize = 16;
/// Of a secret longer than this only every [`FRAGMENT`]th part is.
const EVERY_FRAGMENT: usize = 256;
/// Bytes that may wait beyond one pattern, so that output is moved in pieces.
const HELD: usize = 8 << 10;
/// So many blanks in a row end what came before them.
const BLANKS_LIMIT: usize = 64 << 10;

/// A secret that is not looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlooked {
    /// What it is called.
    pub name: String,
    /// Why.
    pub why: Why,
}

/// Why a secret is not looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Shorter than [`SHORTEST`].
    TooShort,
    /// Longer than [`LONGEST`], or over [`TOTAL_LIMIT`] with the others.
    TooLong,
}

/// Looks for a set of secrets. Cheap to clone.
#[derive(Clone)]
pub struct Redactor {
    patterns: Option<Arc<Patterns>>,
}

struct Patterns {
    automaton: contiguous::NFA,
    start: StateID,
    longest: usize,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The automaton is made of the secrets.
        f.write_str("Redactor(***)")
    }
}

impl Redactor {
    /// A redactor for named secrets, and those it will not look for.
    pub fn new<'a>(
        secrets: impl IntoIterator<Item = (&'a str, &'a SecretString)>,
    ) -> (Self, Vec<Overlooked>) {
        let (mut overlooked, mut patterns, mut total) = (Vec::new(), Vec::new(), 0);
        for (name, secret) in secrets {
            let mut overlook = |why| overlooked.push(Overlooked { name: name.to_owned(), why });
            let text = secret.expose_secret().trim().as_bytes();
            let letters = text.iter().filter(|byte| !forms::is_blank(**byte)).count();
            if secret.expose_secret().is_empty() {
            } else if letters < SHORTEST {
                overlook(Why::TooShort);
            } else if text.len() > LONGEST || total + text.len() > TOTAL_LIMIT {
                overlook(Why::TooLong);
            } else {
                total += text.len();
                pieces(text).for_each(|piece| patterns.extend(forms::of(piece)));
                fragments(text).for_each(|fragment| patterns.extend(forms::plain(fragment)));
            }
        }
        patterns.sort();
        patterns.dedup();
        (Self { patterns: Patterns::new(&patterns).map(Arc::new) }, overlooked)
    }

    /// One output.
    pub fn stream(&self) -> Stream {
        let state = self.patterns.as_ref().map(|patterns| patterns.start);
        Stream {
            patterns: self.patterns.clone(),
            state: state.unwrap_or_default(),
            held: VecDeque::new(),
            at: 0,
            letters: VecDeque::new(),
            found: VecDeque::new(),
            blanks: 0,
        }
    }

    /// A whole output. When it was cut, what could be the beginning of a secret at its end goes, too.
    pub fn whole(&self, bytes: &[u8], cut: bool) -> Vec<u8> {
        let mut stream = self.stream();
        let mut out = stream.push(bytes);
        out.extend(if cut { stream.finish_cut() } else { stream.finish() });
        out
    }

    /// A text.
    pub fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.whole(text.as_bytes(), false)).into_owned()
    }

    /// Whether a text holds a secret in any form.
    pub fn finds(&self, text: &str) -> bool {
        self.whole(text.as_bytes(), false) != text.as_bytes()
    }
}

/// A secret in overlapping pieces, or whole.
fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let step = PIECE - OVERLAP;
    let count = if text.len() <= PIECE { 1 } else { (text.len() - OVERLAP).div_ceil(step) };
    (0..count).map(move |at| {
        // The last one reaches back, so that it is as long as the others.
        let end = (at * step + PIECE).min(text.len());
        &text[end.saturating_sub(PIECE)..end]
    })
}

/// Parts of a secret that are looked for on their own.
fn fragments(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let step = if text.len() > EVERY_FRAGMENT { FRAGMENT } else { 1 };
    text.windows(FRAGMENT).step_by(step)
}

impl Patterns {
    fn new(patterns: &[Vec<u8>]) -> Option<Self> {
        if patterns.is_empty() {
            return None;
        }
        let automaton = contiguous::NFA::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(patterns)
            .ok()?;
        let start = automaton.start_state(Anchored::No).ok()?;
        let longest = patterns.iter().map(Vec::len).max().unwrap_or_default();
        Some(Self { automaton, start, longest })
    }
}

/// One output on its way through. Nothing leaves that could still turn out to be a secret.
pub struct Stream {
    patterns: Option<Arc<Patterns>>,
    state: StateID,
    /// What has not left yet.
    held: VecDeque<u8>,
    /// The place of the first held byte.
    at: usize,
    /// The places of the last bytes that were looked at.
    letters: VecDeque<usize>,
    /// Secrets among what is held, in order and apart.
    found: VecDeque<Range<usize>>,
    /// Blanks since the last byte that was looked at.
    blanks: usize,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stream(***)")
    }
}

impl Stream {
    /// Takes bytes in and gives out what is safe.
    #[must_use = "what comes back is the output"]
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
    #[must_use = "what comes back is the output"]
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.release(self.end(), &mut out);
        out
    }

    /// The rest, when the output was cut off: what could be the beginning of a secret is taken for one.
    #[must_use = "what comes back is the output"]
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

    /// Behind the last byte that came in.
    fn end(&self) -> usize {
        self.at + self.held.len()
    }

    /// Nothing before here can become part of a secret any more.
    fn safe(&self) -> usize {
        self.letters.front().copied().unwrap_or_else(|| self.end())
    }

    /// Notes a secret, together with those it touches.
    fn mark(&mut self, found: Range<usize>) {
        let mut start = found.start;
        while let Some(last) = self.found.pop_back_if(|last| last.end >= start) {
            start = start.min(last.start);
        }
        self.found.push_back(start..found.end);
    }

    /// Gives out what lies before a place, with a mark for each secret.
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

/// What is to be told of secrets that no output is cleaned of.
pub fn not_taken_out(overlooked: &[Overlooked]) -> Vec<Diagnostic> {
    let words = |one: &Overlooked| match one.why {
        Why::TooShort => format!("is shorter than {SHORTEST} letters, so it is not taken out of outputs"),
        Why::TooLong => "is too long to be taken out of outputs, so no program gets it".to_owned(),
    };
    let told = |one: &Overlooked| {
        Diagnostic::new(Code::SecretShown, format!("the secret `{}` {}", one.name, words(one)))
    };
    overlooked.iter().map(told).collect()
}
