//! One SKILL.md, read: header, body, sidecars and everything that is wrong with them.
//!
//! Reading never fails. What is broken beyond repair is *quarantined*: the document says so, no
//! gate of it opens, and its diagnostics say where and why.

mod header;
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
use std::ops::Range;

/// How far a header can be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Soundness {
    /// As written.
    Sound,
    /// Read after repairs, each of them a diagnostic.
    Repaired,
    /// Not readable: listed, never offered.
    Broken,
}

/// One SKILL.md, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// What the header says; the default when it is broken or absent.
    pub manifest: Manifest,
    /// What the files beside it say.
    pub sidecar: Sidecar,
    /// The keys of the header with their places, for exact findings. A key that `skill.toml`
    /// supplied has an empty place at byte 0.
    pub keys: Vec<(Key, Node)>,
    /// Bytes of the YAML between the fences.
    pub header: Option<Range<usize>>,
    /// Bytes of the body.
    pub body: Range<usize>,
    /// How far the header can be believed.
    pub soundness: Soundness,
    /// Everything found while reading.
    pub diagnostics: Vec<Diagnostic>,
}

impl Document {
    /// Reads the bytes of a skill file and its sidecars.
    pub fn read(bytes: &[u8], sidecars: &Sidecars<'_>) -> Self {
        if bytes.len() as u64 > source::FILE_LIMIT {
            let message = format!("the file has {} bytes; the limit is {}", bytes.len(), source::FILE_LIMIT);
            let found = Diagnostic::new(Code::FileTooLarge, message);
            return Self::broken(vec![found.help("move text to files below `references/`")]);
        }
        match text_of(bytes) {
            Ok(text) => Self::of_text(text, sidecars),
            Err(diagnostic) => Self::broken(vec![*diagnostic]),
        }
    }

    /// A document of which nothing is known but what went wrong.
    pub fn broken(diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            manifest: Manifest::default(),
            sidecar: Sidecar::default(),
            keys: Vec::new(),
            header: None,
            body: 0..0,
            soundness: Soundness::Broken,
            diagnostics,
        }
    }

    fn of_text(text: &str, sidecars: &Sidecars<'_>) -> Self {
        let source::Split { header, mut body, mut diagnostics, gates_unknown } = source::split(text);
        let mut soundness = if gates_unknown { Soundness::Broken } else { Soundness::Sound };
        let mut keys = Vec::new();
        if let Some(header) = header.clone() {
            let read = header::read(text, header, 1);
            soundness = read.soundness;
            keys = read.keys;
            diagnostics.extend(read.diagnostics);
            for _ in 0..header::STACKED_LIMIT {
                let Some(stacked) = header::stacked(text, body.start, &mut keys) else { break };
                body.start = stacked.body;
                soundness = soundness.max(stacked.soundness);
                diagnostics.extend(stacked.diagnostics);
            }
        }
        if soundness == Soundness::Broken {
            return Self { keys, header, body, ..Self::broken(diagnostics) };
        }
        sidecars.add_missing_keys(&mut keys, &mut diagnostics);
        let before = diagnostics.len();
        let manifest = manifest::decode(&keys, &mut diagnostics);
        sidecar::place_in_toml(&mut diagnostics[before..]);
        // Validators take a second header for the body, so its keys are none that they mind.
        let header_end = header.as_ref().map_or(0, |header| header.end);
        diagnostics.retain(|found| {
            found.code != Code::UnknownKey || found.span.is_none_or(|span| span.start as usize <= header_end)
        });
        let sidecar = sidecars.read(&keys, &mut diagnostics);
        Self { manifest, sidecar, keys, header, body, soundness, diagnostics }
    }

    /// Where the value of a key stands.
    pub fn value_span(&self, key: &str) -> Option<Span> {
        self.pair(key).map(|(_, node)| node.span)
    }

    /// Where a key stands.
    pub fn key_span(&self, key: &str) -> Option<Span> {
        self.pair(key).map(|(key, _)| key.span)
    }

    fn pair(&self, name: &str) -> Option<&(Key, Node)> {
        let field = crate::field::field(name)?;
        self.keys.iter().find(|(key, _)| field.is_spelled(&key.text) && !sidecar::is_supplied(key))
    }

    /// The worst finding, if there is any.
    pub fn worst(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|d| d.severity).max()
    }
}

/// The bytes of a file as text; a skill file is UTF-8 without NUL.
pub fn text_of(bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let before = String::from_utf8_lossy(&bytes[..at]);
        let mut span = source::span_in(&before, at..at);
        span.end += 1;
        let message = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is UTF-16, not UTF-8",
            _ => "the file is not UTF-8 from here on",
        };
        let help = "save it as UTF-8; agents drop it or show other characters";
        Box::new(Diagnostic::new(Code::NotUtf8, message).at(span).help(help))
    })?;
    if let Some(at) = memchr::memchr(0, bytes) {
        return Err(Box::new(
            Diagnostic::new(Code::NulByte, "the file holds a NUL byte here, so it is not text")
                .at(source::span_in(text, at..at + 1))
                .help("remove it, or save the file as UTF-8"),
        ));
    }
    Ok(text)
}
