//! Reads entries of a tool list: `Read`, `Bash(git:*)`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A tool that a skill may use, with the pattern that narrows it. The pattern is kept as written:
/// without `(git:*)` the grant would cover every command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ToolGrant {
    /// Name of the tool, as written.
    pub name: String,
    /// The text inside the parentheses.
    pub pattern: Option<String>,
}

impl ToolGrant {
    /// Reads `Name` or `Name(pattern)`; returns `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (name, pattern) = match text.split_once('(') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(')')?)),
            None => (text, None),
        };
        let sound = !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | '*'));
        sound.then(|| Self { name: name.to_owned(), pattern: pattern.map(str::to_owned) })
    }

    /// The widest grant that a text could mean which cannot be read: the tool that it begins with, or every tool.
    pub fn widest(text: &str) -> Self {
        let name = text.trim().split_once('(').map(|(name, _)| name);
        name.and_then(Self::parse).unwrap_or(Self { name: "*".to_owned(), pattern: None })
    }

    /// Splits a list at spaces or commas outside parentheses.
    pub fn split(text: &str) -> Vec<&str> {
        let mut parts = Vec::new();
        let mut depth = 0usize;
        let mut start = 0;
        for (at, c) in text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                c if depth == 0 && (c == ',' || c.is_whitespace()) => {
                    parts.push(&text[start..at]);
                    start = at + c.len_utf8();
                }
                _ => {}
            }
        }
        parts.push(&text[start..]);
        parts.retain(|part| !part.trim().is_empty());
        parts
    }
}

impl fmt::Display for ToolGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Some(pattern) => write!(f, "{}({pattern})", self.name),
            None => f.write_str(&self.name),
        }
    }
}
