//! One SKILL.md, read: header, body, sidecars and everything that is wrong with them.
//!
//! Reading never fails. What is broken beyond repair is *quarantined*: the document says so, no
//! gate of it opens, and its diagnostics say where and why.

use crate::{
    diagnostic::{Code, Diagnostic, Severity, Span},
    manifest::{self, Manifest},
    repair::{RepairedPart, repair},
    sidecar::{Sidecar, Sidecars},
    source::{self, HEADER_LIMIT},
    yaml::{self, Key, Node, PartOf, Yaml},
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
    /// The keys of the header with their places, for exact findings.
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
        let split = source::split(text);
        let mut diagnostics = split.diagnostics;
        let mut soundness = Soundness::Sound;
        let mut keys = Vec::new();
        if let Some(header) = split.header.clone() {
            let read = read_header(text, header);
            soundness = read.soundness;
            keys = read.keys;
            diagnostics.extend(read.diagnostics);
        } else if split.gates_unknown {
            soundness = Soundness::Broken;
        }
        if soundness == Soundness::Broken {
            let document = Self::broken(diagnostics);
            return Self { keys, header: split.header, body: split.body, ..document };
        }
        sidecars.add_missing_keys(&mut keys, &mut diagnostics);
        let manifest = manifest::decode(&keys, &mut diagnostics);
        let sidecar = sidecars.read(&manifest, &mut diagnostics);
        Self { manifest, sidecar, keys, header: split.header, body: split.body, soundness, diagnostics }
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
        self.keys.iter().find(|(key, _)| field.is_spelled(&key.text))
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
        Box::new(
            Diagnostic::new(Code::NotUtf8, "the file is not UTF-8 from here on")
                .at(span)
                .help("save it as UTF-8; agents drop it or show other characters"),
        )
    })?;
    if let Some(at) = memchr::memchr(0, bytes) {
        return Err(Box::new(
            Diagnostic::new(Code::NulByte, "the file holds a NUL byte here, so it is not text")
                .at(source::span_in(text, at..at + 1)),
        ));
    }
    Ok(text)
}

struct Header {
    keys: Vec<(Key, Node)>,
    soundness: Soundness,
    diagnostics: Vec<Diagnostic>,
}

fn read_header(text: &str, header: Range<usize>) -> Header {
    let broken = |diagnostics| Header { keys: Vec::new(), soundness: Soundness::Broken, diagnostics };
    if header.len() > HEADER_LIMIT {
        let diagnostic = Diagnostic::new(
            Code::HeaderTooLarge,
            format!("the header is {} bytes long; the limit is {HEADER_LIMIT}", header.len()),
        );
        return broken(vec![
            diagnostic
                .at(source::span_in(text, header.start..header.start))
                .help("move text from the header to the body"),
        ]);
    }
    // The header starts on the second line, so every place is known without counting.
    let origin = PartOf { offset: header.start, lines: 1 };
    let strict = yaml::parse(&text[header.clone()], &origin);
    if !strict.syntax_failed {
        return finish(strict, Soundness::Sound, Vec::new(), text, &header);
    }
    let Some(repaired) = repair(text, header.clone()) else {
        return broken(strict.diagnostics);
    };
    let origin = RepairedPart { repaired: &repaired, file: text, header: header.clone() };
    let second = yaml::parse(&repaired.text, &origin);
    if second.syntax_failed {
        return broken(strict.diagnostics);
    }
    finish(second, Soundness::Repaired, repaired.diagnostics.clone(), text, &header)
}

fn finish(
    yaml: Yaml,
    soundness: Soundness,
    mut diagnostics: Vec<Diagnostic>,
    text: &str,
    header: &Range<usize>,
) -> Header {
    let refused = !yaml.diagnostics.is_empty();
    diagnostics.extend(yaml.diagnostics);
    match yaml.root {
        Some(Node { value: yaml::Value::Map(keys), .. }) => {
            Header { keys, soundness: if refused { Soundness::Broken } else { soundness }, diagnostics }
        }
        // An empty header says nothing, which is not wrong.
        None | Some(Node { value: yaml::Value::Null, .. }) if !refused => {
            Header { keys: Vec::new(), soundness, diagnostics }
        }
        Some(node) => {
            diagnostics.push(
                Diagnostic::new(
                    Code::HeaderNotMap,
                    format!("the header is {} instead of keys and values", node.kind()),
                )
                .at(source::span_in(text, header.start..header.end))
                .help("write `name: …` and `description: …`, each on a line of its own"),
            );
            Header { keys: Vec::new(), soundness: Soundness::Broken, diagnostics }
        }
        None => Header { keys: Vec::new(), soundness: Soundness::Broken, diagnostics },
    }
}
