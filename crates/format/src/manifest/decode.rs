//! From the tree of a header to a [`Manifest`], collecting everything that is wrong on the way.

use super::{EnvSpec, Manifest, McpServer, Requires, ToolGrant, Variable};
use crate::{
    diagnostic::{Code, Diagnostic, Span},
    field::{self, Field},
    yaml::{Data, Key, Node, Value},
};

/// Decodes a header. A field that cannot be read is reported and left at its default; a gate that
/// cannot be read closes.
pub(crate) fn decode(pairs: &[(Key, Node)], diagnostics: &mut Vec<Diagnostic>) -> Manifest {
    let mut m = Manifest::default();
    let mut fields = Fields { pairs, taken: vec![false; pairs.len()], closed: Vec::new(), diagnostics };
    m.name = fields.text("name");
    m.description = fields.text("description");
    m.when_to_use = fields.text("when_to_use");
    m.license = fields.text("license");
    m.compatibility = fields.text("compatibility");
    m.version = fields.text("version");
    m.allowed_tools = fields.tools("allowed-tools");
    m.disallowed_tools = fields.tools("disallowed-tools").unwrap_or_default();
    m.argument_hint = fields.hint("argument-hint");
    m.arguments = fields.list("arguments");
    m.disable_model_invocation = fields.flag("disable-model-invocation").unwrap_or(false);
    m.user_invocable = fields.flag("user-invocable").unwrap_or(true);
    m.model = fields.text("model");
    m.model_tier = fields.text("model_tier");
    m.effort = fields.text("effort");
    m.context_fork = fields.fork();
    m.agent = fields.text("agent");
    m.background = fields.flag("background");
    m.shell = fields.text("shell");
    m.paths = fields.globs("paths");
    m.always_include = fields.flag("always_include").unwrap_or(false);
    m.triggers = fields.phrases("triggers");
    m.source_types = fields.list("source_types");
    m.file_types = fields.list("file_types");
    m.resource_types = fields.list("resource_types");
    m.companion_skills = fields.list("companion_skills");
    m.exclude_skills = fields.list("exclude_skills");
    m.exclude_memory = fields.flag("exclude_memory").unwrap_or(false);
    m.exclude_persona = fields.flag("exclude_persona").unwrap_or(false);
    m.exclude_resources = fields.flag("exclude_resources").unwrap_or(false);
    m.dependencies = fields.phrases("dependencies");
    m.requires = fields.requires();
    m.requires_capability = fields.list("requires_capability");
    m.admin_only = fields.flag("admin_only").unwrap_or(false);
    m.experimental = fields.flag("experimental").unwrap_or(false);
    m.cli = fields.flag("cli").unwrap_or(false);
    m.env = fields.env();
    m.vars = fields.vars();
    m.mcp = fields.mcp();
    m.next_skill = fields.text("next_skill");
    m.conditional_next_skills = fields.conditional();
    m.hooks = fields.take("hooks").map(|(_, node)| node.to_data());
    m.override_mode = fields.text("override");
    m.metadata = fields.metadata();
    m.closed_gates.append(&mut fields.closed);
    m.extra = fields.rest();
    m
}

struct Fields<'a> {
    pairs: &'a [(Key, Node)],
    taken: Vec<bool>,
    closed: Vec<String>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Fields<'a> {
    /// The first pair whose key is a spelling of the field; a second spelling is reported.
    fn take(&mut self, name: &'static str) -> Option<(&'static Field, &'a Node)> {
        let field = field::field(name)?;
        let mut found: Option<(&'a Key, &'a Node)> = None;
        for (at, (key, node)) in self.pairs.iter().enumerate() {
            if self.taken[at] || !field.is_spelled(&key.text) {
                continue;
            }
            self.taken[at] = true;
            match found {
                None => found = Some((key, node)),
                Some((first, _)) if first.text != key.text => {
                    let message =
                        format!("`{}` and `{}` are one field; the first counts", first.text, key.text);
                    self.report(Code::TwoSpellings, key.span, message, "keep one of them");
                    // Which of two gates was meant is not known.
                    if field.gate {
                        self.closed.push(field.name.to_owned());
                    }
                }
                // The same key twice is the parser's finding.
                Some(_) => {}
            }
        }
        found.map(|(_, node)| (field, node))
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        self.diagnostics.push(Diagnostic::new(code, message).at(span).help(help));
    }

    /// Reports a value of the wrong kind; a gate closes.
    fn wrong(&mut self, field: &Field, node: &Node, wanted: &str) {
        let message = format!("`{}` must be {wanted}, and is {}", field.name, node.kind());
        if field.gate {
            self.closed.push(field.name.to_owned());
            let help = "the skill is for nobody until this can be read";
            self.report(Code::GateUnreadable, node.span, message, help);
        } else {
            self.report(Code::WrongType, node.span, message, "the field is left out");
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

    /// A hint is often written `[file] [mode]`, which YAML takes for a list.
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
        let flag = truth(node);
        if flag.is_none() {
            self.wrong(field, node, "yes or no");
        }
        flag
    }

    /// A list, or a text separated by blanks or commas.
    fn list(&mut self, name: &'static str) -> Vec<String> {
        self.items(name, |text| {
            text.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty()).collect()
        })
    }

    /// A list, or a text separated by commas; blanks are part of an item.
    fn phrases(&mut self, name: &'static str) -> Vec<String> {
        self.items(name, |text| text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect())
    }

    /// A list, or a text separated by blanks or by commas outside braces: `src/**/*.{ts,tsx}` is one.
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

    fn items(&mut self, name: &'static str, split: impl Fn(&str) -> Vec<&str>) -> Vec<String> {
        let Some((field, node)) = self.take(name) else { return Vec::new() };
        match &node.value {
            Value::Null => Vec::new(),
            Value::List(items) => {
                let mut out = Vec::with_capacity(items.len());
                for item in items {
                    match item.scalar() {
                        Some(text) => out.push(text.to_owned()),
                        None => self.wrong(field, item, "a list of texts"),
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
        let (field, node) = self.take(name)?;
        let mut grants = Vec::new();
        let mut read = |this: &mut Self, text: &str, span: Span| match ToolGrant::parse(text) {
            Some(grant) => grants.push(grant),
            None => {
                let message = format!("`{text}` is not a tool: write `Name` or `Name(pattern)`");
                this.report(Code::ToolPattern, span, message, "the entry grants nothing");
            }
        };
        match &node.value {
            Value::Null => return None,
            Value::List(items) => {
                for item in items {
                    match item.scalar() {
                        Some(text) => read(self, text, item.span),
                        None => self.wrong(field, item, "a list of tools"),
                    }
                }
            }
            Value::Map(_) => {
                self.wrong(field, node, "a list of tools");
                return None;
            }
            _ => {
                for part in ToolGrant::split(node.scalar().unwrap_or_default()) {
                    read(self, part, node.span);
                }
            }
        }
        Some(grants)
    }

    /// `context: fork` or `context_fork: true`.
    fn fork(&mut self) -> bool {
        let spelled_as_flag = self.pairs.iter().any(|(key, _)| key.text.replace('-', "_") == "context_fork");
        let Some((field, node)) = self.take("context") else { return false };
        if spelled_as_flag && let Some(flag) = truth(node) {
            return flag;
        }
        match node.scalar() {
            Some("fork") => true,
            Some(_) => {
                self.wrong(field, node, "`fork`");
                false
            }
            None if node.value == Value::Null => false,
            None => {
                self.wrong(field, node, "`fork`");
                false
            }
        }
    }

    fn metadata(&mut self) -> Vec<(String, Data)> {
        let Some((field, node)) = self.take("metadata") else { return Vec::new() };
        match &node.value {
            Value::Null => Vec::new(),
            Value::Map(pairs) => {
                for (key, _) in pairs {
                    if field::field(&key.text).is_some_and(|field| field.gate) {
                        let message = format!("`{}` below `metadata` has no effect", key.text);
                        self.report(
                            Code::GateNested,
                            key.span,
                            message,
                            "move it to the top level of the header",
                        );
                    }
                }
                pairs.iter().map(|(key, value)| (key.text.clone(), value.to_data())).collect()
            }
            _ => {
                self.wrong(field, node, "a mapping");
                Vec::new()
            }
        }
    }

    fn requires(&mut self) -> Requires {
        let mut requires = Requires::default();
        let Some((field, node)) = self.take("requires") else { return requires };
        let Some(pairs) = node.pairs() else {
            if node.value != Value::Null {
                self.wrong(field, node, "a mapping of `env`, `binary` and `skills`");
            }
            return requires;
        };
        for (key, value) in pairs {
            let Some(words) = words(value) else {
                self.wrong(field, value, "lists of names");
                continue;
            };
            match key.text.as_str() {
                "env" => requires.env = words,
                "binary" | "bins" | "binaries" => requires.binary.extend(words.into_iter().map(|w| vec![w])),
                "anyBins" if !words.is_empty() => requires.binary.push(words),
                "skills" => requires.skills = words,
                "mcp" => requires.mcp = words,
                _ => {
                    // A requirement that nobody understands cannot be met.
                    self.closed.push(field.name.to_owned());
                    let message = format!("`requires` has no `{}`", key.text);
                    self.report(
                        Code::GateUnreadable,
                        key.span,
                        message,
                        "use `env`, `binary`, `skills` or `mcp`",
                    );
                }
            }
        }
        requires
    }

    /// A list of specs, or the same as JSON in a text.
    fn env(&mut self) -> Vec<EnvSpec> {
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
        for item in items {
            match item {
                Data::Text(var) => specs.push(EnvSpec { var, ..EnvSpec::default() }),
                Data::Map(pairs) => specs.push(env_spec(pairs)),
                _ => self.wrong(field, node, "a list of variables"),
            }
        }
        specs
    }

    fn vars(&mut self) -> Vec<(String, Variable)> {
        let Some((field, node)) = self.take("vars") else { return Vec::new() };
        let pairs = match &node.value {
            Value::Null => return Vec::new(),
            Value::Map(pairs) => pairs,
            _ => {
                self.wrong(field, node, "a mapping of variables");
                return Vec::new();
            }
        };
        let mut vars = Vec::new();
        for (key, value) in pairs {
            let mut variable = Variable::default();
            match &value.value {
                Value::Null => {}
                Value::Map(parts) => {
                    for (part, node) in parts {
                        match (part.text.as_str(), node) {
                            ("description", node) => variable.description = node.scalar().map(str::to_owned),
                            ("default", node) => variable.default = node.scalar().map(str::to_owned),
                            // Fails closed: what cannot be read is required and secret.
                            ("required", node) => variable.required = truth(node).unwrap_or(true),
                            ("secret", node) => variable.secret = truth(node).unwrap_or(true),
                            ("expose_to_model", node) => {
                                variable.expose_to_model = truth(node).unwrap_or(false)
                            }
                            (_, node) => {
                                let message = format!("a variable has no `{}`", part.text);
                                self.report(Code::UnknownKey, node.span, message, "it is left out");
                            }
                        }
                    }
                }
                Value::List(_) => {
                    self.wrong(field, value, "a default or a mapping");
                    continue;
                }
                _ => variable.default = value.scalar().map(str::to_owned),
            }
            vars.push((key.text.clone(), variable));
        }
        vars
    }

    fn mcp(&mut self) -> Option<McpServer> {
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
                    server.command = value.scalar().filter(|c| !c.trim().is_empty()).map(str::to_owned)
                }
                "args" => server.args = words(value).unwrap_or_default(),
                "url" => server.url = value.scalar().map(str::to_owned),
                "env" => {
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
            self.wrong(field, node, "a whole number");
        }
        number
    }

    fn conditional(&mut self) -> Vec<(String, String)> {
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

    fn rest(&mut self) -> Vec<(String, Data)> {
        let mut rest = Vec::new();
        for (at, (key, node)) in self.pairs.iter().enumerate() {
            if !self.taken[at] {
                let message = format!("no agent knows the key `{}`", key.text);
                self.report(
                    Code::UnknownKey,
                    key.span,
                    message,
                    "it is kept; move it below `metadata` if it is yours",
                );
                rest.push((key.text.clone(), node.to_data()));
            }
        }
        rest
    }
}

fn env_spec(pairs: Vec<(String, Data)>) -> EnvSpec {
    let mut spec = EnvSpec::default();
    for (key, value) in pairs {
        match (key.as_str(), &value) {
            ("var", Data::Text(var)) => spec.var.clone_from(var),
            ("from", Data::Text(from)) => spec.from = Some(from.clone()),
            // Fails closed: a flag that cannot be read keeps the value from the model.
            ("sensitive", value) => spec.sensitive = !matches!(value, Data::Bool(false)),
            ("proxy_only", value) => spec.proxy_only = !matches!(value, Data::Bool(false)),
            _ => spec.rest.push((key, value)),
        }
    }
    spec
}

/// A list of single values, or one text separated by blanks or commas.
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

/// Yes and no in every spelling that agents accept.
pub(crate) fn truth(node: &Node) -> Option<bool> {
    let text = node.scalar()?.trim();
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(&["true", "yes", "on", "1"]) {
        Some(true)
    } else if is(&["false", "no", "off", "0"]) {
        Some(false)
    } else {
        None
    }
}
