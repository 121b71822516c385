//! AgentProfiles are data: one TOML file describes how one agent finds, reads, names and shows skills.
//!
//! Behaviour that differs between agents is a field here and never an `if agent == …`. The files in
//! `agents/` are embedded at build; a person may add more beside the configuration. Adding an agent
//! is a data change.

use serde::{Deserialize, Serialize};
use skillful_format::{Code, Diagnostic};
use std::collections::BTreeMap;

mod embedded;
mod field_rule;
mod header_rule;
mod path;
mod scan_rule;
mod setup_rule;
mod surface_rule;
mod yaml_rule;

pub use embedded::AgentProfiles;
pub use field_rule::{BlankName, Characters, DescriptionRule, Kinds, Missing, NameRule, Rewrite, StandIn};
pub use header_rule::{
    Broken, Closer, EmptyBlock, Encoding, Fence, HeaderRule, Mark, MissingHeader, Repair, RepairOn, Unclosed,
};
pub use path::PathTemplate;
pub use scan_rule::{Links, Nested, ScanRule, Twins, Visit};
pub use setup_rule::{
    BrokenConfig, ConfigFile, ConfigRule, FoundBy, Limits, ListRule, ListedPath, Order, PluginLayout,
    PluginRule, ProjectRule, Qualify, SidecarRule, TrustSource,
};
pub use surface_rule::{
    ArgumentRule, CatalogueRule, CatalogueStyle, CreateRule, MissingArgument, ToolListMode,
};
pub use yaml_rule::{
    ComplexKeys, DuplicateKeys, LineEnds, MergeKeys, Null, QuotedBlanks, QuotedLines, Shape, Surrogates,
    Tabs, Tags, TrailingText, Typing,
};

/// An agent file larger than this is refused before it is parsed.
pub const PROFILE_FILE_LIMIT: usize = 64 << 10;

/// One agent, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentProfile {
    /// The stable name used on the command line: `claude-code`, `codex`.
    pub id: String,
    /// The name people know.
    pub title: String,
    /// Other names that mean the same agent.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// How these facts are known, so that a view can say how far to trust it.
    pub evidence: Evidence,
    /// Where skills are looked for, the first to win first.
    #[serde(default, rename = "root")]
    pub roots: Vec<RootRule>,
    /// How a root is walked.
    #[serde(default)]
    pub scan: ScanRule,
    /// Bounds that are counted per root.
    #[serde(default)]
    pub limits: Limits,
    /// How a file's header is read.
    #[serde(default)]
    pub header: HeaderRule,
    /// What a name may be.
    #[serde(default)]
    pub name: NameRule,
    /// What a description may be.
    #[serde(default)]
    pub description: DescriptionRule,
    /// What happens when two skills have one name.
    #[serde(default)]
    pub collision: Collision,
    /// Whether skills of a repository need its trust first.
    #[serde(default)]
    pub trust: TrustRule,
    /// Where the agent keeps whom it trusts, as far as that can be read from outside.
    #[serde(default)]
    pub trust_source: Option<TrustSource>,
    /// What it takes for the top of a project.
    #[serde(default)]
    pub project: ProjectRule,
    /// Its own configuration.
    #[serde(default)]
    pub config: ConfigRule,
    /// What it makes of plugins.
    #[serde(default)]
    pub plugins: PluginRule,
    /// A file beside a skill that decides whether it is offered.
    #[serde(default)]
    pub sidecar: Option<SidecarRule>,
    /// The form of its list.
    #[serde(default)]
    pub list: ListRule,
    /// The name of each of our tools in this agent: `run_command = ["Bash"]`.
    #[serde(default)]
    pub tools: BTreeMap<String, Vec<String>>,
    /// What `allowed-tools` means here.
    #[serde(default)]
    pub tool_list: ToolListMode,
    /// How arguments are put into a skill's text.
    #[serde(default)]
    pub arguments: ArgumentRule,
    /// How the catalogue reaches the model.
    #[serde(default)]
    pub catalogue: CatalogueRule,
    /// What it asks of a skill that is made for it, beyond what it loads.
    #[serde(default)]
    pub create: CreateRule,
    /// The header fields that have an effect in this agent; empty means not known.
    #[serde(default)]
    pub fields: Vec<String>,
}

/// How the facts of an agent file are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Only its folders are known; everything else is our default.
    Folders,
    /// From its documentation.
    Documented,
    /// From its source.
    Source,
    /// Compared with the running program by the peer suite.
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

/// One place where an agent looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootRule {
    /// Whose skills these are.
    pub scope: Scope,
    /// Relative to the project, or `~/…`, `${VAR:-default}/…`, or absolute.
    pub path: PathTemplate,
    /// Which folders of a project are asked; only for project roots.
    #[serde(default)]
    pub walk: Walk,
    /// What lies there.
    #[serde(default)]
    pub kind: RootKind,
    /// Depth for this root alone, where it differs from the agent's.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Whether hidden folders are entered below this root, where it differs from the agent's.
    #[serde(default)]
    pub hidden: Option<Visit>,
    /// Whether links are followed below this root.
    #[serde(default)]
    pub links: Option<Links>,
    /// Whether a missing description is accepted in this root, where it differs from the agent's.
    #[serde(default)]
    pub description: Option<Missing>,
    /// Read only when the user switched it on.
    #[serde(default)]
    pub opt_in: bool,
    /// A key of the agent's configuration; `false` there leaves this root out.
    #[serde(default)]
    pub switch: Option<String>,
    /// How the project is recognised for this root, where it differs from the agent's.
    #[serde(default)]
    pub found_by: Option<FoundBy>,
}

/// Whose skills these are. The order is Skillful's own precedence, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Given for this call alone.
    Extra,
    /// Of the repository.
    Project,
    /// Of the person.
    User,
    /// A folder the user named in the configuration.
    Custom,
    /// Of the administrator.
    Managed,
    /// Brought by a plugin.
    Plugin,
    /// Brought by an integration of an application.
    Integration,
    /// Shipped with the program.
    System,
}

impl Scope {
    /// One word for a table and for `scope:name`.
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

/// Which folders of a project a root is looked for in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Walk {
    /// The working folder only.
    #[default]
    Here,
    /// The working folder and each folder above it up to the repository's root, nearest first.
    Up,
    /// The same folders, the repository's root first.
    Down,
    /// As `up`, and outside a repository to the root of the disk.
    UpToDisk,
    /// The repository's root only.
    Repository,
}

/// What a root holds.
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

/// What happens when two skills of an agent have one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collision {
    /// The first root wins, and in one root the first folder.
    #[default]
    First,
    /// The same, but a file of the root itself is the last of its root.
    FirstBelow,
    /// All stay.
    All,
    /// One stays, and it is not said which.
    Any,
}

/// Whether skills of a repository need its trust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustRule {
    /// Loaded without a question.
    #[default]
    Ignored,
    /// Left out until the folder is trusted.
    Needed,
}

impl AgentProfile {
    /// Reads one agent file; a file that cannot be used is a diagnostic with its line.
    pub fn parse(text: &str) -> Result<Self, Box<Diagnostic>> {
        let fail = |message: String| Box::new(Diagnostic::new(Code::AgentProfileInvalid, message));
        if text.len() > PROFILE_FILE_LIMIT {
            return Err(fail(format!("the agent file is larger than {PROFILE_FILE_LIMIT} bytes")));
        }
        let agent: Self = toml::from_str(text).map_err(|error| {
            let mut diagnostic = fail(error.message().to_owned());
            if let Some(range) = error.span() {
                diagnostic.span = Some(skillful_format::source::span_in(text, range));
            }
            diagnostic
        })?;
        let word = |text: &str| {
            !text.is_empty()
                && text.len() <= 64
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if !word(&agent.id) {
            return Err(fail(format!("the id `{}` must be letters, digits and hyphens", agent.id)));
        }
        if agent.scan.files.is_empty() {
            return Err(fail("`scan.files` must name at least one file".to_owned()));
        }
        Ok(agent)
    }

    /// Whether `name` means this agent.
    pub fn is_called(&self, name: &str) -> bool {
        self.id == name || self.aliases.iter().any(|alias| alias == name)
    }
}
