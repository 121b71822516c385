//! The lines a finding marks, ready for the screen: escaped, without tabs, cut to the width.
//!
//! The snippet renderer can do a part of this, but it shows a marked range in full however long
//! it is, so a description of 5,000 characters would fill the screen; and it passes most invisible
//! characters through. So it is given text that needs no further care.

use super::visible;
use memchr::{memchr2, memrchr2};
use std::{borrow::Cow, ops::Range};
use unicode_width::UnicodeWidthChar as _;

const CUT: &str = "…";
const TAB: &str = "    ";

/// Lines to show, joined by `\n`, and the marked range of bytes in them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) text: String,
    pub(super) mark: Range<usize>,
}

/// The lines of `text` that `span` touches, each at most `room` columns wide.
///
/// The span is a range of `text`.
pub(super) fn excerpt(text: &str, span: &Range<usize>, room: usize) -> Excerpt {
    let lines = touched(text, span);
    let last = lines.len() - 1;
    let mut shown = Excerpt { text: String::new(), mark: 0..0 };
    for (index, line) in lines.into_iter().enumerate() {
        let from = span.start.clamp(line.start, line.end) - line.start;
        let to = span.end.clamp(line.start, line.end) - line.start;
        // Of a range that began on an earlier line, its end is what there is to see.
        let focus = if index > 0 && index == last { to..to } else { from..to };
        let cells = Cells::of(&text[line], focus, room);
        if index > 0 {
            shown.text.push('\n');
        }
        let at = shown.text.len();
        shown.text.push_str(&cells.text);
        if index == 0 {
            shown.mark.start = at + cells.mark.start;
        }
        shown.mark.end = at + cells.mark.end;
    }
    shown
}

/// The lines a span touches, as byte ranges without their ends; `\n`, `\r\n` and `\r` end a line.
fn touched(text: &str, span: &Range<usize>) -> Vec<Range<usize>> {
    let ends = ['\n', '\r'];
    let between = text[..span.start].ends_with('\r') && text[span.start..].starts_with('\n');
    let at = if between { span.start - 1 } else { span.start };
    let bytes = text.as_bytes();
    let mut start = memrchr2(b'\n', b'\r', &bytes[..at]).map_or(0, |at| at + 1);
    // A line end at the end of a span belongs to the line that it ends.
    let marked = text[span.clone()].trim_end_matches(ends);
    let stop = if marked.is_empty() { at } else { span.start + marked.len() };
    let mut lines = Vec::new();
    loop {
        let end = memchr2(b'\n', b'\r', &bytes[start..]).map_or(text.len(), |at| start + at);
        lines.push(start..end);
        if end >= stop {
            return lines;
        }
        start = end + if text[end..].starts_with("\r\n") { 2 } else { 1 };
    }
}

/// One line as it is shown.
struct Cells {
    text: String,
    mark: Range<usize>,
}

impl Cells {
    fn of(line: &str, focus: Range<usize>, room: usize) -> Self {
        let near = near(line, focus.start, room);
        let focus = focus.start - near.start..focus.end.min(near.end) - near.start;
        let line = &line[near];
        // Nearly every line is one of plain ASCII that fits.
        let is_plain = is_plain(line);
        if is_plain && line.len() <= room {
            return Self { text: line.to_owned(), mark: focus };
        }
        if is_plain {
            return Self::of_plain(line, &focus, room);
        }
        let (starts, widths): (Vec<usize>, Vec<usize>) =
            line.char_indices().map(|(at, c)| (at, shown_width(&line[at..], c))).unzip();
        let index = |byte: usize| starts.partition_point(|at| *at < byte);
        let focus = index(focus.start)..index(focus.end);
        let window = window(&widths, focus.clone(), room);

        let mut text = String::from(if window.start > 0 { CUT } else { "" });
        let mut mark = text.len()..text.len();
        let first = starts.get(window.start).copied().unwrap_or(line.len());
        for (index, c) in (window.start..window.end).zip(line[first..].chars()) {
            text.push_str(&cell(&line[starts[index]..], c));
            if index < focus.start {
                mark.start = text.len();
            }
            if index < focus.end {
                mark.end = text.len();
            }
        }
        mark.end = mark.end.max(mark.start);
        if window.end < starts.len() {
            text.push_str(CUT);
        }
        Self { text, mark }
    }
}

impl Cells {
    /// A line of characters that are one byte and one column each, and that is too long.
    fn of_plain(line: &str, focus: &Range<usize>, room: usize) -> Self {
        let window = window_of_ones(line.len(), focus, room);
        let mut text = String::from(if window.start > 0 { CUT } else { "" });
        let from = text.len();
        text.push_str(&line[window.clone()]);
        let place = |at: usize| from + at.clamp(window.start, window.end) - window.start;
        let mark = place(focus.start)..place(focus.end);
        if window.end < line.len() {
            text.push_str(CUT);
        }
        Self { text, mark }
    }
}

/// The part of a line that may be shown around a place: on each side the first character that does not fit is part of it, so
/// that the line is cut where the whole line would be.
fn near(line: &str, at: usize, room: usize) -> Range<usize> {
    let near = at.saturating_sub(room + 1)..(at + room + 1).min(line.len());
    if line.get(near.clone()).is_some_and(is_plain) {
        return near;
    }
    let too_far = |used: &mut usize, at: usize, c: char| {
        *used += shown_width(&line[at..], c);
        *used > room
    };
    let (mut before, mut after) = (0, 0);
    let start = line[..at].char_indices().rev().find(|(at, c)| too_far(&mut before, *at, *c));
    let end = line[at..].char_indices().find(|(next, c)| too_far(&mut after, at + next, *c));
    start.map_or(0, |(start, _)| start)..end.map_or(line.len(), |(next, c)| at + next + c.len_utf8())
}

/// Whether each byte is a character of one column.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// What is shown for the first character of a text.
fn cell(raw: &str, c: char) -> Cow<'_, str> {
    match c {
        ' '..='~' => Cow::Borrowed(&raw[..1]),
        '\t' => Cow::Borrowed(TAB),
        _ if visible::is_hidden(c) => Cow::Owned(visible::name(c)),
        _ => Cow::Borrowed(&raw[..c.len_utf8()]),
    }
}

/// The columns of that.
fn shown_width(raw: &str, c: char) -> usize {
    if matches!(c, ' '..='~') { 1 } else { width(&cell(raw, c)) }
}

fn width(cell: &str) -> usize {
    if is_plain(cell) {
        return cell.len();
    }
    cell.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Which cells to show: all that fit, else the focus in the middle, else the start of the focus
/// after a little of what stands before it.
fn window(widths: &[usize], focus: Range<usize>, room: usize) -> Range<usize> {
    if widths.iter().sum::<usize>() <= room {
        return 0..widths.len();
    }
    let room = room.saturating_sub(2 * width(CUT));
    let focused = widths[focus.clone()].iter().sum::<usize>().min(room);
    let mut start = back(widths, focus.start, ((room - focused) / 2).max(room / 4));
    let mut used = 0;
    let mut end = start;
    while end < widths.len() && used + widths[end] <= room {
        used += widths[end];
        end += 1;
    }
    if end == widths.len() {
        start = back(widths, start, room - used);
    }
    start..end
}

/// The same for cells that are one column wide, more than fit.
fn window_of_ones(cells: usize, focus: &Range<usize>, room: usize) -> Range<usize> {
    let room = room.saturating_sub(2 * width(CUT));
    let focused = focus.len().min(room);
    let start = focus.start.saturating_sub(((room - focused) / 2).max(room / 4));
    let end = (start + room).min(cells);
    let start = if end == cells { start.saturating_sub(room - (end - start)) } else { start };
    start..end
}

/// The first of the cells before `from` that fit in `room`.
fn back(widths: &[usize], mut from: usize, mut room: usize) -> usize {
    while from > 0 && widths[from - 1] <= room {
        from -= 1;
        room -= widths[from];
    }
    from
}

#[cfg(test)]
mod tests;
