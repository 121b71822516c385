//! Overwrites constructs that our reader refuses and the agent accepts.

use super::{Fault, Tree, quotes::ends_in_quotes};
use skillful_format::{Code, Diagnostic, yaml};
use skillful_profiles::{ComplexKeys, FrontmatterRule, QuotedLines, Tags, TrailingText};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// Maximum number of constructs that are overwritten in one frontmatter.
const MOST_ROUNDS: usize = 256;

impl<'a> Tree<'a> {
    /// Reads a text; in each round, overwrites one construct that the agent accepts.
    pub(super) fn read_accepting(text: Cow<'a, str>, rule: &FrontmatterRule) -> Result<Self, Fault> {
        let mut tree = Self {
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
            message: "it is too complex for this view".to_owned(),
            help: None,
            our_bound: true,
        })
    }

    /// Overwrites the construct that our reader refused, if the agent accepts it.
    fn accept(&mut self, refused: &Diagnostic, rule: &FrontmatterRule) -> Result<(), Fault> {
        let at = refused.span.map_or(0, |span| span.start as usize);
        let accepted = match refused.code {
            Code::YamlAnchor => self.anchor(at),
            Code::YamlTag => self.tag(at, rule.tags),
            Code::YamlSyntax => self
                .alias(at)
                .or_else(|| self.quoted_line(at, rule.quoted_lines))
                .or_else(|| self.inline_key(at, rule.complex_keys))
                .or_else(|| self.next_key(at, rule.trailing_text)),
            Code::YamlMergeKey => self.merge(at),
            Code::KeyNotText if self.text.get(at..).is_some_and(|rest| rest.starts_with('~')) => {
                self.put(at..at + 1, "x")
            }
            Code::KeyNotText if rule.complex_keys == ComplexKeys::Accept => self.complex_key(at),
            _ => None,
        };
        let our_bound = matches!(refused.code, Code::YamlTooDeep | Code::YamlTooLarge);
        accepted.ok_or_else(|| Fault {
            line: refused.span.map(|span| span.line),
            message: refused.message.clone(),
            help: refused.help.as_deref().map(str::to_owned),
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

    /// An alias whose anchor was overwritten is unknown to our reader.
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

    /// Puts one space before the first line of a quoted value that starts at the margin. Our reader reports the value at
    /// its opening quote.
    fn quoted_line(&mut self, at: usize, rule: QuotedLines) -> Option<()> {
        let value = self.text.get(at..)?;
        (rule == QuotedLines::Anywhere && value.starts_with(['"', '\''])).then_some(())?;
        let mut ends = value.match_indices('\n').map(|(end, _)| at + end + 1);
        let line = ends.find(|line| self.text[*line..].starts_with(|c: char| !c.is_whitespace()))?;
        ends_in_quotes(&self.text[..line]).then_some(())?;
        self.put(line..line, " ")
    }

    /// `key: ? word` is a mapping for agents that accept complex keys.
    fn inline_key(&mut self, at: usize, rule: ComplexKeys) -> Option<()> {
        let is_value = self.text.get(..at)?.trim_end_matches(' ').ends_with(':');
        (rule == ComplexKeys::Accept && is_value && self.text[at..].starts_with("? ")).then_some(())?;
        let length = self.text[at..].find('\n').unwrap_or(self.text.len() - at);
        self.put(at..at + length, &format!("{{}}{}", " ".repeat(length - 2)))
    }

    /// Moves text after a closed value to a line of its own.
    fn next_key(&mut self, at: usize, rule: TrailingText) -> Option<()> {
        let start = self.text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        let line = &self.text[start..at];
        let is_closed = line.trim_end_matches(' ').ends_with([']', '}', '"', '\'']) && line.contains(": ");
        let has_text = self.text[at..].starts_with(|c: char| !c.is_whitespace() && c != ':' && c != '#');
        (rule == TrailingText::NextKey && is_closed && has_text).then_some(())?;
        let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
        let new_line = format!("\n{indent}");
        self.put(at..at, &new_line)
    }

    /// Replaces a complex key by a word.
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
}
