//! Analyses Python and JavaScript with their grammars: which values reach which calls.
//!
//! Labels are kept by name for a whole file, in a few passes, so that results and arguments of
//! functions are known. This is coarse and prefers to report a flow too many.

mod calls;
mod env_file_keys;
pub(crate) mod later;
mod names;
pub(crate) mod nearby;
mod requests;
pub(crate) mod together;
pub(crate) mod without_grammar;

use crate::{
    flow::{Flow, Labels},
    limits, sensitive, shell,
};
use calls::Meaning;
pub(crate) use calls::variable;
pub(crate) use env_file_keys::is_of;
use std::{collections::BTreeMap, ops::Range};
use tree_sitter::{Node, Parser};

/// A language with a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
}

/// Reads a script. The ranges of hits are ranges of `text`.
pub(crate) fn read(text: &str, language: Language, flow: &mut Flow) -> bool {
    walk(text, language, flow, None)
}

/// Reads code inside another text; all hits get the same range.
pub(crate) fn nested(text: &str, language: Language, flow: &mut Flow, at: Range<usize>) {
    walk(text, language, flow, Some(at));
}

fn walk(text: &str, language: Language, flow: &mut Flow, at: Option<Range<usize>>) -> bool {
    let mut parser = Parser::new();
    let grammar = match language {
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
    };
    if parser.set_language(&grammar).is_err() {
        return false;
    }
    let Some(tree) = parser.parse(text, None) else { return false };
    flow.env_only = env_file_keys::is_env_only(text);
    flow.picked = if flow.env_only { env_file_keys::services(text) } else { Vec::new() };
    flow.is_endless = ["while True", "while 1:", "while(true)", "while (true)", "setInterval("]
        .iter()
        .any(|loops| text.contains(loops));
    flow.reads_whole = flow.env_only && env_file_keys::reads_whole(text);
    let mut script = Script {
        text,
        flow,
        at,
        parameters: BTreeMap::new(),
        archives: BTreeMap::new(),
        modules: BTreeMap::new(),
        left: 0,
        whole: true,
        function: Vec::new(),
    };
    for _ in 0..limits::SCRIPT_PASSES {
        script.left = limits::SCRIPT_NODES;
        script.value(tree.root_node(), 0);
    }
    script.whole
}

struct Script<'a> {
    text: &'a str,
    flow: &'a mut Flow,
    at: Option<Range<usize>>,
    parameters: BTreeMap<String, Vec<String>>,
    /// Archives by the name of the variable that writes to them.
    archives: BTreeMap<String, String>,
    /// Modules by their name in the script.
    modules: BTreeMap<String, String>,
    left: usize,
    whole: bool,
    function: Vec<String>,
}

/// The facts known about a value: its labels, and its text if it is a literal.
#[derive(Clone, Debug, Default)]
struct Value {
    labels: Labels,
    text: String,
}

impl Value {
    fn add(&mut self, other: &Self) {
        self.labels.add(other.labels);
        if self.text.len() + other.text.len() < 8 << 10 && !other.text.is_empty() {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(&other.text);
        }
    }
}

impl<'a> Script<'a> {
    fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn place(&self, node: Node<'_>) -> Range<usize> {
        self.at.clone().unwrap_or_else(|| node.byte_range())
    }

    /// The labels of everything below a node; also records calls and bindings.
    fn value(&mut self, node: Node<'_>, depth: usize) -> Value {
        if self.left == 0 || depth > limits::SCRIPT_DEPTH {
            self.whole = false;
            return Value::default();
        }
        self.left -= 1;
        match node.kind() {
            "comment" => Value::default(),
            "string" | "template_string" | "concatenated_string" => self.string(node, depth),
            "identifier" | "shorthand_property_identifier" => self.name(node),
            "attribute" | "member_expression" => self.member(node, depth),
            "subscript" | "subscript_expression" => self.subscript(node, depth),
            "call" | "call_expression" | "new_expression" => self.call(node, depth),
            "assignment"
            | "augmented_assignment"
            | "assignment_expression"
            | "augmented_assignment_expression"
            | "named_expression" => self.bind(
                node.child_by_field_name("left").or_else(|| node.child_by_field_name("name")),
                node.child_by_field_name("right").or_else(|| node.child_by_field_name("value")),
                depth,
            ),
            "variable_declarator" => {
                self.bind(node.child_by_field_name("name"), node.child_by_field_name("value"), depth)
            }
            "for_statement" | "for_in_statement" | "for_in_clause" => {
                let value =
                    self.bind(node.child_by_field_name("left"), node.child_by_field_name("right"), depth);
                let mut all = self.children(node, depth);
                all.add(&value);
                all
            }
            "binary_operator" | "binary_expression" => {
                // Paths are joined with a slash.
                let mut value = self.children(node, depth);
                value.labels.add(pieces(&value.text));
                value
            }
            "as_pattern" => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                if let (Some(made), Some(name)) = (children.first(), children.get(1))
                    && let Some(path) = self.archive(*made)
                {
                    self.archives.insert(self.text(*name).to_owned(), path);
                }
                // A variable that is bound to a newly opened file no longer means the old file.
                if let Some(name) = children.get(1) {
                    self.flow.variables.remove(self.text(*name));
                }
                self.bind(children.get(1).copied(), children.first().copied(), depth)
            }
            "function_definition"
            | "function_declaration"
            | "method_definition"
            | "arrow_function"
            | "function_expression"
            | "lambda" => self.function(node, depth),
            "aliased_import" => {
                if let (Some(module), Some(name)) =
                    (node.child_by_field_name("name"), node.child_by_field_name("alias"))
                {
                    self.modules.insert(self.text(name).to_owned(), self.text(module).to_owned());
                }
                Value::default()
            }
            "return_statement" => {
                let value = self.children(node, depth);
                if let Some(name) = self.function.last().cloned() {
                    self.flow.variables.entry(format!("{name}()")).or_default().add(value.labels);
                }
                value
            }
            _ => self.children(node, depth),
        }
    }

    fn children(&mut self, node: Node<'_>, depth: usize) -> Value {
        let mut all = Value::default();
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in children {
            all.add(&self.value(child, depth + 1));
        }
        all
    }

    fn string(&mut self, node: Node<'_>, depth: usize) -> Value {
        // Values that are inserted into a text keep their labels.
        let mut value = Value::default();
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in children {
            if matches!(
                child.kind(),
                "interpolation" | "template_substitution" | "string" | "template_string"
            ) {
                value.labels.add(self.value(child, depth + 1).labels);
            }
        }
        let text = self.text(node);
        let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim_matches(['"', '\'', '`']);
        value.labels.add(shell::path_labels(text));
        if sensitive::is_start(text) && text.len() < 200 {
            value.labels.add(Labels::START_PATH);
        }
        if sensitive::is_agent(text) && text.len() < 200 {
            value.labels.add(Labels::AGENT_PATH);
        }
        value.text = crate::lines::floor(text, 4 << 10).min(text.len()).pipe(|end| text[..end].to_owned());
        value
    }

    fn name(&mut self, node: Node<'_>) -> Value {
        let name = self.text(node);
        let labels = match name {
            "__file__" | "__filename" => Labels::ITSELF,
            _ => self.flow.variables.get(name).copied().unwrap_or_default(),
        };
        // The text of a variable is the text it was assigned.
        Value { labels, text: self.flow.texts.get(name).cloned().unwrap_or_default() }
    }

    /// `os.environ` and `process.env` as a whole, when no single variable is selected.
    fn member(&mut self, node: Node<'_>, depth: usize) -> Value {
        let text = self.text(node);
        if matches!(text, "os.environ" | "process.env") {
            let picked = node.parent().is_some_and(|parent| {
                matches!(
                    parent.kind(),
                    "attribute"
                        | "member_expression"
                        | "subscript"
                        | "subscript_expression"
                        | "comparison_operator"
                )
            });
            return Value {
                labels: if picked { Labels::NONE } else { Labels::ENVIRONMENT },
                text: String::new(),
            };
        }
        if REQUESTS.iter().any(|request| text.starts_with(request)) {
            return Value { labels: Labels::REQUEST, text: String::new() };
        }
        if let Some(name) = text.strip_prefix("process.env.") {
            return self.variable(name);
        }
        let known = self.flow.variables.get(text).copied().unwrap_or_default();
        let object = node.child_by_field_name("object");
        let mut value = object.map(|object| self.value(object, depth + 1)).unwrap_or_default();
        // One variable by name from a copy of the environment.
        let name = text.rsplit('.').next().unwrap_or_default();
        if value.labels.has(Labels::ENVIRONMENT) && env_file_keys::is_name(name) {
            return self.variable(name);
        }
        value.labels.add(known);
        value
    }

    fn subscript(&mut self, node: Node<'_>, depth: usize) -> Value {
        let text = self.text(node);
        if text.starts_with("os.environ[") || text.starts_with("process.env[") {
            let name = text.split(['[', ']']).nth(1).unwrap_or_default().trim_matches(['"', '\'']);
            return self.variable(name);
        }
        if matches!(text, "process['env']" | "process[\"env\"]" | "process[`env`]") {
            return Value { labels: Labels::ENVIRONMENT, text: String::new() };
        }
        let value = self.children(node, depth);
        let name = text.rsplit_once('[').map_or("", |(_, name)| name.trim_matches([']', '"', '\'', '`']));
        if value.labels.has(Labels::ENVIRONMENT) && env_file_keys::is_name(name) {
            return self.variable(name);
        }
        if self.flow.env_only
            && value.labels.has(Labels::SECRET.and(Labels::SECRET_PATH))
            && env_file_keys::is_name(name)
        {
            return self.variable(name);
        }
        value
    }

    /// The module of a function that is called by its bare name: `import { request } from "node:https"`.
    fn module_of(&self, name: &str) -> Option<&'static str> {
        const MODULES: [&str; 8] =
            ["https", "http", "axios", "undici", "requests", "httpx", "http2", "urllib3"];
        if !matches!(name, "request" | "get" | "post" | "put" | "patch") {
            return None;
        }
        let is_word = |list: &str| list.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
        self.text.lines().filter(|line| line.contains("import") || line.contains("require")).find_map(
            |line| {
                let module = MODULES.iter().find(|module| {
                    line.split(['"', '\'', '`', ' ']).any(|word| word.trim_start_matches("node:") == **module)
                })?;
                let names = line.split("from").find(|part| part.contains(['{', '}']));
                let names = names.or_else(|| line.split("require").next().filter(|part| part.contains('{')));
                let names = names.or_else(|| {
                    line.strip_prefix("from ")
                        .and_then(|rest| rest.split_once(" import "))
                        .map(|(_, names)| names)
                });
                names.is_some_and(is_word).then_some(*module)
            },
        )
    }

    fn variable(&mut self, name: &str) -> Value {
        if !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            self.flow.environment.push(name.to_owned());
        }
        Value { labels: variable(name, &self.flow.purpose), text: String::new() }
    }

    fn call(&mut self, node: Node<'_>, depth: usize) -> Value {
        let function =
            node.child_by_field_name("function").or_else(|| node.child_by_field_name("constructor"));
        let Some(function) = function else { return self.children(node, depth) };
        let callee: String = self.text(function).chars().filter(|c| !c.is_whitespace()).take(200).collect();
        // `require('https').get` is `https.get`.
        let callee = match callee.strip_prefix("require(").and_then(|rest| rest.split_once(").")) {
            Some((module, rest)) if module.len() > 2 => {
                format!("{}.{rest}", module.trim_matches(['\'', '"', '`']).trim_start_matches("node:"))
            }
            _ => callee,
        };
        let callee = match callee.split_once('.') {
            Some((name, rest)) => match self.modules.get(name) {
                Some(module) => format!("{module}.{rest}"),
                None => callee,
            },
            None => callee,
        };
        let callee = match self.module_of(&callee) {
            Some(module) => format!("{module}.{callee}"),
            None => callee,
        };
        let receiver = match function.kind() {
            "identifier" => Value::default(),
            _ => self.value(function, depth + 1),
        };
        let mut arguments = Vec::new();
        let mut nodes = Vec::new();
        if let Some(list) = node.child_by_field_name("arguments") {
            let mut cursor = list.walk();
            nodes = list.named_children(&mut cursor).collect();
            for child in &nodes {
                arguments.push(self.value(*child, depth + 1));
            }
        }
        let short = callee.rsplit('.').next().unwrap_or(&callee).to_owned();
        let mut given = Value::default();
        for argument in &arguments {
            given.add(argument);
        }
        // Collections and files to which something is added.
        if matches!(
            short.as_str(),
            "append" | "push" | "add" | "update" | "extend" | "set" | "writestr" | "insert" | "write"
        ) && let Some(object) = function.child_by_field_name("object")
        {
            if let Some(path) = self.archives.get(self.text(object)).cloned() {
                self.flow.variables.entry(path.clone()).or_default().add(given.labels.content());
                self.flow.files.entry(path).or_default().add(given.labels.content());
            } else if short != "write" {
                self.bind_names(object, given.labels, 0);
            }
        }
        // A parser that reads a file holds its content: `config.read(path)`.
        if matches!(short.as_str(), "read" | "read_file" | "parse" | "load")
            && given.labels.has(Labels::SECRET_PATH)
            && let Some(object) =
                function.child_by_field_name("object").filter(|object| object.kind() == "identifier")
        {
            self.bind_names(object, given.labels.content(), 0);
        }
        // A file that was opened by a path gets the labels of what is written to it.
        if matches!(short.as_str(), "write" | "write_text" | "write_bytes" | "writeFileSync")
            && given
                .labels
                .has(Labels::FETCHED.and(Labels::DECODED).and(Labels::SECRET).and(Labels::ENVIRONMENT))
        {
            let path = self.opened(function, &nodes);
            if let Some(path) = path {
                self.flow.files.entry(path).or_default().add(given.labels.without(Labels::WORK));
            }
        }
        if matches!(
            short.as_str(),
            "spec_from_file_location" | "SourceFileLoader" | "run_path" | "exec_module"
        ) {
            for node in &nodes {
                given.labels.add(self.flow.files.get(self.text(*node)).copied().unwrap_or_default());
            }
        }
        // A copy has the content of its original.
        if matches!(short.as_str(), "copy" | "copyfile" | "copy2" | "copyFileSync" | "copyFile" | "cpSync")
            && let (Some(first), Some(copy)) = (arguments.first(), nodes.get(1))
        {
            let content = first.labels.content().without(Labels::WORK);
            self.flow.files.entry(self.text(*copy).to_owned()).or_default().add(content);
        }
        // Content read from a path that was written before.
        if matches!(short.as_str(), "open" | "read_bytes" | "readFileSync" | "createReadStream" | "connect")
            && let Some(first) = nodes.first()
            && let Some(labels) = self.flow.files.get(self.text(*first)).copied()
        {
            given.labels.add(labels);
        }
        // An image or a table that is saved to a file.
        if matches!(short.as_str(), "save" | "to_csv")
            && let Some(first) = nodes.first()
        {
            self.bind_names(*first, receiver.labels.content(), 0);
        }
        // A function that is called for each key.
        if short == "Listener" || callee.ends_with("on_press") || callee == "keyboard.hook" {
            for argument in &nodes {
                let name = self.text(*argument).rsplit(['=', ' ']).next().unwrap_or_default().to_owned();
                for parameter in self.parameters.get(&name).cloned().unwrap_or_default() {
                    self.flow.variables.entry(parameter).or_default().add(Labels::SENSES);
                }
            }
        }
        if let Some(names) = self.parameters.get(&short).cloned() {
            for (at, (node, argument)) in nodes.iter().zip(&arguments).enumerate() {
                // A named argument belongs to the parameter of that name.
                let named = node.child_by_field_name("name").filter(|_| node.kind() == "keyword_argument");
                let name = match named {
                    Some(named) => names.iter().find(|name| *name == self.text(named)),
                    None => names.get(at),
                };
                let Some(name) = name else { continue };
                self.flow.variables.entry(name.clone()).or_default().add(argument.labels);
                self.remember(name.clone(), &argument.text);
            }
        }
        let mut returned = self.flow.variables.get(&format!("{short}()")).copied().unwrap_or_default();
        // A function that is kept in a variable: `d = lambda s: b64decode(s)`.
        if function.kind() == "identifier" {
            let kept = self.flow.variables.get(&callee).copied().unwrap_or_default();
            if kept.has(Labels::DECODED) {
                returned.add(Labels::DECODED);
            }
        }
        let place = self.place(node);
        let raw = self.text(node);
        let meaning = Meaning {
            callee: &callee,
            short: &short,
            raw,
            receiver: &receiver.labels,
            given: &given.labels,
            address: arguments.first().map_or(Labels::NONE, |first| first.labels),
            text: &given.text,
            beside: beside(&nodes, &arguments, self.text),
            first: arguments.first().map_or("", |first| first.text.as_str()),
        };
        let mut labels = calls::judge(self.flow, &meaning, &place);
        // The result of a function of the script that uses the network is a response, not its
        // arguments.
        if returned.has(Labels::FETCHED) && self.parameters.contains_key(&short) {
            labels = labels.without(Labels::SECRET).without(Labels::SECRET_PATH);
        }
        labels.add(returned);
        self.callbacks(&nodes, labels.and(receiver.labels));
        // A path keeps its labels when it is joined or resolved.
        let keeps = matches!(
            short.as_str(),
            "join"
                | "resolve"
                | "joinpath"
                | "expanduser"
                | "Path"
                | "expandvars"
                | "abspath"
                | "dict"
                | "str"
                | "glob"
                | "iglob"
        );
        Value { labels, text: if keeps { given.text } else { String::new() } }
    }
}

/// The labels of the arguments other than HTTP headers.
fn beside(nodes: &[Node<'_>], arguments: &[Value], text: &str) -> Labels {
    let given = nodes.iter().zip(arguments);
    given
        .filter(|(node, _)| {
            node.child_by_field_name("name")
                .and_then(|name| text.get(name.byte_range()))
                .is_none_or(|name| name != "headers")
        })
        .fold(Labels::NONE, |labels, (_, argument)| labels.and(argument.labels))
}

/// The labels of a path that is given in pieces.
fn pieces(text: &str) -> Labels {
    let path = text.replace(' ', "/").replace("//", "/");
    if path.contains('/') { shell::path_labels(&path) } else { Labels::NONE }
}

/// Names of data that came in a request to a server.
const REQUESTS: [&str; 10] = [
    "request.args",
    "request.form",
    "request.json",
    "request.values",
    "request.data",
    "request.get_json",
    "req.query",
    "req.body",
    "req.params",
    "ctx.request.body",
];

trait Pipe: Sized {
    fn pipe<T>(self, with: impl FnOnce(Self) -> T) -> T {
        with(self)
    }
}

impl Pipe for usize {}
