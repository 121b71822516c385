//! YAML as a tree with a place for every key and value; the only module that names the parser.
//!
//! Events are read in one pass with our own small budget: deep, large, anchored, tagged and merged
//! documents are refused with a diagnostic before they can cost anything. Keys keep their order
//! and their duplicates, because emulating another host may need both.

use crate::diagnostic::{Code, Diagnostic, Span};
use granit_parser::{Event, Parser, ScalarStyle};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Deepest nesting of a header.
pub const MAX_DEPTH: usize = 32;
/// Most keys and values in a header.
pub const MAX_NODES: usize = 4_096;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its place in the file; a container's is where it starts.
    pub span: Span,
    /// What it is.
    pub value: Value,
}

/// What a YAML value is. Numbers keep their spelling, so that `1.10` stays `1.10`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`; `yes` and `on` are text here.
    Bool(bool),
    /// A plain number as written.
    Number(String),
    /// Anything else that is one value.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order of the file.
    Map(Vec<(Key, Node)>),
}

/// A key and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A value without places: what is kept of keys that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Data {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number as written.
    Number(String),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// A mapping in order.
    Map(Vec<(String, Self)>),
}

impl Node {
    /// The value without its places.
    pub fn to_data(&self) -> Data {
        match &self.value {
            Value::Null => Data::Null,
            Value::Bool(b) => Data::Bool(*b),
            Value::Number(n) => Data::Number(n.clone()),
            Value::Text(t) => Data::Text(t.clone()),
            Value::List(items) => Data::List(items.iter().map(Self::to_data).collect()),
            Value::Map(pairs) => {
                Data::Map(pairs.iter().map(|(k, v)| (k.text.clone(), v.to_data())).collect())
            }
        }
    }

    /// A single value as text: text itself, a number or a boolean as written.
    pub fn scalar(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) | Value::Number(text) => Some(text),
            Value::Bool(true) => Some("true"),
            Value::Bool(false) => Some("false"),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The pairs of a mapping.
    pub fn pairs(&self) -> Option<&[(Key, Self)]> {
        match &self.value {
            Value::Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The value of a key, the last one when it stands twice.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.pairs()?.iter().rev().find(|(k, _)| k.text == key).map(|(_, v)| v)
    }

    /// What kind of value this is, for a message.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}

impl Data {
    /// The value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(pairs) => pairs.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// JSON as the same kind of value.
    pub fn from_json(json: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match json {
            Json::Null => Self::Null,
            Json::Bool(b) => Self::Bool(*b),
            Json::Number(n) => Self::Number(n.to_string()),
            Json::String(s) => Self::Text(s.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from_json).collect()),
            Json::Object(map) => {
                Self::Map(map.iter().map(|(k, v)| (k.clone(), Self::from_json(v))).collect())
            }
        }
    }

    /// The same value as JSON; numbers that JSON cannot hold become text.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Self::Null => Json::Null,
            Self::Bool(b) => Json::Bool(*b),
            Self::Number(n) => serde_json::from_str(n).unwrap_or_else(|_| Json::String(n.clone())),
            Self::Text(t) => Json::String(t.clone()),
            Self::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Self::Map(pairs) => Json::Object(pairs.iter().map(|(k, v)| (k.clone(), v.to_json())).collect()),
        }
    }
}

/// What became of a YAML text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Yaml {
    /// The tree, when the syntax holds and no limit was reached.
    pub root: Option<Node>,
    /// Whether the text as such is not YAML, as against YAML that we refuse. Only syntax is worth
    /// repairing.
    pub syntax_failed: bool,
    /// Everything wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Turns a place in the YAML text into a place in the file it was taken from.
pub(crate) trait Origin {
    /// `range` is in bytes, `line` counts from 1 and `column` from 0, as the parser saw them.
    fn place(&self, range: Range<usize>, line: usize, column: usize) -> Span;
}

/// YAML that is a file of its own, or a part of one that starts on a new line.
pub(crate) struct PartOf {
    /// Bytes before the part.
    pub(crate) offset: usize,
    /// Lines before the part.
    pub(crate) lines: usize,
}

impl Origin for PartOf {
    fn place(&self, range: Range<usize>, line: usize, column: usize) -> Span {
        let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Span {
            start: small(range.start + self.offset),
            end: small(range.end + self.offset),
            line: small(line + self.lines),
            column: small(column + 1),
        }
    }
}

/// Reads one YAML document.
pub(crate) fn parse(text: &str, origin: &dyn Origin) -> Yaml {
    let mut reader = Reader { text, origin, nodes: 0, diagnostics: Vec::new() };
    match reader.document() {
        Ok(root) => {
            let diagnostics = reader.diagnostics;
            // A tree with refused parts is no tree: half a header would open gates.
            let refused = diagnostics.iter().any(|d| d.code != Code::YamlDuplicateKey);
            Yaml { root: if refused { None } else { root }, syntax_failed: false, diagnostics }
        }
        Err(Stop::Refused(diagnostic)) => {
            reader.diagnostics.push(*diagnostic);
            Yaml { root: None, syntax_failed: false, diagnostics: reader.diagnostics }
        }
        Err(Stop::Syntax(diagnostic)) => {
            Yaml { root: None, syntax_failed: true, diagnostics: vec![*diagnostic] }
        }
    }
}

enum Stop {
    Syntax(Box<Diagnostic>),
    Refused(Box<Diagnostic>),
}

struct Reader<'a> {
    text: &'a str,
    origin: &'a dyn Origin,
    nodes: usize,
    diagnostics: Vec<Diagnostic>,
}

/// A container that is not closed yet.
enum Open {
    List(Span, Vec<Node>),
    Map { span: Span, pairs: Vec<(Key, Node)>, key: Option<Key> },
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Option<Node>, Stop> {
        let mut open: Vec<Open> = Vec::new();
        let mut root: Option<Node> = None;
        let mut documents = 0;
        for event in Parser::new_from_str(self.text) {
            let (event, at) = event.map_err(|error| self.syntax(&error))?;
            let at = self.place(&at);
            let finished = match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(refuse(Code::YamlDocuments, at, "the header holds a second document"));
                    }
                    continue;
                }
                Event::Alias(_) => {
                    return Err(refuse(Code::YamlAnchor, at, "an alias (`*name`) is not allowed here"));
                }
                Event::Scalar(text, style, anchor, ref tag) => {
                    self.admit(at, anchor, tag.is_some(), open.len())?;
                    let value = scalar(&text, style);
                    Node { span: at, value }
                }
                Event::SequenceStart(_, anchor, ref tag) => {
                    self.admit(at, anchor, tag.is_some(), open.len())?;
                    open.push(Open::List(at, Vec::new()));
                    continue;
                }
                Event::MappingStart(_, anchor, ref tag) => {
                    self.admit(at, anchor, tag.is_some(), open.len())?;
                    open.push(Open::Map { span: at, pairs: Vec::new(), key: None });
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                    Some(Open::List(span, items)) => Node { span, value: Value::List(items) },
                    Some(Open::Map { span, pairs, .. }) => Node { span, value: Value::Map(pairs) },
                    None => continue,
                },
                _ => continue,
            };
            match open.last_mut() {
                None => root = Some(finished),
                Some(Open::List(_, items)) => items.push(finished),
                Some(Open::Map { pairs, key, .. }) => match key.take() {
                    Some(key) => pairs.push((key, finished)),
                    None => {
                        let new = Self::key(&mut self.diagnostics, finished);
                        if pairs.iter().any(|(known, _)| known.text == new.text) {
                            self.diagnostics.push(
                                Diagnostic::new(
                                    Code::YamlDuplicateKey,
                                    format!("the key `{}` stands here a second time", new.text),
                                )
                                .at(new.span)
                                .help("keep one of the two; agents disagree about which one counts"),
                            );
                        }
                        *key = Some(new);
                    }
                },
            }
        }
        Ok(root)
    }

    fn key(diagnostics: &mut Vec<Diagnostic>, node: Node) -> Key {
        let span = node.span;
        let text = match node.scalar() {
            Some(text) => text.to_owned(),
            None => {
                diagnostics.push(
                    Diagnostic::new(Code::KeyNotText, format!("a key is {} instead of text", node.kind()))
                        .at(span)
                        .help("write the key as plain text followed by a colon"),
                );
                String::new()
            }
        };
        if text == "<<" {
            diagnostics.push(
                Diagnostic::new(Code::YamlMergeKey, "a merge key (`<<`) is not allowed here")
                    .at(span)
                    .help("write the keys out"),
            );
        }
        Key { text, span }
    }

    fn admit(&mut self, at: Span, anchor: usize, tagged: bool, depth: usize) -> Result<(), Stop> {
        self.nodes += 1;
        if anchor != 0 {
            return Err(refuse(Code::YamlAnchor, at, "an anchor (`&name`) is not allowed here"));
        }
        if tagged {
            return Err(refuse(Code::YamlTag, at, "a tag (`!name`) is not allowed here"));
        }
        if depth >= MAX_DEPTH {
            let message = format!("the header is nested deeper than {MAX_DEPTH} levels");
            return Err(refuse(Code::YamlTooDeep, at, &message));
        }
        if self.nodes > MAX_NODES {
            let message = format!("the header has more than {MAX_NODES} keys and values");
            return Err(refuse(Code::YamlTooLarge, at, &message));
        }
        Ok(())
    }

    fn place(&self, at: &granit_parser::Span) -> Span {
        let range = at.start.byte_offset().unwrap_or(0)..at.end.byte_offset().unwrap_or(0);
        self.origin.place(range, at.start.line(), at.start.col())
    }

    fn syntax(&self, error: &granit_parser::ScanError) -> Stop {
        let at = error.marker().byte_offset().unwrap_or(self.text.len()).min(self.text.len());
        let end = self.text[at..].find(['\n', '\r']).map_or(self.text.len(), |length| at + length);
        let diagnostic = Diagnostic::new(Code::YamlSyntax, format!("this is not YAML: {}", error.info()))
            .at(self.origin.place(at..end, error.marker().line(), error.marker().col()));
        Stop::Syntax(Box::new(diagnostic))
    }
}

fn refuse(code: Code, at: Span, message: &str) -> Stop {
    Stop::Refused(Box::new(Diagnostic::new(code, message).at(at)))
}

/// YAML 1.2's core rules, as far as a header needs them.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if !matches!(style, ScalarStyle::Plain) {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number(text) => Value::Number(text.to_owned()),
        _ => Value::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let bytes = digits.as_bytes();
    match bytes.first() {
        Some(b'0') if bytes.len() > 2 && matches!(bytes[1], b'x' | b'o') => {
            let radix = if bytes[1] == b'x' { 16 } else { 8 };
            digits[2..].chars().all(|c| c.is_digit(radix))
        }
        Some(b'0'..=b'9') => {
            let mut seen_dot = false;
            let mut seen_exponent = false;
            let mut last = b'0';
            for &byte in bytes {
                match byte {
                    b'0'..=b'9' => {}
                    b'.' if !seen_dot && !seen_exponent => seen_dot = true,
                    b'e' | b'E' if !seen_exponent => seen_exponent = true,
                    b'-' | b'+' if matches!(last, b'e' | b'E') => {}
                    _ => return false,
                }
                last = byte;
            }
            last.is_ascii_digit() || (last == b'.' && !seen_exponent)
        }
        _ => false,
    }
}
