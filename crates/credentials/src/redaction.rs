//! Taking secrets out of what programs write, before a model or a user reads it.
//!
//! A [`Redactor`] knows a set of secrets and every form of `forms`; a [`RedactedStream`] is one output,
//! fed piece by piece. Blanks, line ends and NUL bytes are skipped and letters match in either case, so
//! wrapping, indenting, hex groups and UTF-16 hide nothing. One pass, one step for each byte, and memory
//! for one pattern.
//!
//! Redaction is the second defence. A program that has a secret can still leak it in a form that is not
//! among the known ones: letter by letter, in a picture, by its exit code. The first defence is that only
//! the programs of one skill get the secret.

use aho_corasick::{
    Anchored, MatchKind,
    automaton::{Automaton, StateID},
    nfa::contiguous,
};
use secrecy::{ExposeSecret, SecretString};
use skillful_format::{Code, Diagnostic};
use std::sync::Arc;

mod forms;
mod stream;
#[cfg(test)]
mod tests;

pub use stream::RedactedStream;

/// The text that replaces a secret.
pub const MARK: &str = "[redacted]";
/// A secret shorter than this is not looked for: its letters come up in ordinary text.
pub const SHORTEST: usize = 6;
/// A secret longer than this is not looked for, so a program that gets it must not show output.
pub const LONGEST: usize = 16 << 10;
/// All secrets together; the patterns take some hundred times as much memory.
pub const TOTAL_LIMIT: usize = 64 << 10;
/// A secret longer than this is looked for in pieces, so that a part of a long key is found too.
const PIECE: usize = 96;
/// Bytes by which pieces overlap, so that encodings leave nothing between them.
const OVERLAP: usize = 8;
/// Every part of a secret of this length is looked for as it is and in hex, which is a line of a hex dump.
const FRAGMENT: usize = 16;
/// Of a secret longer than this only every [`FRAGMENT`]th part is.
const EVERY_FRAGMENT: usize = 256;

/// A secret that is not taken out of output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unredacted {
    /// The name of its variable.
    pub name: String,
    /// The reason.
    pub why: UnredactedReason,
}

/// Why a secret is not taken out of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnredactedReason {
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
    ) -> (Self, Vec<Unredacted>) {
        let (mut unredacted, mut patterns, mut total) = (Vec::new(), Vec::new(), 0);
        for (name, secret) in secrets {
            let mut skip = |why| unredacted.push(Unredacted { name: name.to_owned(), why });
            let text = secret.expose_secret().trim().as_bytes();
            let letters = text.iter().filter(|byte| !forms::is_blank(**byte)).count();
            if secret.expose_secret().is_empty() {
            } else if letters < SHORTEST {
                skip(UnredactedReason::TooShort);
            } else if text.len() > LONGEST || total + text.len() > TOTAL_LIMIT {
                skip(UnredactedReason::TooLong);
            } else {
                total += text.len();
                pieces(text).for_each(|piece| patterns.extend(forms::of(piece)));
                fragments(text).for_each(|fragment| patterns.extend(forms::plain(fragment)));
            }
        }
        patterns.sort();
        patterns.dedup();
        (Self { patterns: Patterns::new(&patterns).map(Arc::new) }, unredacted)
    }

    /// A redactor of one output.
    pub fn stream(&self) -> RedactedStream {
        RedactedStream::new(self.patterns.clone())
    }

    /// A whole output, redacted. When it was cut, what could be the beginning of a secret at its end is
    /// removed too.
    pub fn whole(&self, bytes: &[u8], cut: bool) -> Vec<u8> {
        let mut stream = self.stream();
        let mut out = stream.push(bytes);
        out.extend(if cut { stream.finish_cut() } else { stream.finish() });
        out
    }

    /// A text, redacted.
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

/// One diagnostic for each secret that is not taken out of output.
pub fn unredacted_diagnostics(unredacted: &[Unredacted]) -> Vec<Diagnostic> {
    let words = |one: &Unredacted| match one.why {
        UnredactedReason::TooShort => {
            format!("is shorter than {SHORTEST} letters, so it is not taken out of outputs")
        }
        UnredactedReason::TooLong => {
            "is too long to be taken out of outputs, so no program gets it".to_owned()
        }
    };
    let diagnostic = |one: &Unredacted| {
        Diagnostic::new(Code::SecretShown, format!("the secret `{}` {}", one.name, words(one)))
    };
    unredacted.iter().map(diagnostic).collect()
}
