//! The data of an agent profile. The build script compiles this module too, since it turns the TOML files into the form that
//! the program embeds: it uses nothing but `serde`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod field_rule;
mod frontmatter_rule;
mod own_settings_rule;
mod path;
mod permission_rule;
mod scan_rule;
mod setup_rule;
mod surface_rule;
mod yaml_rule;

pub use field_rule::{
    BlankName, Characters, DescriptionFallback, DescriptionRule, Identity, Kinds, Missing, NameRule, Rewrite,
};
pub use frontmatter_rule::{
    Broken, Closer, EmptyBlock, Encoding, Fence, FrontmatterRule, Mark, MissingFrontmatter, NotAMap, Repair,
    RepairOn, Unclosed,
};
pub use own_settings_rule::{ServerForm, ServerRule, SettingsFile, SettingsFormat, SkillSwitch, SwitchForm};
pub use path::{FolderList, PathTemplate};
pub use permission_rule::{PermissionRule, Role};
pub use scan_rule::{Links, Nested, RepeatedFolder, ScanOrder, ScanRule, Visit};
pub use setup_rule::{
    BrokenConfig, CommandRule, ConfigFile, ConfigKind, ConfigRule, ConfigShape, FoundBy, HidesAll, Limits,
    ListOrder, ListRule, ListedPath, Merge, PluginLayout, PluginRule, ProjectRule, Qualify, SidecarRule,
    Substitution, TrustSource, TrustedBy, VariableWords, Wins,
};
pub use surface_rule::{ArgumentRule, CreateRule, MenuRule, MenuStyle, MissingArgument, ToolListMode};
pub use yaml_rule::{
    ComplexKeys, Controls, DuplicateKeys, LineEnds, MergeKeys, Null, Numbers, QuotedLines, QuotedSpaces,
    Shape, Surrogates, Tabs, Tags, TrailingText, Truth, Typing, WrongKind,
};

/// One agent profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentProfile {
    /// The stable id used on the command line: `claude-code`, `codex`.
    pub id: String,
    /// The product name.
    pub title: String,
    /// Other ids for the same agent.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The source of these facts, so that a view can state how reliable it is.
    pub evidence: Evidence,
    /// Whether it is a product that a user can have. References and shared folders are not.
    #[serde(default = "yes")]
    pub product: bool,
    /// Files and folders that the agent reads as instructions, settings or lists of servers, besides its skills
    /// and its configuration: relative paths that count in every folder of a project. An assistant changes them
    /// only when the user approves it.
    #[serde(default)]
    pub guarded: Vec<String>,
    /// The folders in which the agent looks for skills, highest precedence first.
    #[serde(default, rename = "root")]
    pub roots: Vec<RootRule>,
    /// How the agent scans a root folder.
    #[serde(default)]
    pub scan: ScanRule,
    /// Limits that are counted per root folder.
    #[serde(default)]
    pub limits: Limits,
    /// How the agent reads frontmatter.
    #[serde(default)]
    pub frontmatter: FrontmatterRule,
    /// Which names the agent accepts.
    #[serde(default)]
    pub name: NameRule,
    /// Which descriptions the agent accepts.
    #[serde(default)]
    pub description: DescriptionRule,
    /// What happens when two skills have the same name.
    #[serde(default)]
    pub collision: Collision,
    /// Whether skills of a repository load only when the repository is trusted.
    #[serde(default)]
    pub trust: TrustRule,
    /// Where the agent stores its trust decisions, if other programs can read it.
    #[serde(default)]
    pub trust_source: Option<TrustSource>,
    /// How the agent finds the top folder of a project.
    #[serde(default)]
    pub project: ProjectRule,
    /// The agent's own configuration.
    #[serde(default)]
    pub config: ConfigRule,
    /// How the agent loads plugins.
    #[serde(default)]
    pub plugins: PluginRule,
    /// How the agent reads command files.
    #[serde(default)]
    pub commands: CommandRule,
    /// A file beside a skill that decides whether the agent offers it.
    #[serde(default)]
    pub sidecar: Option<SidecarRule>,
    /// The form of the agent's list of skills.
    #[serde(default)]
    pub list: ListRule,
    /// The name of each of Skillful's tools in this agent: `run_command = ["Bash"]`.
    #[serde(default)]
    pub tools: BTreeMap<String, Vec<String>>,
    /// The meaning of `allowed-tools` in this agent.
    #[serde(default)]
    pub tool_list: ToolListMode,
    /// How the agent inserts arguments into a skill's text.
    #[serde(default)]
    pub arguments: ArgumentRule,
    /// The form and size of the menu.
    #[serde(default)]
    pub menu: MenuRule,
    /// Stricter limits for new skills made for this agent.
    #[serde(default)]
    pub create: CreateRule,
    /// The frontmatter fields that have an effect in this agent; empty means unknown.
    #[serde(default)]
    pub fields: Vec<String>,
    /// The skills that are part of the program. A skill on the disk replaces one of the same name.
    #[serde(default)]
    pub built_in: Vec<String>,
    /// The agent as a client of the Model Context Protocol.
    #[serde(default)]
    pub mcp: McpRule,
    /// The agent's own switch for single skills, if Skillful can set it.
    #[serde(default)]
    pub skill_switch: Option<SkillSwitch>,
    /// The sign before a skill's name by which a user calls it there: `$`, `/`. Empty means unknown.
    #[serde(default)]
    pub mention: String,
    /// The program of the agent.
    #[serde(default)]
    pub program: ProgramRule,
}

/// The program of an agent, by which its installed version is found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramRule {
    /// The command that starts it.
    #[serde(default)]
    pub name: Option<String>,
    /// The npm packages that hold it.
    #[serde(default)]
    pub npm: Vec<String>,
    /// The version that the rules were compared with, when they are measured.
    #[serde(default)]
    pub compared: Option<String>,
}

/// An agent as a client of the Model Context Protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpRule {
    /// The name that the client gives itself.
    #[serde(default)]
    pub client: Option<String>,
    /// Bytes of one result of a tool that reach its model uncut.
    #[serde(default)]
    pub result_bytes: Option<usize>,
    /// Where the agent lists its servers, if Skillful can add one.
    #[serde(default)]
    pub servers: Option<ServerRule>,
}

/// The source of the facts in an agent profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Only its folders are known; everything else is the default.
    Folders,
    /// From its documentation.
    Documented,
    /// From its source.
    Source,
    /// Compared with the running program by the peer tests.
    Measured,
}

impl Evidence {
    /// One word for a table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Folders => "folders",
            Self::Documented => "documented",
            Self::Source => "source",
            Self::Measured => "measured",
        }
    }
}

/// One root folder in which an agent looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootRule {
    /// The owner of these skills.
    pub scope: Scope,
    /// Relative to the project, or `~/…`, `${VAR:-default}/…`, or absolute. `@config:KEY` stands for a list of folders
    /// in the agent's configuration, and `@list:VARIABLE` for one in a variable.
    pub path: PathTemplate,
    /// In which folders of a project the agent looks; only for project roots.
    #[serde(default)]
    pub walk: Walk,
    /// What the folder contains.
    #[serde(default)]
    pub kind: RootKind,
    /// Maximum depth of this root, if it differs from the agent's rule.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Whether hidden folders of this root are entered, if it differs from the agent's rule.
    #[serde(default)]
    pub hidden: Option<Visit>,
    /// Whether links below this root are followed, if it differs from the agent's rule.
    #[serde(default)]
    pub links: Option<Links>,
    /// The effect of a missing description in this root, if it differs from the agent's rule.
    #[serde(default)]
    pub description: Option<Missing>,
    /// Whether Markdown files directly in this root are skills, if it differs from the agent's rule.
    #[serde(default)]
    pub flat_files: Option<bool>,
    /// Whether the folder of a project does not count where the project is the home folder.
    #[serde(default)]
    pub not_at_home: bool,
    /// Whether a file does not count that links lead out of the project.
    #[serde(default)]
    pub contained: bool,
    /// Whether the agent reads this root only when the user enabled it.
    #[serde(default)]
    pub opt_in: bool,
    /// A key of the agent's configuration; `false` there disables this root.
    #[serde(default)]
    pub switch: Option<String>,
    /// Environment variables that switch this root off; `config.variable` has the words that do.
    #[serde(default)]
    pub unless: Vec<String>,
    /// How the project is found for this root, if it differs from the agent's rule.
    #[serde(default)]
    pub found_by: Option<FoundBy>,
    /// How the folders of plugins are arranged in this root, if it differs from the agent's rule.
    #[serde(default)]
    pub layout: Option<PluginLayout>,
}

/// The owner of skills. The order is Skillful's own precedence, highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Passed for this call only.
    Extra,
    /// The repository.
    Project,
    /// The user.
    User,
    /// A folder that the user named in the configuration.
    Custom,
    /// The administrator.
    Managed,
    /// A plugin.
    Plugin,
    /// An integration of an application.
    Integration,
    /// Shipped with the program.
    System,
}

impl Scope {
    /// One word, for tables and for `scope:name`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Extra => "extra",
            Self::Project => "project",
            Self::User => "user",
            Self::Custom => "custom",
            Self::Managed => "managed",
            Self::Plugin => "plugin",
            Self::Integration => "integration",
            Self::System => "system",
        }
    }
}

/// In which folders of a project a root is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Walk {
    /// The working folder only.
    #[default]
    Here,
    /// The working folder and each folder above it up to the repository root, nearest first.
    Up,
    /// The same folders, the repository root first.
    Down,
    /// Like `up`; outside a repository, up to the root of the disk.
    UpToDisk,
    /// The repository root only.
    Repository,
}

/// What a root folder contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootKind {
    /// Folders with a SKILL.md.
    #[default]
    Skills,
    /// Markdown files, each a slash command (`.claude/commands`).
    Commands,
    /// Plugins, each with a manifest and its own skills.
    Plugins,
    /// Integrations: `<domain>/skills/<name>`.
    Integrations,
    /// Overrides of bundled skills by an operator.
    Overrides,
}

/// What happens when two skills of an agent have the same name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collision {
    /// The first root wins; within one root, the first folder wins.
    #[default]
    First,
    /// Like `first`, but a skill file directly in the root has the lowest precedence.
    FirstBelow,
    /// All of them load.
    All,
    /// One of them loads; which one is not specified.
    Any,
}

/// Whether skills of a repository load only when the repository is trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustRule {
    /// They load without trust.
    #[default]
    Ignored,
    /// They do not load until the folder is trusted.
    Needed,
}

fn yes() -> bool {
    true
}

impl AgentProfile {
    /// What is wrong with the values of a profile that could be read.
    pub(crate) fn fault(&self) -> Option<String> {
        let is_word = |text: &str| {
            !text.is_empty()
                && text.len() <= 64
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if !is_word(&self.id) {
            return Some(format!("the id `{}` must consist of 1 to 64 letters, digits and hyphens", self.id));
        }
        self.scan.files.is_empty().then(|| "`scan.files` must name at least one file".to_owned())
    }

    /// Whether `name` is the id or an alias of this agent.
    pub fn is_called(&self, name: &str) -> bool {
        self.id == name || self.aliases.iter().any(|alias| alias == name)
    }
}
