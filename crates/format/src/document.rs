//! Reads one SKILL.md: frontmatter, body, sidecars and the diagnostics about them.
//!
//! Reading never fails. A document that is broken beyond repair is *quarantined*: its soundness is
//! `Broken`, all of its gates stay closed, and its diagnostics say where and why.

mod frontmatter;
#[cfg(test)]
mod tests;

use crate::{
    diagnostic::{Code, Diagnostic, Severity, Span},
    manifest::{self, Manifest},
    sidecar::{self, Sidecar, Sidecars},
    source,
    yaml::{Key, Node},
};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, ops::Range};

/// How reliable the frontmatter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Soundness {
    /// Read as written.
    Sound,
    /// Read after repairs; each repair is a diagnostic.
    Repaired,
    /// Not readable: the skill is listed and never offered.
    Broken,
}

/// One SKILL.md after reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The decoded frontmatter; the default when the frontmatter is broken or absent.
    pub manifest: Manifest,
    /// The decoded sidecar files.
    pub sidecar: Sidecar,
    /// The keys of the frontmatter with their positions, for exact diagnostics. A key from
    /// `skill.toml` has an empty position at byte 0.
    pub keys: Vec<(Key, Node)>,
    /// The byte range of the YAML between the fences.
    pub frontmatter: Option<Range<usize>>,
    /// The byte range of the body.
    pub body: Range<usize>,
    /// How reliable the frontmatter is.
    pub soundness: Soundness,
    /// All diagnostics of reading.
    pub diagnostics: Vec<Diagnostic>,
}

impl Document {
    /// Reads the bytes of a skill file and its sidecars.
    pub fn read(bytes: &[u8], sidecars: &Sidecars<'_>) -> Self {
        if bytes.len() as u64 > source::FILE_LIMIT {
            return Self::too_large(bytes.len());
        }
        match text_of(bytes) {
            Ok(text) => Self::of_text(text, sidecars),
            Err(diagnostic) => Self::broken(vec![*diagnostic]),
        }
    }

    /// The same for a file that is known to be UTF-8.
    pub fn read_text(text: &str, sidecars: &Sidecars<'_>) -> Self {
        if text.len() as u64 > source::FILE_LIMIT {
            return Self::too_large(text.len());
        }
        match without_nul(text) {
            Ok(text) => Self::of_text(text, sidecars),
            Err(diagnostic) => Self::broken(vec![*diagnostic]),
        }
    }

    fn too_large(bytes: usize) -> Self {
        let message = format!("the file has {bytes} bytes; Skillful reads at most {}", source::FILE_LIMIT);
        let found = Diagnostic::new(Code::FileTooLarge, message);
        Self::broken(vec![found.help("move text to files in `references/`")])
    }

    /// A document that could not be read, with the diagnostics that say why.
    pub fn broken(diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            manifest: Manifest::default(),
            sidecar: Sidecar::default(),
            keys: Vec::new(),
            frontmatter: None,
            body: 0..0,
            soundness: Soundness::Broken,
            diagnostics,
        }
    }

    fn of_text(text: &str, sidecars: &Sidecars<'_>) -> Self {
        let source::Split { frontmatter, mut body, mut diagnostics, gates_unknown } = source::split(text);
        let mut soundness = if gates_unknown { Soundness::Broken } else { Soundness::Sound };
        let mut keys = Vec::new();
        if let Some(frontmatter) = frontmatter.clone() {
            let read = frontmatter::read(text, frontmatter, 1);
            soundness = read.soundness;
            keys = read.keys;
            if read.diagnostics.iter().any(|found| found.code == Code::FrontmatterUnclosed) {
                // The fence that was found closes nothing.
                diagnostics.retain(|found| found.code != Code::FenceBlanks);
            }
            diagnostics.extend(read.diagnostics);
            for _ in 0..frontmatter::STACKED_LIMIT {
                let Some(stacked) = frontmatter::stacked(text, body.start, &mut keys) else { break };
                body.start = stacked.body;
                soundness = soundness.max(stacked.soundness);
                diagnostics.extend(stacked.diagnostics);
            }
        }
        if soundness == Soundness::Broken {
            return Self { keys, frontmatter, body, ..Self::broken(diagnostics) };
        }
        sidecars.add_missing_keys(&mut keys, &mut diagnostics);
        let before = diagnostics.len();
        let manifest = manifest::decode(&keys, &mut diagnostics);
        sidecar::place_in_toml(&mut diagnostics[before..]);
        // Validators read a second frontmatter block as part of the body, so its unknown keys are
        // not reported.
        let frontmatter_end = frontmatter.as_ref().map_or(0, |frontmatter| frontmatter.end);
        diagnostics.retain(|found| {
            found.code != Code::UnknownKey
                || found.span.is_none_or(|span| span.start as usize <= frontmatter_end)
        });
        let sidecar = sidecars.read(&keys, &mut diagnostics);
        Self { manifest, sidecar, keys, frontmatter, body, soundness, diagnostics }
    }

    /// The instructions, which every reader of a body takes from here: without the frontmatter and without
    /// empty lines before the first one. A byte that is not UTF-8 becomes U+FFFD.
    pub fn body_text<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        let body = &bytes[self.body_start(bytes)..];
        // Much faster than the lossy reading, which goes byte by byte.
        source::utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::Borrowed)
    }

    /// The same for a file that is known to be UTF-8.
    pub fn body_of<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.body_start(text.as_bytes())..).unwrap_or_default()
    }

    /// The first byte of the instructions.
    fn body_start(&self, bytes: &[u8]) -> usize {
        let mut start = self.body.start.min(bytes.len());
        while let Some(rest) = bytes.get(start..) {
            match rest {
                [b'\n', ..] => start += 1,
                [b'\r', b'\n', ..] => start += 2,
                _ => break,
            }
        }
        start
    }

    /// The position of a key's value.
    pub fn value_span(&self, key: &str) -> Option<Span> {
        self.pair(key).map(|(_, node)| node.span)
    }

    pub(crate) fn pair(&self, name: &str) -> Option<&(Key, Node)> {
        let field = crate::field::field(name)?;
        self.keys.iter().find(|(key, _)| field.is_spelled(&key.text) && !sidecar::is_supplied(key))
    }

    /// The highest severity of the diagnostics, if there are any.
    pub fn worst(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|d| d.severity).max()
    }
}

/// Decodes a file as text; a skill file must be UTF-8 without NUL bytes.
pub fn text_of(bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    let text = source::utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let before = String::from_utf8_lossy(&bytes[..at]);
        let mut span = source::span_in(&before, at..at);
        span.end += 1;
        let message = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is UTF-16, not UTF-8",
            _ => "the file is not UTF-8 from here on",
        };
        let help = "save the file as UTF-8; agents drop it or show wrong characters";
        Box::new(Diagnostic::new(Code::NotUtf8, message).at(span).help(help))
    })?;
    without_nul(text)
}

fn without_nul(text: &str) -> Result<&str, Box<Diagnostic>> {
    if let Some(at) = memchr::memchr(0, text.as_bytes()) {
        return Err(Box::new(
            Diagnostic::new(Code::NulByte, "the file contains a NUL byte here, so it is not text")
                .at(source::span_in(text, at..at + 1))
                .help("remove the NUL byte, or save the file as UTF-8"),
        ));
    }
    Ok(text)
}
