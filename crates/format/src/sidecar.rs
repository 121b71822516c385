//! Sidecar files beside SKILL.md that describe a skill further: `agents/skillful.yaml`,
//! `agents/openai.yaml`, `skill.toml`, and the requirements in `metadata.openclaw`.
//!
//! Sidecars fail open: a bad file, or one bad field in it, is a diagnostic and never blocks the
//! skill.

mod agent;
mod openclaw;
mod skill_toml;
#[cfg(test)]
mod tests;

use crate::{
    diagnostic::{Code, Diagnostic},
    document::text_of,
    manifest::Requires,
    yaml::{self, Data, Key, Node, PartOf},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use skill_toml::{is_supplied, place_in_toml};

/// A larger sidecar file is not read.
pub const SIDECAR_LIMIT: u64 = 256 << 10;

/// The paths of the sidecar files, in the order of the fields of [`Sidecars`].
pub const SIDECAR_FILES: [&str; 3] = ["agents/skillful.yaml", "agents/openai.yaml", "skill.toml"];

/// The bytes of the sidecar files that exist.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sidecars<'a> {
    /// `agents/skillful.yaml`; its fields win over those of `agents/openai.yaml`.
    pub skillful: Option<&'a [u8]>,
    /// `agents/openai.yaml`.
    pub openai: Option<&'a [u8]>,
    /// `skill.toml`: supplies keys that are missing in the frontmatter.
    pub toml: Option<&'a [u8]>,
}

/// The decoded sidecar files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sidecar {
    /// Name to show instead of the skill's name.
    pub display_name: Option<String>,
    /// A shorter description for lists.
    pub short_description: Option<String>,
    /// The prompt to use when the skill is called without further text.
    pub default_prompt: Option<String>,
    /// A colour as `#RRGGBB`.
    pub brand_color: Option<String>,
    /// Path of an icon in `assets/`.
    pub icon_small: Option<String>,
    /// Path of an icon in `assets/`.
    pub icon_large: Option<String>,
    /// Tools and MCP servers that the skill depends on.
    pub tools: Vec<ToolDependency>,
    /// Whether a model may select the skill; `None` when not stated.
    pub allow_implicit_invocation: Option<bool>,
    /// Products the skill is for; empty means all.
    pub products: Vec<String>,
    /// Permissions that the skill requests, as written. They may narrow and never widen.
    pub permissions: Option<Data>,
    /// Requirements from `metadata.openclaw`.
    pub requires: Requires,
    /// Operating systems from `metadata.openclaw.os`; empty means all.
    pub systems: Vec<String>,
}

/// One tool that a skill depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolDependency {
    /// Kind of tool, such as `mcp`.
    pub kind: String,
    /// Name or address.
    pub value: String,
    /// Purpose of the tool.
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
    /// Adds the keys of `skill.toml` that the frontmatter does not have.
    pub(crate) fn add_missing_keys(&self, keys: &mut Vec<(Key, Node)>, diagnostics: &mut Vec<Diagnostic>) {
        let Some(bytes) = self.toml else { return };
        match text(bytes).and_then(skill_toml::table) {
            Ok(table) => skill_toml::add(table, keys),
            Err(diagnostic) => diagnostics.push(unreadable(*diagnostic, TOML)),
        }
    }

    /// Reads the agent files and the frontmatter's `metadata.openclaw`.
    pub(crate) fn read(&self, keys: &[(Key, Node)], diagnostics: &mut Vec<Diagnostic>) -> Sidecar {
        let mut sidecar = Sidecar::default();
        for (file, bytes) in [(OPENAI, self.openai), (SKILLFUL, self.skillful)] {
            let Some(bytes) = bytes else { continue };
            match text(bytes) {
                Err(diagnostic) => diagnostics.push(unreadable(*diagnostic, file)),
                Ok(text) => {
                    let inner = text.strip_prefix('\u{feff}').unwrap_or(text);
                    let mut origin = PartOf { offset: text.len() - inner.len(), lines: 0 };
                    let yaml = yaml::parse(inner, &mut origin);
                    if let Some(root) = yaml.root.as_ref().filter(|_| yaml.diagnostics.is_empty()) {
                        agent::read(&mut sidecar, root, file, diagnostics);
                    }
                    diagnostics.extend(yaml.diagnostics.into_iter().map(|found| unreadable(found, file)));
                }
            }
        }
        let metadata = keys.iter().find(|(key, _)| key.text == "metadata").map(|(_, node)| node);
        if let Some(node) = metadata.and_then(|node| node.get("openclaw")) {
            openclaw::read(&mut sidecar, node, diagnostics);
        }
        sidecar
    }
}

/// The text of a sidecar file, if it is within the size limit.
fn text(bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    if bytes.len() as u64 > SIDECAR_LIMIT {
        let message = format!("it has {} bytes; Skillful reads at most {SIDECAR_LIMIT}", bytes.len());
        return Err(Box::new(Diagnostic::new(Code::SidecarUnreadable, message)));
    }
    text_of(bytes)
}

fn unreadable(diagnostic: Diagnostic, file: &str) -> Diagnostic {
    let found =
        Diagnostic::new(Code::SidecarUnreadable, format!("`{file}` was ignored: {}", diagnostic.message))
            .at(diagnostic.span)
            .in_path(file);
    found.help(diagnostic.help.unwrap_or_else(|| "correct the file or remove it".into()))
}
