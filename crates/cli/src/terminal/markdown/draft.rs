//! The part of a text that is not final: the lines that it would end with if it ended now.
//!
//! A reader sees each word when it arrives. A mark whose end has not arrived (`**bo`) is shown as if it were
//! closed, and a line of marks alone (`--`) is not shown, since its form is not known yet.

use super::{HELD, Markdown, Open, clean};

/// A block is set anew when it has grown by this part of its length, so that the work for a long one is bounded.
const STEPS: usize = 256;

impl Markdown {
    /// The lines that are not final, or nothing when they are as they were last time.
    pub(crate) fn draft(&mut self) -> Option<Vec<String>> {
        let held = self.held();
        let is_due = held < self.drafted || held >= self.drafted + held / STEPS;
        if !is_due {
            return None;
        }
        self.drafted = held;
        if held == 0 {
            return Some(Vec::new());
        }
        let mut copy = self.clone();
        copy.complete();
        Some(copy.finish().lines().map(str::to_owned).collect())
    }

    /// Bytes that are not final.
    fn held(&self) -> usize {
        let open = match &self.open {
            Open::None | Open::Fence(_) => 0,
            Open::Flow(flow) => flow.text.len(),
            Open::Table(rows) => rows.iter().map(|row| row.len() + 1).sum(),
            Open::Quote(inner) => inner.held(),
        };
        open + self.line.len()
    }

    /// Ends what the open line leaves open.
    fn complete(&mut self) {
        if matches!(self.open, Open::Fence(_)) {
            return;
        }
        if !self.line.chars().any(|c| c.is_alphanumeric() || !c.is_ascii()) {
            self.line.clear();
            return;
        }
        let line = clean(&self.line);
        let before = match &self.open {
            Open::Flow(flow) => flow.text.as_str(),
            _ => "",
        };
        let kept = line.trim_end_matches(['*', '_', '`', '[', '<', '\\', ' ']);
        // A mark behind a blank opens something that has no words yet.
        let opens = line[kept.len()..].trim_end().starts_with(' ');
        if opens || !open_marks(before, &line).is_empty() {
            let mut text = kept.to_owned();
            text.extend(open_marks(before, kept).iter().rev().map(String::as_str));
            self.line = text;
        }
        self.line.truncate(self.line.floor_char_boundary(HELD));
    }
}

/// The marks of emphasis and code that these two lines open and do not close, in their order.
fn open_marks(before: &str, line: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let line = line.trim_start();
    let line = line.strip_prefix("* ").unwrap_or(line);
    let mut chars = before.chars().chain("\n".chars()).chain(line.chars()).peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        if c == '\\' {
            last = chars.next().unwrap_or(' ');
            continue;
        }
        if !matches!(c, '*' | '`') {
            last = c;
            continue;
        }
        let mut mark = c.to_string();
        while let Some(more) = chars.next_if_eq(&c) {
            mark.push(more);
        }
        let in_code = open.last().is_some_and(|open| open.starts_with('`'));
        let next = chars.peek().copied().unwrap_or(' ');
        if open.last() == Some(&mark) {
            open.pop();
        } else if !in_code
            && (c == '`' || !(next.is_whitespace() || last.is_alphanumeric() && mark.len() == 1))
        {
            open.push(mark);
        }
        last = c;
    }
    open
}
