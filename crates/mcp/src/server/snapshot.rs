//! What a server serves: the newest snapshot of a workspace, through an agent or directly.

use skillful::{
    Workspace,
    execution::{Execution, ExecutionOptions},
};
use skillful_catalog::{AgentProfile, Catalog, Entry};
use skillful_runtime::{Engine, propose::Proposals};
use skillful_select::access::Asker;
use std::{fmt, sync::Arc};

/// What a server serves.
pub struct Served {
    /// Opens the workspace; called when the first client needs it.
    pub open: Box<dyn Fn() -> Workspace + Send + Sync>,
    /// The agent through which skills are asked for, when only what it loads counts.
    pub agent: Option<String>,
    /// Whether commands of bodies run.
    pub run_commands: bool,
    /// Called with the address of each skill that was loaded.
    pub used: Box<dyn Fn(&str) + Send + Sync>,
}

impl Served {
    /// A workspace that is open, for every agent, with commands.
    pub fn workspace(workspace: Workspace) -> Self {
        Self {
            open: Box::new(move || workspace.clone()),
            agent: None,
            run_commands: true,
            used: Box::new(|_| {}),
        }
    }

    /// The first snapshot, or the one after `before`.
    pub(super) fn snapshot(&self, before: Option<&Snapshot>) -> Result<Snapshot, String> {
        let workspace = match before {
            Some(before) => before.workspace.refresh().0,
            None => (self.open)(),
        };
        let agent = self.agent.as_deref().map(|name| workspace.agent(name).cloned()).transpose();
        let agent = agent.map_err(|unknown| unknown.to_string())?;
        let execution = workspace.execution(agent.as_ref(), ExecutionOptions::default());
        let execution = execution.map_err(|error| error.to_string())?;
        let catalog = workspace.catalog();
        Ok(Snapshot { workspace, catalog, agent, execution, run_commands: self.run_commands })
    }
}

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served").field("agent", &self.agent).finish_non_exhaustive()
    }
}

/// The skills of one moment. A holder keeps it unchanged.
#[derive(Debug)]
pub struct Snapshot {
    /// The workspace.
    pub workspace: Workspace,
    /// Its skills.
    pub catalog: Arc<Catalog>,
    agent: Option<AgentProfile>,
    execution: Execution,
    run_commands: bool,
}

impl Snapshot {
    /// The user, for the gate.
    pub(crate) fn asker(&self) -> Asker<'_> {
        self.workspace.asker(self.agent.as_ref())
    }

    /// What activates skills.
    pub(crate) fn engine(&self) -> Engine<'_> {
        Engine {
            installed: Some(&self.execution.installed),
            work: self.run_commands.then(|| self.execution.work()),
            ..self.workspace.engine(&self.catalog, self.agent.as_ref(), None)
        }
    }

    /// Skills that models proposed.
    pub(crate) fn proposals(&self) -> Proposals<'_, '_> {
        Proposals::new(&self.catalog, self.workspace.settings())
    }

    /// A skill by its place in the catalog.
    pub(crate) fn entry(&self, at: usize) -> &Entry {
        &self.catalog.entries[at]
    }
}
