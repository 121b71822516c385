//! One folder and one user: everything Skillful knows about them, read once.
//!
//! A workspace is an immutable snapshot. [`Workspace::refresh`] reads everything again and returns the next
//! snapshot with what changed; [`Workspace::dependencies`] is the one list of what a snapshot was made from.
//! Nothing here reads the process: environment variables, home and working folder come in as an [`Environment`].

mod approvals;
mod calls;
mod check;
mod dependencies;
mod lookup;
mod open;
mod search;
mod typed;

use approvals::Installed;
pub(crate) use approvals::is_waiting;
pub use approvals::{APPROVE_LOCKED, PendingDownload};
pub use check::{CheckRequest, CheckedSkills, Refusals};
pub use dependencies::{Dependencies, Watcher};
pub use lookup::{NotFound, UnknownAgent};
pub use open::Options;
pub use search::Searcher;

use crate::{config::Config, paths::Paths};
use skillful_agents::View;
use skillful_catalog::{
    AgentProfile, AgentProfiles, Catalog, Environment, Inputs, Principal, Settings, TrustStore, parallel,
    reload::Changes, walked::WalkedFolders,
};
use skillful_format::Diagnostic;
use skillful_route::Router;
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// Everything Skillful knows for one folder and one user.
///
/// ```
/// use skillful::{Environment, Options, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// let environment = Environment {
///     cwd: folder.path().to_path_buf(),
///     home: folder.path().to_path_buf(),
///     ..Environment::default()
/// };
/// let workspace = Workspace::open(environment, Options::default());
/// assert!(workspace.catalog().entries.iter().all(|skill| skill.loaded.manifest.name.is_some()));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Workspace {
    /// As the caller gave it; `environment` has what the configuration adds.
    given: Environment,
    environment: Environment,
    options: Options,
    paths: Paths,
    config: Config,
    principal: Principal,
    agents: OnceLock<(AgentProfiles, Vec<Diagnostic>)>,
    trust: OnceLock<(TrustStore, Vec<Diagnostic>)>,
    settings: OnceLock<(Settings, Vec<Diagnostic>)>,
    installed: OnceLock<Installed>,
    catalog: OnceLock<Arc<Catalog>>,
    index: OnceLock<Arc<Router>>,
    /// The agent it was opened as, and the catalog as that agent has it.
    agent: Option<AgentProfile>,
    seen: OnceLock<Arc<Catalog>>,
    /// Values that the user typed in this session.
    typed: Vec<typed::TypedValue>,
}

impl Workspace {
    /// The folder, the home and the variables it was opened with, and what the configuration adds to them.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Where Skillful keeps its own files.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The settings in effect, each with its origin.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The user.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The known agents: those shipped and those the user added.
    pub fn agents(&self) -> &AgentProfiles {
        &self.agents.get_or_init(|| open::agents(&self.paths)).0
    }

    /// The folders that the user trusts.
    pub fn trust(&self) -> &TrustStore {
        &self.trust.get_or_init(|| open::trust(&self.paths)).0
    }

    /// What shapes the catalog.
    pub fn settings(&self) -> &Settings {
        let read = || {
            let (mut settings, mut diagnostics) = open::settings(&self.config, &self.paths);
            diagnostics.extend(open::name_sources(&mut settings, self.agents(), &self.paths));
            settings.agent_folders =
                skillful_agents::own_folders(self.agents(), &self.environment, &settings);
            (settings, diagnostics)
        };
        &self.settings.get_or_init(read).0
    }

    /// Every skill found for this folder and this user, with its state. In a workspace opened as an agent: the
    /// skills as that agent has them, and the reason for every skill it misses.
    pub fn catalog(&self) -> Arc<Catalog> {
        let Some(agent) = &self.agent else { return self.whole_catalog() };
        let seen = || Arc::new(self.view(agent).catalog(self.inputs(), &self.whole_catalog()));
        Arc::clone(self.seen.get_or_init(seen))
    }

    /// Every skill, whatever agent the workspace was opened as.
    pub fn whole_catalog(&self) -> Arc<Catalog> {
        Arc::clone(self.catalog.get_or_init(|| Arc::new(Catalog::build(self.inputs()))))
    }

    /// What one agent loads here, and why not the rest.
    pub fn view(&self, agent: &AgentProfile) -> View {
        self.view_of_walked(agent, &self.walked())
    }

    /// The same for several agents.
    pub(crate) fn views(&self, agents: &[&AgentProfile]) -> Vec<View> {
        let walked = self.walked();
        parallel::map_each(agents, |agent| self.view_of_walked(agent, &walked))
    }

    /// Makes the catalog where every folder has to be opened for it, and returns what was in them: so nothing is opened a
    /// second time for an agent. With a cache a catalog opens few, and is made beside the view.
    fn walked(&self) -> WalkedFolders {
        let mut walked = WalkedFolders::default();
        if !Catalog::is_remembered(self.settings()) {
            self.catalog.get_or_init(|| {
                let (catalog, opened) = Catalog::build_with_walked(self.inputs());
                walked = opened;
                Arc::new(catalog)
            });
        }
        walked
    }

    fn view_of_walked(&self, agent: &AgentProfile, walked: &WalkedFolders) -> View {
        let inputs = self.inputs();
        if self.catalog.get().is_some() {
            return skillful_agents::view_of_walked(agent, inputs, &self.whole_catalog(), walked);
        }
        std::thread::scope(|scope| {
            let catalog = scope.spawn(|| self.whole_catalog());
            let made = || catalog.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            skillful_agents::view_beside(agent, inputs, made)
        })
    }

    /// The agent that the workspace was opened as.
    pub fn as_agent(&self) -> Option<&AgentProfile> {
        self.agent.as_ref()
    }

    /// The search index of the catalog.
    pub fn index(&self) -> Arc<Router> {
        let cache = self.config.settings.cache.as_deref();
        Arc::clone(self.index.get_or_init(|| Arc::new(Router::open(&self.catalog(), cache).0)))
    }

    /// What a catalog or a view is made from.
    pub fn inputs(&self) -> Inputs<'_> {
        Inputs {
            agents: self.agents(),
            environment: &self.environment,
            settings: self.settings(),
            trust: self.trust(),
            approvals: self.approvals(),
        }
    }

    /// What is wrong with Skillful's own files, as far as they were read.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let lazy = [
            self.agents.get().map(|(_, found)| found),
            self.trust.get().map(|(_, found)| found),
            self.settings.get().map(|(_, found)| found),
            self.installed.get().map(|installed| &installed.diagnostics),
        ];
        self.config.diagnostics.iter().chain(lazy.into_iter().flatten().flatten()).cloned().collect()
    }

    /// Reads everything again: the next snapshot, and what changed between the two catalogs.
    #[must_use]
    pub fn refresh(&self) -> (Self, Changes) {
        let mut next = Self::open(self.given.clone(), self.options.clone());
        // A profile that the user removed meanwhile stays in effect for this workspace.
        next.agent = self.agent.as_ref().map(|agent| next.agents().get(&agent.id).unwrap_or(agent).clone());
        next.typed.clone_from(&self.typed);
        let changes = Changes::between(&self.catalog(), &next.catalog());
        (next, changes)
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace")
            .field("folder", &self.environment.cwd)
            .field("user", &self.principal.user)
            .finish_non_exhaustive()
    }
}
