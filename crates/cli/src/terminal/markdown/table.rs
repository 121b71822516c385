//! A table with its columns aligned, or as it was written when the terminal is too narrow.

use super::inline::{Span, painted, spans};
use crate::{
    output::{DIM, HEAD},
    report::visible,
};
use anstyle::Style;
use pulldown_cmark::{Alignment, Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

/// Whether a line is the ruler below the head of a table.
pub(super) fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// The table, each line with its end.
pub(super) fn render(rows: &[String], width: usize) -> String {
    aligned(rows, width)
        .unwrap_or_else(|| rows.iter().map(|row| format!("{}\n", visible::exact(row.trim()))).collect())
}

fn aligned(rows: &[String], width: usize) -> Option<String> {
    let text: String = rows.iter().map(|row| format!("{}\n", row.trim())).collect();
    let (alignments, cells) = read(&text)?;
    // The parser drops cells that the head has no column for; nothing may be lost.
    let count = alignments.len();
    if cells.len() + 1 != rows.len() || rows.iter().any(|row| pipes(row) > count + 1) {
        return None;
    }
    let size = |cell: &Vec<Span>| cell.iter().map(|span| span.text.width()).sum::<usize>();
    let mut widths = vec![0; count];
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(size(cell));
        }
    }
    let total = widths.iter().sum::<usize>() + 2 * count.saturating_sub(1);
    if total > width {
        return None;
    }
    let mut out = String::new();
    for (at, row) in cells.iter().enumerate() {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = widths[column] - size(cell);
            let left = match alignments[column] {
                Alignment::Right => pad,
                Alignment::Center => pad / 2,
                Alignment::Left | Alignment::None => 0,
            };
            line.push_str(&" ".repeat(if column == 0 { left } else { left + 2 }));
            line.push_str(&painted(cell));
            line.push_str(&" ".repeat(pad - left));
        }
        out.push_str(line.trim_end_matches(' '));
        out.push('\n');
        if at == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            out.push_str(&format!("{DIM}{}{DIM:#}\n", rules.join("  ")));
        }
    }
    Some(out)
}

/// Pipes that part cells, and those at the edges.
fn pipes(row: &str) -> usize {
    let row = row.trim();
    let inner = row.replace("\\|", "");
    let edges = usize::from(!inner.starts_with('|')) + usize::from(!inner.ends_with('|'));
    inner.matches('|').count() + edges
}

type Rows = Vec<Vec<Vec<Span>>>;

fn read(text: &str) -> Option<(Vec<Alignment>, Rows)> {
    let mut alignments = None;
    let (mut rows, mut row): (Rows, Vec<Vec<Span>>) = (Vec::new(), Vec::new());
    let mut events = Parser::new_ext(text, Options::ENABLE_TABLES);
    while let Some(event) = events.next() {
        match event {
            Event::Start(Tag::Table(found)) if alignments.is_none() => alignments = Some(found),
            Event::Start(Tag::TableCell) => {
                let inside = events.by_ref().take_while(|event| *event != Event::End(TagEnd::TableCell));
                let style = if rows.is_empty() { HEAD } else { Style::new() };
                row.push(spans(inside, style));
            }
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => rows.push(std::mem::take(&mut row)),
            Event::Start(Tag::TableHead | Tag::TableRow) | Event::End(TagEnd::Table) => {}
            _ => return None,
        }
    }
    Some((alignments?, rows))
}
