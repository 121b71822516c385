//! Reads the requirements in `metadata.openclaw`.

use super::Sidecar;
use crate::{
    diagnostic::{Code, Diagnostic},
    manifest::yes_no,
    yaml::{Node, Value},
};

/// Reads `requires` and `os`; a part that cannot be used is reported and ignored.
pub(super) fn read(sidecar: &mut Sidecar, node: &Node, diagnostics: &mut Vec<Diagnostic>) {
    let mut reader = Reader { diagnostics };
    if node.pairs().is_none() {
        reader.drop("metadata.openclaw", "is not a mapping", "write keys and values, or remove it", node);
        return;
    }
    if let Some(requires) = node.get("requires") {
        if requires.pairs().is_none() {
            let help = "write `bins`, `anyBins` or `env` with a list of names below it";
            reader.drop("metadata.openclaw.requires", "is not a mapping", help, requires);
        }
        sidecar.requires.env = reader.words("env", requires);
        sidecar.requires.binary =
            reader.words("bins", requires).into_iter().map(|program| vec![program]).collect();
        let any = reader.words("anyBins", requires);
        if !any.is_empty() {
            sidecar.requires.binary.push(any);
        }
    }
    sidecar.systems = reader.words("os", node);
}

struct Reader<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn drop(&mut self, what: &str, why: &str, help: &'static str, node: &Node) {
        self.diagnostics.push(
            Diagnostic::new(Code::SidecarField, format!("`{what}` {why}, so it was ignored"))
                .at(node.span)
                .help(help),
        );
    }

    /// A list of names; a variable may also be a mapping with `name` and `optional`.
    fn words(&mut self, key: &str, parent: &Node) -> Vec<String> {
        let Some(node) = parent.get(key) else { return Vec::new() };
        let items = match &node.value {
            Value::Null => return Vec::new(),
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let mut words = Vec::new();
        for item in items {
            let name = item.scalar().or_else(|| item.get("name")?.scalar());
            match name {
                Some(_) if item.get("optional").and_then(yes_no) == Some(true) => {}
                Some(name) => words.push(name.to_owned()),
                None => {
                    let why = "contains something other than names";
                    let under = if key == "os" { "" } else { "requires." };
                    let what = format!("metadata.openclaw.{under}{key}");
                    self.drop(&what, why, "write a list of names", item);
                }
            }
        }
        words
    }
}
