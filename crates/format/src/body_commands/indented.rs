//! Lines that are code by their indentation alone.

use crate::code_spans::{Code, CodeMark, is_blank};
use std::ops::Range;

/// Columns from which on a line is code.
const CODE_INDENT: usize = 4;
const TAB: usize = 4;

/// The lines that are indented as code: behind an empty line, a heading or a block, and not in a list.
pub(super) fn lines(body: &str, code: &[Code]) -> Vec<Range<usize>> {
    let mut fences = code.iter().filter(|code| matches!(code.mark, CodeMark::Fence { .. })).peekable();
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut at, mut after_break, mut in_list, mut in_code) = (0, true, false, false);
    for line in body.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        while fences.peek().is_some_and(|fence| fence.range.end <= range.start) {
            fences.next();
        }
        if fences.peek().is_some_and(|fence| fence.range.start <= range.start) {
            (after_break, in_code) = (true, false);
            continue;
        }
        if is_blank(line) {
            after_break = true;
            continue;
        }
        let indented = indentation(line) >= CODE_INDENT;
        in_code = indented && !in_list && (after_break || in_code);
        let content = line.trim_start_matches([' ', '\t']);
        if in_code {
            found.push(range);
        } else if !indented {
            // A paragraph that starts in the first column ends the list above it.
            in_list = starts_item(content) || (in_list && (!after_break || line.starts_with([' ', '\t'])));
        }
        after_break = !indented && content.starts_with('#');
    }
    found
}

/// Columns of blanks before a line.
fn indentation(line: &str) -> usize {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += TAB - columns % TAB,
            _ => break,
        }
    }
    columns
}

fn starts_item(content: &str) -> bool {
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let bullet = content.starts_with("- ") || content.starts_with("* ") || content.starts_with("+ ");
    bullet || digits > 0 && content[digits..].starts_with(['.', ')'])
}
