//! Finds the code in a Markdown text, fenced blocks and backtick spans, in one pass.
//!
//! Used for messages (a mention inside code does not count) and for bodies (a command inside code
//! is never run). A blank is a space or a tab, as in Markdown; no other character ends a paragraph
//! or stands behind a fence.

use std::ops::Range;

/// A stretch of code in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its bytes, marks included; for a closed block the line break after it too.
    pub range: Range<usize>,
    /// How it is marked.
    pub mark: CodeMark,
}

/// How a stretch of code is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeMark {
    /// A block between two lines of backticks or tildes.
    Fence {
        /// What stands behind the opening marks, to the end of that line.
        info: Range<usize>,
        /// The lines inside.
        content: Range<usize>,
        /// Whether a closing line exists; a block without one reaches to the end of the text.
        closed: bool,
    },
    /// A span between two equal runs of backticks.
    Span {
        /// How many backticks each run has.
        ticks: usize,
    },
}

/// The byte ranges of code, in order, not overlapping.
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    find(text).into_iter().map(|code| code.range).collect()
}

/// The code of a text, in order, not overlapping.
pub fn find(text: &str) -> Vec<Code> {
    let mut found = Vec::new();
    let mut prose_start = 0;
    let mut open: Option<Opening> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let mark = content.as_bytes().first().copied().unwrap_or(0);
        let run = content.bytes().take_while(|byte| *byte == mark).count();
        match &open {
            // A line that opens a backtick fence has no further backticks; otherwise it is a span.
            None if indent < 4
                && run >= 3
                && (mark == b'~' || (mark == b'`' && !content[run..].contains('`'))) =>
            {
                spans(text, prose_start..start, &mut found);
                open = Some(Opening { mark, run, start, info: start + indent + run..at });
            }
            Some(opening) if mark == opening.mark && run >= opening.run && is_blank(&content[run..]) => {
                found.push(opening.block(start, at, true));
                open = None;
                prose_start = at;
            }
            // A span ends with its paragraph, so that an unmatched backtick cannot hide the text
            // after it.
            None if is_blank(content) => {
                spans(text, prose_start..start, &mut found);
                prose_start = at;
            }
            _ => {}
        }
    }
    match open {
        Some(opening) => found.push(opening.block(text.len(), text.len(), false)),
        None => spans(text, prose_start..text.len(), &mut found),
    }
    found
}

/// Whether a line, or the rest of one, holds nothing but blanks and its line break.
pub(crate) fn is_blank(line: &str) -> bool {
    line.trim_matches([' ', '\t', '\r', '\n']).is_empty()
}

/// A fence whose closing line was not reached yet.
struct Opening {
    mark: u8,
    run: usize,
    start: usize,
    info: Range<usize>,
}

impl Opening {
    fn block(&self, content_end: usize, end: usize, closed: bool) -> Code {
        let content = self.info.end..content_end.max(self.info.end);
        Code { range: self.start..end, mark: CodeMark::Fence { info: self.info.clone(), content, closed } }
    }
}

/// Finds the spans between two equal runs of backticks. A table built from right to left matches
/// the runs, so that many unmatched runs stay cheap.
fn spans(text: &str, range: Range<usize>, found: &mut Vec<Code>) {
    let bytes = &text.as_bytes()[range.clone()];
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|byte| *byte == b'`') {
        let start = at + next;
        let length = bytes[start..].iter().take_while(|byte| **byte == b'`').count();
        runs.push((start, length));
        at = start + length;
    }
    let mut last_of_length = std::collections::HashMap::new();
    let mut partner = vec![None; runs.len()];
    for (index, (_, length)) in runs.iter().enumerate().rev() {
        partner[index] = last_of_length.insert(*length, index);
    }
    let mut index = 0;
    while index < runs.len() {
        match partner[index] {
            Some(close) => {
                let (start, _) = runs[index];
                let (end, ticks) = runs[close];
                found.push(Code {
                    range: range.start + start..range.start + end + ticks,
                    mark: CodeMark::Span { ticks },
                });
                index = close + 1;
            }
            None => index += 1,
        }
    }
}
