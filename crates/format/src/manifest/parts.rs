//! Decodes the fields that are more than a text, a list or a flag.

use super::{EnvSpec, McpServer, Requires, Variable, decode::Fields, env_spec::env_spec, yes_no::yes_no};
use crate::{
    diagnostic::Code,
    field::{self, Field},
    yaml::{Data, Key, Node, Value},
};

impl Fields<'_> {
    /// `context: fork` or `context_fork: true`.
    pub(super) fn fork(&mut self) -> bool {
        let Some((key, field, node)) = self.take_key("context") else { return false };
        let flag = yes_no(node).filter(|_| is_fork_flag(&key.text));
        match (flag, node.scalar()) {
            (Some(flag), _) => flag,
            (None, Some("fork")) => true,
            (None, None) if node.value == Value::Null => false,
            (None, _) => {
                self.wrong(field, node, "`fork`");
                false
            }
        }
    }

    pub(super) fn metadata(&mut self) -> Vec<(String, Data)> {
        let Some((field, node)) = self.take("metadata") else { return Vec::new() };
        match &node.value {
            Value::Null => Vec::new(),
            Value::Map(pairs) => {
                self.nested_gates("metadata", node);
                pairs.iter().map(|(key, value)| (key.text.clone(), value.to_data())).collect()
            }
            _ => {
                self.wrong(field, node, "a mapping");
                Vec::new()
            }
        }
    }

    /// Reports gates below another key, where they have no effect. `dependencies` and `requires` are also common
    /// names for an author's own data, which is a gate only in the form of one.
    pub(super) fn nested_gates(&mut self, parent: &str, node: &Node) {
        for (key, value) in node.pairs().unwrap_or_default() {
            let gate =
                field::field(&key.text).filter(|field| field.gate).is_some_and(|field| match field.name {
                    "dependencies" => false,
                    "requires" => value.pairs().is_some_and(|pairs| {
                        !pairs.is_empty()
                            && pairs.iter().all(|(key, _)| REQUIREMENTS.contains(&key.text.as_str()))
                    }),
                    _ => true,
                });
            if gate {
                let message = format!("`{}` below `{parent}` has no effect", key.text);
                self.report(
                    Code::GateNested,
                    key.span,
                    message,
                    "move it to the top level of the frontmatter",
                );
            }
        }
    }

    pub(super) fn requires(&mut self) -> Requires {
        let mut requires = Requires::default();
        let Some((field, node)) = self.take("requires") else { return requires };
        let Some(pairs) = node.pairs() else {
            let empty = matches!(&node.value, Value::List(items) if items.is_empty());
            if node.value != Value::Null && !empty {
                self.wrong(field, node, "a mapping of `env`, `binary` and `skills`");
            }
            return requires;
        };
        for (key, value) in pairs {
            if !REQUIREMENTS.contains(&key.text.as_str()) {
                // An unknown requirement cannot be met.
                self.close(field);
                let message =
                    format!("`requires.{}` is not a known requirement, so it can never be met", key.text);
                let help = "use `env`, `binary`, `skills` or `mcp`";
                self.report(Code::GateUnreadable, key.span, message, help);
                continue;
            }
            if let "binary" | "bins" | "binaries" = key.text.as_str()
                && let Some(choices) = choices(value)
            {
                requires.binary.extend(choices);
                continue;
            }
            let words = match names(value) {
                Ok(words) => words,
                Err(wrong) if std::ptr::eq(wrong, value) => {
                    self.wrong_part(field, &format!("`requires.{}`", key.text), wrong, "a list of names");
                    continue;
                }
                Err(wrong) => {
                    self.wrong_part(field, &format!("an item of `requires.{}`", key.text), wrong, "a name");
                    continue;
                }
            };
            match key.text.as_str() {
                "env" => requires.env.extend(words),
                "skills" => requires.skills.extend(words),
                "mcp" => requires.mcp.extend(words),
                "anyBins" if words.is_empty() => {}
                // Of several programs one suffices.
                "anyBins" => requires.binary.push(words),
                _ => requires.binary.extend(words.into_iter().map(|word| vec![word])),
            }
        }
        requires
    }

    /// Reads a list of variables, or the same list as JSON in a text.
    pub(super) fn env(&mut self) -> Vec<EnvSpec> {
        let Some((field, node)) = self.take("env") else { return Vec::new() };
        let data = match &node.value {
            Value::Null => return Vec::new(),
            Value::Text(text) => match serde_json::from_str::<serde_json::Value>(text) {
                Ok(json) => Data::from_json(&json),
                Err(_) => node.to_data(),
            },
            _ => node.to_data(),
        };
        let Data::List(items) = data else {
            self.wrong(field, node, "a list of variables");
            return Vec::new();
        };
        let mut specs = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            let spec = match item {
                Data::Text(var) => Ok(EnvSpec { var, ..EnvSpec::default() }),
                Data::Map(pairs) => env_spec(pairs),
                _ => Err("a variable with a `var`".to_owned()),
            };
            match spec {
                Ok(spec) => specs.push(spec),
                Err(wanted) => {
                    // Items of JSON in a text have no position of their own.
                    let place = match &node.value {
                        Value::List(nodes) => nodes.get(at).unwrap_or(node),
                        _ => node,
                    };
                    self.wrong_item(field, place, &wanted);
                }
            }
        }
        specs
    }

    pub(super) fn vars(&mut self) -> Vec<(String, Variable)> {
        let Some((field, node)) = self.take("vars") else { return Vec::new() };
        let pairs = match &node.value {
            Value::Null => return Vec::new(),
            Value::Map(pairs) => pairs,
            _ => {
                self.wrong(field, node, "a mapping of variables");
                return Vec::new();
            }
        };
        let mut vars = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let variable = match &value.value {
                Value::Null => Variable::default(),
                Value::Map(parts) => self.variable(parts),
                Value::List(_) => {
                    self.wrong(field, value, "a default or a mapping for each variable");
                    continue;
                }
                _ => Variable { default: value.scalar().map(str::to_owned), ..Variable::default() },
            };
            vars.push((key.text.clone(), variable));
        }
        vars
    }

    fn variable(&mut self, parts: &[(Key, Node)]) -> Variable {
        let mut variable = Variable::default();
        for (part, node) in parts {
            match part.text.as_str() {
                "description" => variable.description = node.scalar().map(str::to_owned),
                "default" => {
                    variable.default = node.scalar().map(str::to_owned);
                    if matches!(node.value, Value::List(_) | Value::Map(_)) {
                        let message =
                            format!("the default of a variable must be text, but is {}", node.kind());
                        self.report(
                            Code::WrongType,
                            node.span,
                            message,
                            "correct the value; the default is ignored until then",
                        );
                    }
                }
                // Fails closed: a flag that cannot be read makes the variable required and secret.
                "required" => variable.required = yes_no(node).unwrap_or(true),
                "secret" => variable.secret = yes_no(node).unwrap_or(true),
                "expose_to_model" => variable.expose_to_model = yes_no(node).unwrap_or(false),
                other => {
                    let message = format!("`{other}` is not a known key of a variable");
                    self.report(
                        Code::UnknownKey,
                        part.span,
                        message,
                        "check the spelling, or remove it; it is ignored",
                    );
                }
            }
        }
        variable
    }

    pub(super) fn mcp(&mut self) -> Option<McpServer> {
        let (field, node) = self.take("mcp")?;
        let pairs = match &node.value {
            Value::Null => return None,
            Value::Map(pairs) => pairs,
            _ => {
                self.wrong(field, node, "a mapping with `command` or `url`");
                return None;
            }
        };
        let mut server = McpServer::default();
        for (key, value) in pairs {
            match key.text.as_str() {
                "command" => {
                    server.command = value.scalar().filter(|c| !c.trim().is_empty()).map(str::to_owned);
                }
                "args" => match words(value) {
                    Some(args) => server.args = args,
                    None => self.wrong(field, value, "a list of texts in `args`"),
                },
                "url" => server.url = value.scalar().map(str::to_owned),
                "env" => {
                    if value.pairs().is_none() && value.value != Value::Null {
                        self.wrong(field, value, "a mapping of texts in `env`");
                    }
                    for (name, value) in value.pairs().unwrap_or_default() {
                        match value.scalar() {
                            Some(text) => server.env.push((name.text.clone(), text.to_owned())),
                            None => self.wrong(field, value, "a mapping of texts in `env`"),
                        }
                    }
                }
                "startup_timeout" => server.startup_timeout = self.number(field, value),
                "idle_timeout" => server.idle_timeout = self.number(field, value),
                _ => server.rest.push((key.text.clone(), value.to_data())),
            }
        }
        Some(server)
    }

    fn number(&mut self, field: &Field, node: &Node) -> Option<u32> {
        let number = node.scalar().and_then(|text| text.parse().ok());
        if number.is_none() {
            self.wrong(field, node, "a whole number for a timeout");
        }
        number
    }

    pub(super) fn conditional(&mut self) -> Vec<(String, String)> {
        let Some((field, node)) = self.take("conditional_next_skills") else { return Vec::new() };
        let Some(pairs) = node.pairs() else {
            if node.value != Value::Null {
                self.wrong(field, node, "a mapping of labels to skills");
            }
            return Vec::new();
        };
        let mut out = Vec::new();
        for (key, value) in pairs {
            match value.scalar() {
                Some(skill) => out.push((key.text.clone(), skill.to_owned())),
                None => self.wrong(field, value, "a mapping of labels to skills"),
            }
        }
        out
    }
}

/// The keys of `requires`.
const REQUIREMENTS: [&str; 7] = ["env", "binary", "bins", "binaries", "anyBins", "skills", "mcp"];

/// The names of a list. An item may be a mapping with `name`; one that is not required is skipped. The error is the
/// node that is not a name.
fn names(node: &Node) -> Result<Vec<String>, &Node> {
    let Value::List(items) = &node.value else { return words(node).ok_or(node) };
    let mut names = Vec::with_capacity(items.len());
    for item in items {
        let name = item.scalar().or_else(|| item.get("name")?.scalar()).ok_or(item)?;
        let flag = |key| item.get(key).and_then(yes_no);
        if flag("optional") != Some(true) && flag("required") != Some(false) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Whether a key is the flag `context_fork` rather than `context`.
pub(crate) fn is_fork_flag(key: &str) -> bool {
    key.len() > "context".len()
}

/// Names of programs; of a list inside the list one program suffices.
fn choices(node: &Node) -> Option<Vec<Vec<String>>> {
    let one = |word: String| vec![word];
    match &node.value {
        Value::List(items) => items
            .iter()
            .map(|item| match &item.value {
                Value::List(choice) if !choice.is_empty() => words(item),
                _ => item.scalar().map(str::to_owned).map(one),
            })
            .collect(),
        _ => Some(words(node)?.into_iter().map(one).collect()),
    }
}

/// A list of single values, or one text separated by spaces or commas.
fn words(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::Null => Some(Vec::new()),
        Value::List(items) => items.iter().map(|item| item.scalar().map(str::to_owned)).collect(),
        Value::Map(_) => None,
        _ => Some(
            node.scalar()?
                .split(|c: char| c == ',' || c.is_whitespace())
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
        ),
    }
}
