//! Checks a skill against a profile, which decides which diagnostics count and at which severity.
//!
//! A profile is data: a table of codes and levels that override the default severities. The catalog
//! builds the profiles of agents from the agent profile files.

mod marks;
mod positions;

use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    document::Document,
    lint, outline,
    source::{Positions, lines},
};
use positions::ArgumentPositions;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::{collections::HashSet, ops::Range};

/// A body with more lines than this is reported as long.
pub const BODY_LINES: usize = 500;

/// How a profile treats one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Not reported.
    Off,
    /// Reported at this severity.
    At(Severity),
}

/// The codes that a profile reports, and at which severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name on the command line.
    pub id: &'static str,
    /// One sentence of help text.
    pub about: &'static str,
    /// The codes whose severity differs from the default.
    pub levels: &'static [(Code, Level)],
}

const ERROR: Level = Level::At(Severity::Error);
const WARNING: Level = Level::At(Severity::Warning);

/// Everything that some agent objects to, at its default severity.
pub const LENIENT: Profile = Profile {
    id: "lenient",
    about: "what Skillful itself loads; problems in other agents are warnings",
    levels: &[
        (Code::NonSpecKey, Level::Off),
        (Code::MetadataNotText, Level::Off),
        (Code::ToolListForm, Level::Off),
    ],
};

/// The agentskills.io specification, as its reference validator reads it.
pub const SPEC: Profile = Profile {
    id: "spec",
    about: "the agentskills.io specification, strictly",
    levels: &[
        (Code::ByteOrderMark, ERROR),
        (Code::NoFrontmatter, ERROR),
        (Code::FrontmatterNotFirst, ERROR),
        (Code::UnquotedColon, ERROR),
        (Code::UnquotedValue, ERROR),
        (Code::TabIndentation, ERROR),
        (Code::TextAfterBlockMark, ERROR),
        (Code::UnindentedText, ERROR),
        (Code::FenceInQuotes, ERROR),
        (Code::TwoSpellings, ERROR),
        (Code::UnknownKey, ERROR),
        (Code::NonSpecKey, ERROR),
        // The specification maps text to text; its validator takes anything.
        (Code::MetadataNotText, WARNING),
        (Code::ToolListForm, ERROR),
        (Code::NameMissing, ERROR),
        (Code::NameEmpty, ERROR),
        (Code::NameNotFolder, ERROR),
        (Code::NameTooLong, ERROR),
        (Code::NameCharacters, ERROR),
        (Code::NameHyphens, ERROR),
        (Code::NameUpperCase, ERROR),
        (Code::DescriptionMissing, ERROR),
        (Code::DescriptionTooLong, ERROR),
        (Code::CompatibilityLength, ERROR),
        (Code::LowerCaseFileName, WARNING),
    ],
};

/// The profiles that do not describe an agent.
pub const PROFILES: [&Profile; 2] = [&LENIENT, &SPEC];

impl Profile {
    /// The severity of a diagnostic in this profile; `None` when the profile does not report it.
    pub fn severity(&self, diagnostic: &Diagnostic) -> Option<Severity> {
        match self.levels.iter().find(|(code, _)| *code == diagnostic.code) {
            Some((_, Level::Off)) => None,
            Some((_, Level::At(severity))) => Some(*severity),
            None => Some(diagnostic.severity),
        }
    }

    /// Applies the profile to the diagnostics and sorts them by position.
    pub fn apply(&self, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        found.retain_mut(|diagnostic| match self.severity(diagnostic) {
            Some(severity) => {
                diagnostic.severity = severity;
                true
            }
            None => false,
        });
        found.sort_by(|a, b| {
            let place = |d: &Diagnostic| d.span.map(|s| (s.start, s.end));
            let by_place = a.path.cmp(&b.path).then_with(|| place(a).cmp(&place(b)));
            by_place.then(a.code.cmp(&b.code)).then_with(|| a.message.cmp(&b.message))
        });
        found.dedup();
        found
    }
}

/// Runs every check of one skill: reading, frontmatter, body and the files that the body links to.
/// `has_file` returns whether a path exists in the skill's folder.
pub fn check(
    text: &str,
    document: &Document,
    folder: Option<&str>,
    has_file: &dyn Fn(&str) -> bool,
    profile: &Profile,
) -> Vec<Diagnostic> {
    let mut found = document.diagnostics.clone();
    found.extend(lint::frontmatter(text.as_bytes(), document, folder));
    body(text, document.body.clone(), has_file, &mut found);
    profile.apply(found)
}

fn body(text: &str, range: Range<usize>, has_file: &dyn Fn(&str) -> bool, found: &mut Vec<Diagnostic>) {
    let Some(body) = text.get(range.clone()) else { return };
    let mut positions = Positions::new(text);
    let mut place = |inner: Range<usize>| positions.span(range.start + inner.start..range.start + inner.end);
    if body.trim().is_empty() {
        found.push(
            Diagnostic::new(Code::BodyEmpty, "the skill has no instructions")
                .at(place(0..0))
                .help("write the instructions for the agent in Markdown below the frontmatter"),
        );
        return;
    }
    // Few bodies are that long, and counting bytes is much faster than finding lines.
    let is_short = memchr::memchr_iter(b'\n', body.as_bytes()).count() < BODY_LINES
        && memchr::memchr(b'\r', body.as_bytes()).is_none();
    let count = if is_short { 0 } else { lines(body, 0).count() };
    if count > BODY_LINES {
        found.push(
            Diagnostic::new(
                Code::BodyLong,
                format!("the body has {count} lines; the recommended limit is {BODY_LINES}"),
            )
            .at(place(0..0))
            .help("move details to files in `references/`"),
        );
    }
    // Most bodies have no such finding, and reading Markdown is most of the work.
    if !marks::may_find(body, has_file) {
        return;
    }
    let mut in_code = false;
    let mut arguments = ArgumentPositions::default();
    let mut looked_for = HashSet::new();
    for (event, range) in Parser::new(body).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                // Each path is looked for once, and reported at its first link only.
                if let Some(path) = outline::local_path(&dest_url)
                    && !looked_for.contains(&path)
                {
                    looked_for.insert(path.clone());
                    if has_file(&path) {
                        continue;
                    }
                    found.push(
                        Diagnostic::new(Code::FileMissing, format!("`{path}` is not in the skill's folder"))
                            .at(place(range))
                            .help(
                                "add the file or correct the link; paths are relative to the skill's folder",
                            ),
                    );
                }
            }
            Event::Text(_) if !in_code => arguments.read(body, range),
            _ => {}
        }
    }
    if let Some(start) = arguments.first() {
        found.push(
            Diagnostic::new(Code::ArgumentIndex, "positions such as `$1` mean different arguments")
                .at(place(start..start + 2))
                .help("use `$ARGUMENTS` or named `arguments`; `$1` is the second argument in Claude Code and the first in OpenCode"),
        );
    }
}

#[cfg(test)]
mod tests;
