//! Where in a skill a word stands: the parts of the text and how they are found.

use super::text::prefix;

/// A part of a skill's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Field {
    /// The name.
    Name = 0,
    /// The description and `when_to_use`, without the clauses that say what the skill is not for.
    Description = 1,
    /// Triggers of the header and "when to use" sections of the body.
    Trigger = 2,
    /// Headings of the body.
    Heading = 3,
    /// The whole body.
    Body = 4,
}

/// How many parts there are.
pub(crate) const FIELDS: usize = 5;
/// Bytes of a body that are read.
pub(crate) const BODY_LIMIT: usize = 40_000;
/// Bytes of a description that are read.
pub(crate) const DESCRIPTION_LIMIT: usize = 8_000;

/// Gives the clauses of a description that say what the skill is for.
pub(crate) fn description(text: &str, each: impl FnMut(&str)) {
    let clauses = prefix(text, DESCRIPTION_LIMIT).split_inclusive(['.', ';', '\n', '。', '；', '!']);
    clauses.filter(|clause| !excludes(clause)).for_each(each);
}

/// Gives the lines of a body with the part they belong to besides the body itself.
pub(crate) fn body(text: &str, mut each: impl FnMut(Option<Field>, &str)) {
    let mut fenced = false;
    let mut section = None;
    for line in prefix(text, BODY_LIMIT).split_inclusive('\n') {
        let trimmed = line.trim_start();
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
    if !may_have(clause, &[*b"not", *b"n't", *b"nev", *b"ski", *b"avo"]) {
        return false;
    }
    let lower = clause.to_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
}

/// Whether a text has one of these starts of phrases, in letters of any size, or a character beyond ASCII. Most
/// texts have none, and to look is cheap.
fn may_have(text: &str, starts: &[[u8; 3]]) -> bool {
    let small = |bytes: &[u8]| [bytes[0] | 32, bytes[1] | 32, bytes[2] | 32];
    text.as_bytes().windows(3).any(|bytes| !bytes[0].is_ascii() || starts.contains(&small(bytes)))
}
