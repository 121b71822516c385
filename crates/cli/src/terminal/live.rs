//! Lines at the bottom of a terminal that still change. They are drawn over, never erased first, so that they do
//! not flicker, and one write holds a whole change.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Ends wrapping. Live lines are cut to the width anyway; a terminal that gives a character more columns than we
/// do must not wrap them either, since each one takes one row.
const CUT: &str = "\u{1b}[?7l";
const WRAP: &str = "\u{1b}[?7h";
/// Erases what is right of the cursor.
const ERASE_REST: &str = "\u{1b}[K";
/// Erases everything from the cursor on.
const ERASE_BELOW: &str = "\u{1b}[J";
/// Size of a terminal that reports none.
const ROWS: usize = 24;

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

impl Size {
    /// What the terminal reports, or `columns` and a usual height.
    pub(crate) fn measured(columns: usize) -> Self {
        let known = |(width, height): (terminal_size::Width, terminal_size::Height)| Self {
            columns: usize::from(width.0),
            rows: usize::from(height.0),
        };
        let size = terminal_size::terminal_size().map(known);
        size.filter(|size| size.columns > 0 && size.rows > 0).unwrap_or(Self { columns, rows: ROWS })
    }
}

/// The lines that are drawn. The cursor stands behind the last one.
#[derive(Debug, Default)]
pub(crate) struct LiveLines {
    lines: Vec<String>,
    /// Columns of the terminal when they were drawn.
    columns: usize,
}

impl LiveLines {
    /// Whether nothing is drawn.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Prints `text`, whole lines, in the place of the drawn lines, and draws `lines` behind it. Of more lines than
    /// the terminal has rows, the last ones are drawn.
    pub(crate) fn change(&mut self, text: &str, mut lines: Vec<String>, size: Size) -> String {
        let most = size.rows.saturating_sub(1).max(1);
        lines.drain(..lines.len().saturating_sub(most));
        for line in &mut lines {
            cut(line, size.columns);
        }
        let mut out = String::new();
        let mut first = 0;
        if text.is_empty() {
            first = self.lines.iter().zip(&lines).take_while(|(old, new)| old == new).count();
            if first == self.lines.len() && first == lines.len() {
                return out;
            }
            if let Some(more) = self.continued(&lines, first) {
                out = format!("{CUT}{more}{WRAP}");
                self.lines = lines;
                return out;
            }
            // The last line is drawn in any case, since the cursor belongs behind it.
            first = first.min(lines.len().saturating_sub(1));
        }
        self.go_to(first, size.columns, &mut out);
        for line in text.split_inclusive('\n') {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\r\n"));
            put(line, size.columns, &mut out);
            out.push_str(end);
        }
        let is_shorter = !text.is_empty() || lines.len() < self.lines.len();
        out.push_str(CUT);
        for (at, line) in lines.iter().enumerate().skip(first) {
            if at > first {
                out.push_str("\r\n");
            }
            if is_shorter && at + 1 == lines.len() {
                out.push_str(ERASE_BELOW);
            }
            put(line, size.columns, &mut out);
        }
        out.push_str(WRAP);
        if is_shorter && lines.is_empty() {
            out.push_str(ERASE_BELOW);
        }
        self.lines = lines;
        self.columns = size.columns;
        out
    }

    /// What was added to the last line, when nothing else changed.
    fn continued<'a>(&self, lines: &'a [String], same: usize) -> Option<&'a str> {
        let (old, new) = (self.lines.last()?, lines.last()?);
        let is_last = self.lines.len() == lines.len() && same + 1 == lines.len();
        new.strip_prefix(old.as_str()).filter(|_| is_last)
    }

    /// Moves the cursor to the beginning of a drawn line, or of the one behind the last.
    fn go_to(&self, line: usize, columns: usize, out: &mut String) {
        if self.lines.is_empty() {
            return;
        }
        if line >= self.lines.len() {
            out.push_str("\r\n");
            return;
        }
        out.push('\r');
        // A terminal that became narrower has wrapped the lines.
        let rows = |line: &String| {
            if columns < self.columns { width(line).min(self.columns).div_ceil(columns).max(1) } else { 1 }
        };
        let up: usize = self.lines[line..].iter().map(rows).sum::<usize>() - 1;
        if up > 0 {
            out.push_str(&format!("\u{1b}[{up}A"));
        }
    }
}

/// A line over what stands there. Behind a full row nothing is left to erase, and erasing would take its last
/// character.
fn put(line: &str, columns: usize, out: &mut String) {
    out.push_str(line);
    if line.is_empty() || !width(line).is_multiple_of(columns.max(1)) {
        out.push_str(ERASE_REST);
    }
}

/// Cuts a line to so many columns. Styles count nothing, and those behind the cut stay, since they end the style.
fn cut(line: &mut String, columns: usize) {
    if width(line) <= columns {
        return;
    }
    let mut kept = String::with_capacity(line.len());
    let (mut used, mut in_style) = (0, false);
    for c in line.chars() {
        in_style |= c == '\u{1b}';
        let size = if in_style { 0 } else { c.width().unwrap_or(0) };
        if in_style || used + size <= columns {
            kept.push(c);
        }
        used += size;
        in_style &= c != 'm';
    }
    *line = kept;
}

/// Columns of a line, without its styles.
fn width(line: &str) -> usize {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().map_or(0, UnicodeWidthStr::width);
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, text)| text.width())).sum::<usize>()
}

#[cfg(test)]
mod tests;
