//! Where an agent keeps settings that Skillful can write for its user: its MCP servers, and its own switch for skills.

use super::PathTemplate;
use serde::{Deserialize, Serialize};

/// A file of settings that the agent owns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsFile {
    /// The file of the user.
    pub path: PathTemplate,
    /// Other names in the same folder; the first file that exists is used.
    #[serde(default)]
    pub beside: Vec<String>,
    /// How it is written.
    pub format: SettingsFormat,
}

/// How a file of settings is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingsFormat {
    /// JSON without comments.
    Json,
    /// JSON with comments and commas before a closing bracket.
    Jsonc,
    /// TOML.
    Toml,
}

/// How the agent lists its MCP servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerRule {
    /// The file.
    pub file: SettingsFile,
    /// The keys that lead to the mapping of servers.
    pub key: Vec<String>,
    /// The form of one server.
    pub form: ServerForm,
}

/// The form of one MCP server in an agent's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerForm {
    /// `{command, args}`.
    CommandAndArgs,
    /// `{type: "stdio", command, args}`.
    StdioAndArgs,
    /// `{type: "local", command: [program, …], enabled: true}`.
    LocalList,
}

/// The agent's own switch for a single skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillSwitch {
    /// The file.
    pub file: SettingsFile,
    /// The keys that lead to the value.
    pub key: Vec<String>,
    /// How a skill is disabled there.
    pub form: SwitchForm,
}

/// How a skill is disabled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchForm {
    /// Its name is in a list.
    Names,
    /// A list of tables has one with its name and `enabled = false`.
    Rules,
    /// A mapping has this word for its name.
    Word(String),
}
