//! Tracks the names of a script: their labels, their texts and the files they write.

use super::{Script, Value};
use crate::flow::Labels;
use tree_sitter::Node;

/// Maximum length of the text of a name, in characters.
const NAMED_TEXT: usize = 2_000;
impl Script<'_> {
    pub(super) fn bind(&mut self, left: Option<Node<'_>>, right: Option<Node<'_>>, depth: usize) -> Value {
        let value = right.map(|right| self.value(right, depth + 1)).unwrap_or_default();
        if let Some(left) = left {
            if left.kind() == "object_pattern" && value.labels.has(Labels::ENVIRONMENT) {
                self.pick(left);
                return value;
            }
            self.bind_names(left, value.labels, 0);
            if left.kind() == "identifier" {
                let name = self.text(left).to_owned();
                self.remember(name.clone(), &value.text);
                let given = right.map(|right| self.text(right)).unwrap_or_default();
                if let Some(module) = given.strip_prefix("require(") {
                    let module = module.trim_matches([')', '"', '\'', '`', ';']).trim_start_matches("node:");
                    self.modules.insert(name, module.to_owned());
                }
                // An archive that is written through its name and read through its path.
                if let Some(path) = right.and_then(|right| self.archive(right)) {
                    self.archives.insert(self.text(left).to_owned(), path);
                }
            }
        }
        value
    }

    /// Variables that are taken by name from the environment: `const { API_KEY } = process.env`.
    fn pick(&mut self, pattern: Node<'_>) {
        let mut cursor = pattern.walk();
        let children: Vec<Node<'_>> = pattern.named_children(&mut cursor).collect();
        for child in children {
            if child.kind() == "rest_pattern" {
                self.bind_names(child, Labels::ENVIRONMENT, 0);
                continue;
            }
            let text = self.text(child);
            let name = text.split([':', '=']).next().unwrap_or(text).trim().to_owned();
            let bound = text.split(['=']).next().unwrap_or(text).rsplit(':').next().unwrap_or(text).trim();
            let bound = bound.to_owned();
            let labels = self.variable(&name).labels;
            self.flow.variables.entry(bound).or_default().add(labels);
        }
    }

    /// Stores the text of a name, within limits.
    pub(super) fn remember(&mut self, name: String, text: &str) {
        if text.is_empty() || text.len() > NAMED_TEXT {
            return;
        }
        let known = self.flow.texts.entry(name).or_default();
        if !known.contains(text) && known.len() + text.len() < NAMED_TEXT {
            if !known.is_empty() {
                known.push(' ');
            }
            known.push_str(text);
        }
    }

    /// The first argument, as written, of a call that creates an archive.
    pub(super) fn archive(&self, node: Node<'_>) -> Option<String> {
        let call = self.text(node);
        let makes = ["ZipFile(", "tarfile.open("].iter().any(|name| call.contains(name));
        let first = node.child_by_field_name("arguments").and_then(|list| list.named_child(0))?;
        makes.then(|| self.text(first).to_owned())
    }

    pub(super) fn bind_names(&mut self, left: Node<'_>, labels: Labels, depth: usize) {
        if depth > 4 {
            return;
        }
        match left.kind() {
            "identifier" | "shorthand_property_identifier_pattern" | "attribute" | "member_expression" => {
                let name = self.text(left).to_owned();
                self.flow.variables.entry(name).or_default().add(labels);
            }
            // A tainted item taints its collection.
            "subscript" | "subscript_expression" => {
                if let Some(object) = left.named_child(0) {
                    self.bind_names(object, labels, depth + 1);
                }
            }
            _ => {
                let mut cursor = left.walk();
                let children: Vec<Node<'_>> = left.named_children(&mut cursor).collect();
                for child in children {
                    self.bind_names(child, labels, depth + 1);
                }
            }
        }
    }

    pub(super) fn function(&mut self, node: Node<'_>, depth: usize) -> Value {
        let name = node.child_by_field_name("name").map(|name| self.text(name)).or_else(|| {
            let parent = node.parent()?;
            let named = matches!(parent.kind(), "variable_declarator" | "pair" | "assignment_expression");
            named.then(|| parent.child(0)).flatten().map(|name| self.text(name))
        });
        let name = name.unwrap_or("?").to_owned();
        if let Some(parameters) = node.child_by_field_name("parameters") {
            let mut cursor = parameters.walk();
            let names = parameters.named_children(&mut cursor).map(|child| {
                let text = self.text(child);
                text.split([':', '=']).next().unwrap_or(text).trim().to_owned()
            });
            let names: Vec<String> = names.filter(|name| !matches!(name.as_str(), "self" | "cls")).collect();
            self.parameters.insert(name.clone(), names);
        }
        self.function.push(name.clone());
        let body =
            node.child_by_field_name("body").map(|body| self.value(body, depth + 1)).unwrap_or_default();
        self.function.pop();
        if node.kind() == "arrow_function" || node.kind() == "lambda" {
            self.flow.variables.entry(format!("{name}()")).or_default().add(body.labels);
            return body;
        }
        Value::default()
    }

    /// The path, as written, of the file that a call writes to.
    pub(super) fn opened(&self, function: Node<'_>, arguments: &[Node<'_>]) -> Option<String> {
        let object = function.child_by_field_name("object")?;
        let path = match object.child_by_field_name("arguments") {
            Some(list) => list.named_child(0),
            None if self.text(function).ends_with("writeFileSync") => arguments.first().copied(),
            None => Some(object),
        };
        path.map(|path| self.text(path).to_owned())
    }

    /// Gives the labels of a call's result to the functions that are passed to it as callbacks.
    pub(super) fn callbacks(&mut self, arguments: &[Node<'_>], labels: Labels) {
        let labels = labels.content().without(Labels::KEY);
        if labels == Labels::NONE {
            return;
        }
        for argument in arguments {
            if !matches!(argument.kind(), "arrow_function" | "function_expression" | "lambda") {
                continue;
            }
            let single = argument.child_by_field_name("parameter");
            if let Some(names) = single.or_else(|| argument.child_by_field_name("parameters")) {
                self.bind_names(names, labels, 0);
            }
        }
    }
}
