//! Where skills come from, as whoever runs the server supplies it.

use skillful_catalog::{AgentProfile, Catalog, Entry, Environment, Principal, Settings};
use skillful_render::substitution::OWN_DIALECT;
use skillful_runtime::{Engine, Work, installed::Installed, propose::Proposals};
use skillful_select::access::Asker;
use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc};

/// A source of skills: the program over its configuration, a test over a folder.
pub trait Library: Send + Sync + 'static {
    /// Everything as it is now. Looks at the disk; a failure is told to whoever asks for a skill.
    fn look(&self) -> Result<Snapshot, String>;

    /// The best skills for a request, best first, among those that `open` lets through.
    fn search(
        &self,
        snapshot: &Snapshot,
        request: &str,
        most: usize,
        open: &dyn Fn(usize) -> bool,
    ) -> Vec<Hit>;

    /// A skill was loaded, by its address. Whoever counts uses counts here.
    fn used(&self, _skill: &str) {}
}

/// What runs and holds the commands of bodies.
pub trait Workshop: fmt::Debug + Send + Sync {
    /// For an engine.
    fn work(&self) -> Work<'_>;
}

/// A found skill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its place in the catalogue.
    pub entry: usize,
    /// How likely it serves the request, from 0 to 1.
    pub probability: f32,
}

/// The skills of one moment, with who asks for them. Whoever holds one keeps it unharmed.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The skills.
    pub catalog: Catalog,
    /// What the person decided.
    pub settings: Settings,
    /// What `{name}` in a skill's text stands for.
    pub names: BTreeMap<String, String>,
    /// The outside.
    pub environment: Environment,
    /// Who asks.
    pub principal: Principal,
    /// The agent through which they ask, when only what it reads counts.
    pub agent: Option<AgentProfile>,
    /// What installed skills must be.
    pub installed: Installed,
    /// How commands of bodies run; without it they stand as written.
    pub workshop: Option<Arc<dyn Workshop>>,
    /// Files besides the roots whose change makes this outdated.
    pub depends_on: Vec<PathBuf>,
}

impl Snapshot {
    /// Who asks, for the gate.
    pub(crate) fn asker(&self) -> Asker<'_> {
        let agent = self.agent.as_ref().map(|agent| agent.id.as_str());
        Asker { agent, ..Asker::new(&self.principal, &self.environment) }
    }

    /// What activates skills.
    pub(crate) fn engine(&self) -> Engine<'_> {
        let dialect = self.agent.as_ref().map_or(&OWN_DIALECT, |agent| &agent.arguments);
        Engine {
            dialect,
            installed: Some(&self.installed),
            work: self.workshop.as_deref().map(Workshop::work),
            ..Engine::new(&self.catalog, self.asker(), &self.settings, &self.names)
        }
    }

    /// What models proposed.
    pub(crate) fn proposals(&self) -> Proposals<'_, '_> {
        Proposals::new(&self.catalog, &self.settings)
    }

    /// A skill by its place.
    pub(crate) fn entry(&self, at: usize) -> &Entry {
        &self.catalog.entries[at]
    }
}
