//! The environment of an agent's skills: its own configuration, how it finds a project, its
//! plugins, the files it reads beside a skill, and the form of its list.

use super::{PathTemplate, PermissionRule, Scope, Shape, Walk};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An agent's own configuration files and their keys that concern skills. A key is dotted:
/// `skills.disabled`. Unless noted otherwise, the last file that has a key wins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConfigRule {
    /// The files, lowest precedence first.
    #[serde(rename = "file")]
    pub files: Vec<ConfigFile>,
    /// How the values of several files become one.
    pub merge: Merge,
    /// How variables are put into values.
    pub substitute: Option<Substitution>,
    /// The words that environment variables have as switches.
    #[serde(rename = "variable")]
    pub variables: Vec<VariableWords>,
    /// Whether an empty file is ignored, and not broken.
    pub empty_file: bool,
    /// Whether the number 0 and the text `false`, in any case, are false too.
    pub loose_false: bool,
    /// Whether a byte order mark is skipped; otherwise its file is broken.
    pub byte_order_mark: bool,
    /// The effect of a file that cannot be read.
    pub broken: BrokenConfig,
    /// Whether JSON may have a comma before a closing bracket.
    pub trailing_commas: bool,
    /// A key that enables or disables all skills.
    pub switch: Option<String>,
    /// A list of rules, each with `enabled` and either `name` or `path`; the last match wins.
    pub rules: Option<String>,
    /// Names of disabled skills; the lists of all files are combined.
    pub disabled: Option<String>,
    /// Whether the case of letters counts in those names.
    pub disabled_case: bool,
    /// A list of folders, absolute or starting with `~`, in and below which the agent does not look.
    pub ignored_roots: Option<String>,
    /// Other names of keys.
    pub aliases: BTreeMap<String, String>,
    /// The permissions of tools.
    pub permissions: Option<PermissionRule>,
    /// Keys that may have a list of further roots: relative to the working folder, absolute, or starting with `~`.
    pub roots: Vec<String>,
    /// What `~` means in these lists, when it is not the home folder.
    pub home: Option<PathTemplate>,
    /// A list of addresses from which the agent downloads skills, which a view does not show.
    pub urls: Option<String>,
    /// The required types of values; a file with another type is broken.
    pub shapes: BTreeMap<String, ConfigShape>,
    /// A list of file names that mark a project, instead of the agent's default.
    pub markers: Option<String>,
    /// Whether JSON may have comments.
    pub comments: bool,
    /// Keys that the agent refuses, so that their file counts as broken.
    pub refused: Vec<String>,
    /// A mapping of names to `on`, `name-only`, `user-invocable-only` and `off`, for skills that are not of a plugin;
    /// the last file that has a name wins.
    pub overrides: Option<String>,
    /// A list in which one of these words keeps all skills from the model.
    pub hides_all: Option<HidesAll>,
    /// A key that is `true`, or a list with one of the words, when only skills of plugins and of the administrator load.
    pub plugins_only: Option<HidesAll>,
}

/// A list of the configuration in which a word has an effect on all skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HidesAll {
    /// The key of the list, in any file.
    pub key: String,
    /// The words.
    pub words: Vec<String>,
}

impl Default for ConfigRule {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            merge: Merge::Last,
            substitute: None,
            variables: Vec::new(),
            empty_file: false,
            loose_false: false,
            byte_order_mark: true,
            broken: BrokenConfig::Ignored,
            trailing_commas: true,
            switch: None,
            rules: None,
            disabled: None,
            disabled_case: false,
            ignored_roots: None,
            aliases: BTreeMap::new(),
            permissions: None,
            roots: Vec::new(),
            home: None,
            urls: None,
            shapes: BTreeMap::new(),
            markers: None,
            comments: true,
            refused: Vec::new(),
            overrides: None,
            hides_all: None,
            plugins_only: None,
        }
    }
}

/// The required type of a value in a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfigShape {
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// One text or a list of them.
    TextOrTexts,
    /// A mapping.
    Map,
    /// A mapping whose values are booleans or lists.
    Switches,
}

/// How the values of several files become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    /// They do not: each key has its own rule.
    Last,
    /// Mappings are merged entry by entry and keep their order; of other values the last one counts.
    Deep,
}

/// How variables are put into values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Substitution {
    /// `{env:NAME}` and `{file:path}` in the text of a file, before it is parsed.
    Braces,
    /// `$NAME`, `${NAME}` and `${NAME:-default}` in texts.
    Dollar,
}

/// The words that environment variables have as switches. Without an entry they are `1`, `true`, `yes`, `on` and `y`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableWords {
    /// The variables.
    pub names: Vec<String>,
    /// The words that switch something off or on, whatever the variable is for; `*` stands for any text.
    pub yes: Vec<String>,
    /// The words that do not; if there are any, the agent does not start with any other word.
    #[serde(default)]
    pub no: Vec<String>,
    /// Whether the case of letters is ignored.
    #[serde(default)]
    pub any_case: bool,
}

/// One configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// The path; a relative path is relative to the project. The file name `*.json` stands for all such files of the
    /// folder, in order.
    pub path: PathTemplate,
    /// What the path names.
    #[serde(default)]
    pub kind: ConfigKind,
    /// Names of files in the same folder that are read after this one.
    #[serde(default)]
    pub beside: Vec<String>,
    /// In which folders of a project the agent looks.
    #[serde(default)]
    pub walk: Walk,
    /// Which of several folders of a project wins.
    #[serde(default)]
    pub wins: Wins,
    /// Environment variables that switch this file off.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Keys that the agent does not read from this file.
    #[serde(default)]
    pub ignored: Vec<String>,
    /// The effect of this file when it cannot be read, if it differs from the agent's rule.
    #[serde(default)]
    pub broken: Option<BrokenConfig>,
    /// The file counts only where the files before it trust its folder, or else its project.
    #[serde(default)]
    pub trusted_by: Option<TrustedBy>,
}

/// A mapping of folders in the configuration whose entries say which folders are trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedBy {
    /// The key of the mapping.
    pub key: String,
    /// The key in an entry.
    pub field: String,
    /// The value that trusts the folder.
    pub word: String,
}

/// What the path of a configuration file names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfigKind {
    /// A file of settings.
    #[default]
    Settings,
    /// Not a path: the text of the variable is the settings.
    Content,
    /// A folder of Markdown files at any depth, each a role whose frontmatter has its settings.
    Roles,
    /// The same in one folder, and each role can start a session.
    OldRoles,
}

/// Which of several folders of a project wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wins {
    /// The nearest.
    #[default]
    Nearest,
    /// The farthest.
    Farthest,
}

/// The effect of a configuration file that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BrokenConfig {
    /// The file is ignored.
    #[default]
    Ignored,
    /// No skill loads.
    NothingLoads,
}

/// How an agent finds the top folder of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectRule {
    /// How the folder is recognised.
    pub found_by: FoundBy,
    /// Names of files or folders that mark it.
    pub markers: Vec<String>,
}

impl Default for ProjectRule {
    fn default() -> Self {
        Self { found_by: FoundBy::Marker, markers: vec![".git".to_owned()] }
    }
}

/// How the top folder of a project is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FoundBy {
    /// By the presence of a marker.
    Marker,
    /// By a marker; a folder `.git` must contain a `HEAD`.
    Head,
    /// By git, which does not accept an empty `.git`.
    Git,
}

/// Where an agent stores whether a folder is trusted. Without any of these, Skillful cannot know
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustSource {
    /// An environment variable that is `true` or `false` for this call.
    pub variable: Option<String>,
    /// A key of the configuration; `false` trusts every folder.
    pub needed: Option<String>,
    /// A JSON file that maps folders to trust values. The entry with the longest path decides.
    pub folders: PathTemplate,
    /// All values; with any other one no skill loads.
    #[serde(default)]
    pub words: Vec<String>,
    /// Whether the settings of a project are read only when the project is trusted; they may then demand trust again.
    #[serde(default)]
    pub settings: bool,
    /// Values that trust the folder and everything below it.
    pub trusted: Vec<String>,
    /// Values that trust the folder's parent and everything below it.
    #[serde(default)]
    pub trusted_parent: Vec<String>,
}

/// How an agent loads plugins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PluginRule {
    /// How the folders of plugins are arranged in a root.
    pub layout: PluginLayout,
    /// Files that make a folder a plugin, highest precedence first.
    pub manifests: Vec<String>,
    /// What qualifies the name of a skill.
    pub qualify: Qualify,
    /// Maximum length of a qualified name; absent means no limit.
    pub max: Option<u32>,
    /// A key of the configuration with a mapping of `plugin@marketplace` to whether the plugin is enabled.
    pub enabled: Option<String>,
    /// Whether plugins have command files.
    pub commands: bool,
    /// A key of the configuration with the list of installed plugins, for the layout `listed`.
    pub installed: Option<String>,
    /// Whether a plugin does not load when its name has a blank, or a path of its manifest does not start with `./`.
    pub strict_manifest: bool,
    /// Whether a skill that is a link must lead into its plugin.
    pub contained: bool,
    /// A key with the only sources of marketplaces that the administrator allows.
    pub allowed_sources: Option<String>,
    /// A key with the sources of marketplaces that the administrator blocks.
    pub blocked_sources: Option<String>,
    /// A key with patterns, one of which must match where an extension was installed from.
    pub allowed_patterns: Option<String>,
    /// A key that is `true` when extensions from a repository do not load.
    pub no_repositories: Option<String>,
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
            enabled: None,
            commands: false,
            installed: None,
            strict_manifest: false,
            contained: false,
            allowed_sources: None,
            blocked_sources: None,
            allowed_patterns: None,
            no_repositories: None,
        }
    }
}

impl PluginLayout {
    /// Whether a record says which plugins of a root are installed, so that other folders below it are not.
    pub fn has_record(self) -> bool {
        self != Self::Marketplaces
    }
}

/// How the folders of plugins are arranged in a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PluginLayout {
    /// At several depths, by marketplace and version; manifests name the folders of skills.
    Marketplaces,
    /// One folder for each plugin directly below the root, with its skills in `skills`. A file beside the manifest
    /// may link the folder of the plugin, and a file in the root disables plugins for folders.
    Extensions,
    /// `marketplace/plugin/version` below the root; of several versions, `local` or else the newest.
    Versions,
    /// `installed_plugins.json` in the root names the folders, and `known_marketplaces.json` the marketplaces. A plugin
    /// of a marketplace on this disk is read where the marketplace has it.
    Registry,
    /// `installed_plugins.json` in the root names the folders, and no configuration switches one off.
    Installed,
    /// The configuration lists them, each with `name`, `marketplace`, `enabled` and the folder in `cache_path`. A plugin
    /// without folders of skills or commands is one skill.
    Listed,
}

/// What qualifies the name of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Qualify {
    /// Nothing.
    Never,
    /// The plugin that contains the skill.
    Owner,
    /// The nearest manifest in the skill's folder or above it, in any root.
    Nearest,
    /// The plugin that contains the skill, if another plugin has a skill of the same name.
    Ambiguous,
}

/// How an agent reads command files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CommandRule {
    /// Whether files in subfolders count, and have the names of their folders before their own.
    pub nested: bool,
    /// Whether the name in the frontmatter counts.
    pub named: bool,
    /// Whether the ending of a file may be `.MD` too.
    pub any_case: bool,
    /// Whether a file without frontmatter counts, in agents that require it of a skill.
    pub bare: bool,
}

impl Default for CommandRule {
    fn default() -> Self {
        Self { nested: true, named: false, any_case: false, bare: false }
    }
}

/// A file beside a skill that decides whether the agent offers it. It fails open: a file without
/// the shapes below has no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SidecarRule {
    /// The file, relative to the skill.
    pub file: String,
    /// A key with the list of products that the skill is for; empty means all.
    pub products: String,
    /// The name of this agent in that list.
    pub product: String,
    /// All known products; any other word invalidates the file.
    pub known_products: Vec<String>,
    /// A key that hides the skill from the model when it is `false`.
    pub implicit: String,
    /// The required types of values.
    #[serde(default)]
    pub shapes: BTreeMap<String, Shape>,
}

/// The form of an agent's list of skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ListRule {
    /// Which path the list shows.
    pub path: ListedPath,
    /// The order of the list.
    pub order: ListOrder,
    /// Scopes that come first, in this order; all others follow together.
    pub scopes: Vec<Scope>,
}

impl Default for ListRule {
    fn default() -> Self {
        Self { path: ListedPath::Found, order: ListOrder::Name, scopes: Vec::new() }
    }
}

/// Which path of a skill a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListedPath {
    /// The path as found, with links.
    Found,
    /// The path with all links resolved.
    Real,
    /// The path with the links of the folder resolved, and not that of the file.
    RealFolder,
    /// The path with the links of the root resolved, and not those below it.
    RealRoot,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListOrder {
    /// By the bytes of the name, then by path; also for agents without a fixed order.
    Name,
    /// Like a dictionary: punctuation, digits, letters; lower case before upper case.
    Dictionary,
    /// In the order in which the files were found.
    Found,
}

/// Limits of a scan that are counted per root folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Number of files and folders examined; absent means no limit.
    pub entries: Option<u32>,
}
