//! Files beside SKILL.md that say more about a skill: `agents/skillful.yaml`,
//! `agents/openai.yaml`, `skill.toml`, and the requirements OpenClaw keeps in `metadata`.
//!
//! They fail open: a bad file, or one bad field in it, is a diagnostic and never blocks the skill.

use crate::{
    diagnostic::{Code, Diagnostic},
    document::text_of,
    field,
    manifest::{Manifest, Requires, truth},
    yaml::{self, Data, Key, Node, PartOf, Value},
};
use serde::{Deserialize, Serialize};

/// A sidecar larger than this is not read.
pub const SIDECAR_LIMIT: u64 = 256 << 10;

/// The paths of the sidecars, as [`Sidecars`] names them.
pub const SIDECAR_FILES: [&str; 3] = ["agents/skillful.yaml", "agents/openai.yaml", "skill.toml"];

/// The bytes of the sidecars that exist.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sidecars<'a> {
    /// `agents/skillful.yaml`; its fields win over those of `agents/openai.yaml`.
    pub skillful: Option<&'a [u8]>,
    /// `agents/openai.yaml`.
    pub openai: Option<&'a [u8]>,
    /// `skill.toml`: supplies keys that the header lacks.
    pub toml: Option<&'a [u8]>,
}

/// What the sidecars say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidecar {
    /// Name to show instead of the handle.
    pub display_name: Option<String>,
    /// A shorter description for lists.
    pub short_description: Option<String>,
    /// What to ask when the skill is called without words.
    pub default_prompt: Option<String>,
    /// `#RRGGBB`.
    pub brand_color: Option<String>,
    /// Icon below `assets/`.
    pub icon_small: Option<String>,
    /// Icon below `assets/`.
    pub icon_large: Option<String>,
    /// Tools and MCP servers the skill depends on.
    pub tools: Vec<ToolDependency>,
    /// Whether a model may choose the skill; `None` when not said.
    pub allow_implicit_invocation: Option<bool>,
    /// Products the skill is for; empty means all.
    pub products: Vec<String>,
    /// Permissions the skill asks for, as written. They may narrow and never widen.
    pub permissions: Option<Data>,
    /// Requirements from `metadata.openclaw`.
    pub requires: Requires,
    /// Operating systems from `metadata.openclaw.os`; empty means all.
    pub systems: Vec<String>,
}

/// One tool a skill depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolDependency {
    /// Kind, such as `mcp`.
    pub kind: String,
    /// Name or address.
    pub value: String,
    /// What it is for.
    pub description: Option<String>,
    /// `stdio` or `streamable_http`.
    pub transport: Option<String>,
    /// Command of a stdio server.
    pub command: Option<String>,
    /// Address of an HTTP server.
    pub url: Option<String>,
}

const OPENAI: &str = "agents/openai.yaml";
const SKILLFUL: &str = "agents/skillful.yaml";
const TOML: &str = "skill.toml";

impl Sidecars<'_> {
    /// Adds the keys of `skill.toml` that the header does not have.
    pub(crate) fn add_missing_keys(&self, keys: &mut Vec<(Key, Node)>, diagnostics: &mut Vec<Diagnostic>) {
        let Some(bytes) = self.toml else { return };
        let table = match text_of(bytes).and_then(|text| {
            text.parse::<toml::Table>().map_err(|error| {
                let span = error.span().map(|range| crate::source::span_in(text, range));
                Box::new(Diagnostic::new(Code::SidecarUnreadable, error.message().to_owned()).at(span))
            })
        }) {
            Ok(table) => table,
            Err(diagnostic) => {
                diagnostics.push(unreadable(*diagnostic, TOML));
                return;
            }
        };
        let nowhere = crate::Span { start: 0, end: 0, line: 1, column: 1 };
        for (key, value) in table {
            let known = field::field(&key);
            let present = keys.iter().any(|(have, _)| match known {
                Some(field) => field.is_spelled(&have.text),
                None => have.text == key,
            });
            if !present {
                keys.push((Key { text: key, span: nowhere }, node_of(&value, nowhere)));
            }
        }
    }

    /// Reads the agent files and what OpenClaw keeps in the header's metadata.
    pub(crate) fn read(&self, manifest: &Manifest, diagnostics: &mut Vec<Diagnostic>) -> Sidecar {
        let mut sidecar = Sidecar::default();
        for (file, bytes) in [(OPENAI, self.openai), (SKILLFUL, self.skillful)] {
            let Some(bytes) = bytes else { continue };
            let mut found = Vec::new();
            match text_of(bytes) {
                Err(diagnostic) => found.push(*diagnostic),
                Ok(text) => {
                    let yaml =
                        yaml::parse(text.trim_start_matches('\u{feff}'), &PartOf { offset: 0, lines: 0 });
                    found.extend(yaml.diagnostics);
                    if let Some(root) = yaml.root.filter(|_| found.is_empty()) {
                        agent_file(&mut sidecar, &root, file, diagnostics);
                    }
                }
            }
            diagnostics.extend(found.into_iter().map(|diagnostic| unreadable(diagnostic, file)));
        }
        if let Some((_, data)) = manifest.metadata.iter().find(|(key, _)| key == "openclaw") {
            openclaw(&mut sidecar, data);
        }
        sidecar
    }
}

fn unreadable(diagnostic: Diagnostic, file: &str) -> Diagnostic {
    let span = diagnostic.span;
    Diagnostic::new(Code::SidecarUnreadable, format!("`{file}` was left out: {}", diagnostic.message))
        .at(span)
        .in_path(file)
}

fn agent_file(sidecar: &mut Sidecar, root: &Node, file: &str, diagnostics: &mut Vec<Diagnostic>) {
    let mut drop = |what: &str, why: &str, node: &Node| {
        diagnostics.push(
            Diagnostic::new(Code::SidecarField, format!("`{what}` {why}, so it was left out"))
                .at(node.span)
                .in_path(file),
        );
    };
    let Some(pairs) = root.pairs() else {
        drop("the file", "is not a mapping", root);
        return;
    };
    for (key, node) in pairs {
        match (key.text.as_str(), &node.value) {
            ("interface", Value::Map(fields)) => {
                for (key, node) in fields {
                    let (target, limit, check): (&mut Option<String>, usize, fn(&str) -> bool) =
                        match key.text.as_str() {
                            "display_name" => (&mut sidecar.display_name, 64, |_| true),
                            "short_description" => (&mut sidecar.short_description, 1024, |_| true),
                            "default_prompt" => (&mut sidecar.default_prompt, 1024, |_| true),
                            "brand_color" => (&mut sidecar.brand_color, 7, is_color),
                            "icon_small" => (&mut sidecar.icon_small, 240, is_asset),
                            "icon_large" => (&mut sidecar.icon_large, 240, is_asset),
                            _ => continue,
                        };
                    match node.scalar().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")) {
                        Some(text) if text.chars().count() <= limit && check(&text) => *target = Some(text),
                        Some(_) => drop(&key.text, "is too long or not of its form", node),
                        None => drop(&key.text, "is not text", node),
                    }
                }
            }
            ("dependencies", Value::Map(fields)) => {
                for (key, node) in fields.iter().filter(|(key, _)| key.text == "tools") {
                    let Value::List(items) = &node.value else {
                        drop(&key.text, "is not a list", node);
                        continue;
                    };
                    for item in items {
                        match tool_dependency(item) {
                            Some(tool) => sidecar.tools.push(tool),
                            None => drop("a tool", "lacks a `type` or `value` of the right length", item),
                        }
                    }
                }
            }
            ("policy", Value::Map(fields)) => {
                for (key, node) in fields {
                    match key.text.as_str() {
                        "allow_implicit_invocation" => {
                            let flag = truth(node);
                            if flag.is_none() {
                                drop(&key.text, "is not yes or no; a model may not choose the skill", node);
                            }
                            sidecar.allow_implicit_invocation = Some(flag.unwrap_or(false));
                        }
                        "products" => match &node.value {
                            Value::List(items) => {
                                sidecar.products =
                                    items.iter().filter_map(Node::scalar).map(str::to_owned).collect();
                            }
                            _ => drop(&key.text, "is not a list", node),
                        },
                        _ => {}
                    }
                }
            }
            ("permissions", _) => sidecar.permissions = Some(node.to_data()),
            ("interface" | "dependencies" | "policy", Value::Null) => {}
            ("interface" | "dependencies" | "policy", _) => drop(&key.text, "is not a mapping", node),
            _ => {}
        }
    }
}

fn tool_dependency(node: &Node) -> Option<ToolDependency> {
    let text = |key: &str, limit: usize| {
        let text = node.get(key)?.scalar()?.to_owned();
        (!text.is_empty() && text.chars().count() <= limit).then_some(text)
    };
    Some(ToolDependency {
        kind: text("type", 64)?,
        value: text("value", 1024)?,
        description: text("description", 1024),
        transport: text("transport", 64),
        command: text("command", 1024),
        url: text("url", 1024),
    })
}

fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_asset(text: &str) -> bool {
    let path = text.strip_prefix("./").unwrap_or(text);
    path.starts_with("assets/") && crate::TreePath::new(path, &crate::Limits::default()).is_ok()
}

fn openclaw(sidecar: &mut Sidecar, data: &Data) {
    let words = |data: Option<&Data>| -> Vec<String> {
        match data {
            Some(Data::List(items)) => items
                .iter()
                .filter_map(|item| match item {
                    Data::Text(text) => Some(text.clone()),
                    _ => None,
                })
                .collect(),
            Some(Data::Text(text)) => vec![text.clone()],
            _ => Vec::new(),
        }
    };
    if let Some(requires) = data.get("requires") {
        sidecar.requires.env = words(requires.get("env"));
        sidecar.requires.binary = words(requires.get("bins")).into_iter().map(|bin| vec![bin]).collect();
        let any = words(requires.get("anyBins"));
        if !any.is_empty() {
            sidecar.requires.binary.push(any);
        }
    }
    sidecar.systems = words(data.get("os"));
}

fn node_of(value: &toml::Value, span: crate::Span) -> Node {
    let value = match value {
        toml::Value::String(text) => Value::Text(text.clone()),
        toml::Value::Integer(number) => Value::Number(number.to_string()),
        toml::Value::Float(number) => Value::Number(number.to_string()),
        toml::Value::Boolean(flag) => Value::Bool(*flag),
        toml::Value::Datetime(time) => Value::Text(time.to_string()),
        toml::Value::Array(items) => Value::List(items.iter().map(|item| node_of(item, span)).collect()),
        toml::Value::Table(table) => Value::Map(
            table
                .iter()
                .map(|(key, value)| (Key { text: key.clone(), span }, node_of(value, span)))
                .collect(),
        ),
    };
    Node { span, value }
}
