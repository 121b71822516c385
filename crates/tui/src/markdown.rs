//! The text of a skill as lines of a terminal. What cannot be seen is named, long lines wrap.

use crate::{
    text::columns,
    theme::{Role, Theme},
};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use ratatui::{
    style::Style,
    text::{Line, Span},
};
use skillful::visible::exact;
use unicode_width::UnicodeWidthChar as _;

/// Lines of one page; what is beyond is named and not drawn.
pub(crate) const LINES: usize = 20_000;

/// The lines of a Markdown text.
pub(crate) fn lines(text: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut page = Page { theme, width: width.max(8), ..Page::default() };
    for event in Parser::new(text) {
        if page.out.len() >= LINES {
            page.out
                .push(Line::styled("… the rest is not shown; o opens the file", theme.style(Role::Quiet)));
            return page.out;
        }
        page.take(event);
    }
    page.end_block();
    page.out
}

struct Page {
    theme: Theme,
    width: usize,
    out: Vec<Line<'static>>,
    /// Words of the block that is being read, each with its style.
    words: Vec<(String, Style)>,
    styles: Vec<Style>,
    /// The number of the next entry of each open list; none for bullets.
    lists: Vec<Option<u64>>,
    /// What stands before the first line of the block that is being read.
    marker: String,
    is_code: bool,
    quotes: usize,
    heading: Option<HeadingLevel>,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            width: 80,
            out: Vec::new(),
            words: Vec::new(),
            styles: Vec::new(),
            lists: Vec::new(),
            marker: String::new(),
            is_code: false,
            quotes: 0,
            heading: None,
        }
    }
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.put(&text),
            Event::Code(text) => self.styled(&text, self.theme.style(Role::Action)),
            Event::InlineHtml(text) | Event::Html(text) => self.styled(&text, self.theme.style(Role::Quiet)),
            Event::SoftBreak => self.words.push((" ".to_owned(), self.style())),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.gap();
                let rule = self.theme.rule().repeat(self.width.min(40));
                self.out.push(Line::styled(rule, self.theme.style(Role::Quiet)));
                self.out.push(Line::default());
            }
            Event::TaskListMarker(done) => self.put(if done { "[x] " } else { "[ ] " }),
            Event::FootnoteReference(name) => self.put(&format!("[{name}]")),
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.gap();
                self.heading = Some(*level);
                self.styles.push(self.theme.style(Role::Heading));
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.is_code = true;
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                    && self.lists.is_empty()
                {
                    self.gap();
                }
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(*first);
            }
            Tag::Item => {
                self.flush();
                self.marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.quotes += 1;
            }
            Tag::Emphasis | Tag::Strong => self.styles.push(self.theme.style(Role::Heading)),
            Tag::Link { .. } | Tag::Image { .. } => self.styles.push(self.theme.style(Role::Action)),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                let level = self.heading.take();
                let wide: usize = self.words.iter().map(|(word, _)| columns(word)).sum();
                self.flush();
                self.styles.pop();
                let under = match level {
                    Some(HeadingLevel::H1) => "=",
                    Some(HeadingLevel::H2) => "-",
                    _ => "",
                };
                if !under.is_empty() {
                    self.out.push(Line::raw(under.repeat(wide.min(self.width))));
                }
                self.out.push(Line::default());
            }
            TagEnd::Paragraph => {
                self.flush();
                if self.lists.is_empty() {
                    self.out.push(Line::default());
                }
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                if self.lists.is_empty() {
                    self.out.push(Line::default());
                }
            }
            TagEnd::Item | TagEnd::HtmlBlock => self.flush(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
                if self.lists.is_empty() {
                    self.gap();
                }
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image => drop(self.styles.pop()),
            _ => {}
        }
    }

    fn put(&mut self, text: &str) {
        if self.is_code {
            let indent = self.indent() + 4;
            for line in text.lines() {
                let line = exact(&line.replace('\t', "    ")).into_owned();
                self.marker.clear();
                broken(&line, indent, self.width, Style::new(), &mut self.out);
            }
            return;
        }
        self.styled(text, self.style());
    }

    fn styled(&mut self, text: &str, style: Style) {
        let text = exact(text).replace(['\n', '\t'], " ");
        for word in text.split_inclusive(' ') {
            self.words.push((word.to_owned(), style));
        }
    }

    /// Columns before a block. A text may be nested without end, and a page is only so wide.
    fn indent(&self) -> usize {
        let nested = self.lists.len().saturating_sub(1) * 3 + self.quotes * 2;
        nested.min(self.width / 2)
    }

    /// One blank line, unless there is one or nothing is before it.
    fn gap(&mut self) {
        self.flush();
        if self.out.last().is_some_and(|line| !line.spans.is_empty()) {
            self.out.push(Line::default());
        }
    }

    fn end_block(&mut self) {
        self.flush();
        while self.out.last().is_some_and(|line| line.spans.is_empty()) {
            self.out.pop();
        }
    }

    /// Draws the block that was read.
    fn flush(&mut self) {
        if self.words.is_empty() {
            return;
        }
        let words = std::mem::take(&mut self.words);
        let marker = std::mem::take(&mut self.marker);
        let indent = self.indent();
        // Text below a list entry stands under the text of the entry, not under its marker.
        let hang = if self.lists.is_empty() { indent } else { indent + 3.min(self.width / 4) };
        let lead = if marker.is_empty() { " ".repeat(hang) } else { " ".repeat(indent) + &marker };
        let mut used = columns(&lead);
        let mut spans = vec![Span::raw(lead)];
        for (word, style) in words {
            let wide = columns(word.trim_end());
            if used + wide > self.width && used > hang {
                self.out.push(Line::from(std::mem::take(&mut spans)));
                spans.push(Span::raw(" ".repeat(hang)));
                used = hang;
            }
            if wide > self.width.saturating_sub(hang) {
                // Broken into lines of its own: nothing of it may be cut.
                let mut lines = Vec::new();
                broken(&word, hang, self.width, style, &mut lines);
                self.out.append(&mut lines);
                continue;
            }
            used += columns(&word);
            spans.push(Span::styled(word, style));
        }
        if spans.iter().any(|span| !span.content.trim().is_empty()) {
            self.out.push(Line::from(spans));
        }
    }
}

/// A line that keeps its blanks, broken where the page ends.
pub(crate) fn broken(line: &str, indent: usize, width: usize, style: Style, out: &mut Vec<Line<'static>>) {
    let room = width.saturating_sub(indent).max(4);
    let (mut part, mut used) = (String::new(), 0);
    let mut push = |part: &mut String| {
        let text = std::mem::take(part);
        out.push(Line::from(vec![Span::raw(" ".repeat(indent)), Span::styled(text, style)]));
    };
    for c in line.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide > room {
            push(&mut part);
            used = 0;
        }
        part.push(c);
        used += wide;
    }
    push(&mut part);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(markdown: &str, width: usize) -> String {
        let lines = lines(markdown, width, Theme::default());
        lines.iter().map(|line| line.to_string().trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn a_skill_is_drawn_as_a_page() {
        let skill = "# Changelog\n\n1. Read the commits since the last tag:\n\n   ```sh\n   git log\n   ```\n2. Group \
                     them.\n\nSee `references/style.md` for **good** examples of this.\n\n- one\n- two\n";
        insta::assert_snapshot!(text(skill, 30), @r"
        Changelog
        =========

        1. Read the commits since the
           last tag:
            git log
        2. Group them.

        See references/style.md for
        good examples of this.

        - one
        - two
        ");
    }

    #[test]
    fn a_text_that_is_nested_without_end_takes_no_more_room_than_another() {
        for nested in ["> ", "- "] {
            let lines = lines(&(nested.repeat(5_000) + &"word ".repeat(20_000)), 40, Theme::default());
            let longest = lines.iter().map(|line| columns(&line.to_string())).max().unwrap();
            let bytes: usize = lines.iter().map(|line| line.to_string().len()).sum();
            assert!(longest <= 64 && bytes < 2_000_000, "{nested}: {longest} columns, {bytes} bytes");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_named_and_nothing_is_cut() {
        assert_eq!(text("a\u{202e}b \u{1b}[31m", 40), "a<U+202E>b <U+001B>[31m\n");
        assert_eq!(text("abcdefghijklmnop", 8), "abcdefgh\nijklmnop\n");
        assert_eq!(text("    x\u{200b}y", 40), "    x<U+200B>y\n");
    }
}
