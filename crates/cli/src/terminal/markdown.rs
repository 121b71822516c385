//! Streaming Markdown for a terminal.
//!
//! A block is printed when it ends; the first line of a paragraph or of an item is printed as far as following text
//! cannot change it. So nothing is printed twice, and the result does not depend on how the text was cut. What is not
//! final yet is a draft, which a terminal shows and draws over.
//!
//! The kind of a line depends on that line alone, so two forms are not supported: underlined headings and
//! references that are defined elsewhere. Both are printed as written.

mod block;
mod draft;
mod inline;
mod plain;
mod table;

use crate::{output::DIM, report::visible};
use block::{Fence, Start, start};
use inline::{Look, paragraph};
pub(crate) use plain::Plain;

/// Columns below which nothing is wrapped any narrower.
const NARROWEST: usize = 20;
/// Quotes within quotes that are drawn; deeper ones stay as written.
const QUOTES: usize = 4;
/// Open marks behind which nothing is shown before its line ends.
const OPEN_MARKS: usize = 8;
/// Bytes of a block that are held. A longer one is shown in parts.
const HELD: usize = 64 << 10;

/// A block that has not ended.
#[derive(Clone, Debug, Default)]
enum Open {
    /// Nothing.
    #[default]
    None,
    /// Code between fences: every line is final.
    Fence(Fence),
    /// Lines that flow together, behind a lead such as `- `.
    Flow(Flow),
    /// Lines of a table.
    Table(Vec<String>),
    /// Lines behind `>`.
    Quote(Box<Markdown>),
}

/// Lines that flow together.
#[derive(Clone, Debug, Default)]
struct Flow {
    look: Look,
    text: String,
    /// Output lines that were shown already.
    shown: usize,
}

/// Turns Markdown into lines for a terminal.
#[derive(Clone, Debug)]
pub(crate) struct Markdown {
    width: usize,
    depth: usize,
    /// The line that has not ended.
    line: String,
    /// Output lines of it that were shown already.
    grown: usize,
    /// Bytes of it from which on it is looked at again.
    next: usize,
    open: Open,
    /// Where text of the last item of a list starts; nothing when no list is open.
    item: Option<usize>,
    /// Whether a blank line is due before the next block.
    gap: bool,
    /// Whether anything was shown.
    began: bool,
    /// Bytes that were held when the draft was made.
    drafted: usize,
}

impl Markdown {
    /// For a terminal of so many columns.
    pub(crate) fn new(width: usize) -> Self {
        Self::nested(width, 0)
    }

    fn nested(width: usize, depth: usize) -> Self {
        Self {
            width: width.max(NARROWEST),
            depth,
            line: String::new(),
            grown: 0,
            next: 0,
            open: Open::None,
            item: None,
            gap: false,
            began: false,
            drafted: 0,
        }
    }

    /// Takes a piece and gives what is final now.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for part in piece.split_inclusive('\n') {
            self.line.push_str(part);
            while self.line.len() > HELD {
                let rest = self.line.split_off(self.line.floor_char_boundary(HELD));
                let line = std::mem::replace(&mut self.line, rest);
                self.end_line(&clean(&line), &mut out);
            }
            if part.ends_with('\n') {
                let line = std::mem::take(&mut self.line);
                self.end_line(&clean(&line), &mut out);
            }
        }
        self.grow(&mut out);
        if !out.is_empty() {
            self.drafted = 0;
        }
        out
    }

    /// The text came to its end.
    pub(crate) fn finish(&mut self) -> String {
        let mut out = String::new();
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.end_line(&clean(&line), &mut out);
        }
        self.close(&mut out);
        *self = Self::nested(self.width, self.depth);
        out
    }

    fn end_line(&mut self, line: &str, out: &mut String) {
        let shown = std::mem::take(&mut self.grown);
        self.next = 0;
        if let Open::Fence(fence) = &self.open {
            if fence.is_closed_by(line) {
                self.open = Open::None;
            } else {
                let code = fence.inside(line);
                let bar = format!("{}{DIM}│ {code}{DIM:#}\n", " ".repeat(fence.indent));
                self.emit(&bar, out);
            }
            return;
        }
        let kind = match (&self.open, start(line, self.item)) {
            // Code by indentation cannot end a paragraph.
            (Open::Flow(_), Start::Code(_)) => start(line.trim_start(), self.item),
            (_, kind) => kind,
        };
        match (&mut self.open, &kind) {
            (Open::Quote(inner), Start::Quote(rest)) => {
                let lines = inner.push(&format!("{rest}\n"));
                self.quoted(&lines, out);
                return;
            }
            (Open::Table(rows), Start::Text(_)) if line.contains('|') && held(rows) < HELD => {
                rows.push(line.to_owned());
                return;
            }
            (Open::Flow(flow), Start::Text(_)) if flow.text.len() < HELD => {
                // Such a head is never shown early.
                if flow.look.hang == 0
                    && flow.text.trim_start().starts_with('|')
                    && !flow.text.contains('\n')
                    && table::is_ruler(line)
                {
                    let head = std::mem::take(&mut flow.text);
                    self.open = Open::Table(vec![head, line.to_owned()]);
                } else {
                    flow.text.push('\n');
                    flow.text.push_str(line);
                }
                return;
            }
            _ => {}
        }
        self.close(out);
        self.begin(kind, shown, out);
    }

    fn begin(&mut self, kind: Start, shown: usize, out: &mut String) {
        match kind {
            Start::Blank => {
                self.gap = self.began;
                return;
            }
            Start::Item { indent, lead, rest } => {
                let look = Look::item(indent, &lead);
                self.item = Some(look.hang);
                self.open = Open::Flow(Flow { look, text: rest, shown });
                return;
            }
            Start::Fence(fence) => {
                if !fence.info.is_empty() {
                    let info = visible::exact(&fence.info);
                    let bar = format!("{}{DIM}│ {info}{DIM:#}\n", " ".repeat(fence.indent));
                    self.emit(&bar, out);
                }
                self.open = Open::Fence(fence);
                return;
            }
            Start::Text(text) | Start::Underline(text) => {
                let look = self.look_of(&text);
                if look.hang == 0 {
                    self.item = None;
                }
                self.open = Open::Flow(Flow { look, text, shown });
                return;
            }
            Start::Code(text) => {
                let bar = format!("{DIM}│ {}{DIM:#}\n", visible::exact(&text));
                self.emit(&bar, out);
            }
            Start::Heading(text) => {
                let lines = paragraph(&text, &Look::heading(), self.width).lines;
                self.emit(&joined(&lines), out);
            }
            Start::Rule => {
                let rule = format!("{DIM}{}{DIM:#}\n", "─".repeat(self.width.min(40)));
                self.emit(&rule, out);
            }
            Start::Quote(rest) => {
                if self.depth < QUOTES {
                    let mut inner = Box::new(Self::nested(self.width.saturating_sub(2), self.depth + 1));
                    let lines = inner.push(&format!("{rest}\n"));
                    self.open = Open::Quote(inner);
                    self.quoted(&lines, out);
                } else {
                    let lines = paragraph(&rest, &Look::indented(0), self.width).lines;
                    self.emit(&joined(&lines), out);
                }
            }
        }
        self.item = None;
    }

    /// Ends the open block and shows the rest of it.
    fn close(&mut self, out: &mut String) {
        match std::mem::take(&mut self.open) {
            Open::None | Open::Fence(_) => {}
            Open::Flow(flow) => {
                let lines = paragraph(&flow.text, &flow.look, self.width).lines;
                self.emit(&joined(&lines[flow.shown.min(lines.len())..]), out);
            }
            Open::Table(rows) => {
                let text = table::render(&rows, self.width);
                self.emit(&text, out);
            }
            Open::Quote(mut inner) => {
                let lines = inner.finish();
                self.quoted(&lines, out);
            }
        }
    }

    fn quoted(&mut self, lines: &str, out: &mut String) {
        for line in lines.lines() {
            let bar = format!("{DIM}▎{DIM:#} {line}\n");
            self.emit(bar.trim_end_matches(' '), out);
        }
    }

    fn emit(&mut self, text: &str, out: &mut String) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.gap) {
            out.push('\n');
        }
        self.began = true;
        out.push_str(text);
    }

    /// Shows what is final of a first line that has not ended.
    fn grow(&mut self, out: &mut String) {
        if self.line.len() < self.next || matches!(self.open, Open::Fence(_)) {
            return;
        }
        // Not at every word: a long line would be read over and over.
        self.next = self.line.len() + self.width / 2;
        let Some(cut) = self.line.rfind([' ', '\t']) else { return };
        let line = clean(&self.line[..cut]);
        // What a line begins is known for sure behind its second word.
        if line.split_whitespace().count() < 2 || block::may_be_rule(&line) {
            return;
        }
        let (text, look) = match (&self.open, start(&line, self.item)) {
            (Open::None, Start::Text(text)) => {
                let look = self.look_of(&text);
                (text, look)
            }
            (_, Start::Item { indent, lead, rest }) => {
                self.close(out);
                (rest, Look::item(indent, &lead))
            }
            _ => return,
        };
        let Some(lines) = settled(text.trim(), &look, self.width) else { return };
        if lines.len() > self.grown {
            self.emit(&joined(&lines[self.grown..]), out);
            self.grown = lines.len();
        }
    }

    /// Text that stands in belongs to the last item.
    fn look_of(&self, text: &str) -> Look {
        Look::indented(self.item.filter(|_| text.starts_with(' ')).unwrap_or(0))
    }
}

/// The lines that stay as they are, whatever comes behind the text and a blank: those before the last of the
/// text before the first mark that is still open.
fn settled(mut text: &str, look: &Look, width: usize) -> Option<Vec<String>> {
    for _ in 0..OPEN_MARKS {
        let mut flowed = paragraph(text, look, width);
        let Some(open) = flowed.open else {
            flowed.lines.pop();
            return Some(flowed.lines);
        };
        text = text[..open].rfind(' ').map(|at| text[..at].trim_end())?;
    }
    None
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn held(rows: &[String]) -> usize {
    rows.iter().map(String::len).sum()
}

/// A line without its end, its tabs as blanks.
fn clean(line: &str) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.contains('\t') { line.replace('\t', "    ") } else { line.to_owned() }
}

#[cfg(test)]
pub(crate) mod tests;
