//! Where in a skill a word stands: the parts of the text and how they are found.

use super::text::prefix;

/// A part of a skill's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Field {
    /// The name.
    Name = 0,
    /// The description and `when_to_use`.
    Description = 1,
    /// Triggers of the header and "when to use" sections of the body.
    Trigger = 2,
    /// Headings of the body.
    Heading = 3,
    /// The whole body.
    Body = 4,
    /// Clauses that say what the skill is not for.
    Excluded = 5,
    /// The first words of the body.
    Lead = 6,
}

/// Bytes of a body that are read.
pub(crate) const BODY_LIMIT: usize = 40_000;
/// Bytes of a description that are read.
pub(crate) const DESCRIPTION_LIMIT: usize = 8_000;
/// Bytes of a body that count as its lead.
const LEAD: usize = 700;

/// Gives the clauses of a description with the part they belong to.
pub(crate) fn description(text: &str, mut each: impl FnMut(Field, &str)) {
    for clause in prefix(text, DESCRIPTION_LIMIT).split_inclusive(['.', ';', '\n', '。', '；', '!']) {
        each(if excludes(clause) { Field::Excluded } else { Field::Description }, clause);
    }
}

/// Gives the lines of a body with the parts they belong to.
pub(crate) fn body(text: &str, mut each: impl FnMut(Field, &str)) {
    let text = prefix(text, BODY_LIMIT);
    let mut fenced = false;
    let mut section: Option<Field> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && is_heading(trimmed) {
            section = section_of(trimmed);
            each(Field::Heading, line);
        } else if let Some(field) = section {
            each(field, line);
        }
        if at < LEAD {
            each(Field::Lead, line);
        }
        at += line.len();
        each(Field::Body, line);
    }
}

fn is_heading(line: &str) -> bool {
    let marks = line.bytes().take_while(|&b| b == b'#').count();
    (1..=6).contains(&marks) && line[marks..].starts_with(' ')
}

fn section_of(heading: &str) -> Option<Field> {
    let lower = prefix(heading, 120).to_lowercase();
    if excludes(&lower) || lower.contains("when not") || lower.contains("out of scope") {
        return Some(Field::Excluded);
    }
    let phrases = [
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
    phrases.iter().any(|phrase| lower.contains(phrase)).then_some(Field::Trigger)
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
    if !clause.contains("not")
        && !clause.contains("NOT")
        && !clause.contains("n't")
        && !clause.contains("Not")
        && !clause.contains('不')
        && !clause.contains("never")
        && !clause.contains("kip this")
        && !clause.contains("void using")
    {
        return false;
    }
    let lower = clause.to_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
}
