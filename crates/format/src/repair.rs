//! Repairs frontmatter that is not valid YAML but whose meaning is clear.
//!
//! Repair runs only after the strict parser failed, works line by line, and reports every change.
//! The result is a list of edits, so that each value keeps its position in the original file. A
//! repair that would absorb a line which may be a gate is abandoned: a missing quote mark must not
//! open a closed gate.

#[cfg(test)]
mod tests;
mod value;

use crate::{
    diagnostic::{Code, Diagnostic, Span},
    field,
    source::{Line, Positions, QuoteState, indent_of, key_of, lines},
    yaml::Origin,
};
use std::{borrow::Cow, ops::Range};
use value::{Unclear, Value};

/// One edit: the bytes of `range` become `replacement`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    range: Range<usize>,
    replacement: String,
    /// Where the replacement starts in the repaired text.
    at: usize,
    /// The diagnostic that reports it.
    reported_by: usize,
}

/// Frontmatter after its repairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repaired {
    /// The repaired text, to be parsed instead of the original.
    pub(crate) text: String,
    /// The changes and their reasons.
    pub(crate) diagnostics: Vec<Diagnostic>,
    edits: Vec<Edit>,
}

impl Repaired {
    fn of(text: &str, mut edits: Vec<Edit>, diagnostics: Vec<Diagnostic>) -> Self {
        let mut repaired = String::with_capacity(text.len() + 16 * edits.len());
        let mut done = 0;
        for edit in &mut edits {
            repaired.push_str(&text[done..edit.range.start]);
            edit.at = repaired.len();
            repaired.push_str(&edit.replacement);
            done = edit.range.end;
        }
        repaired.push_str(&text[done..]);
        Self { text: repaired, diagnostics, edits }
    }

    /// The edits that each diagnostic reports, in the order of the diagnostics.
    pub(crate) fn edits_by_diagnostic(&self) -> Vec<Vec<(Range<usize>, String)>> {
        let mut groups = vec![Vec::new(); self.diagnostics.len()];
        for edit in &self.edits {
            if let Some(group) = groups.get_mut(edit.reported_by) {
                group.push((edit.range.clone(), edit.replacement.clone()));
            }
        }
        groups
    }

    /// The offset in the original text of a byte of the repaired text.
    pub(crate) fn original(&self, at: usize) -> usize {
        let before = self.edits.partition_point(|edit| edit.at <= at);
        let Some(edit) = before.checked_sub(1).map(|last| &self.edits[last]) else { return at };
        match (at - edit.at).checked_sub(edit.replacement.len()) {
            Some(beyond) => edit.range.end + beyond,
            None => edit.range.start + (at - edit.at).min(edit.range.len()),
        }
    }
}

/// Maps positions in repaired frontmatter to the original file.
pub(crate) struct RepairedPart<'a> {
    repaired: &'a Repaired,
    offset: usize,
    positions: Positions<'a>,
}

impl<'a> RepairedPart<'a> {
    /// `offset` is the byte at which the frontmatter starts in `file`.
    pub(crate) fn new(repaired: &'a Repaired, file: &'a str, offset: usize) -> Self {
        Self { repaired, offset, positions: Positions::new(file) }
    }
}

impl Origin for RepairedPart<'_> {
    fn position(&mut self, range: Range<usize>, _line: usize, _column: usize) -> Span {
        let start = self.offset + self.repaired.original(range.start);
        let end = self.offset + self.repaired.original(range.end);
        self.positions.span(start..end)
    }
}

/// Tries to repair frontmatter that is not YAML; `None` when there is nothing to repair or the
/// meaning is not clear.
pub(crate) fn repair(file: &str, frontmatter: Range<usize>) -> Option<Repaired> {
    let mut repair = Repair {
        text: &file[frontmatter.clone()],
        offset: frontmatter.start,
        positions: Positions::new(file),
        edits: Vec::new(),
        diagnostics: Vec::new(),
    };
    repair.run().ok()?;
    let Repair { text, edits, diagnostics, .. } = repair;
    if edits.is_empty() { None } else { Some(Repaired::of(text, edits, diagnostics)) }
}

struct Repair<'a> {
    text: &'a str,
    offset: usize,
    positions: Positions<'a>,
    edits: Vec<Edit>,
    diagnostics: Vec<Diagnostic>,
}

impl Repair<'_> {
    fn run(&mut self) -> Result<(), Unclear> {
        let text = self.text;
        let all: Vec<Line> = lines(text, 0).collect();
        let mut state = QuoteState::default();
        let mut tabs_reported: Option<usize> = None;
        let mut quote_reported: Option<usize> = None;
        let mut next = 0;
        while next < all.len() {
            let line = all[next];
            next += 1;
            let content = line.text(text);

            if state.is_open() {
                self.quoted_line(line, &mut quote_reported)?;
                state.advance(content);
                continue;
            }
            quote_reported = None;
            if state.in_block(content) {
                continue;
            }
            let indent = indent_of(content);
            if content[..indent].contains('\t') {
                let spaces = content[..indent].replace('\t', "  ");
                let place = line.start..line.start + indent;
                let report = || {
                    self.report(
                        Code::TabIndentation,
                        place.clone(),
                        "the frontmatter is indented with tabs".to_owned(),
                        "indent with spaces; YAML forbids tabs",
                    )
                };
                let reported_by = *tabs_reported.get_or_insert_with(report);
                self.edit(place, spaces, reported_by);
            }
            if state.in_flow() && (indent > 0 || key_of(content).is_none()) {
                state.advance(content);
                continue;
            }
            let Some(value) = Value::of(content, line) else {
                state.advance(content);
                continue;
            };
            let Some(fix) = value.fix(text, content, &all[next..])? else {
                state.advance(content);
                continue;
            };
            let reported_by = self.report(fix.code, value.range(), fix.message, fix.help);
            self.edit(value.start()..fix.end, fix.replacement, reported_by);
            next += fix.lines;
            if fix.keeps_block {
                state.advance(content);
            } else {
                state = QuoteState::default();
            }
        }
        Ok(())
    }

    /// A line of a quoted value without indentation is not valid YAML; one space turns it into a
    /// folded line with the same meaning.
    fn quoted_line(&mut self, line: Line, reported: &mut Option<usize>) -> Result<(), Unclear> {
        let content = line.text(self.text);
        if content.is_empty() || content.starts_with([' ', '\t']) {
            return Ok(());
        }
        // A known key at the start of a line: the closing quote was probably forgotten above it.
        if key_of(content).is_some_and(|key| field::field(key.key).is_some()) {
            return Err(Unclear);
        }
        let report = || {
            self.report(
                Code::UnindentedText,
                line.start..line.end,
                "a quoted value continues without indentation".to_owned(),
                "indent the lines, or write the value on one line",
            )
        };
        let reported_by = *reported.get_or_insert_with(report);
        self.edit(line.start..line.start, " ".to_owned(), reported_by);
        Ok(())
    }

    fn edit(&mut self, range: Range<usize>, replacement: String, reported_by: usize) {
        self.edits.push(Edit { range, replacement, at: 0, reported_by });
    }

    /// Reports a repair; returns the index of the diagnostic.
    fn report(
        &mut self,
        code: Code,
        range: Range<usize>,
        message: String,
        help: impl Into<Cow<'static, str>>,
    ) -> usize {
        let span = self.positions.span(self.offset + range.start..self.offset + range.end);
        self.diagnostics.push(Diagnostic::new(code, message).at(span).help(help));
        self.diagnostics.len() - 1
    }
}
