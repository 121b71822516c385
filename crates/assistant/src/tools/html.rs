//! Converts a page to text in one pass: headings, links, lists and code stay, other markup is removed.
//!
//! Not `html2text`: its tree takes quadratic time over nested elements (64 KiB of `<div>`: 3 s, 128 KiB: 12 s), it
//! fails on deep lists, and it neither resolves links nor writes them where they stand.

mod entity;
mod token;

use entity::decode;
use token::{Tag, Token, tokens};
use url::Url;

/// Most bytes of text of a page.
const TEXT: usize = 1 << 20;
/// Most levels of nested lists.
const LISTS: usize = 8;
/// Most bytes of an address in a link.
const LINK: usize = 500;

/// Block elements.
const BLOCKS: [&str; 28] = [
    "address",
    "article",
    "aside",
    "body",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hgroup",
    "html",
    "main",
    "nav",
    "p",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "thead",
    "tfoot",
];
/// Elements whose content is skipped.
const UNREAD: [&str; 14] = [
    "script", "style", "template", "svg", "iframe", "object", "canvas", "audio", "video", "math", "noembed",
    "noframes", "select", "datalist",
];

/// The text of a page. Relative addresses are resolved against the address of the page.
pub(super) fn text(page: &str, address: &Url) -> String {
    let mut writer = Writer { address: Some(address), ..Writer::default() };
    for token in tokens(page) {
        if writer.out.len() > TEXT {
            break;
        }
        match token {
            Token::Text(text) => writer.text(text),
            Token::Open(tag) => writer.open(&tag),
            Token::Close(name) => writer.close(&name),
        }
    }
    writer.finish()
}

#[derive(Default)]
struct Writer<'a> {
    address: Option<&'a Url>,
    out: String,
    /// The skipped element, and how deep it is nested in itself.
    unread: Option<(String, usize)>,
    title: Option<String>,
    in_title: bool,
    /// Open lists: the next number, for numbered lists.
    lists: Vec<Option<usize>>,
    pre: bool,
    /// Where the open link begins, and where it leads.
    link: Option<(usize, String)>,
    quotes: usize,
}

impl Writer<'_> {
    fn text(&mut self, raw: &str) {
        if self.unread.is_some() {
            return;
        }
        let text = decode(raw);
        if self.in_title {
            self.title.get_or_insert_default().push_str(&text);
            return;
        }
        if self.pre {
            self.out.push_str(&text);
            return;
        }
        for (at, word) in text.split(|c: char| c.is_whitespace()).enumerate() {
            if at > 0 && !self.out.is_empty() && !self.out.ends_with(char::is_whitespace) {
                self.out.push(' ');
            }
            self.out.push_str(word);
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        if let Some((unread, depth)) = &mut self.unread {
            *depth += usize::from(unread == name && !tag.closed);
            return;
        }
        match name {
            _ if UNREAD.contains(&name) => {
                self.unread = (!tag.closed).then(|| (name.to_owned(), 1));
            }
            "title" => self.in_title = self.title.is_none(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block();
                let level = usize::from(name.as_bytes()[1] - b'0');
                self.out.push_str(&"#".repeat(level));
                self.out.push(' ');
            }
            "br" | "tr" => self.line(),
            "hr" => {
                self.block();
                self.out.push_str("---");
                self.block();
            }
            "ul" | "ol" | "menu" => {
                if self.lists.is_empty() {
                    self.block();
                }
                if self.lists.len() < LISTS {
                    self.lists.push((name == "ol").then_some(1));
                }
            }
            "li" => {
                self.line();
                self.out.push_str(&"  ".repeat(self.lists.len().saturating_sub(1)));
                match self.lists.last_mut() {
                    Some(Some(number)) => {
                        self.out.push_str(&format!("{number}. "));
                        *number += 1;
                    }
                    _ => self.out.push_str("- "),
                }
            }
            "pre" => {
                self.block();
                self.out.push_str("```\n");
                self.pre = true;
            }
            "code" | "kbd" | "samp" if !self.pre => self.out.push('`'),
            "blockquote" => {
                self.block();
                self.quotes += 1;
                self.out.push_str("> ");
            }
            "td" | "th" => self.out.push_str("| "),
            "img" => {
                if let Some(alt) = tag.attribute("alt").filter(|alt| !alt.trim().is_empty()) {
                    self.text(&format!(" [image: {alt}] "));
                }
            }
            "a" => {
                self.close_link();
                if let Some(target) = tag.attribute("href").and_then(|href| self.whole(&decode(href))) {
                    self.link = Some((self.out.len(), target));
                }
            }
            _ if BLOCKS.contains(&name) => self.block(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if let Some((unread, depth)) = &mut self.unread {
            if unread == name {
                *depth -= 1;
                if *depth == 0 {
                    self.unread = None;
                }
            }
            return;
        }
        match name {
            "title" => self.in_title = false,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.block(),
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.block();
                }
            }
            "pre" if self.pre => {
                self.pre = false;
                if !self.out.ends_with('\n') {
                    self.out.push('\n');
                }
                self.out.push_str("```");
                self.block();
            }
            "code" | "kbd" | "samp" if !self.pre => self.out.push('`'),
            "blockquote" => {
                self.quotes = self.quotes.saturating_sub(1);
                self.block();
            }
            "td" | "th" => self.text(" "),
            "a" => self.close_link(),
            _ if BLOCKS.contains(&name) => self.block(),
            _ => {}
        }
    }

    fn close_link(&mut self) {
        let Some((from, target)) = self.link.take() else { return };
        // Text that was trimmed after the link began also removed its beginning.
        let Some(words) = self.out.get(from..) else { return };
        let words = words.trim().to_owned();
        if words.is_empty() || words == target {
            return;
        }
        let blank = self.out[from..].starts_with(char::is_whitespace);
        self.out.truncate(from);
        self.out.push_str(if blank { " " } else { "" });
        self.out.push_str(&format!("[{words}]({target})"));
    }

    /// The absolute address of a link; `None` for links within the page.
    fn whole(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') {
            return None;
        }
        let whole = self.address?.join(href).ok()?;
        let target = String::from(whole);
        (target.len() <= LINK && (target.starts_with("http") || target.starts_with("mailto:")))
            .then_some(target)
    }

    fn trim(&mut self) {
        let end = self.out.trim_end_matches([' ', '\t']).len();
        self.out.truncate(end);
    }

    /// A new line.
    fn line(&mut self) {
        self.trim();
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// A new paragraph.
    fn block(&mut self) {
        if self.pre {
            return;
        }
        self.line();
        // Text after a list or quotation mark stays on its line.
        let last = self.out.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default().trim();
        let mark =
            matches!(last, "-" | ">") || last.strip_suffix('.').is_some_and(|n| n.parse::<usize>().is_ok());
        if mark && !self.out.is_empty() {
            self.out.truncate(self.out.trim_end_matches('\n').len());
            self.out.push(' ');
        } else if self.lists.is_empty() && !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        if self.quotes > 0 && self.out.ends_with('\n') {
            self.out.push_str("> ");
        }
    }

    fn finish(mut self) -> String {
        self.close_link();
        if self.pre {
            self.out.push_str("\n```");
        }
        let body = self.out.trim();
        let title = self.title.unwrap_or_default();
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let repeated = body.lines().next().is_some_and(|first| first.trim_start_matches('#').trim() == title);
        if title.is_empty() || repeated { body.to_owned() } else { format!("{title}\n\n{body}") }
    }
}

#[cfg(test)]
mod tests;
