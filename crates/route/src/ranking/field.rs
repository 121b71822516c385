//! The parts of a skill's text, and how a line or clause is assigned to one.

use super::text::prefix;

/// A part of a skill's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Field {
    /// The name.
    Name = 0,
    /// The description and `when_to_use`, without the clauses that exclude uses.
    Description = 1,
    /// Triggers of the frontmatter and "when to use" sections of the body.
    Trigger = 2,
    /// Headings of the body.
    Heading = 3,
    /// The whole body.
    Body = 4,
}

/// Number of parts.
pub(crate) const FIELDS: usize = 5;
/// Bytes of a body that are read.
pub(crate) const BODY_LIMIT: usize = 40_000;
/// Bytes of a description that are read.
pub(crate) const DESCRIPTION_LIMIT: usize = 8_000;

/// Passes the clauses of a description that name uses to `each`, and skips those that exclude uses.
pub(crate) fn description(text: &str, each: impl FnMut(&str)) {
    let clauses = prefix(text, DESCRIPTION_LIMIT).split_inclusive(['.', ';', '\n', '。', '；', '!']);
    clauses.filter(|clause| !excludes(clause)).for_each(each);
}

/// Passes the lines of a body to `each`, with the part they belong to besides the body.
pub(crate) fn body(text: &str, mut each: impl FnMut(Option<Field>, &str)) {
    let mut fenced = false;
    let mut section = None;
    for line in lines(prefix(text, BODY_LIMIT)) {
        let starts_with_sign = line.as_bytes().first().is_some_and(u8::is_ascii_graphic);
        let trimmed = if starts_with_sign { line } else { line.trim_start() };
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        }
        if !fenced && is_heading(trimmed) {
            section = section_of(trimmed);
            each(Some(Field::Heading), line);
        } else {
            each(section, line);
        }
    }
}

/// The lines of a text, each with its end.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    ends.chain((!text.ends_with('\n')).then_some(text.len()))
        .map(move |end| &text[std::mem::replace(&mut start, end)..end])
}

fn is_heading(line: &str) -> bool {
    let marks = line.bytes().take_while(|&b| b == b'#').count();
    (1..=6).contains(&marks) && line[marks..].starts_with(' ')
}

fn section_of(heading: &str) -> Option<Field> {
    const PHRASES: [&str; 12] = [
        "when to ",
        "use when",
        "use this",
        "trigger",
        "use case",
        "activat",
        "when you",
        "使用场景",
        "何时使用",
        "触发",
        "適用",
        "いつ使",
    ];
    let heading = prefix(heading, 120);
    if !may_have(heading, &[*b"whe", *b"use", *b"tri", *b"act"]) {
        return None;
    }
    let lower = heading.to_lowercase();
    if excludes(&lower) || lower.contains("when not") || lower.contains("out of scope") {
        return None;
    }
    PHRASES.iter().any(|phrase| lower.contains(phrase)).then_some(Field::Trigger)
}

/// Whether a clause says what a skill is not for.
fn excludes(clause: &str) -> bool {
    const MARKS: [&str; 14] = [
        "not use",
        "n't use",
        "not for",
        "not trigger",
        "n't trigger",
        "never use",
        "not when",
        "not to be used",
        "skip this",
        "not intended",
        "avoid using",
        "不要用",
        "不适用",
        "不用于",
    ];
    // Of `skip`, the end: `ski` would find each `skill`.
    if !may_have(clause, &[*b"not", *b"n't", *b"nev", *b"kip", *b"avo"]) {
        return false;
    }
    let lower = clause.to_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
}

/// Whether a text has one of these parts of phrases, in either case, or a character beyond ASCII. A cheap test
/// that rules out most texts.
fn may_have(text: &str, starts: &[[u8; 3]]) -> bool {
    let small = |bytes: &[u8]| [bytes[0] | 32, bytes[1] | 32, bytes[2] | 32];
    text.as_bytes().windows(3).any(|bytes| !bytes[0].is_ascii() || starts.contains(&small(bytes)))
}
