//! Commands that a body asks to be run before a model reads it: !`command` spans and blocks fenced with
//! ```` ```! ````. The capability record, the audit, rendering and the runtime all ask this one parser, so
//! that what is approved is what runs.
//!
//! The rules, for the author's own text before anything is put in:
//! - A span starts with `!` at the start of a line or after a space or a tab, and has one backtick on each
//!   side, a command that is not blank, and no line break.
//! - A block is closed by its own fence and has `!` as its whole info string, with spaces and tabs around it.
//!   A line of backticks or tildes inside it makes its end ambiguous, so such a block is not a command.
//! - Neither is a command inside other code: blocks, spans, and lines indented as code.
//! - A blank is a space or a tab. A no-break space, a form feed or any other Unicode blank before `!` makes it
//!   text. Such text, and the notation inside other code, is returned by [`shown`]: this program does not
//!   run it, and another agent may.

mod indented;
#[cfg(test)]
mod tests;

use crate::{
    code_spans::{self, Code, CodeMark, is_blank},
    hidden::is_hidden,
};
use std::{collections::BTreeSet, ops::Range};

const BLANKS: [char; 2] = [' ', '\t'];
const OUTER_BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A command of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyCommand {
    /// The command as a shell gets it, before placeholders are filled.
    pub text: String,
    /// Bytes of the body that its output replaces.
    pub range: Range<usize>,
    /// Bytes of the command itself.
    pub inner: Range<usize>,
    /// The line of the body that it starts on, counted from 1.
    pub line: usize,
    /// How it is written.
    pub form: CommandForm,
}

/// How a command of a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandForm {
    /// !`command`
    Span,
    /// A block whose fence says `!`.
    Fence,
}

/// The commands of a body that are run, in order, not overlapping.
pub fn commands(body: &str) -> Vec<BodyCommand> {
    // Most bodies hold no notation at all, and this runs over every body of a cold list.
    if notations(body).next().is_none() {
        return Vec::new();
    }
    let code = code_spans::find(body);
    let indented = indented::lines(body, &code);
    let (mut line, mut counted) = (1, 0);
    let mut found = Vec::new();
    for one in &code {
        let Some((inner, start, form)) = command(body, one, &indented) else { continue };
        line += body[counted..start].matches('\n').count();
        counted = start;
        let text = text_of(&body[inner.clone()]);
        found.push(BodyCommand { text, range: start..one.range.end, inner, line, form });
    }
    found
}

/// What other agents may read as commands and what is not run: the notation inside other code, with another
/// blank before it, or without an end.
pub fn shown(body: &str) -> Vec<BodyCommand> {
    let mut shown: Vec<BodyCommand> = notations(body).filter(|one| !one.text.is_empty()).collect();
    if !shown.is_empty() {
        let run: BTreeSet<String> = commands(body).into_iter().map(|command| command.text).collect();
        shown.retain(|one| !run.contains(&one.text));
    }
    shown
}

/// Every text that has the notation by the widest reading: whatever blank or hidden character stands before
/// `!`, in code or not, closed or not.
pub fn notations(body: &str) -> impl Iterator<Item = BodyCommand> {
    let unseen = |c: char| c != '\n' && (c.is_whitespace() || is_hidden(c));
    let (mut line, mut counted) = (1, 0);
    memchr::memchr_iter(b'!', body.as_bytes()).filter_map(move |at| {
        let (before, after) = (&body[..at], &body[at + 1..]);
        let (start, text, form) = if let Some(span) = after.strip_prefix('`') {
            before.chars().next_back().is_none_or(|c| c.is_whitespace() || is_hidden(c)).then_some(())?;
            (at, span.split('`').next().unwrap_or(span), CommandForm::Span)
        } else {
            let before = before.trim_end_matches(unseen);
            let fence = ["```", "~~~"].into_iter().find(|mark| before.ends_with(mark))?;
            let start = before.trim_end_matches(&fence[..1]).len();
            (start, after.split(fence).next().unwrap_or(after), CommandForm::Fence)
        };
        line += body[counted..start.max(counted)].matches('\n').count();
        counted = start.max(counted);
        let from = at + 1 + usize::from(form == CommandForm::Span);
        let inner = trimmed(body, from..from + text.len());
        Some(BodyCommand {
            text: text_of(&body[inner.clone()]),
            range: start..from + text.len(),
            inner,
            line,
            form,
        })
    })
}

/// The bytes of the command that a stretch of code is, and the byte it starts at.
fn command(body: &str, code: &Code, indented: &[Range<usize>]) -> Option<(Range<usize>, usize, CommandForm)> {
    let Range { start, end } = code.range;
    match &code.mark {
        CodeMark::Fence { info, content, closed } => {
            let inner = block(body, info.clone(), content.clone()).filter(|_| *closed)?;
            Some((inner, start, CommandForm::Fence))
        }
        CodeMark::Span { .. } if is_in(indented, start) => None,
        CodeMark::Span { ticks: 1 } => {
            let before = body[..start].strip_suffix('!')?;
            let alone = before.is_empty() || before.ends_with([' ', '\t', '\n']);
            let one_line = !body[start..end].contains('\n');
            let inner = trimmed(body, start + 1..end - 1);
            (alone && one_line && !inner.is_empty()).then_some((inner, start - 1, CommandForm::Span))
        }
        // In a list a block may be indented so far that it reads as a span.
        CodeMark::Span { ticks } if *ticks >= 3 => {
            let (from, to) = (start + ticks, end - ticks);
            let first = from + body[from..to].find('\n')?;
            let last = from + body[from..to].rfind('\n')?;
            let before = body[..start].rsplit('\n').next().unwrap_or_default();
            let own_lines =
                is_blank(before) && is_blank(&body[last..to]) && is_blank(first_line(&body[end..]));
            let inner = block(body, from..first, first..last).filter(|_| own_lines)?;
            Some((inner, start, CommandForm::Fence))
        }
        CodeMark::Span { .. } => None,
    }
}

/// The command of a block whose fence says `!` and nothing else.
fn block(body: &str, info: Range<usize>, content: Range<usize>) -> Option<Range<usize>> {
    let marked = body[info].trim_end_matches(['\r', '\n']).trim_matches(BLANKS) == "!";
    let inner = trimmed(body, content);
    let text = &body[inner.clone()];
    let ambiguous = text.contains("```") || text.contains("~~~");
    (marked && !ambiguous && !text.is_empty()).then_some(inner)
}

/// A range without the blanks and line breaks at its ends.
fn trimmed(body: &str, range: Range<usize>) -> Range<usize> {
    let text = &body[range.clone()];
    let start = range.start + text.len() - text.trim_start_matches(OUTER_BLANKS).len();
    start..start + text.trim_matches(OUTER_BLANKS).len()
}

/// A command with its lines as a shell ends them.
fn text_of(inner: &str) -> String {
    inner.replace("\r\n", "\n")
}

fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.contains(&at))
}
