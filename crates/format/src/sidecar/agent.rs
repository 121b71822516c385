//! Reads `agents/openai.yaml` and `agents/skillful.yaml`: how a skill is presented, and what it
//! needs.

use super::{Sidecar, ToolDependency};
use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    manifest::yes_no,
    yaml::{Key, Node, Value},
};

/// Reads one file into `sidecar`; a field that cannot be used is reported and ignored.
pub(super) fn read(sidecar: &mut Sidecar, root: &Node, file: &str, diagnostics: &mut Vec<Diagnostic>) {
    let mut reader = Reader { sidecar, file, diagnostics };
    let Some(pairs) = root.pairs() else {
        if root.value != Value::Null {
            reader.drop("the file", "is not a mapping", root);
        }
        return;
    };
    for (key, node) in pairs {
        match (key.text.as_str(), &node.value) {
            ("permissions", _) => reader.sidecar.permissions = Some(node.to_data()),
            ("interface" | "dependencies" | "policy", Value::Null) => {}
            ("interface", Value::Map(fields)) => reader.interface(fields),
            ("dependencies", Value::Map(fields)) => reader.dependencies(fields),
            ("policy", Value::Map(fields)) => reader.policy(fields),
            ("interface" | "dependencies" | "policy", _) => reader.drop(&key.text, "is not a mapping", node),
            _ => reader.unknown(key),
        }
    }
}

struct Reader<'a> {
    sidecar: &'a mut Sidecar,
    file: &'a str,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn drop(&mut self, what: &str, why: &str, node: &Node) {
        let message = format!("`{what}` {why}, so it was ignored");
        self.diagnostics.push(
            Diagnostic::new(Code::SidecarField, message)
                .at(node.span)
                .in_path(self.file)
                .help("correct the field; the rest of the file is used"),
        );
    }

    fn unknown(&mut self, key: &Key) {
        self.diagnostics.push(
            Diagnostic::new(
                Code::SidecarField,
                format!("`{}` is not a known key here and was ignored", key.text),
            )
            .at(key.span)
            .in_path(self.file)
            .help("check the spelling, or remove it")
            .with_severity(Severity::Note),
        );
    }

    fn interface(&mut self, fields: &[(Key, Node)]) {
        type Form = (usize, fn(&str) -> bool, &'static str);
        const WORDS: fn(&str) -> bool = |text| !text.is_empty();
        for (key, node) in fields {
            let (limit, form, why): Form = match key.text.as_str() {
                "display_name" => (64, WORDS, "is empty or longer than 64 characters"),
                "short_description" | "default_prompt" => {
                    (1024, WORDS, "is empty or longer than 1024 characters")
                }
                "brand_color" => (7, is_color, "is not a colour such as `#1a2b3c`"),
                "icon_small" | "icon_large" => (240, is_asset, "is not a path below `assets/`"),
                _ => {
                    self.unknown(key);
                    continue;
                }
            };
            let Some(text) = node.scalar() else {
                self.drop(&key.text, "is not text", node);
                continue;
            };
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if text.chars().count() > limit || !form(&text) {
                self.drop(&key.text, why, node);
                continue;
            }
            let target = match key.text.as_str() {
                "display_name" => &mut self.sidecar.display_name,
                "short_description" => &mut self.sidecar.short_description,
                "default_prompt" => &mut self.sidecar.default_prompt,
                "brand_color" => &mut self.sidecar.brand_color,
                "icon_small" => &mut self.sidecar.icon_small,
                _ => &mut self.sidecar.icon_large,
            };
            *target = Some(text);
        }
    }

    fn dependencies(&mut self, fields: &[(Key, Node)]) {
        for (key, node) in fields {
            match (key.text.as_str(), &node.value) {
                ("tools", Value::Null) => {}
                ("tools", Value::List(items)) => {
                    // The list of a later file replaces the list of an earlier one.
                    self.sidecar.tools.clear();
                    for item in items {
                        self.tool(item);
                    }
                }
                ("tools", _) => self.drop(&key.text, "is not a list", node),
                _ => self.unknown(key),
            }
        }
    }

    fn tool(&mut self, item: &Node) {
        let mut field = |key: &str, limit: usize| {
            let node = item.get(key)?;
            let text = node.scalar().filter(|text| !text.is_empty() && text.chars().count() <= limit);
            if text.is_none() {
                let why = format!("is not a text of 1 to {limit} characters");
                self.drop(key, &why, node);
            }
            text.map(str::to_owned)
        };
        let (kind, value) = (field("type", 64), field("value", 1024));
        let (description, transport) = (field("description", 1024), field("transport", 64));
        let (command, url) = (field("command", 1024), field("url", 1024));
        match (kind, value) {
            (Some(kind), Some(value)) => {
                self.sidecar.tools.push(ToolDependency { kind, value, description, transport, command, url });
            }
            _ => self.drop("a tool", "has no usable `type` or `value`", item),
        }
    }

    fn policy(&mut self, fields: &[(Key, Node)]) {
        for (key, node) in fields {
            match (key.text.as_str(), &node.value) {
                ("allow_implicit_invocation", _) => {
                    // Fails closed: a model may not select a skill unless its policy clearly allows
                    // it.
                    let flag = yes_no(node);
                    if flag.is_none() {
                        self.drop(&key.text, "is neither yes nor no and counts as no", node);
                    }
                    self.sidecar.allow_implicit_invocation = Some(flag.unwrap_or(false));
                }
                ("products", Value::Null) => {}
                ("products", Value::List(items)) => {
                    self.sidecar.products =
                        items.iter().filter_map(Node::scalar).map(str::to_owned).collect();
                    for item in items.iter().filter(|item| item.scalar().is_none()) {
                        self.drop("an entry of products", "is not text", item);
                    }
                }
                ("products", _) => self.drop(&key.text, "is not a list", node),
                _ => self.unknown(key),
            }
        }
    }
}

fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_asset(text: &str) -> bool {
    let path = text.strip_prefix("./").unwrap_or(text);
    path.starts_with("assets/") && crate::TreePath::new(path, &crate::Limits::default()).is_ok()
}
