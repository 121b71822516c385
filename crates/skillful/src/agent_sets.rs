//! What the agents of this machine and this folder load, side by side.
//!
//! A skill is the same one in two agents when its file, links resolved, is the same one. An agent misses a skill that
//! another agent found here loads; a copy with the same name and the same text is not missed.

use crate::{blocked_skills::BlockedSkills, workspace::Workspace};
use skillful_agents::{Unseen, View};
use skillful_catalog::{AgentProfile, Entry, bounded};
use skillful_format::source::FILE_LIMIT;
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The views of several agents on one folder.
#[derive(Clone, Debug)]
pub struct AgentSets<'w> {
    /// One for each agent, by id.
    pub agents: Vec<AgentSet<'w>>,
    /// Which skills the audit blocks.
    pub(crate) blocked: Arc<BlockedSkills>,
}

/// One agent and what it loads.
#[derive(Clone, Debug)]
pub struct AgentSet<'w> {
    /// The agent.
    pub profile: &'w AgentProfile,
    /// What it loads, and why not the rest.
    pub view: View,
}

/// A skill that an agent does not load and another one does.
#[derive(Clone, Debug)]
pub struct MissedByOne<'a> {
    /// The file and the reason.
    pub unseen: &'a Unseen,
    /// The agents that load it, by id.
    pub loaded_by: Vec<&'a str>,
}

/// The file of a skill with the links of its folder resolved, as the views of agents key it.
pub(crate) fn key_of(entry: &Entry) -> PathBuf {
    let real = &entry.origin.real;
    match entry.origin.file.file_name() {
        Some(name) if real.is_dir() => real.join(name),
        _ => real.clone(),
    }
}

impl<'w> AgentSets<'w> {
    /// The agents found on this machine and in this folder.
    pub fn found(workspace: &'w Workspace) -> Self {
        Self::of(workspace, workspace.agents_found(), false)
    }

    /// The agents found here, and one that may not be among them.
    pub fn with(workspace: &'w Workspace, agent: &'w AgentProfile) -> Self {
        Self::also(workspace, agent, false)
    }

    /// The same for a plan that is carried out: every skill is audited as it is now.
    pub(crate) fn audited_anew(workspace: &'w Workspace, agent: &'w AgentProfile) -> Self {
        Self::also(workspace, agent, true)
    }

    fn also(workspace: &'w Workspace, agent: &'w AgentProfile, is_fresh: bool) -> Self {
        let mut agents = workspace.agents_found();
        if !agents.iter().any(|found| found.id == agent.id) {
            agents.push(agent);
        }
        Self::of(workspace, agents, is_fresh)
    }

    fn of(workspace: &'w Workspace, agents: Vec<&'w AgentProfile>, is_fresh: bool) -> Self {
        let views = workspace.views(&agents);
        let sets = agents.into_iter().zip(views).map(|(profile, view)| AgentSet { profile, view });
        Self { agents: sets.collect(), blocked: Arc::new(BlockedSkills::open(workspace, is_fresh)) }
    }

    /// The set of an agent.
    pub fn get(&self, id: &str) -> Option<&AgentSet<'w>> {
        self.agents.iter().find(|set| set.profile.id == id)
    }

    /// The agents that load each skill, by its key.
    pub fn loaders(&self) -> HashMap<&Path, Vec<&str>> {
        let mut loaders: HashMap<&Path, Vec<&str>> = HashMap::new();
        for set in &self.agents {
            for seen in &set.view.seen {
                let agents = loaders.entry(&seen.key).or_default();
                if agents.last() != Some(&set.profile.id.as_str()) {
                    agents.push(&set.profile.id);
                }
            }
        }
        loaders
    }

    /// What an agent misses: skills that another agent loads.
    pub fn missed(&self, id: &str) -> Vec<MissedByOne<'_>> {
        let Some(set) = self.get(id) else { return Vec::new() };
        let loaders = self.loaders();
        let own = set.names();
        let missed = set.view.unseen.iter().filter_map(|unseen| {
            let loaded_by = loaders.get(unseen.key.as_path())?.clone();
            (!AgentSet::has_copy(&own, unseen)).then_some(MissedByOne { unseen, loaded_by })
        });
        missed.collect()
    }
}

impl AgentSet<'_> {
    /// The files of the loaded skills by name, in lower case.
    pub(crate) fn names(&self) -> BTreeMap<String, Vec<&PathBuf>> {
        let mut names: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
        for seen in &self.view.seen {
            names.entry(seen.name.to_lowercase()).or_default().push(&seen.key);
        }
        names
    }

    /// Whether the agent loads a skill of the same name with the same text from another folder.
    fn has_copy(own: &BTreeMap<String, Vec<&PathBuf>>, unseen: &Unseen) -> bool {
        let folder = unseen.key.parent().and_then(Path::file_name).map(|name| name.to_string_lossy());
        let names = unseen.name.as_deref().into_iter().chain(folder.as_deref());
        let files = names.filter_map(|name| own.get(&name.to_lowercase())).flatten();
        let text = |file: &Path| bounded::read_text(file, FILE_LIMIT, None).ok();
        files.into_iter().any(|file| text(file).is_some_and(|own| text(&unseen.key).as_ref() == Some(&own)))
    }

    /// Skills that the agent loads from a folder: the repository, or outside of one the folder itself. What an agent
    /// calls a skill of the project may lie in the home folder above it.
    pub fn here(&self, folder: &Path) -> usize {
        self.view.seen.iter().filter(|seen| seen.file.starts_with(folder)).count()
    }
}
