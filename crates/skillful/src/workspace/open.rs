//! Opening a workspace: which files are read, in which order, and what a file that cannot be read means.

use super::{UnknownAgent, Workspace};
use crate::{
    config::{CONFIG_LIMIT, Config},
    paths::Paths,
};
use skillful_catalog::{
    AgentProfiles, Environment, Principal, Settings, TrustStore,
    bounded::{self, ReadError},
    roots::repository_of,
    settings::TrustMode,
    system,
};
use skillful_format::{Code, Diagnostic};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// What a caller decides about a workspace beyond its folder.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The user, for rules of single users; `None` is the user of this machine.
    pub user: Option<String>,
    /// Further folders of skills, absolute.
    pub roots: Vec<PathBuf>,
    /// Files that were touched: skills of the folders around them join.
    pub touched: Vec<PathBuf>,
    /// Whether the skills of this repository count as trusted. Off by default.
    pub trust_project: bool,
    /// Reads no cache and writes none.
    pub no_cache: bool,
}

/// A larger list of trusted folders is not read.
const TRUST_LIMIT: u64 = 64 << 20;

impl Workspace {
    /// Opens the workspace of a folder. Never fails: what cannot be read is a diagnostic, and what it guards
    /// stays closed.
    pub fn open(given: Environment, options: Options) -> Self {
        let mut environment = given.clone();
        let paths = Paths::new(&environment.variables, &environment.home);
        let mut config = Config::load(&paths, &environment.home, repository_of(&environment.cwd));
        let assistant = &config.assistant;
        let providers = assistant.providers.values().filter_map(|provider| provider.key_variable.clone());
        let routers = [&config.router.classifier, &config.router.embeddings];
        let routers = routers.into_iter().flatten().filter_map(|model| model.key_variable.clone());
        let provider_keys = providers.chain(routers).collect();
        let private_web = assistant.assistant.private_web == Some(true);
        let settings = &mut config.settings;
        settings.provider_keys = provider_keys;
        settings.private_web = private_web;
        settings.extra.clone_from(&options.roots);
        settings.touched.clone_from(&options.touched);
        settings.contents = Some(paths.contents());
        settings.variables = Some(paths.variables.clone());
        settings.copies = Some(paths.cache.join("running"));
        if options.trust_project {
            settings.trust = TrustMode::All;
        }
        if config.cache && !options.no_cache {
            settings.cache = Some(paths.cache.clone());
        }
        // Skills that the assistant proposed are listed, and off until the user enables them.
        let proposed = paths.proposed();
        if proposed.is_dir() {
            settings.custom.push(proposed.clone());
        }
        settings.proposed = Some(proposed);
        environment.capabilities.extend(config.capabilities.iter().cloned());
        environment.features.extend(config.features.iter().cloned());
        let principal = Principal { user: options.user.clone(), admin: config.admin };
        Self {
            given,
            environment,
            options,
            paths,
            config,
            principal,
            agents: OnceLock::new(),
            trust: OnceLock::new(),
            settings: OnceLock::new(),
            installed: OnceLock::new(),
            catalog: OnceLock::new(),
            index: OnceLock::new(),
            agent: None,
            seen: OnceLock::new(),
            typed: Vec::new(),
        }
    }

    /// The workspace of a folder and a home without variables, such as a test or a server needs.
    pub fn for_folder(folder: &Path, home: &Path) -> Self {
        let environment =
            Environment { cwd: folder.to_path_buf(), home: home.to_path_buf(), ..Environment::default() };
        Self::open(environment, Options::default())
    }

    /// The same workspace, read again.
    #[must_use]
    pub fn reopened(&self) -> Self {
        Self::open(self.given.clone(), self.options.clone())
    }

    /// The same workspace for another user.
    #[must_use]
    pub fn with_user(&self, user: Option<&str>) -> Self {
        let mut next = self.clone();
        next.options.user = user.map(str::to_owned);
        next.principal.user.clone_from(&next.options.user);
        next
    }

    /// The same workspace as an agent has it.
    pub fn with_agent(&self, name: &str) -> Result<Self, UnknownAgent> {
        let agent = self.agent(name)?.clone();
        Ok(Self { agent: Some(agent), seen: OnceLock::new(), index: OnceLock::new(), ..self.clone() })
    }

    /// The same workspace with one more folder of skills.
    #[must_use]
    pub fn with_root(&self, folder: PathBuf) -> Self {
        let mut options = self.options.clone();
        options.roots.push(folder);
        Self {
            agent: self.agent.clone(),
            typed: self.typed.clone(),
            ..Self::open(self.given.clone(), options)
        }
    }

    /// The same workspace after files were touched; the same one when they bring no further root.
    #[must_use]
    pub fn with_touched(&self, files: impl IntoIterator<Item = PathBuf>) -> Option<Self> {
        let mut options = self.options.clone();
        let before = options.touched.len();
        for file in files {
            if !options.touched.contains(&file) {
                options.touched.push(file);
            }
        }
        (options.touched.len() > before).then(|| Self {
            agent: self.agent.clone(),
            typed: self.typed.clone(),
            ..Self::open(self.given.clone(), options)
        })
    }

    /// The workspace of another folder.
    #[must_use]
    pub fn in_folder(&self, folder: PathBuf) -> Self {
        let environment = Environment { cwd: folder, ..self.given.clone() };
        Self { agent: self.agent.clone(), ..Self::open(environment, self.options.clone()) }
    }
}

/// The agents shipped with the program and those in the user's own folder.
pub(super) fn agents(paths: &Paths) -> (AgentProfiles, Vec<Diagnostic>) {
    let (mut agents, mut diagnostics) = (AgentProfiles::embedded(), Vec::new());
    let Ok(entries) = fs::read_dir(&paths.agents) else { return (agents, diagnostics) };
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "toml")) {
        let result = match bounded::read_text(file, CONFIG_LIMIT, None) {
            Ok(text) => agents.add(&text),
            Err(error) => Err(Box::new(Diagnostic::new(Code::AgentProfileInvalid, error.to_string()))),
        };
        if let Err(diagnostic) = result {
            diagnostics.push(diagnostic.in_path(file));
        }
    }
    (agents, diagnostics)
}

/// The folders that the user trusts. A file that cannot be read trusts nothing.
pub(super) fn trust(paths: &Paths) -> (TrustStore, Vec<Diagnostic>) {
    let refused = |why: String| {
        let message = format!("the list of trusted folders cannot be read: {why}");
        let help = "repair or remove the file; until then no repository is trusted";
        let diagnostic = Diagnostic::new(Code::ConfigInvalid, message).in_path(&paths.trust).help(help);
        (TrustStore::default(), vec![diagnostic])
    };
    match bounded::read_text(&paths.trust, TRUST_LIMIT, None) {
        Ok(text) => match toml::from_str(&text) {
            Ok(trust) => (trust, Vec::new()),
            Err(error) => refused(error.message().to_owned()),
        },
        Err(ReadError::Missing) => (TrustStore::default(), Vec::new()),
        Err(error) => refused(error.to_string()),
    }
}

/// Replaces the names of agents in the rules about sources by their ids, and reports names that no agent has.
pub(super) fn name_sources(
    settings: &mut Settings,
    agents: &AgentProfiles,
    paths: &Paths,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for rule in &mut settings.sources {
        let Some(name) = &mut rule.agent else { continue };
        if let Some(agent) = agents.get(name) {
            name.clone_from(&agent.id);
            continue;
        }
        let ids = agents.iter().map(|agent| agent.id.as_str());
        let near = skillful_catalog::names::nearest(name, ids);
        let help = match near.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "skillful agents lists every agent".to_owned(),
        };
        let message = format!("`sources.{name}` names no agent and no scope");
        diagnostics.push(Diagnostic::new(Code::ConfigInvalid, message).in_path(&paths.config).help(help));
    }
    diagnostics
}

/// The settings of the configuration, with the folder that the shipped skills are in.
pub(super) fn settings(config: &Config, paths: &Paths) -> (Settings, Vec<Diagnostic>) {
    let mut settings = config.settings.clone();
    if !settings.system {
        return (settings, Vec::new());
    }
    match system::install(&paths.data) {
        Ok(folder) => {
            settings.system_folder = Some(folder);
            (settings, Vec::new())
        }
        Err(error) => {
            let message = format!("the shipped skills could not be installed: {error}");
            let help = "make the folder writable, or set `system = false` in the configuration";
            let diagnostic = Diagnostic::new(Code::RootInvalid, message).in_path(&paths.data).help(help);
            (settings, vec![diagnostic])
        }
    }
}
