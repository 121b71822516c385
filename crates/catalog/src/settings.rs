//! What a user, a team and a repository have decided about skills. Values only: the program
//! reads the files.

use crate::{
    profile::{AgentProfiles, Scope},
    roots::AgentFolder,
};
use globset::{Glob, GlobMatcher};
use serde::Serialize;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Every decision that shapes a catalog.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Folders of skills that the user named.
    pub custom: Vec<PathBuf>,
    /// Folders that single agents read because of their configuration or their plugins.
    pub agent_folders: Vec<AgentFolder>,
    /// Roots for this call alone; absolute.
    pub extra: Vec<PathBuf>,
    /// Folders of integrations: `<folder>/<domain>/skills/<name>`.
    pub integrations: Vec<PathBuf>,
    /// Folders of plugins.
    pub plugins: Vec<PathBuf>,
    /// Folders of the administrator.
    pub managed: Vec<PathBuf>,
    /// Folders of operator overrides of bundled skills.
    pub overrides: Vec<PathBuf>,
    /// Names of managed skills that nothing may shadow.
    pub required: BTreeSet<String>,
    /// Sources that are disabled or enabled; the last match counts.
    pub sources: Vec<SourceRule>,
    /// Names of skills to ignore.
    pub ignore: Vec<NameGlob>,
    /// Names to ignore among the skills of the repository alone, as the repository says.
    pub project_ignore: Vec<NameGlob>,
    /// A configuration of the user or the administrator whose rules about skills cannot be read: no skill is used.
    pub closed: Option<PathBuf>,
    /// The same of the repository: none of its skills is used.
    pub project_closed: Option<PathBuf>,
    /// Skills that no model may use, by name.
    pub forbidden_skills: Vec<NameGlob>,
    /// Whether every managed skill counts as required, since the list cannot be read.
    pub require_all: bool,
    /// When not empty, only these names count.
    pub include: Vec<NameGlob>,
    /// Single skills that are disabled or enabled; the last match counts.
    pub rules: Vec<SkillRule>,
    /// A folder of skills that no user reviewed: each is disabled until a rule about its path enables it.
    pub proposed: Option<PathBuf>,
    /// Whether the skills shipped with the program are offered.
    pub system: bool,
    /// Where the skills shipped with the program are installed; `None` ignores them.
    pub system_folder: Option<PathBuf>,
    /// Variables that hold keys of model providers, beside those that everybody uses. No skill gets one.
    pub provider_keys: BTreeSet<String>,
    /// Whether servers of the user's own skills may be on private networks.
    pub private_web: bool,
    /// The content store, which installed skills may be links into.
    pub contents: Option<PathBuf>,
    /// Where copies of skills are put while their programs run; `None` is the system's folder for temporary files.
    pub copies: Option<PathBuf>,
    /// The user's `variables.json`; `None` when there is no place for one.
    pub variables: Option<PathBuf>,
    /// Where walks keep their memory; `None` keeps none.
    pub cache: Option<PathBuf>,
    /// The time that the age of a memory is measured at; `None` asks the clock.
    pub now: Option<SystemTime>,
    /// Files that were touched, for roots below the working folder.
    pub touched: Vec<PathBuf>,
    /// Whether repositories need trust before their skills are offered.
    pub trust: TrustMode,
    /// Levels below a root.
    pub depth: u32,
    /// Folders per root.
    pub folders: u32,
}

/// Levels below a root that are read by default.
pub const DEFAULT_DEPTH: u32 = 6;
/// Folders per root that are read by default.
pub const DEFAULT_FOLDERS: u32 = 250_000;

impl Default for Settings {
    fn default() -> Self {
        Self {
            custom: Vec::new(),
            agent_folders: Vec::new(),
            extra: Vec::new(),
            integrations: Vec::new(),
            plugins: Vec::new(),
            managed: Vec::new(),
            overrides: Vec::new(),
            required: BTreeSet::new(),
            sources: Vec::new(),
            ignore: Vec::new(),
            project_ignore: Vec::new(),
            closed: None,
            project_closed: None,
            forbidden_skills: Vec::new(),
            require_all: false,
            include: Vec::new(),
            rules: Vec::new(),
            proposed: None,
            system: true,
            system_folder: None,
            provider_keys: BTreeSet::new(),
            private_web: false,
            contents: None,
            copies: None,
            variables: None,
            cache: None,
            now: None,
            touched: Vec::new(),
            trust: TrustMode::Ask,
            depth: DEFAULT_DEPTH,
            folders: DEFAULT_FOLDERS,
        }
    }
}

/// What is done with a repository that the user does not trust yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustMode {
    /// Its skills are listed and never offered.
    Ask,
    /// Every repository counts as trusted, because this call asks for it.
    All,
}

impl Settings {
    /// Whether a folder that is named after an agent is on, when a rule names that agent. The folder is that agent's,
    /// whatever others read it; of these, one that a rule enables keeps it on. `readers` are the ids of the agents that read
    /// it.
    pub fn owners_choice(
        &self,
        agents: &AgentProfiles,
        folder: &Path,
        scope: Scope,
        readers: &[String],
    ) -> Option<bool> {
        let is_owner = |id: &String| {
            let names = agents.get(id).map(|agent| agent.aliases.as_slice()).unwrap_or_default();
            std::iter::once(id).chain(names).any(|name| is_named_after(folder, name))
        };
        let about = |rule: &&SourceRule| rule.scope.is_none_or(|own| own == scope);
        let mut named = self.sources.iter().filter(about).filter_map(|rule| rule.agent.as_ref());
        if !named.any(is_owner) {
            return None;
        }
        let decides = |rule: &&SourceRule| match &rule.agent {
            None => true,
            Some(agent) => is_owner(agent) || (rule.enabled && readers.contains(agent)),
        };
        self.sources.iter().filter(about).rfind(decides).map(|rule| rule.enabled)
    }
}

/// Whether a folder of skills has the name of an agent: `.claude/skills` that of Claude Code, `opencode/skills` that of
/// OpenCode.
fn is_named_after(folder: &Path, agent: &str) -> bool {
    let mut parents = folder.ancestors().skip(1).filter_map(|part| part.file_name()?.to_str());
    let near = parents.next().into_iter();
    let further = parents.next().filter(|name| name.starts_with('.'));
    near.chain(further).any(|name| {
        let name = name.trim_start_matches('.');
        !name.is_empty()
            && agent.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    })
}

/// Enables or disables the skills of an agent, a scope, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRule {
    /// The agent; any when absent.
    pub agent: Option<String>,
    /// The scope; any when absent.
    pub scope: Option<Scope>,
    /// Enabled or disabled.
    pub enabled: bool,
}

/// Which single skill a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Select {
    /// By its name or qualified name.
    Name(String),
    /// By its folder or file.
    Path(PathBuf),
}

/// Who made a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleOwner {
    /// The administrator of the machine.
    Managed,
    /// The user.
    User,
    /// The repository; it can disable and never enable.
    Project,
    /// This call.
    Call,
    /// No user yet: a model proposed the skill, and a user has to enable it.
    Proposed,
}

/// Enables or disables one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillRule {
    /// Which skill.
    pub select: Select,
    /// Enabled or disabled.
    pub enabled: bool,
    /// Whose rule it is.
    pub owner: RuleOwner,
    /// For one user only, where several share an installation.
    pub for_user: Option<String>,
}

/// A glob over names that remembers how it was written.
#[derive(Clone, Debug)]
pub struct NameGlob {
    text: String,
    matcher: GlobMatcher,
}

impl NameGlob {
    /// Reads a glob such as `git-*`.
    pub fn new(text: &str) -> Result<Self, globset::Error> {
        Ok(Self { text: text.to_owned(), matcher: Glob::new(text)?.compile_matcher() })
    }

    /// The same, whatever the case of letters.
    pub fn ignoring_case(text: &str) -> Result<Self, globset::Error> {
        let glob = globset::GlobBuilder::new(text).case_insensitive(true).build()?;
        Ok(Self { text: text.to_owned(), matcher: glob.compile_matcher() })
    }

    /// As written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a name matches.
    pub fn matches(&self, name: &str) -> bool {
        self.matcher.is_match(name)
    }
}
