//! What a server serves: the newest snapshot of a workspace, through an agent or directly.

use skillful::{
    Workspace,
    execution::{Execution, ExecutionOptions},
};
use skillful_catalog::{Catalog, Entry};
use skillful_runtime::{Engine, propose::Proposals};
use skillful_select::access::{Asker, Way, is_open};
use std::{fmt, sync::Arc};

/// What a server serves.
pub struct Served {
    /// Opens the workspace; called when the first client needs it.
    pub open: Box<dyn Fn() -> Workspace + Send + Sync>,
    /// The agent through which skills are asked for, when only what it loads counts.
    pub agent: Option<String>,
    /// Whether commands of bodies run.
    pub run_commands: bool,
    /// Whether models may propose skills, which are written to the disk.
    pub proposals: bool,
    /// Called with the address of each skill that was loaded.
    pub used: Box<dyn Fn(&str) + Send + Sync>,
    /// Called with each state of the workspace that differs from the one before.
    pub opened: Box<dyn Fn(&Workspace) + Send + Sync>,
}

impl Served {
    /// A workspace that is open, for every agent, with commands.
    pub fn workspace(workspace: Workspace) -> Self {
        Self {
            open: Box::new(move || workspace.clone()),
            agent: None,
            run_commands: true,
            proposals: true,
            used: Box::new(|_| {}),
            opened: Box::new(|_| {}),
        }
    }

    /// The first snapshot, or the one after `before`.
    pub(super) fn snapshot(&self, before: Option<&Snapshot>) -> Result<Snapshot, String> {
        let workspace = match before {
            Some(before) => before.workspace.refresh().0,
            None => (self.open)(),
        };
        let workspace = match &self.agent {
            Some(name) => workspace.with_agent(name).map_err(|unknown| unknown.to_string())?,
            None => workspace,
        };
        let execution = workspace.execution(ExecutionOptions::default());
        let catalog = workspace.catalog();
        Ok(Snapshot { workspace, catalog, execution, run_commands: self.run_commands })
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
    execution: Execution,
    run_commands: bool,
}

impl Snapshot {
    /// The user, for the gate.
    pub(crate) fn asker(&self) -> Asker<'_> {
        self.workspace.asker()
    }

    /// What activates skills.
    pub(crate) fn engine(&self) -> Engine<'_> {
        Engine {
            work: self.run_commands.then(|| self.execution.work()),
            ..self.workspace.engine(&self.catalog, None)
        }
    }

    /// Skills that models proposed.
    pub(crate) fn proposals(&self) -> Proposals<'_, '_> {
        Proposals::new(&self.catalog, self.workspace.settings())
    }

    /// Whether a model can go on from one skill to another that it names.
    pub(crate) fn has_pipelines(&self) -> bool {
        let names_another = |entry: &Entry| {
            let manifest = &entry.loaded.manifest;
            manifest.next_skill.is_some() || !manifest.conditional_next_skills.is_empty()
        };
        let entries = self.catalog.entries.iter().enumerate().filter(|(_, entry)| names_another(entry));
        entries.into_iter().any(|(at, _)| is_open(&self.catalog, at, self.asker(), Way::Load))
    }

    /// A skill by its place in the catalog.
    pub(crate) fn entry(&self, at: usize) -> &Entry {
        &self.catalog.entries[at]
    }
}
