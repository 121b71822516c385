//! Markdown of skills as HTML. The text is foreign: raw HTML is shown as text, only listed kinds of links become links,
//! pictures are named and never loaded, and invisible characters are shown by their number.

use super::marks::{Markup, escaped};
use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};
use skillful_format::hidden::is_hidden;
use std::fmt::Write as _;

/// Bytes of a text that are rendered; the rest is omitted with a notice.
const LONGEST: usize = 400_000;
/// Elements inside one another at the most; deeper ones are shown without their element.
const DEEPEST: usize = 60;

/// Foreign text as HTML text, with invisible characters as marks: `U+202E`.
pub(crate) fn visible(text: &str) -> String {
    if !text.chars().any(is_marked) {
        return escaped(text);
    }
    let mut out = String::new();
    let mut plain = String::new();
    for letter in text.chars() {
        if is_marked(letter) {
            out.push_str(&escaped(&plain));
            plain.clear();
            let _infallible = write!(out, "<span class=\"inv\">U+{:04X}</span>", u32::from(letter));
        } else {
            plain.push(letter);
        }
    }
    out + &escaped(&plain)
}

/// Invisible characters other than line ends and tabs.
fn is_marked(letter: char) -> bool {
    !matches!(letter, '\n' | '\t' | '\r') && is_hidden(letter)
}

/// Sentences for a reader from parts that are written without capital and point: a message and its help. What stands between
/// backticks is code.
pub(crate) fn prose(parts: &[&str]) -> Markup {
    let mut out = String::new();
    for part in parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        let mut letters = part.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        let whole = first + letters.as_str();
        let pieces: Vec<&str> = whole.split('`').collect();
        // Without its other half a backtick is a character like others.
        let is_paired = pieces.len() % 2 == 1;
        for (at, piece) in pieces.iter().enumerate() {
            match (at % 2 == 1, is_paired) {
                (true, true) => {
                    let _infallible = write!(out, "<code>{}</code>", visible(piece));
                }
                (_, true) => out.push_str(&visible(piece)),
                (_, false) => {
                    out.push_str(if at > 0 { "`" } else { "" });
                    out.push_str(&visible(piece));
                }
            }
        }
        if !whole.ends_with(['.', '?', '!', ':', '…']) {
            out.push('.');
        }
    }
    Markup(out)
}

/// Foreign text as markup.
pub(crate) fn text(text: &str) -> Markup {
    Markup(visible(text))
}

/// Whether an address may be followed: a web page, a mail address, or a place in this document.
fn is_followed(address: &str) -> bool {
    let clean: String = address.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    let lower = clean.to_ascii_lowercase();
    ["https://", "http://", "mailto:", "#"].iter().any(|begin| lower.starts_with(begin))
}

struct Writer {
    out: String,
    /// What ends each open element.
    open: Vec<&'static str>,
    /// Columns of the open table.
    columns: Vec<Alignment>,
    column: usize,
    in_head: bool,
    /// Inside a picture its text is collected.
    picture: Option<(String, String)>,
    skipped: usize,
}

/// Renders a text. Headings begin at `first`, since the page has its own.
pub(crate) fn render(source: &str, first: u8) -> Markup {
    let (shown, is_cut) = match source.char_indices().find(|(at, _)| *at >= LONGEST) {
        Some((at, _)) => (&source[..at], true),
        None => (source, false),
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer {
        out: String::with_capacity(shown.len() + shown.len() / 2),
        open: Vec::new(),
        columns: Vec::new(),
        column: 0,
        in_head: false,
        picture: None,
        skipped: 0,
    };
    for event in Parser::new_ext(shown, options) {
        writer.event(event, first);
    }
    while let Some(end) = writer.open.pop() {
        writer.out.push_str(end);
    }
    if is_cut {
        writer
            .out
            .push_str("<p class=\"sub\">The text is longer than 400,000 bytes; the rest is in the file.</p>");
    }
    Markup(writer.out)
}

impl Writer {
    fn event(&mut self, event: Event<'_>, first: u8) {
        match event {
            Event::Start(tag) => self.start(tag, first),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            // Raw HTML is foreign text like any other.
            Event::Html(html) | Event::InlineHtml(html) => self.text(&html),
            Event::Code(code) => {
                if self.picture.is_some() {
                    return self.text(&code);
                }
                let _infallible = write!(self.out, "<code>{}</code>", visible(&code));
            }
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text);
            }
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.picture {
            Some((_, inside)) => inside.push_str(text),
            None => self.out.push_str(&visible(text)),
        }
    }

    fn push(&mut self, begin: &str, end: &'static str) {
        if self.open.len() >= DEEPEST || self.picture.is_some() {
            self.skipped += 1;
            return;
        }
        self.out.push_str(begin);
        self.open.push(end);
    }

    fn start(&mut self, tag: Tag<'_>, first: u8) {
        match tag {
            Tag::Paragraph => self.push("<p>", "</p>"),
            Tag::Heading { level, .. } => {
                let level = (level as u8 - 1 + first).min(6);
                let (begin, end) = match level {
                    2 => ("<h2>", "</h2>"),
                    3 => ("<h3>", "</h3>"),
                    4 => ("<h4>", "</h4>"),
                    5 => ("<h5>", "</h5>"),
                    _ => ("<h6>", "</h6>"),
                };
                self.push(begin, end);
            }
            Tag::BlockQuote(_) => self.push("<blockquote>", "</blockquote>"),
            Tag::CodeBlock(kind) => {
                let label = match &kind {
                    CodeBlockKind::Fenced(word) if !word.is_empty() => escaped(word),
                    _ => "code".to_owned(),
                };
                self.push(
                    &format!(
                        "<pre class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><code>"
                    ),
                    "</code></pre>",
                );
            }
            Tag::List(None) => self.push("<ul>", "</ul>"),
            Tag::List(Some(1)) => self.push("<ol>", "</ol>"),
            Tag::List(Some(from)) => self.push(&format!("<ol start=\"{from}\">"), "</ol>"),
            Tag::Item => self.push("<li>", "</li>"),
            Tag::Emphasis => self.push("<em>", "</em>"),
            Tag::Strong => self.push("<strong>", "</strong>"),
            Tag::Strikethrough => self.push("<s>", "</s>"),
            Tag::Table(columns) => {
                self.columns = columns;
                self.push("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"t\">", "</tbody></table></div>");
            }
            Tag::TableHead => {
                self.in_head = true;
                self.column = 0;
                self.push("<thead><tr>", "</tr></thead><tbody>");
            }
            Tag::TableRow => {
                self.column = 0;
                self.push("<tr>", "</tr>");
            }
            Tag::TableCell => {
                let is_number = self.columns.get(self.column) == Some(&Alignment::Right);
                self.column += 1;
                let (begin, end) = match (self.in_head, is_number) {
                    (true, false) => ("<th scope=\"col\">", "</th>"),
                    (true, true) => ("<th scope=\"col\" class=\"num\">", "</th>"),
                    (false, false) => ("<td>", "</td>"),
                    (false, true) => ("<td class=\"num\">", "</td>"),
                };
                self.push(begin, end);
            }
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                if self.picture.is_some() {
                    self.skipped += 1;
                } else {
                    self.picture = Some((dest_url.to_string(), String::new()));
                }
            }
            Tag::HtmlBlock => self.push("<pre class=\"code wrap\">", "</pre>"),
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_)
            | Tag::Superscript
            | Tag::Subscript => self.push("<span>", "</span>"),
        }
    }

    /// A link whose address is shown where it is not the text; one that is not followed is only named.
    fn link(&mut self, address: &CowStr<'_>) {
        if is_followed(address) {
            let outside = if address.starts_with('#') { "" } else { " rel=\"noopener noreferrer nofollow\"" };
            self.push(&format!("<a class=\"link\" href=\"{}\"{outside}>", escaped(address)), "</a>");
        } else {
            self.push(&format!("<span class=\"name\" title=\"{}\">", escaped(address)), "</span>");
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if matches!(tag, TagEnd::Image) {
            if self.skipped > 0 && self.picture.is_none() {
                self.skipped -= 1;
                return;
            }
            self.end_of_picture();
            return;
        }
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        if matches!(tag, TagEnd::TableHead) {
            self.in_head = false;
        }
        if let Some(end) = self.open.pop() {
            self.out.push_str(end);
        }
    }

    /// A picture is named: loading it would show its host who reads.
    fn end_of_picture(&mut self) {
        let Some((address, inside)) = self.picture.take() else { return };
        let inside = if inside.is_empty() { "picture" } else { inside.as_str() };
        let is_web =
            ["https://", "http://"].iter().any(|begin| address.to_ascii_lowercase().starts_with(begin));
        let named = format!("[picture: {}]", visible(inside));
        if is_web {
            let _infallible = write!(
                self.out,
                "<a class=\"link\" href=\"{}\" rel=\"noopener noreferrer nofollow\">{named}</a>",
                escaped(&address)
            );
        } else {
            let _infallible =
                write!(self.out, "<span class=\"mute\">{named} <code>{}</code></span>", visible(&address));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lists_tables_and_code_are_rendered_below_the_headings_of_the_page() {
        let text = "# A\n\n1. one\n2. **two**\n\n| a | b |\n|---|--:|\n| x | 1 |\n\n```sh\nls <x>\n```\n";
        assert_eq!(
            render(text, 3).0,
            "<h3>A</h3><ol><li>one</li><li><strong>two</strong></li></ol>\
             <div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"t\"><thead><tr><th scope=\"col\">a</th>\
             <th scope=\"col\" class=\"num\">b</th></tr></thead><tbody><tr><td>x</td><td class=\"num\">1</td></tr></tbody></table></div>\
             <pre class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"sh\"><code>ls &lt;x&gt;\n</code></pre>"
        );
    }

    #[test]
    fn raw_html_is_text_and_only_listed_addresses_are_links() {
        let made = render("<script>alert(1)</script>\n\na <b onclick=x>b</b> [c](javascript:alert(1)) [d](https://x.example/?a=1&b=2) [e](data:text/html,x)", 3).0;
        assert!(
            !made.contains("<script")
                && !made.contains("<b ")
                && !made.contains("href=\"javascript")
                && !made.contains("href=\"data"),
            "{made}"
        );
        assert!(made.contains("href=\"https://x.example/?a=1&amp;b=2\""), "{made}");
    }

    #[test]
    fn a_picture_is_named_and_never_loaded() {
        let made =
            render("![logo](https://x.example/a.png) ![](data:image/png;base64,xx) ![a `b` *c*](x.png)", 3).0;
        assert!(!made.contains("<img") && !made.contains("src="), "{made}");
        assert!(made.contains("[picture: logo]") && made.contains("[picture: a b c]"), "{made}");
    }

    #[test]
    fn invisible_and_turning_characters_are_shown_by_their_number() {
        assert_eq!(
            visible("a\u{202e}b\u{200b}"),
            "a<span class=\"inv\">U+202E</span>b<span class=\"inv\">U+200B</span>"
        );
        assert_eq!(visible("a\tb\n<"), "a\tb\n&lt;");
    }

    #[test]
    fn deep_and_unclosed_texts_end_with_every_element_closed() {
        for text in [
            ">".repeat(5_000) + " x",
            "* ".repeat(300) + "x",
            "[".repeat(3_000),
            "![![![x](a)](b)](c)".to_owned(),
        ] {
            let made = render(&text, 3).0;
            for name in ["blockquote", "ul", "li", "p"] {
                assert_eq!(
                    made.matches(&format!("<{name}>")).count(),
                    made.matches(&format!("</{name}>")).count(),
                    "{name} in {}",
                    &text[..20.min(text.len())]
                );
            }
        }
    }
}
