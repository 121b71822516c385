//! Reads the YAML between two fences: first strictly, then with repairs, then merged with further
//! frontmatter blocks below it.

use super::Soundness;
use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    field,
    repair::{RepairedPart, repair},
    source::{self, FRONTMATTER_LIMIT, Positions, key_of, lines},
    yaml::{self, Counted, Key, Node, PartOf, Yaml},
};
use std::ops::Range;

pub(super) struct Frontmatter {
    pub(super) keys: Vec<(Key, Node)>,
    pub(super) soundness: Soundness,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Reads frontmatter that starts on a line of its own, after `lines` other lines.
pub(super) fn read(text: &str, frontmatter: Range<usize>, lines: usize) -> Frontmatter {
    let broken = |diagnostics| Frontmatter { keys: Vec::new(), soundness: Soundness::Broken, diagnostics };
    if frontmatter.len() > FRONTMATTER_LIMIT {
        let message = format!(
            "the frontmatter has {} bytes; Skillful reads at most {FRONTMATTER_LIMIT}",
            frontmatter.len()
        );
        return broken(vec![
            Diagnostic::new(Code::FrontmatterTooLarge, message)
                .at(source::span_in(text, frontmatter.start..frontmatter.start))
                .help("move text from the frontmatter to the body"),
        ]);
    }
    let inner = &text[frontmatter.clone()];
    let strict = if inner.contains('\u{feff}') {
        yaml::parse(inner, &mut Counted { offset: frontmatter.start, positions: Positions::new(text) })
    } else {
        yaml::parse(inner, &mut PartOf { offset: frontmatter.start, lines })
    };
    if !strict.syntax_failed {
        return finish(strict, Soundness::Sound, Vec::new(), text, &frontmatter);
    }
    let refused = |found: Vec<Diagnostic>| match source::missed_end(text, frontmatter.clone()) {
        Some(missed) => broken(vec![missed]),
        None => broken(found),
    };
    let Some(repaired) = repair(text, frontmatter.clone()) else {
        return refused(strict.diagnostics);
    };
    let mut origin = RepairedPart::new(&repaired, text, frontmatter.start);
    let second = yaml::parse(&repaired.text, &mut origin);
    if second.syntax_failed {
        return refused(strict.diagnostics);
    }
    finish(second, Soundness::Repaired, repaired.diagnostics.clone(), text, &frontmatter)
}

fn finish(
    yaml: Yaml,
    soundness: Soundness,
    mut diagnostics: Vec<Diagnostic>,
    text: &str,
    frontmatter: &Range<usize>,
) -> Frontmatter {
    let refused = !yaml.diagnostics.is_empty();
    diagnostics.extend(yaml.diagnostics);
    let (keys, soundness) = match yaml.root {
        Some(Node { value: yaml::Value::Map(keys), .. }) if !refused => (keys, soundness),
        Some(Node { value: yaml::Value::Map(keys), .. }) => (keys, Soundness::Broken),
        // Empty frontmatter is valid.
        None | Some(Node { value: yaml::Value::Null, .. }) if !refused => (Vec::new(), soundness),
        Some(node) => {
            let message = format!("the frontmatter is {} instead of keys and values", node.kind());
            diagnostics.push(
                Diagnostic::new(Code::FrontmatterNotMap, message)
                    .at(source::span_in(text, frontmatter.clone()))
                    .help("write `name: …` and `description: …`, each on a line of its own"),
            );
            (Vec::new(), Soundness::Broken)
        }
        None => (Vec::new(), Soundness::Broken),
    };
    Frontmatter { keys, soundness, diagnostics }
}

/// A further frontmatter block at the start of the body.
pub(super) struct Stacked {
    pub(super) body: usize,
    pub(super) soundness: Soundness,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Maximum number of further frontmatter blocks that are merged into the first.
pub(super) const STACKED_LIMIT: usize = 4;

/// Adds the keys of a frontmatter block that follows the first one: some tools insert their own
/// block above the author's. The upper block wins. A horizontal rule (`---`) at the start of a body
/// is not frontmatter: a frontmatter block has a known key on its first line and is closed.
pub(super) fn stacked(text: &str, body: usize, keys: &mut Vec<(Key, Node)>) -> Option<Stacked> {
    let mut written = lines(text, body).filter(|line| !line.text(text).trim().is_empty());
    let opening = written.next().filter(|line| source::is_fence(line.text(text)))?;
    let first = key_of(written.next()?.text(text)).filter(|key| key.indent == 0)?;
    field::field(first.key)?;
    let end = source::frontmatter_end(text, opening.next)?;
    let frontmatter = opening.next..end.start;

    let mut positions = Positions::new(text);
    let fence = positions.span(opening.start..opening.end);
    let first_line = usize::try_from(fence.line).unwrap_or(usize::MAX);
    let Frontmatter { keys: found, mut soundness, mut diagnostics } =
        read(text, frontmatter.clone(), first_line);
    if soundness == Soundness::Broken {
        // A broken block is harmless as text of the body, unless it contains a gate.
        let gated = lines(&text[..frontmatter.end], frontmatter.start)
            .filter_map(|line| key_of(line.text(text)))
            .any(|key| field::field(key.key).is_some_and(|field| field.gate));
        if !gated {
            return None;
        }
    }
    let message = if soundness == Soundness::Repaired {
        // Validators read the second block as part of the body, so they do not report its single
        // faults.
        diagnostics.clear();
        "a second frontmatter block follows the first; it was repaired and its keys were added"
    } else {
        "a second frontmatter block follows the first; its keys were added"
    };
    diagnostics.insert(
        0,
        Diagnostic::new(Code::YamlDocuments, message)
            .at(fence)
            .help("merge both blocks into one; most agents read the second one as part of the body")
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
            // Two blocks set the same gate differently, and the intended value is unknown.
            _ => {
                soundness = Soundness::Broken;
                let message = format!("`{}` has a different value in the first frontmatter block", key.text);
                diagnostics.push(
                    Diagnostic::new(Code::GateUnreadable, message)
                        .at(key.span)
                        .help("merge both blocks into one"),
                );
            }
        }
    }
    Some(Stacked { body: end.next, soundness, diagnostics })
}
