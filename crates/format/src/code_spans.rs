//! Finds the code in a Markdown text, fenced blocks and backtick spans, in one pass.
//!
//! Used for messages (a mention inside code does not count) and for bodies (a command inside code
//! is never run).

use std::ops::Range;

/// The byte ranges of code, in order, not overlapping.
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut prose_start = 0;
    let mut fence: Option<(u8, usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let mark = content.as_bytes().first().copied().unwrap_or(0);
        let run = content.bytes().take_while(|byte| *byte == mark).count();
        match fence {
            // A line that opens a backtick fence has no further backticks; otherwise it is a span.
            None if indent < 4
                && run >= 3
                && (mark == b'~' || (mark == b'`' && !content[run..].contains('`'))) =>
            {
                spans(text, prose_start..start, &mut found);
                fence = Some((mark, run, start));
            }
            Some((open, length, from))
                if mark == open && run >= length && content[run..].trim().is_empty() =>
            {
                found.push(from..at);
                fence = None;
                prose_start = at;
            }
            // A span ends with its paragraph, so that an unmatched backtick cannot hide the text
            // after it.
            None if content.trim().is_empty() => {
                spans(text, prose_start..start, &mut found);
                prose_start = at;
            }
            _ => {}
        }
    }
    match fence {
        Some((_, _, from)) => found.push(from..text.len()),
        None => spans(text, prose_start..text.len(), &mut found),
    }
    found
}

/// Finds the spans between two equal runs of backticks. A table built from right to left matches
/// the runs, so that many unmatched runs stay cheap.
fn spans(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
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
                let (end, length) = runs[close];
                found.push(range.start + start..range.start + end + length);
                index = close + 1;
            }
            None => index += 1,
        }
    }
}
