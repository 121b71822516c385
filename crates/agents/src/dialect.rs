//! Reads YAML as an agent does, on top of Skillful's own reader, which is stricter than most.
//!
//! Constructs that our reader refuses and the agent accepts (anchors, tags, merge keys, complex
//! keys) are overwritten with spaces, and the text is read again. All positions stay the same, and
//! the limits of our reader bound the cost of hostile frontmatter.

mod overwrite;
mod quotes;
#[cfg(test)]
mod tests;

use super::typing;
use skillful_format::yaml::{self, Node, Value as Yaml};
use skillful_profiles::{
    Controls, DuplicateKeys, FrontmatterRule, LineEnds, MergeKeys, Numbers, QuotedSpaces, Shape, Surrogates,
    Tabs, Typing,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// Frontmatter as the agent reads it.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    text: Cow<'a, str>,
    root: Option<Node>,
    /// Nodes whose tag makes them text (`true`) or not text (`false`), by their start offset.
    tagged: BTreeMap<usize, bool>,
    anchors: BTreeMap<String, usize>,
    aliases: BTreeMap<usize, String>,
    /// Offsets of merge keys.
    merges: BTreeSet<usize>,
}

/// Why the frontmatter cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Line number, counted from the first line of the frontmatter.
    pub(super) line: Option<u32>,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// Whether the limit is ours and not the agent's.
    pub(super) our_bound: bool,
}

/// The value of a field as the agent reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The key is missing.
    Missing,
    /// The key has no value.
    Null,
    /// Text.
    Text(String),
    /// A number, a boolean or a date, as written.
    Scalar(String),
    /// A list or a mapping.
    Other(&'static str),
}

/// Reads the frontmatter. `fields` are the keys that the agent uses.
pub(super) fn read<'a>(text: &'a str, rule: &FrontmatterRule, fields: &[String]) -> Result<Tree<'a>, Fault> {
    let text: Cow<'a, str> = match rule.line_ends {
        LineEnds::Unicode if text.contains(['\u{85}', '\u{2028}', '\u{2029}']) => {
            text.replace(['\u{85}', '\u{2028}', '\u{2029}'], "\n").into()
        }
        _ => text.into(),
    };
    let is_control = |c: char| c.is_control() && !matches!(c, '\0' | '\t' | '\n' | '\r' | '\u{85}');
    let text = match rule.controls {
        Controls::Accept if text.contains(is_control) => text.replace(is_control, " ").into(),
        _ => text,
    };
    let text = match rule.quoted_spaces {
        QuotedSpaces::Keep => quotes::mark_spaces(text),
        QuotedSpaces::Fold => text,
    };
    let mut tree = match Tree::read_accepting(text.clone(), rule) {
        Err(fault) if rule.tabs == Tabs::Accept => match untabbed(&text) {
            Some(blank) => Tree::read_accepting(blank.into(), rule).map_err(|_| fault)?,
            None => return Err(fault),
        },
        result => result?,
    };
    tree.check_duplicates(rule.duplicate_keys, fields)?;
    if rule.surrogates == Surrogates::Refuse {
        tree.check_surrogates()?;
    }
    if rule.merge_keys == MergeKeys::Apply {
        tree.check_merges()?;
    } else {
        tree.merges.clear();
    }
    tree.check_shapes(&rule.shapes)?;
    Ok(tree)
}

/// The text with each indentation ending at its first tab; `None` when the text has no tabs, or
/// when the first key has one and so is not aligned with the others.
fn untabbed(text: &str) -> Option<String> {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
    if first.trim_start_matches(' ').starts_with('\t') {
        return None;
    }
    let blank = |line: &str| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        format!("{}{}", &line[..blanks], line[blanks..].trim_start_matches([' ', '\t']))
    };
    let lines: Vec<String> = text.split('\n').map(blank).collect();
    Some(lines.join("\n")).filter(|blank| blank != text)
}

impl Tree<'_> {
    /// Checks that merged values are mappings, or lists of mappings.
    fn check_merges(&self) -> Result<(), Fault> {
        let top = self.root.as_ref().and_then(Node::pairs).unwrap_or_default();
        for (key, node) in top.iter().filter(|(key, _)| self.merges.contains(&(key.span.start as usize))) {
            let node = self.resolved(node);
            let fits = match &node.value {
                Yaml::Map(_) => true,
                Yaml::List(items) => {
                    items.iter().all(|item| matches!(self.resolved(item).value, Yaml::Map(_)))
                }
                _ => false,
            };
            if !fits {
                let message = "the value of `<<` is not a mapping".to_owned();
                return Err(Fault { line: Some(key.span.line), message, help: None, our_bound: false });
            }
        }
        Ok(())
    }

    fn check_surrogates(&self) -> Result<(), Fault> {
        let escapes = |node: &&Node| self.written(node).is_some_and(quotes::has_surrogate);
        match self.root.as_ref().and_then(|root| nodes(root).into_iter().find(escapes)) {
            None => Ok(()),
            Some(node) => Err(Fault {
                line: Some(node.span.line),
                message: "an escape such as `\\ud83c` is half a character".to_owned(),
                help: Some("write the character itself".to_owned()),
                our_bound: false,
            }),
        }
    }

    /// A node as written in the text.
    fn written(&self, node: &Node) -> Option<&str> {
        self.text.get(node.span.start as usize..node.span.end as usize)
    }

    fn check_duplicates(&self, rule: DuplicateKeys, fields: &[String]) -> Result<(), Fault> {
        let twice = self.root.as_ref().and_then(|root| match rule {
            DuplicateKeys::Last => None,
            DuplicateKeys::Refuse => nodes(root).into_iter().find_map(|node| repeated(node).next()),
            DuplicateKeys::RefuseRead => repeated(root).find(|key| fields.contains(&key.text)),
        });
        match twice {
            None => Ok(()),
            Some(key) => Err(Fault {
                line: Some(key.span.line),
                message: format!("the key `{}` appears a second time here", key.text),
                help: Some("keep one of the two".to_owned()),
                our_bound: false,
            }),
        }
    }

    /// Checks that values have the types that the agent requires.
    pub(super) fn check_shapes(&self, shapes: &BTreeMap<String, Shape>) -> Result<(), Fault> {
        for (key, shape) in shapes {
            let Some(node) = self.at(key) else { continue };
            let fits = match (&node.value, shape) {
                (Yaml::Null, _)
                | (Yaml::Map(_), Shape::Map)
                | (Yaml::List(_), Shape::List)
                | (Yaml::Text(_), Shape::Text)
                | (Yaml::Bool(_), Shape::Boolean) => true,
                (_, Shape::Scalar) => node.scalar().is_some(),
                _ => false,
            };
            if !fits {
                let message = format!("`{key}` is {}", node.kind());
                return Err(Fault { line: Some(node.span.line), message, help: None, our_bound: false });
            }
        }
        Ok(())
    }

    /// Whether the frontmatter is a mapping of keys to values; empty frontmatter counts as one.
    pub(super) fn is_map(&self) -> bool {
        self.root.as_ref().is_none_or(|root| matches!(root.value, Yaml::Map(_) | Yaml::Null))
    }

    /// The whole value; aliases are missing in it.
    pub(super) fn to_json(&self) -> serde_json::Value {
        let empty = || serde_json::Value::Object(serde_json::Map::new());
        self.root.as_ref().map_or_else(empty, |root| root.to_data().to_json())
    }

    /// The node of a dotted key, with aliases resolved.
    pub(super) fn at(&self, key: &str) -> Option<&Node> {
        key.split('.').try_fold(self.root.as_ref()?, |node, part| Some(self.resolved(node.get(part)?)))
    }

    /// The node of a key, with aliases resolved.
    pub(super) fn node(&self, key: &str) -> Option<&Node> {
        let root = self.root.as_ref()?;
        let own = root.get(key).map(|node| self.resolved(node));
        own.or_else(|| {
            let merges =
                root.pairs()?.iter().filter(|(key, _)| self.merges.contains(&(key.span.start as usize)));
            merges.map(|(_, node)| self.resolved(node)).find_map(|node| match &node.value {
                Yaml::List(items) => items.iter().find_map(|item| self.resolved(item).get(key)),
                _ => node.get(key),
            })
        })
    }

    fn resolved<'n>(&'n self, node: &'n Node) -> &'n Node {
        let anchor = self.aliases.get(&(node.span.start as usize)).and_then(|name| self.anchors.get(name));
        let root = self.root.as_ref();
        let is_anchored =
            |node: &&Node, at: usize| node.span.start as usize == at && node.value != Yaml::Null;
        anchor.and_then(|at| nodes(root?).into_iter().find(|node| is_anchored(node, *at))).unwrap_or(node)
    }

    /// Whether a node is a block of text that ends with the frontmatter, and not with a line end.
    fn is_last_block(&self, node: &Node, text: &str) -> bool {
        let written = self.written(node).unwrap_or_default();
        let is_quoted = |quote: char| written.starts_with(quote) && !text.starts_with(quote);
        let rest = self.text.get(node.span.end as usize..).unwrap_or_default();
        text.ends_with('\n')
            && !is_quoted('"')
            && rest.trim().is_empty()
            && !self.text.trim_end_matches('\r').ends_with('\n')
    }

    /// The value of a key.
    pub(super) fn value(&self, key: &str, rule: &FrontmatterRule) -> Value {
        let Some(node) = self.node(key) else { return Value::Missing };
        let start = node.span.start as usize;
        let written = self.written(node).unwrap_or_default();
        if let Some(is_text) = self.tagged.get(&start) {
            let text = node.scalar().unwrap_or_default().to_owned();
            return if *is_text { Value::Text(text) } else { Value::Scalar(text) };
        }
        match &node.value {
            Yaml::Null => Value::Null,
            Yaml::Number(text) if rule.typing != Typing::Core && !typing::is_other(text, rule.typing) => {
                Value::Text(text.clone())
            }
            Yaml::Number(_) if rule.numbers == Numbers::Value => Value::Scalar(typing::number(written)),
            Yaml::Bool(_) | Yaml::Number(_) => Value::Scalar(written.to_owned()),
            Yaml::Text(text) if text == written && typing::is_other(text, rule.typing) => {
                Value::Scalar(text.clone())
            }
            Yaml::Text(text) if !rule.last_line_end && self.is_last_block(node, text) => {
                Value::Text(text.strip_suffix('\n').unwrap_or(text).to_owned())
            }
            Yaml::Text(text) => Value::Text(quotes::unmarked(text)),
            Yaml::List(_) | Yaml::Map(_) => Value::Other(node.kind()),
        }
    }
}

/// A node and all nodes in it.
fn nodes(node: &Node) -> Vec<&Node> {
    let inner: Vec<&Node> = match &node.value {
        Yaml::List(items) => items.iter().collect(),
        Yaml::Map(pairs) => pairs.iter().map(|(_, item)| item).collect(),
        _ => Vec::new(),
    };
    std::iter::once(node).chain(inner.into_iter().flat_map(nodes)).collect()
}

/// The keys of one mapping that appear a second time.
fn repeated(node: &Node) -> impl Iterator<Item = &yaml::Key> {
    let pairs = node.pairs().unwrap_or_default();
    pairs
        .iter()
        .enumerate()
        .filter(|(at, (key, _))| pairs[..*at].iter().any(|(known, _)| known.text == key.text))
        .map(|(_, (key, _))| key)
}
