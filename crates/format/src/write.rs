//! Writing a header canonically: known fields in a fixed order, spellings of the specification,
//! unknown keys kept, and no value that a simple parser would stumble over.
//!
//! The reference parser cuts a file at the first two `---` it finds anywhere, so three hyphens
//! inside a value are written as an escape.

use crate::{
    document::Document,
    field::{FIELDS, Field, field},
    manifest::{Manifest, ToolGrant},
    repair::quoted,
    yaml::{Data, Key, Node},
};

/// The header of a document in canonical form, fences included. Comments before a top-level key
/// stay with it.
pub fn header(text: &str, document: &Document) -> String {
    let comments = Comments::of(text, document);
    let mut pairs: Vec<(usize, &Key, &Node)> = document
        .keys
        .iter()
        .enumerate()
        .map(|(at, (key, node))| (order(&key.text).unwrap_or(FIELDS.len() + at), key, node))
        .collect();
    pairs.sort_by_key(|(order, _, _)| *order);
    let mut out = String::from("---\n");
    for (_, key, node) in pairs {
        for comment in comments.before(key) {
            out.push_str(comment);
            out.push('\n');
        }
        let (name, data) = canonical(&key.text, &node.to_data());
        pair(&mut out, 0, &name, &data);
    }
    for comment in &comments.last {
        out.push_str(comment);
        out.push('\n');
    }
    out.push_str("---\n");
    out
}

/// A whole file in canonical form: its header rewritten, its body as it was.
pub fn document(text: &str, document: &Document) -> String {
    let body = text[document.body.clone()].trim_start_matches(['\n', '\r']);
    let header = header(text, document);
    if body.is_empty() { header } else { format!("{header}\n{body}") }
}

/// A header for a manifest that has no text yet.
pub fn manifest(manifest: &Manifest) -> String {
    let mut out = String::from("---\n");
    let mut text = |name: &str, value: &Option<String>| {
        if let Some(value) = value {
            pair(&mut out, 0, name, &Data::Text(value.clone()));
        }
    };
    text("name", &manifest.name);
    text("description", &manifest.description);
    text("when_to_use", &manifest.when_to_use);
    text("license", &manifest.license);
    text("compatibility", &manifest.compatibility);
    if let Some(tools) = &manifest.allowed_tools {
        pair(&mut out, 0, "allowed-tools", &Data::Text(join(tools)));
    }
    if !manifest.metadata.is_empty() {
        pair(&mut out, 0, "metadata", &Data::Map(manifest.metadata.clone()));
    }
    for (key, value) in &manifest.extra {
        pair(&mut out, 0, key, value);
    }
    out.push_str("---\n");
    out
}

fn order(key: &str) -> Option<usize> {
    FIELDS.iter().position(|field| field.is_spelled(key))
}

fn join(tools: &[ToolGrant]) -> String {
    tools.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The canonical spelling of a key and form of its value.
fn canonical(key: &str, data: &Data) -> (String, Data) {
    let Some(Field { name, .. }) = field(key) else { return (key.to_owned(), data.clone()) };
    let data = match (*name, data) {
        ("allowed-tools" | "disallowed-tools", Data::List(items)) => {
            let words: Option<Vec<String>> = items
                .iter()
                .map(|item| match item {
                    Data::Text(text) => ToolGrant::parse(text).map(|grant| grant.to_string()),
                    _ => None,
                })
                .collect();
            words.map_or_else(|| data.clone(), |words| Data::Text(words.join(" ")))
        }
        ("allowed-tools" | "disallowed-tools", Data::Text(text)) => {
            let parts = ToolGrant::split(text);
            Data::Text(parts.join(" "))
        }
        ("context", Data::Bool(true)) => Data::Text("fork".to_owned()),
        _ => data.clone(),
    };
    // `context_fork: false` says nothing that `context: fork` could say.
    let name = if *name == "context" && data == Data::Bool(false) { "context_fork" } else { name };
    (name.to_owned(), data)
}

fn pair(out: &mut String, indent: usize, key: &str, data: &Data) {
    out.extend(std::iter::repeat_n(' ', indent));
    out.push_str(&scalar_key(key));
    out.push(':');
    value(out, indent, data);
}

/// A value after `key:` or `-`, with its line end.
fn value(out: &mut String, indent: usize, data: &Data) {
    match data {
        Data::Map(pairs) if !pairs.is_empty() => {
            out.push('\n');
            for (key, data) in pairs {
                pair(out, indent + 2, key, data);
            }
        }
        Data::List(items) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                out.extend(std::iter::repeat_n(' ', indent + 2));
                out.push('-');
                item_value(out, indent + 2, item);
            }
        }
        _ => {
            let text = scalar(data);
            if !text.is_empty() {
                out.push(' ');
            }
            out.push_str(&text);
            out.push('\n');
        }
    }
}

/// A value after a list dash: a mapping starts on the dash's line.
fn item_value(out: &mut String, indent: usize, data: &Data) {
    match data {
        Data::Map(pairs) if !pairs.is_empty() => {
            for (at, (key, data)) in pairs.iter().enumerate() {
                if at == 0 {
                    out.push(' ');
                    out.push_str(&scalar_key(key));
                    out.push(':');
                    value(out, indent + 2, data);
                } else {
                    pair(out, indent + 2, key, data);
                }
            }
        }
        _ => value(out, indent, data),
    }
}

fn scalar_key(key: &str) -> String {
    if is_plain(key) { key.to_owned() } else { safe_quoted(key) }
}

fn scalar(data: &Data) -> String {
    match data {
        Data::Null => String::new(),
        Data::Bool(flag) => flag.to_string(),
        Data::Number(number) => number.clone(),
        Data::Text(text) if is_plain(text) => text.clone(),
        Data::Text(text) => safe_quoted(text),
        Data::List(_) => "[]".to_owned(),
        Data::Map(_) => "{}".to_owned(),
    }
}

fn safe_quoted(text: &str) -> String {
    quoted(text).replace("---", "\\x2D--")
}

/// Whether a text means itself when written without quotes, to every YAML reader and to the
/// line-oriented ones too.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let last = text.chars().next_back().unwrap_or(first);
    let reserved_word = matches!(
        text.to_ascii_lowercase().as_str(),
        "true"
            | "false"
            | "null"
            | "yes"
            | "no"
            | "on"
            | "off"
            | "y"
            | "n"
            | "~"
            | ".nan"
            | ".inf"
            | "-.inf"
            | "+.inf"
    );
    (first.is_alphabetic() || first == '_')
        && !last.is_whitespace()
        && !reserved_word
        && !text.contains(": ")
        && last != ':'
        && !text.contains(" #")
        && !text.contains("---")
        && !text.chars().any(|c| c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}'))
}

/// Comment lines of the header, each kept with the top-level key that follows it.
struct Comments<'a> {
    before: Vec<(u32, Vec<&'a str>)>,
    last: Vec<&'a str>,
}

impl<'a> Comments<'a> {
    fn of(text: &'a str, document: &Document) -> Self {
        let mut before = Vec::new();
        let mut pending = Vec::new();
        let starts: Vec<u32> = document.keys.iter().map(|(key, _)| key.span.start).collect();
        if let Some(header) = &document.header {
            for line in crate::source::lines(&text[..header.end], header.start) {
                let content = text[line.start..line.end].trim_end();
                if content.starts_with('#') {
                    pending.push(content);
                } else if let Some(start) = starts.iter().find(|start| **start as usize == line.start)
                    && !pending.is_empty()
                {
                    before.push((*start, std::mem::take(&mut pending)));
                }
            }
        }
        Self { before, last: pending }
    }

    fn before(&self, key: &Key) -> impl Iterator<Item = &'a str> {
        let found = self.before.iter().find(|(start, _)| *start == key.span.start);
        found.map(|(_, lines)| lines.as_slice()).unwrap_or_default().iter().copied()
    }
}
