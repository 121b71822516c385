//! YAML as an agent reads it, on top of Skillful's own reader, which is stricter than most.
//!
//! What our reader refuses and the agent accepts (anchors, tags, merge keys, complex keys) is blanked
//! out where it stands, and the text is read again. Every place stays where it was, and the budget
//! of our reader bounds what a hostile header can cost.

mod peel;
mod quotes;
#[cfg(test)]
mod tests;

use super::typing;
use skillful_format::yaml::{self, Node, Value as Yaml};
use skillful_profiles::{
    DuplicateKeys, HeaderRule, LineEnds, MergeKeys, QuotedBlanks, Shape, Surrogates, Tabs, Typing,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// A header as the agent understands it.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    text: Cow<'a, str>,
    root: Option<Node>,
    /// Nodes that a tag makes text, or something else than text, by where they start.
    tagged: BTreeMap<usize, bool>,
    anchors: BTreeMap<String, usize>,
    aliases: BTreeMap<usize, String>,
    /// Where merge keys stand.
    merges: BTreeSet<usize>,
}

/// Why a header cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Counted from the first line of the header.
    pub(super) line: Option<u32>,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// Whether the bound is ours and not the agent's.
    pub(super) our_bound: bool,
}

/// A field as the agent would get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The key is not there.
    Missing,
    /// The key has no value.
    Null,
    /// Text.
    Text(String),
    /// A number, a boolean, a date: as written.
    Scalar(String),
    /// A list or a mapping.
    Other(&'static str),
}

/// Reads a header. `fields` are the keys the agent reads.
pub(super) fn read<'a>(text: &'a str, rule: &HeaderRule, fields: &[String]) -> Result<Tree<'a>, Fault> {
    let text: Cow<'a, str> = match rule.line_ends {
        LineEnds::Unicode if text.contains(['\u{85}', '\u{2028}', '\u{2029}']) => {
            text.replace(['\u{85}', '\u{2028}', '\u{2029}'], "\n").into()
        }
        _ => text.into(),
    };
    let text = match rule.quoted_blanks {
        QuotedBlanks::Keep => quotes::mark_blanks(text),
        QuotedBlanks::Fold => text,
    };
    let mut tree = match Tree::peel(text.clone(), rule) {
        Err(fault) if rule.tabs == Tabs::Accept => match untabbed(&text) {
            Some(blank) => Tree::peel(blank.into(), rule).map_err(|_| fault)?,
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

/// The text with its indentation ending at the first tab; `None` when there are no tabs, or when the
/// first key has one, which puts it out of line with all others.
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
    /// What is merged must be a mapping, or a list of them.
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
                let message = "the value of `<<` is no mapping".to_owned();
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

    /// A node as it stands in the text.
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
                message: format!("the key `{}` stands here a second time", key.text),
                help: Some("keep one of the two".to_owned()),
                our_bound: false,
            }),
        }
    }

    /// Whether values have the shape that the agent insists on.
    pub(super) fn check_shapes(&self, shapes: &BTreeMap<String, Shape>) -> Result<(), Fault> {
        for (key, shape) in shapes {
            let Some(node) = self.at(key) else { continue };
            let fits = match (&node.value, shape) {
                (Yaml::Null, _)
                | (Yaml::Map(_), Shape::Map)
                | (Yaml::List(_), Shape::List)
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

    /// Whether the header is keys and values at all; one without content says nothing.
    pub(super) fn is_map(&self) -> bool {
        self.root.as_ref().is_none_or(|root| matches!(root.value, Yaml::Map(_) | Yaml::Null))
    }

    /// The node of a dotted key, aliases followed.
    pub(super) fn at(&self, key: &str) -> Option<&Node> {
        key.split('.').try_fold(self.root.as_ref()?, |node, part| Some(self.resolved(node.get(part)?)))
    }

    /// The node of a key, aliases followed.
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

    /// The value of a key.
    pub(super) fn value(&self, key: &str, rule: &HeaderRule) -> Value {
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
            Yaml::Bool(_) | Yaml::Number(_) => Value::Scalar(written.to_owned()),
            Yaml::Text(text) if text == written && typing::is_other(text, rule.typing) => {
                Value::Scalar(text.clone())
            }
            Yaml::Text(text) => Value::Text(quotes::unmarked(text)),
            Yaml::List(_) | Yaml::Map(_) => Value::Other(node.kind()),
        }
    }
}

/// A node and everything in it.
fn nodes(node: &Node) -> Vec<&Node> {
    let inner: Vec<&Node> = match &node.value {
        Yaml::List(items) => items.iter().collect(),
        Yaml::Map(pairs) => pairs.iter().map(|(_, item)| item).collect(),
        _ => Vec::new(),
    };
    std::iter::once(node).chain(inner.into_iter().flat_map(nodes)).collect()
}

/// The keys of one mapping that stand there a second time.
fn repeated(node: &Node) -> impl Iterator<Item = &yaml::Key> {
    let pairs = node.pairs().unwrap_or_default();
    pairs
        .iter()
        .enumerate()
        .filter(|(at, (key, _))| pairs[..*at].iter().any(|(known, _)| known.text == key.text))
        .map(|(_, (key, _))| key)
}
