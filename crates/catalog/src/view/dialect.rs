//! YAML as a host reads it, on top of Skillful's own reader, which is stricter than most.
//!
//! What our reader refuses and the host accepts (anchors, tags, merge keys, complex keys) is blanked
//! out where it stands, and the text is read again. Every place stays where it was, and the budget
//! of our reader bounds what a hostile header can cost.

use super::typing;
use crate::host::{
    ComplexKeys, DuplicateKeys, HeaderRule, LineEnds, MergeKeys, QuotedLines, Shape, Tabs, Tags, Typing,
};
use skillful_format::{
    Code, Diagnostic,
    yaml::{self, Node, Value as Yaml},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// Things of one header that are blanked out at most.
const MOST_ROUNDS: usize = 256;

/// A header as the host understands it.
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
    /// Whether the bound is ours and not the host's.
    pub(super) our_bound: bool,
}

/// A field as the host would get it.
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

/// Reads a header. `fields` are the keys the host reads.
pub(super) fn read<'a>(text: &'a str, rule: &HeaderRule, fields: &[String]) -> Result<Tree<'a>, Fault> {
    let text: Cow<'a, str> = match rule.line_ends {
        LineEnds::Unicode if text.contains(['\u{85}', '\u{2028}', '\u{2029}']) => {
            text.replace(['\u{85}', '\u{2028}', '\u{2029}'], "\n").into()
        }
        _ => text.into(),
    };
    let mut tree = match peel(text.clone(), rule) {
        Err(fault) if rule.tabs == Tabs::Accept => match untabbed(&text) {
            Some(blank) => peel(blank.into(), rule).map_err(|_| fault)?,
            None => return Err(fault),
        },
        result => result?,
    };
    tree.check_duplicates(rule.duplicate_keys, fields)?;
    if rule.merge_keys == MergeKeys::Apply {
        tree.check_merges()?;
    } else {
        tree.merges.clear();
    }
    tree.check_shapes(&rule.shapes)?;
    Ok(tree)
}

/// The text with its indentation ending at the first tab; `None` when there are none.
fn untabbed(text: &str) -> Option<String> {
    let blank = |line: &str| {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        format!("{}{}", &line[..blanks], line[blanks..].trim_start_matches([' ', '\t']))
    };
    let lines: Vec<String> = text.split('\n').map(blank).collect();
    Some(lines.join("\n")).filter(|blank| blank != text)
}

fn peel<'a>(text: Cow<'a, str>, rule: &HeaderRule) -> Result<Tree<'a>, Fault> {
    let mut tree = Tree {
        text,
        root: None,
        tagged: BTreeMap::new(),
        anchors: BTreeMap::new(),
        aliases: BTreeMap::new(),
        merges: BTreeSet::new(),
    };
    for _ in 0..MOST_ROUNDS {
        let parsed = yaml::parse_document(&tree.text);
        let refused = parsed.diagnostics.iter().find(|found| found.code != Code::YamlDuplicateKey);
        let Some(refused) = refused else {
            tree.root = parsed.root;
            return Ok(tree);
        };
        tree.accept(refused, rule)?;
    }
    Err(Fault {
        line: None,
        message: "it is too involved to be read here".to_owned(),
        help: None,
        our_bound: true,
    })
}

impl Tree<'_> {
    /// Blanks out what our reader refuses, if the host would not mind.
    fn accept(&mut self, refused: &Diagnostic, rule: &HeaderRule) -> Result<(), Fault> {
        let at = refused.span.map_or(0, |span| span.start as usize);
        let accepted = match refused.code {
            Code::YamlAnchor => self.anchor(at),
            Code::YamlTag => self.tag(at, rule.tags),
            Code::YamlSyntax => self
                .alias(at)
                .or_else(|| self.quoted_line(at, rule.quoted_lines))
                .or_else(|| self.inline_key(at, rule.complex_keys)),
            Code::YamlMergeKey => self.merge(at),
            Code::KeyNotText if self.text[at..].starts_with('~') => self.put(at..at + 1, "x"),
            Code::KeyNotText if rule.complex_keys == ComplexKeys::Accept => self.complex_key(at),
            _ => None,
        };
        let our_bound = matches!(refused.code, Code::YamlTooDeep | Code::YamlTooLarge);
        accepted.ok_or_else(|| Fault {
            line: refused.span.map(|span| span.line),
            message: refused.message.clone(),
            help: refused.help.clone(),
            our_bound,
        })
    }

    fn put(&mut self, range: std::ops::Range<usize>, with: &str) -> Option<()> {
        self.text.get(range.clone())?;
        self.text.to_mut().replace_range(range, with);
        Some(())
    }

    /// The last word before `node` that starts with `mark`.
    fn property(&self, node: usize, mark: char) -> Option<std::ops::Range<usize>> {
        let before = self.text.get(..node)?;
        let start = before.match_indices(mark).map(|(at, _)| at).rfind(|at| {
            let first = before[..*at].chars().next_back();
            first.is_none_or(|c| c.is_whitespace() || matches!(c, '[' | '{' | ','))
        })?;
        let length = before[start..].find(|c: char| c.is_whitespace()).unwrap_or(before.len() - start);
        Some(start..start + length)
    }

    fn anchor(&mut self, node: usize) -> Option<()> {
        let range = self.property(node, '&')?;
        self.anchors.insert(self.text[range.start + 1..range.end].to_owned(), node);
        self.put(range.clone(), &" ".repeat(range.len()))
    }

    fn tag(&mut self, node: usize, rule: Tags) -> Option<()> {
        let range = self.property(node, '!')?;
        let tag = &self.text[range.clone()];
        let known =
            tag.strip_prefix("!!").or_else(|| tag.strip_prefix("!<tag:yaml.org,2002:")?.strip_suffix('>'));
        let text = match known {
            Some("str") => Some(true),
            Some("int" | "float" | "bool" | "null" | "timestamp" | "binary") => Some(false),
            Some("map" | "seq" | "set" | "omap" | "pairs") => None,
            None if tag == "!" => Some(true),
            _ if rule == Tags::Refuse => return None,
            _ => None,
        };
        if let Some(text) = text {
            self.tagged.insert(node, text);
        }
        self.put(range.clone(), &" ".repeat(range.len()))
    }

    /// An alias of an anchor that was blanked out looks unknown to our reader.
    fn alias(&mut self, at: usize) -> Option<()> {
        let rest = self.text.get(at..)?.strip_prefix('*')?;
        let length =
            rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}')).unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        self.anchors.contains_key(&name).then_some(())?;
        self.put(at..at + 1 + length, &format!("~{}", " ".repeat(length)))?;
        self.aliases.insert(at, name);
        Some(())
    }

    fn merge(&mut self, at: usize) -> Option<()> {
        self.merges.insert(at);
        self.put(at..at + 2, "__")
    }

    /// A line of a quoted value that starts at the margin gets one blank before it.
    fn quoted_line(&mut self, at: usize, rule: QuotedLines) -> Option<()> {
        let before = self.text.get(..at)?;
        let at_margin = before.ends_with('\n') && self.text[at..].starts_with(|c: char| !c.is_whitespace());
        (rule == QuotedLines::Anywhere && at_margin && ends_in_quotes(before)).then_some(())?;
        self.put(at..at, " ")
    }

    /// `key: ? word` is a mapping to those who take complex keys.
    fn inline_key(&mut self, at: usize, rule: ComplexKeys) -> Option<()> {
        let is_value = self.text.get(..at)?.trim_end_matches(' ').ends_with(':');
        (rule == ComplexKeys::Accept && is_value && self.text[at..].starts_with("? ")).then_some(())?;
        let length = self.text[at..].find('\n').unwrap_or(self.text.len() - at);
        self.put(at..at + length, &format!("{{}}{}", " ".repeat(length - 2)))
    }

    /// A complex key becomes a word.
    fn complex_key(&mut self, at: usize) -> Option<()> {
        let start = self.text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        let line = &self.text[start..at];
        if line.trim() == "?" {
            let indent = line.len() - line.trim_start().len();
            let colon = format!("\n{}:", &line[..indent]);
            let end = start + self.text[start..].find(&colon)? + colon.len() - 1;
            let blank: String = self.text[start + indent..end].chars().filter(|c| *c == '\n').collect();
            return self.put(start + indent..end, &format!("{blank}{}x", &line[..indent]));
        }
        let rest = &self.text[at..];
        let close = match rest.chars().next()? {
            '[' => ']',
            '{' => '}',
            _ => return None,
        };
        let length = rest.find(close)? + 1;
        self.put(at..at + length, &"x".repeat(length))
    }

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

    fn check_duplicates(&self, rule: DuplicateKeys, fields: &[String]) -> Result<(), Fault> {
        let twice = self.root.as_ref().and_then(|root| match rule {
            DuplicateKeys::Last => None,
            DuplicateKeys::Refuse => duplicate(root),
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

    /// Whether values have the shape that the host insists on.
    pub(super) fn check_shapes(&self, shapes: &BTreeMap<String, Shape>) -> Result<(), Fault> {
        for (key, shape) in shapes {
            let Some(node) = self.at(key) else { continue };
            let fits = match (&node.value, shape) {
                (Yaml::Null, _) | (Yaml::Map(_), Shape::Map) | (Yaml::List(_), Shape::List) => true,
                (Yaml::Bool(_), Shape::Boolean) => true,
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
        anchor.and_then(|at| root.and_then(|root| starting_at(root, *at))).unwrap_or(node)
    }

    /// The value of a key.
    pub(super) fn value(&self, key: &str, rule: &HeaderRule) -> Value {
        let Some(node) = self.node(key) else { return Value::Missing };
        let start = node.span.start as usize;
        let written = self.text.get(start..node.span.end as usize).unwrap_or_default();
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
            Yaml::Text(text) => Value::Text(text.clone()),
            Yaml::List(_) | Yaml::Map(_) => Value::Other(node.kind()),
        }
    }
}

/// Whether a text ends inside a quoted value.
fn ends_in_quotes(text: &str) -> bool {
    let mut open: Option<char> = None;
    // A quote opens a value only where a value may start.
    let mut fresh = true;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (open, c) {
            (Some('"'), '\\') => drop(chars.next()),
            (Some('\''), '\'') if chars.peek() == Some(&'\'') => drop(chars.next()),
            (Some(quote), c) if c == quote => (open, fresh) = (None, false),
            (Some(_), _) => {}
            (None, '"' | '\'') if fresh => open = Some(c),
            (None, ':' | '-' | ',' | '[' | '{' | '\n') => fresh = true,
            (None, c) => fresh &= c.is_whitespace(),
        }
    }
    open.is_some()
}

fn starting_at(node: &Node, at: usize) -> Option<&Node> {
    if node.span.start as usize == at && !matches!(node.value, Yaml::Null) {
        return Some(node);
    }
    match &node.value {
        Yaml::List(items) => items.iter().find_map(|item| starting_at(item, at)),
        Yaml::Map(pairs) => pairs.iter().find_map(|(_, item)| starting_at(item, at)),
        _ => None,
    }
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

/// A repeated key at any depth.
fn duplicate(node: &Node) -> Option<&yaml::Key> {
    repeated(node).next().or_else(|| match &node.value {
        Yaml::List(items) => items.iter().find_map(duplicate),
        Yaml::Map(pairs) => pairs.iter().find_map(|(_, item)| duplicate(item)),
        _ => None,
    })
}
