//! Words with their styles, wrapped to a width.

use super::block::{Start, start};
use crate::{
    output::{DIM, HEAD},
    report::visible,
};
use anstyle::{AnsiColor, Style};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Code within a sentence.
const CODE: Style = AnsiColor::Cyan.on_default();
/// Characters that may begin something which only a later line ends.
const OPENING: [char; 6] = ['*', '_', '`', '[', '<', '|'];

/// How a paragraph looks.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    first: String,
    /// Columns before every line but the first.
    pub(super) hang: usize,
    style: Style,
}

impl Look {
    /// A heading.
    pub(super) fn heading() -> Self {
        Self { style: HEAD, ..Self::default() }
    }

    /// Text that stands so far in.
    pub(super) fn indented(hang: usize) -> Self {
        Self { first: " ".repeat(hang), hang, ..Self::default() }
    }

    /// An item of a list.
    pub(super) fn item(indent: usize, lead: &str) -> Self {
        let first = format!("{}{lead} ", " ".repeat(indent));
        Self { hang: first.width(), first, style: Style::new() }
    }
}

/// A piece of text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
}

/// Something to put on a line.
#[derive(Clone, Debug)]
enum Word {
    Spans(Vec<Span>),
    /// The line ends here.
    Break,
}

/// A paragraph as lines.
#[derive(Debug)]
pub(super) struct Flowed {
    /// Without their ends.
    pub(super) lines: Vec<String>,
    /// Where in the text something stands that text behind it may still change.
    pub(super) open: Option<usize>,
}

/// Sets a paragraph.
pub(super) fn paragraph(text: &str, look: &Look, width: usize) -> Flowed {
    let text: Vec<&str> = text.lines().map(str::trim).collect();
    let text = text.join("\n");
    let first = text.lines().next().unwrap_or_default();
    // What the marker of an item hides from us would be a block to the parser, and its marks would be lost.
    let literal = !matches!(start(first, None), Start::Text(_) | Start::Blank);
    let (mut words, mut open) =
        if literal { (plain(&text, look.style), Some(0)) } else { words(&text, look.style) };
    if words.is_empty() && !text.is_empty() {
        (words, open) = (plain(&text, look.style), Some(0));
    }
    Flowed { lines: wrap(&words, look, width), open }
}

/// The spans of a text, for a cell of a table.
pub(super) fn spans<'a>(events: impl Iterator<Item = Event<'a>>, style: Style) -> Vec<Span> {
    let (words, _) = collect(events.map(|event| (event, 0)), style);
    let mut all: Vec<Span> = Vec::new();
    for word in words {
        let Word::Spans(spans) = word else { continue };
        if let Some(last) = all.last_mut() {
            last.text.push(' ');
        }
        all.extend(spans);
    }
    all
}

/// Spans as they are shown.
pub(super) fn painted(spans: &[Span]) -> String {
    let mut out = String::new();
    for Span { text, style } in spans {
        if *style == Style::new() {
            out.push_str(text);
        } else {
            out.push_str(&format!("{style}{text}{style:#}"));
        }
    }
    out
}

fn plain(text: &str, style: Style) -> Vec<Word> {
    let word = |text: &str| Word::Spans(vec![Span { text: visible::exact(text).into_owned(), style }]);
    text.split_whitespace().map(word).collect()
}

fn words(text: &str, style: Style) -> (Vec<Word>, Option<usize>) {
    let events = Parser::new_ext(text, Options::empty()).into_offset_iter();
    collect(events.map(|(event, range)| (event, range.start)), style)
}

/// Words of events, and the place of the first event that later text may change.
fn collect<'a>(events: impl Iterator<Item = (Event<'a>, usize)>, style: Style) -> (Vec<Word>, Option<usize>) {
    let mut words = Words { done: Vec::new(), open: Vec::new() };
    let mut open = None;
    let (mut bold, mut italic) = (0usize, 0usize);
    let mut links: Vec<(String, usize)> = Vec::new();
    let mut shown = String::new();
    for (event, at) in events {
        let mut now = style;
        if bold > 0 {
            now = now.bold();
        }
        if italic > 0 {
            now = now.italic();
        }
        match event {
            Event::Text(text) => {
                if text.contains(OPENING) {
                    open.get_or_insert(at);
                }
                shown.push_str(&text);
                words.push(&text, now);
            }
            Event::Code(text) => {
                shown.push_str(&text);
                words.push(&text, CODE);
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                open.get_or_insert(at);
                words.push(&text, now);
            }
            Event::SoftBreak => words.end(),
            Event::HardBreak => {
                words.end();
                words.done.push(Word::Break);
            }
            Event::Start(Tag::Strong) => bold += 1,
            Event::End(TagEnd::Strong) => bold = bold.saturating_sub(1),
            Event::Start(Tag::Emphasis) => italic += 1,
            Event::End(TagEnd::Emphasis) => italic = italic.saturating_sub(1),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                links.push((dest_url.into_string(), shown.len()));
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some((url, from)) = links.pop()
                    && shown.get(from..) != Some(url.trim_start_matches("mailto:"))
                    && !url.is_empty()
                {
                    if shown.len() > from {
                        words.end();
                    }
                    words.push(&format!("({})", url.replace(' ', "%20")), DIM);
                }
            }
            _ => {}
        }
    }
    words.end();
    (words.done, open)
}

struct Words {
    done: Vec<Word>,
    open: Vec<Span>,
}

impl Words {
    fn end(&mut self) {
        if !self.open.is_empty() {
            self.done.push(Word::Spans(std::mem::take(&mut self.open)));
        }
    }

    /// Text of a model, harmless from here on.
    fn push(&mut self, text: &str, style: Style) {
        let mut parts = text.split([' ', '\n']);
        if let Some(part) = parts.next() {
            self.add(part, style);
        }
        for part in parts {
            self.end();
            self.add(part, style);
        }
    }

    fn add(&mut self, part: &str, style: Style) {
        if part.is_empty() {
            return;
        }
        let part = visible::exact(part);
        match self.open.last_mut() {
            Some(last) if last.style == style => last.text.push_str(&part),
            _ => self.open.push(Span { text: part.into_owned(), style }),
        }
    }
}

/// Puts words on lines, as many as fit.
fn wrap(words: &[Word], look: &Look, width: usize) -> Vec<String> {
    let hang = look.hang.min(width / 2);
    let room = width.saturating_sub(hang).max(1);
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    for word in words {
        let Word::Spans(spans) = word else {
            lines.push(Vec::new());
            used = 0;
            continue;
        };
        let size: usize = spans.iter().map(|span| span.text.width()).sum();
        if used > 0 && used + 1 + size > room {
            lines.push(Vec::new());
            used = 0;
        }
        if used > 0 {
            blank(lines.last_mut(), spans);
            used += 1;
        }
        for span in spans {
            used = lay(&mut lines, used, span, room);
        }
    }
    if lines.last().is_some_and(Vec::is_empty) && lines.len() > 1 {
        lines.pop();
    }
    let shown = lines.iter().enumerate().map(|(at, spans)| {
        let lead = if at == 0 && hang == look.hang { look.first.clone() } else { " ".repeat(hang) };
        let line = lead + &painted(spans);
        line.trim_end_matches(' ').to_owned()
    });
    shown.collect()
}

/// A blank between words, in their style when they share it.
fn blank(line: Option<&mut Vec<Span>>, next: &[Span]) {
    let Some(line) = line else { return };
    let style = match (line.last(), next.first()) {
        (Some(last), Some(next)) if last.style == next.style => last.style,
        _ => Style::new(),
    };
    add(line, " ", style);
}

fn add(line: &mut Vec<Span>, text: &str, style: Style) {
    match line.last_mut() {
        Some(last) if last.style == style => last.text.push_str(text),
        _ => line.push(Span { text: text.to_owned(), style }),
    }
}

/// Lays a span on the last line; one that is longer than a line goes on on the next.
fn lay(lines: &mut Vec<Vec<Span>>, mut used: usize, span: &Span, room: usize) -> usize {
    let size = span.text.width();
    if used + size <= room {
        if let Some(line) = lines.last_mut() {
            add(line, &span.text, span.style);
        }
        return used + size;
    }
    for c in span.text.chars() {
        let size = c.width().unwrap_or(0);
        if used + size > room && used > 0 {
            lines.push(Vec::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            add(line, c.encode_utf8(&mut [0; 4]), span.style);
        }
        used += size;
    }
    used
}
