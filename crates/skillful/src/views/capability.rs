//! What a skill can do.

use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::capability::Capability;

/// One thing that a skill can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CapabilityView {
    /// `tools`, `command`, `hook`, `script`, `code`, `network`, `secret`, `variable`, `MCP server`, `program`,
    /// `dependency` or `other`.
    pub kind: String,
    /// The tool, command, file, host or name.
    pub what: String,
    /// When or why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The file and line that declare it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl CapabilityView {
    /// In a list of all that a skill can do: `Read, Edit`, `hook scripts/guard.sh`, `command git status on load`. The text is
    /// the author's.
    pub fn phrase(&self) -> String {
        let Self { kind, what, note, .. } = self;
        match (kind.as_str(), note.as_deref()) {
            ("tools" | "other", _) => what.clone(),
            ("command", Some(when @ "on load")) => format!("{kind} {what} {when}"),
            _ => format!("{kind} {what}"),
        }
    }

    /// The views of capabilities, in their order.
    pub fn all(capabilities: &[Capability]) -> Vec<Self> {
        let view = |one: &Capability| Self {
            kind: one.kind.to_owned(),
            what: one.what.clone(),
            note: one.note.map(str::to_owned),
            place: one.place.clone(),
        };
        capabilities.iter().map(view).collect()
    }
}
