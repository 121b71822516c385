//! What surrounds the skills of an agent: its own configuration, its idea of a project, its plugins,
//! the files it reads beside a skill, and the form of its list.

use super::{PathTemplate, Scope, Shape, Walk};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An agent's own configuration files and the keys in them that concern skills. A key is dotted:
/// `skills.disabled`. Unless a key says otherwise, the last file that has it counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConfigRule {
    /// The files, the weakest first.
    #[serde(rename = "file")]
    pub files: Vec<ConfigFile>,
    /// What a file that cannot be used does.
    pub broken: BrokenConfig,
    /// Whether JSON may have a comma before a closing bracket; comments it may always have.
    pub trailing_commas: bool,
    /// A key that says whether there are skills at all.
    pub switch: Option<String>,
    /// A list of rules, each with `enabled` and either `name` or `path`; the last match counts.
    pub rules: Option<String>,
    /// Names that are switched off, whatever their case; the lists of all files add up.
    pub disabled: Option<String>,
    /// A mapping of name patterns to `allow`, `ask` and `deny`; the last match counts, and a denied
    /// skill loads without being listed.
    pub permissions: Option<String>,
    /// A list of further roots, relative to the working folder, absolute or below `~`.
    pub roots: Option<String>,
    /// A list of the names that mark a project, in place of the agent's.
    pub markers: Option<String>,
}

impl Default for ConfigRule {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            broken: BrokenConfig::Ignored,
            trailing_commas: true,
            switch: None,
            rules: None,
            disabled: None,
            permissions: None,
            roots: None,
            markers: None,
        }
    }
}

/// One configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// Where it lies; a relative path is of the project.
    pub path: PathTemplate,
    /// Which folders of a project are asked.
    #[serde(default)]
    pub walk: Walk,
}

/// What a configuration file that cannot be used does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BrokenConfig {
    /// It is passed over.
    #[default]
    Ignored,
    /// No skill loads.
    NothingLoads,
}

/// What an agent takes for the top of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectRule {
    /// How it is recognised.
    pub found_by: FoundBy,
    /// Names of files or folders that mark it.
    pub markers: Vec<String>,
}

impl Default for ProjectRule {
    fn default() -> Self {
        Self { found_by: FoundBy::Marker, markers: vec![".git".to_owned()] }
    }
}

/// How the top of a project is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundBy {
    /// By the mere presence of a marker.
    Marker,
    /// By a marker, of which a folder `.git` must have a `HEAD`.
    Head,
    /// By git, which wants more than an empty `.git`.
    Git,
}

/// How an agent learns whether a folder is trusted. Without any of these nobody outside can know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustSource {
    /// A variable that says `true` or `false` for this call.
    pub variable: Option<String>,
    /// A key of the configuration; `false` trusts every folder.
    pub needed: Option<String>,
    /// A JSON file that maps folders to words.
    pub folders: PathTemplate,
    /// Words that trust the folder and what is below it.
    pub trusted: Vec<String>,
    /// Words that trust the folder's parent and what is below it.
    #[serde(default)]
    pub trusted_parent: Vec<String>,
}

/// What an agent makes of plugins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PluginRule {
    /// How plugins lie in a root of plugins.
    pub layout: PluginLayout,
    /// Files of a plugin's folder that make it one, the first to count first.
    pub manifests: Vec<String>,
    /// What qualifies the name of a skill.
    pub qualify: Qualify,
    /// Longest qualified name; absent means no limit.
    pub max: Option<u32>,
}

impl Default for PluginRule {
    fn default() -> Self {
        let manifests =
            [".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json"];
        Self {
            layout: PluginLayout::Marketplaces,
            manifests: manifests.map(str::to_owned).to_vec(),
            qualify: Qualify::Owner,
            max: None,
        }
    }
}

/// How plugins lie in a root of plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PluginLayout {
    /// At several depths, by marketplace and version, their manifests saying where skills are.
    Marketplaces,
    /// Each a folder directly below, with its skills in `skills`.
    Extensions,
}

/// What qualifies the name of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Qualify {
    /// Nothing.
    Never,
    /// The plugin that brings it.
    Owner,
    /// The nearest manifest at or above it, in any root.
    Nearest,
}

/// A file beside a skill that decides whether the agent offers it. It fails open: one that has not
/// the shapes below says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SidecarRule {
    /// The file, relative to the skill.
    pub file: String,
    /// A key with the list of products the skill is for; empty means all.
    pub products: String,
    /// What this agent is called there.
    pub product: String,
    /// Every product there is; another word spoils the file.
    pub known_products: Vec<String>,
    /// A key that keeps the skill from the model when it is `false`.
    pub implicit: String,
    /// What values must be.
    #[serde(default)]
    pub shapes: BTreeMap<String, Shape>,
}

/// The form of an agent's list of skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ListRule {
    /// Which path it shows.
    pub path: ListedPath,
    /// Its order.
    pub order: Order,
    /// Scopes that come first, in their order; the others follow together.
    pub scopes: Vec<Scope>,
}

impl Default for ListRule {
    fn default() -> Self {
        Self { path: ListedPath::Found, order: Order::Name, scopes: Vec::new() }
    }
}

/// Which path of a skill a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListedPath {
    /// As it was found, links and all.
    Found,
    /// With all links resolved.
    Real,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// By the bytes of the name, then by path; also for agents without a fixed order.
    Name,
    /// As a dictionary has it: punctuation, digits, letters, small before capital.
    Dictionary,
    /// As the files were found.
    Found,
}

/// Bounds of a walk that are counted per root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Names of files and folders looked at; absent means no limit.
    pub entries: Option<u32>,
}
