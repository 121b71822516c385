//! The YAML between two fences: strictly first, then repaired, then merged with what is stacked
//! below it.

use super::Soundness;
use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    field,
    repair::{RepairedPart, repair},
    source::{self, HEADER_LIMIT, Places, key_of, lines},
    yaml::{self, Counted, Key, Node, PartOf, Yaml},
};
use std::ops::Range;

pub(super) struct Header {
    pub(super) keys: Vec<(Key, Node)>,
    pub(super) soundness: Soundness,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Reads a header that starts on a line of its own, after `lines` others.
pub(super) fn read(text: &str, header: Range<usize>, lines: usize) -> Header {
    let broken = |diagnostics| Header { keys: Vec::new(), soundness: Soundness::Broken, diagnostics };
    if header.len() > HEADER_LIMIT {
        let message = format!("the header has {} bytes; the limit is {HEADER_LIMIT}", header.len());
        return broken(vec![
            Diagnostic::new(Code::HeaderTooLarge, message)
                .at(source::span_in(text, header.start..header.start))
                .help("move text from the header to the body"),
        ]);
    }
    let inner = &text[header.clone()];
    let strict = if inner.contains('\u{feff}') {
        yaml::parse(inner, &mut Counted { offset: header.start, places: Places::new(text) })
    } else {
        yaml::parse(inner, &mut PartOf { offset: header.start, lines })
    };
    if !strict.syntax_failed {
        return finish(strict, Soundness::Sound, Vec::new(), text, &header);
    }
    let Some(repaired) = repair(text, header.clone()) else {
        return broken(strict.diagnostics);
    };
    let mut origin = RepairedPart::new(&repaired, text, header.start);
    let second = yaml::parse(&repaired.text, &mut origin);
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
    let (keys, soundness) = match yaml.root {
        Some(Node { value: yaml::Value::Map(keys), .. }) if !refused => (keys, soundness),
        Some(Node { value: yaml::Value::Map(keys), .. }) => (keys, Soundness::Broken),
        // An empty header says nothing, which is not wrong.
        None | Some(Node { value: yaml::Value::Null, .. }) if !refused => (Vec::new(), soundness),
        Some(node) => {
            let message = format!("the header is {} instead of keys and values", node.kind());
            diagnostics.push(
                Diagnostic::new(Code::HeaderNotMap, message)
                    .at(source::span_in(text, header.clone()))
                    .help("write `name: …` and `description: …`, each on a line of its own"),
            );
            (Vec::new(), Soundness::Broken)
        }
        None => (Vec::new(), Soundness::Broken),
    };
    Header { keys, soundness, diagnostics }
}

/// A further header found where the body should start.
pub(super) struct Stacked {
    pub(super) body: usize,
    pub(super) soundness: Soundness,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Most headers that are merged into the first.
pub(super) const STACKED_LIMIT: usize = 4;

/// Adds the keys of a header that follows the first one: some tools put theirs on top of the
/// author's. What stands above wins. A rule (`---`) at the start of a body is no header: a header
/// has a known key on its first line and is closed.
pub(super) fn stacked(text: &str, body: usize, keys: &mut Vec<(Key, Node)>) -> Option<Stacked> {
    let mut written = lines(text, body).filter(|line| !line.text(text).trim().is_empty());
    let opening = written.next().filter(|line| source::is_fence(line.text(text)))?;
    let first = key_of(written.next()?.text(text)).filter(|key| key.indent == 0)?;
    field::field(first.key)?;
    let end = source::header_end(text, opening.next)?;
    let header = opening.next..end.start;

    let mut places = Places::new(text);
    let fence = places.span(opening.start..opening.end);
    let first_line = usize::try_from(fence.line).unwrap_or(usize::MAX);
    let Header { keys: found, mut soundness, mut diagnostics } = read(text, header.clone(), first_line);
    if soundness == Soundness::Broken {
        // As text of the body it does no harm, unless it was to keep somebody out.
        let gated = lines(&text[..header.end], header.start)
            .filter_map(|line| key_of(line.text(text)))
            .any(|key| field::field(key.key).is_some_and(|field| field.gate));
        if !gated {
            return None;
        }
    }
    let message = if soundness == Soundness::Repaired {
        // Validators take it for the body, so that its single faults are none to them.
        diagnostics.clear();
        "a second header follows the first; it was repaired and its keys were added"
    } else {
        "a second header follows the first; its keys were added"
    };
    diagnostics.insert(
        0,
        Diagnostic::new(Code::YamlDocuments, message)
            .at(fence)
            .help("write one header; most agents take the second one for the body")
            .with_severity(Severity::Warning),
    );
    for (key, node) in found {
        let field = field::field(&key.text);
        let known = |have: &Key| match field {
            Some(field) => field.is_spelled(&have.text),
            None => have.text == key.text,
        };
        match keys.iter().find(|(have, _)| known(have)) {
            None if keys.len() < yaml::MAX_NODES => keys.push((key, node)),
            Some((_, have)) if !field.is_some_and(|field| field.gate) || have.to_data() == node.to_data() => {
            }
            // Of two gates nobody knows which one was meant.
            _ => {
                soundness = Soundness::Broken;
                let message = format!("`{}` says something else in the first header", key.text);
                diagnostics.push(
                    Diagnostic::new(Code::GateUnreadable, message).at(key.span).help("write one header"),
                );
            }
        }
    }
    Some(Stacked { body: end.next, soundness, diagnostics })
}
