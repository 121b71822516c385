//! The pieces of a page. Never looks at a byte twice, and never fails: what is not a tag is text.

/// Bytes of one tag; what is longer is passed over.
const TAG: usize = 64 << 10;
/// Attributes of one tag.
const ATTRIBUTES: usize = 64;
/// Elements whose content is not markup.
const RAW: [&str; 7] = ["script", "style", "textarea", "title", "iframe", "noembed", "noframes"];

/// A piece of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    Open(Tag<'a>),
    /// By its name.
    Close(String),
}

/// A tag that opens an element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// In small letters.
    pub(super) name: String,
    attributes: Vec<(String, &'a str)>,
    /// Whether it closes itself.
    pub(super) closed: bool,
}

impl<'a> Tag<'a> {
    /// The value of an attribute, as it is written.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

/// The pieces of a page, in order.
pub(super) fn tokens(page: &str) -> Tokens<'_> {
    Tokens { rest: page, raw: None }
}

pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// The element whose content is not markup and follows now.
    raw: Option<String>,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if let Some(name) = self.raw.take() {
                let end = raw_end(self.rest, &name);
                let text = self.take(end);
                if !text.is_empty() {
                    return Some(Token::Text(text));
                }
                continue;
            }
            let Some(after) = self.rest.strip_prefix('<') else {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                return Some(Token::Text(self.take(end)));
            };
            match after.bytes().next() {
                _ if after.starts_with("!--") => {
                    let end = after[3..].find("-->").map_or(self.rest.len(), |end| 1 + 3 + end + 3);
                    self.take(end);
                }
                Some(b'!' | b'?') => {
                    let end = after.find('>').map_or(self.rest.len(), |end| end + 2);
                    self.take(end);
                }
                Some(b'/') if after.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) => {
                    let end = after.find('>').map_or(self.rest.len(), |end| end + 2);
                    let inner = self.take(end);
                    return Some(Token::Close(name(&inner[2..])));
                }
                Some(byte) if byte.is_ascii_alphabetic() => {
                    let inner = self.take(tag_end(self.rest));
                    let tag = tag(inner);
                    if !tag.closed && RAW.contains(&tag.name.as_str()) {
                        self.raw = Some(tag.name.clone());
                    }
                    return Some(Token::Open(tag));
                }
                _ => return Some(Token::Text(self.take(1))),
            }
        }
    }
}

impl<'a> Tokens<'a> {
    fn take(&mut self, end: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(self.rest.floor_char_boundary(end));
        self.rest = rest;
        taken
    }
}

fn name(text: &str) -> String {
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(text.len());
    text[..end.min(text.floor_char_boundary(64))].to_ascii_lowercase()
}

/// Where a tag ends, its `>` included. Quotes hide a `>`.
fn tag_end(text: &str) -> usize {
    let mut quote = None;
    let mut before = b' ';
    for (at, byte) in text.bytes().enumerate().take(TAG) {
        match quote {
            Some(open) if byte == open => quote = None,
            None if byte == b'>' => return at + 1,
            None if matches!(byte, b'"' | b'\'') && before == b'=' => quote = Some(byte),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    text.len().min(TAG)
}

/// Reads `<name a="b" …>`.
fn tag(text: &str) -> Tag<'_> {
    let inner = text.strip_prefix('<').unwrap_or(text);
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    let name = name(inner);
    let closed = inner.ends_with('/');
    let mut rest = inner.get(name.len()..).unwrap_or_default();
    let mut attributes = Vec::new();
    while attributes.len() < ATTRIBUTES {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() {
            break;
        }
        let end = rest.char_indices().skip(1).find(|(_, c)| c.is_whitespace() || matches!(c, '=' | '/'));
        let (key, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        let after = after.trim_start();
        let (value, left) = match after.strip_prefix('=').map(str::trim_start) {
            None => ("", after),
            Some(after) => match after.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let inside = &after[1..];
                    inside.split_once(quote).unwrap_or((inside, ""))
                }
                _ => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
            },
        };
        attributes.push((key.to_ascii_lowercase(), value));
        rest = left;
    }
    Tag { name, attributes, closed }
}

/// Where the content of a raw element ends: before its closing tag.
fn raw_end(text: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let start = from + at;
        let after = &text.as_bytes()[start + 2..];
        if after.len() >= name.len() && after[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return start;
        }
        from = start + 2;
    }
    text.len()
}
