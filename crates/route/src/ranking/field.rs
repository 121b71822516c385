//! The parts of a skill's text, and how a line or clause is assigned to one.

use super::text::prefix;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::sync::LazyLock;

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

/// Headings of sections that say when a skill is used.
static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
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
    ])
});
/// Headings of sections that say when a skill is not used, beside those of [`MARKS`].
static LIMITS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&["when not", "out of scope"]));
/// What a clause has that says what a skill is not for.
static MARKS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
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
    ])
});

fn section_of(heading: &str) -> Option<Field> {
    let heading = prefix(heading, 120);
    if !PHRASES.are_in(heading) || excludes(heading) || LIMITS.are_in(heading) {
        return None;
    }
    Some(Field::Trigger)
}

/// Whether a clause says what a skill is not for.
fn excludes(clause: &str) -> bool {
    MARKS.are_in(clause)
}

/// Phrases in lower case that are looked for in a text of either case, all in one pass.
struct Phrases {
    /// None when it could not be made, which does not happen for so few.
    search: Option<AhoCorasick>,
    phrases: &'static [&'static str],
}

impl Phrases {
    fn new(phrases: &'static [&'static str]) -> Self {
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
        Self { search: builder.build(phrases).ok(), phrases }
    }

    /// Whether the text has one of the phrases.
    fn are_in(&self, text: &str) -> bool {
        // The only characters beyond ASCII whose small form has a letter of ASCII.
        let is_special = || !text.is_ascii() && text.contains(['\u{130}', '\u{212a}']);
        match &self.search {
            Some(search) if !is_special() => search.is_match(text),
            _ => {
                let lower = text.to_lowercase();
                self.phrases.iter().any(|phrase| lower.contains(phrase))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_either_case_and_behind_every_character() {
        for phrases in [&*PHRASES, &*LIMITS, &*MARKS] {
            for phrase in phrases.phrases {
                let capitals = phrase.to_uppercase();
                for text in [phrase.to_string(), format!("# A {capitals}: x"), format!("ä{phrase}")] {
                    assert!(phrases.are_in(&text), "{text}");
                }
                assert!(!phrases.are_in(&phrase[..phrase.floor_char_boundary(phrase.len() - 1)]), "{phrase}");
            }
        }
        assert!(
            excludes("S\u{212a}IP THIS")
                && excludes("SK\u{130}P THIS") == "sk\u{130}p this".to_lowercase().contains("skip this")
        );
        let ascii = |c: char| c.to_lowercase().any(|small| small.is_ascii());
        let special: Vec<char> = ('\u{80}'..=char::MAX).filter(|c| ascii(*c)).collect();
        assert_eq!(special, ['\u{130}', '\u{212a}']);
    }
}
