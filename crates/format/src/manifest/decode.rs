//! Decodes the tree of the frontmatter to a [`Manifest`] and collects all diagnostics.

use super::{Manifest, RareFields, ToolGrant, yes_no::yes_no};
use crate::{
    diagnostic::{Code, Diagnostic, Severity, Span},
    field::{self, Field},
    yaml::{Data, Key, Node, Value},
};
use std::borrow::Cow;

/// Decodes the frontmatter. A field that cannot be read is reported and keeps its default; a gate
/// that cannot be read closes.
pub(crate) fn decode(pairs: &[(Key, Node)], diagnostics: &mut Vec<Diagnostic>) -> Manifest {
    let (mut m, mut rare) = (Manifest::default(), RareFields::default());
    let known = pairs.iter().map(|(key, _)| field::field(&key.text)).collect();
    let mut fields = Fields { pairs, known, closed: Vec::new(), diagnostics };
    m.name = fields.text("name");
    m.description = fields.text("description");
    rare.when_to_use = fields.text("when_to_use");
    m.license = fields.text("license");
    m.compatibility = fields.text("compatibility");
    m.version = fields.text("version");
    m.allowed_tools = fields.tools("allowed-tools");
    rare.disallowed_tools = fields.bans("disallowed-tools");
    m.argument_hint = fields.hint("argument-hint");
    rare.arguments = fields.list("arguments");
    m.disable_model_invocation = fields.flag("disable-model-invocation").unwrap_or(false);
    m.user_invocable = fields.flag("user-invocable").unwrap_or(true);
    rare.model = fields.text("model");
    rare.model_tier = fields.text("model_tier");
    rare.effort = fields.text("effort");
    rare.context_fork = fields.fork();
    rare.agent = fields.text("agent");
    rare.background = fields.flag("background");
    rare.shell = fields.text("shell");
    rare.paths = fields.globs("paths");
    rare.always_include = fields.flag("always_include").unwrap_or(false);
    m.triggers = fields.every_phrase("triggers");
    rare.source_types = fields.list("source_types");
    rare.file_types = fields.list("file_types");
    rare.resource_types = fields.list("resource_types");
    rare.companion_skills = fields.list("companion_skills");
    rare.exclude_skills = fields.list("exclude_skills");
    rare.exclude_memory = fields.flag("exclude_memory").unwrap_or(false);
    rare.exclude_persona = fields.flag("exclude_persona").unwrap_or(false);
    rare.exclude_resources = fields.flag("exclude_resources").unwrap_or(false);
    rare.dependencies = fields.phrases("dependencies");
    rare.requires = fields.requires();
    rare.requires_capability = fields.list("requires_capability");
    rare.admin_only = fields.flag("admin_only").unwrap_or(false);
    rare.experimental = fields.flag("experimental").unwrap_or(false);
    rare.cli = fields.flag("cli").unwrap_or(false);
    rare.env = fields.env();
    rare.vars = fields.vars();
    rare.mcp = fields.mcp();
    rare.next_skill = fields.text("next_skill");
    rare.conditional_next_skills = fields.conditional();
    rare.hooks = fields.take("hooks").map(|(_, node)| node.to_data());
    rare.override_mode = fields.text("override");
    m.metadata = fields.metadata();
    rare.closed_gates.append(&mut fields.closed);
    m.extra = fields.rest();
    m.rare = rare.into();
    m
}

/// Fields outside of the specification that only Skillful reads, or whose loss changes what the skill may do. A
/// value of the wrong type in any other such field may be right for another program.
const OWN: [&str; 5] = ["disallowed-tools", "vars", "mcp", "next_skill", "conditional_next_skills"];

fn split_phrases(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The pairs of the frontmatter, and which of them are still to be decoded.
pub(super) struct Fields<'a> {
    pairs: &'a [(Key, Node)],
    /// The field of each pair, until it is taken.
    known: Vec<Option<&'static Field>>,
    pub(super) closed: Vec<String>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Fields<'a> {
    pub(super) fn take(&mut self, name: &'static str) -> Option<(&'static Field, &'a Node)> {
        self.take_key(name).map(|(_, field, node)| (field, node))
    }

    /// Takes the first pair whose key is a spelling of the field; a second spelling is reported.
    pub(super) fn take_key(&mut self, name: &'static str) -> Option<(&'a Key, &'static Field, &'a Node)> {
        let mut found: Option<(&'static Field, &'a (Key, Node))> = None;
        for (at, pair) in self.pairs.iter().enumerate() {
            let Some(field) = self.known[at].filter(|field| field.name == name) else { continue };
            match found {
                None => found = Some((field, pair)),
                Some((_, first)) if first.0.text != pair.0.text => {
                    let message = format!(
                        "`{}` and `{}` are the same field; the first one is used",
                        first.0.text, pair.0.text
                    );
                    self.report(Code::TwoSpellings, pair.0.span, message, "keep one of them");
                    // Of two gates, the intended one is unknown.
                    if field.gate {
                        self.close(field);
                    }
                }
                // The parser reports a key that appears twice.
                Some(_) => {}
            }
        }
        found.map(|(field, (key, node))| (key, field, node))
    }

    pub(super) fn close(&mut self, field: &Field) {
        if !self.closed.iter().any(|closed| closed == field.name) {
            self.closed.push(field.name.to_owned());
        }
    }

    pub(super) fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<Cow<'static, str>>,
    ) {
        self.diagnostics.push(Diagnostic::new(code, message).at(span).help(help));
    }

    /// Reports a value of the wrong type; a gate closes.
    pub(super) fn wrong(&mut self, field: &Field, node: &Node, wanted: &str) {
        self.wrong_part(field, &format!("`{}`", field.name), node, wanted);
    }

    /// Reports an item of a list that has the wrong type; a gate closes.
    pub(super) fn wrong_item(&mut self, field: &Field, node: &Node, wanted: &str) {
        self.wrong_part(field, &format!("an item of `{}`", field.name), node, wanted);
    }

    /// Reports a part of a field that has the wrong type; a gate closes.
    pub(super) fn wrong_part(&mut self, field: &Field, part: &str, node: &Node, wanted: &str) {
        if field.gate {
            self.close(field);
            let message = format!("{part} must be {wanted}, but is {}", node.kind());
            let help = "correct the value; until then the skill is unavailable";
            self.report(Code::GateUnreadable, node.span, message, help);
        } else if field.spec || OWN.contains(&field.name) {
            let message = format!("{part} must be {wanted}, but is {}", node.kind());
            let help = "correct the value; the field is ignored until then";
            self.report(Code::WrongType, node.span, message, help);
        } else {
            let message = format!("{part} is {} instead of {wanted}, so Skillful ignores it", node.kind());
            let found = Diagnostic::new(Code::WrongType, message)
                .at(node.span)
                .help("correct the value, unless the field is meant for another program")
                .with_severity(Severity::Note);
            self.diagnostics.push(found);
        }
    }

    fn text(&mut self, name: &'static str) -> Option<String> {
        let (field, node) = self.take(name)?;
        match &node.value {
            Value::Null => None,
            Value::List(_) | Value::Map(_) => {
                self.wrong(field, node, "text");
                None
            }
            _ => node.scalar().map(str::to_owned),
        }
    }

    /// A hint is often written as `[file] [mode]`, which YAML reads as a list.
    fn hint(&mut self, name: &'static str) -> Option<String> {
        let (field, node) = self.take(name)?;
        match &node.value {
            Value::List(items) => {
                let words: Option<Vec<&str>> = items.iter().map(Node::scalar).collect();
                if let Some(words) = words {
                    return Some(format!("[{}]", words.join(", ")));
                }
                self.wrong(field, node, "text");
                None
            }
            Value::Map(_) => {
                self.wrong(field, node, "text");
                None
            }
            _ => node.scalar().map(str::to_owned),
        }
    }

    fn flag(&mut self, name: &'static str) -> Option<bool> {
        let (field, node) = self.take(name)?;
        let flag = yes_no(node);
        if flag.is_none() {
            self.wrong(field, node, "yes or no");
        }
        flag
    }

    /// A list, or a text separated by spaces or commas.
    fn list(&mut self, name: &'static str) -> Vec<String> {
        self.items(name, |text| {
            text.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty()).collect()
        })
    }

    /// A list, or a text separated by commas; spaces are part of an item.
    fn phrases(&mut self, name: &'static str) -> Vec<String> {
        self.items(name, split_phrases)
    }

    /// A list, or a text separated by spaces or by commas outside braces: `src/**/*.{ts,tsx}` is
    /// one item.
    fn globs(&mut self, name: &'static str) -> Vec<String> {
        self.items(name, |text| {
            let mut depth = 0usize;
            text.split(move |c: char| {
                match c {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && (c == ',' || c.is_whitespace())
            })
            .filter(|part| !part.is_empty())
            .collect()
        })
    }

    /// The phrases of a field in all of its spellings. `keywords` and `triggers` stand side by side in real skills.
    fn every_phrase(&mut self, name: &'static str) -> Vec<String> {
        let pairs = self.pairs.iter().zip(&self.known);
        let nodes: Vec<(&'static Field, &Node)> = pairs
            .filter_map(|((_, node), field)| Some((field.filter(|field| field.name == name)?, node)))
            .collect();
        nodes.into_iter().flat_map(|(field, node)| self.items_of(field, node, split_phrases)).collect()
    }

    fn items(&mut self, name: &'static str, split: impl Fn(&str) -> Vec<&str>) -> Vec<String> {
        let Some((field, node)) = self.take(name) else { return Vec::new() };
        self.items_of(field, node, split)
    }

    fn items_of(&mut self, field: &Field, node: &Node, split: impl Fn(&str) -> Vec<&str>) -> Vec<String> {
        match &node.value {
            Value::Null => Vec::new(),
            Value::List(items) => {
                let mut out = Vec::with_capacity(items.len());
                for item in items {
                    match item.scalar() {
                        Some(text) => out.push(text.to_owned()),
                        None => self.wrong_item(field, item, "text"),
                    }
                }
                out
            }
            Value::Map(_) => {
                self.wrong(field, node, "a list");
                Vec::new()
            }
            _ => split(node.scalar().unwrap_or_default()).into_iter().map(str::to_owned).collect(),
        }
    }

    fn tools(&mut self, name: &'static str) -> Option<Vec<ToolGrant>> {
        self.tool_list(name, false)
    }

    /// Tools that are forbidden. An entry that cannot be read forbids everything that it could mean.
    fn bans(&mut self, name: &'static str) -> Vec<ToolGrant> {
        self.tool_list(name, true).unwrap_or_default()
    }

    fn tool_list(&mut self, name: &'static str, bans: bool) -> Option<Vec<ToolGrant>> {
        let (field, node) = self.take(name)?;
        let mut grants = Vec::new();
        let mut everything = false;
        let mut read = |this: &mut Self, text: &str, span: Span| match ToolGrant::parse(text) {
            Some(grant) => grants.push(grant),
            None => {
                let message = format!("`{text}` is not a tool name");
                let help = if bans {
                    "write `Name` or `Name(pattern)`; every tool that it could mean is forbidden until then"
                } else {
                    "write `Name` or `Name(pattern)`; the entry is ignored until then"
                };
                this.report(Code::ToolPattern, span, message, help);
                grants.extend(bans.then(|| ToolGrant::widest(text)));
            }
        };
        match &node.value {
            Value::Null => return None,
            Value::List(items) => {
                for item in items {
                    match item.scalar() {
                        Some(text) => read(self, text, item.span),
                        None => {
                            everything = true;
                            self.wrong_item(field, item, "a tool");
                        }
                    }
                }
            }
            // Fails closed: an unreadable list counts as an empty list, not as an absent one.
            Value::Map(_) | Value::Bool(_) | Value::Number(_) => {
                everything = true;
                self.wrong(field, node, "a list of tools");
            }
            Value::Text(_) => {
                for part in ToolGrant::split(node.scalar().unwrap_or_default()) {
                    read(self, part, node.span);
                }
            }
        }
        grants.extend((bans && everything).then(|| ToolGrant::widest("")));
        grants.shrink_to_fit();
        Some(grants)
    }

    fn rest(&mut self) -> Vec<(String, Data)> {
        let mut rest = Vec::new();
        for (at, (key, node)) in self.pairs.iter().enumerate() {
            if self.known[at].is_none() {
                self.nested_gates(&key.text, node);
                let message = format!("no agent profile has the key `{}`", key.text);
                self.report(
                    Code::UnknownKey,
                    key.span,
                    message,
                    "check the spelling, or move it into `metadata`; the key is kept",
                );
                rest.push((key.text.clone(), node.to_data()));
            }
        }
        // It is kept as long as the catalog.
        rest.shrink_to_fit();
        rest
    }
}
