//! YAML as a tree with a position for every key and value. Only this module uses the YAML parser.
//!
//! The parser's events are read in one pass with our own limits: deep, large, anchored, tagged and
//! merged documents are refused with a diagnostic before they cost time or memory. Keys keep their
//! order and their duplicates, because the emulation of an agent may need both.

mod quote;
mod reader;
mod scalar;
mod simple;
#[cfg(test)]
mod tests;

pub(crate) use quote::{needs_escape, push_escaped, quoted};
pub use reader::Yaml;
pub(crate) use reader::{Counted, Origin, PartOf, comments, parse};
pub(crate) use scalar::is_number;

use crate::diagnostic::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum nesting depth of the frontmatter.
pub const MAX_DEPTH: usize = 32;
/// Maximum number of keys and values in the frontmatter.
pub const MAX_NODES: usize = 4_096;

/// A value and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The position in the file; for a list or mapping, its start.
    pub span: Span,
    /// The value.
    pub value: Value,
}

/// A YAML value. Numbers keep their spelling, so that `1.10` stays `1.10`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Empty, `~` or `null`.
    Null,
    /// `true` or `false`; `yes` and `on` are text here.
    Bool(bool),
    /// A plain number as written.
    Number(String),
    /// Any other single value.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order of the file.
    Map(Vec<(Key, Node)>),
}

/// A key and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The text of the key.
    pub text: String,
    /// The position in the file.
    pub span: Span,
}

/// A value without positions, used for keys that Skillful does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Data {
    /// Empty or null.
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
    /// The value without its positions.
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

    /// A single value as text: text itself, or a number or boolean as written.
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

    /// The value of a key; the last one when the key appears twice.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.pairs()?.iter().rev().find(|(k, _)| k.text == key).map(|(_, v)| v)
    }

    /// The kind of this value, in words for a message.
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

    /// Converts JSON to the same kind of value.
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

    /// Converts the value to JSON; numbers that JSON cannot represent become text.
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

/// Reads a YAML text that is a complete file; positions are positions in `text`.
pub fn parse_document(text: &str) -> Yaml {
    parse(text, &mut PartOf { offset: 0, lines: 0 })
}
