//! Which skills a list keeps.

use crate::{
    agent_sets::{AgentSets, key_of},
    workspace::Workspace,
};
use skillful_catalog::{AgentProfile, Entry, Scope, SkillState, names::scope_named};
use skillful_registry::{
    Source,
    source::SourceLocation,
    sources::{SourceEntry, Sources},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Path, PathBuf},
};

/// Every word for a scope.
const SCOPES: [&str; 8] =
    ["project", "user", "custom", "managed", "plugin", "integration", "system", "extra"];

/// Which skills a list keeps. Filters combine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Text of the name or the description.
    pub text: Option<String>,
    /// A state by its word.
    pub state: Option<String>,
    /// A scope by its word.
    pub scope: Option<String>,
    /// An agent that does not load the skill while another agent found here does.
    pub missing_in: Option<String>,
    /// What the skill was installed from: a label of a source, or a source as a lock names it.
    pub source: Option<String>,
}

/// A filter value that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {what} named `{word}`")]
pub struct UnknownFilter {
    /// `state`, `scope`, `agent` or `source`.
    pub what: &'static str,
    /// The option that the value belongs to.
    pub option: &'static str,
    /// What was asked for.
    pub word: String,
    /// What there is.
    pub known: Vec<String>,
}

/// A filter whose values are known to exist.
pub(super) struct KnownFilter {
    text: Option<String>,
    scope: Option<Scope>,
    pub(super) state: Option<String>,
    pub(super) missing_in: Option<String>,
    pub(super) source: Option<String>,
    /// The files of the skills that the agent misses.
    missed: HashSet<PathBuf>,
    /// The folders of the skills that were installed from the source.
    installed: HashSet<PathBuf>,
}

impl ListFilter {
    /// The agent that the value of an option names.
    pub fn agent<'w>(
        workspace: &'w Workspace,
        option: &'static str,
        word: &str,
    ) -> Result<&'w AgentProfile, UnknownFilter> {
        workspace.agent(word).map_err(|_| UnknownFilter {
            what: "agent",
            option,
            word: word.to_owned(),
            known: workspace.agents_found().into_iter().map(|agent| agent.id.clone()).collect(),
        })
    }

    pub(super) fn known(&self, workspace: &Workspace) -> Result<KnownFilter, UnknownFilter> {
        let unknown = |what, word: &String, known: &[&str]| UnknownFilter {
            what,
            option: what,
            word: word.clone(),
            known: known.iter().map(|word| (*word).to_owned()).collect(),
        };
        let scope = match &self.scope {
            Some(word) => Some(scope_named(word).ok_or_else(|| unknown("scope", word, &SCOPES))?),
            None => None,
        };
        if let Some(word) = self.state.as_ref().filter(|word| !SkillState::WORDS.contains(&word.as_str())) {
            return Err(unknown("state", word, &SkillState::WORDS));
        }
        let agent = match &self.missing_in {
            Some(word) => Some(Self::agent(workspace, "missing-in", word)?),
            None => None,
        };
        let installed = match &self.source {
            Some(word) => installed_from(workspace, word)?,
            None => HashSet::new(),
        };
        Ok(KnownFilter {
            text: self.text.as_deref().map(str::to_lowercase),
            scope,
            state: self.state.clone(),
            missing_in: agent.map(|agent| agent.id.clone()),
            source: self.source.clone(),
            missed: agent.map(|agent| missed(workspace, agent)).unwrap_or_default(),
            installed,
        })
    }
}

impl KnownFilter {
    pub(super) fn has_scope(&self, scope: Scope) -> bool {
        self.scope.is_none_or(|wanted| wanted == scope)
    }

    /// Whether the text is in the name or in the description, which is read only when it decides.
    pub(super) fn has_text(&self, name: &str, description: impl FnOnce() -> Option<String>) -> bool {
        self.text.as_deref().is_none_or(|text| {
            name.to_lowercase().contains(text)
                || description().is_some_and(|words| words.to_lowercase().contains(text))
        })
    }

    /// Whether a skill of the catalog is in the place that the filter asks for: missed by the agent, from the source.
    pub(super) fn keeps(&self, entry: &Entry) -> bool {
        let is_missed = || self.missed.contains(&key_of(entry));
        let is_installed = || {
            let also = entry.origin.also.iter().filter_map(|(_, file)| file.parent());
            std::iter::once(entry.folder()).chain(also).any(|folder| self.installed.contains(folder))
        };
        (self.missing_in.is_none() || is_missed()) && (self.source.is_none() || is_installed())
    }

    /// The same for a skill that is not installed yet, which every agent lacks.
    pub(super) fn keeps_download(&self, places: &[PathBuf]) -> bool {
        self.missing_in.is_none()
            && (self.source.is_none() || places.iter().any(|place| self.installed.contains(place)))
    }
}

/// The files of the skills that another agent found here loads and this one does not, as the overview counts them.
fn missed(workspace: &Workspace, agent: &AgentProfile) -> HashSet<PathBuf> {
    let sets = AgentSets::with(workspace, agent);
    sets.missed(&agent.id).into_iter().map(|one| one.unseen.key.clone()).collect()
}

/// The folders that were installed from what a word names: a label, or a source as a lock or a user writes it.
fn installed_from(workspace: &Workspace, word: &str) -> Result<HashSet<PathBuf>, UnknownFilter> {
    // A file of sources that cannot be read has no labels; `skillful source` reports it.
    let labels = Sources::load(&workspace.paths().sources()).map(|all| all.sources).unwrap_or_default();
    let folders = workspace.locked_folders();
    let wanted = word.parse::<Source>().ok();
    let label = labels.get_key_value(word);
    let is_from = |source: &Source| {
        origin(source) == word
            || source.to_string() == word
            || wanted.as_ref().is_some_and(|wanted| wanted.place == source.place)
            || label.is_some_and(|(label, entry)| is_of_label(source, label, entry))
    };
    let found: HashSet<PathBuf> = folders
        .iter()
        .filter(|(_, locked)| is_from(&locked.source))
        .map(|(folder, _)| folder.clone())
        .collect();
    if !found.is_empty() || label.is_some() {
        return Ok(found);
    }
    let known: BTreeSet<String> =
        labels.into_keys().chain(folders.values().map(|locked| origin(&locked.source))).collect();
    Err(UnknownFilter {
        what: "source",
        option: "source",
        word: word.to_owned(),
        known: known.into_iter().collect(),
    })
}

/// The sources that a list can be narrowed to: labels with what they mean, and what locks name.
pub fn list_sources(workspace: &Workspace) -> BTreeMap<String, Option<String>> {
    let labels = Sources::load(&workspace.paths().sources()).map(|all| all.sources).unwrap_or_default();
    let locked = workspace.locked_folders().into_values().map(|locked| (origin(&locked.source), None));
    let labels = labels.into_iter().map(|(label, entry)| (label, Some(entry.source.to_string())));
    locked.chain(labels).collect()
}

/// What several skills of one source share.
pub(super) fn origin(source: &Source) -> String {
    match &source.place {
        SourceLocation::Registry { name, .. } => {
            format!("registry:{}", name.split('/').next().unwrap_or(name))
        }
        SourceLocation::Starter => "starter".to_owned(),
        place => Source::of(place.clone()).to_string(),
    }
}

fn is_of_label(source: &Source, label: &str, entry: &SourceEntry) -> bool {
    match (&source.place, &entry.source.place) {
        (SourceLocation::Registry { name, .. }, _) => name.split('/').next() == Some(label),
        (SourceLocation::Path(path), SourceLocation::Path(folder)) => {
            Path::new(path).starts_with(Path::new(folder))
        }
        (place, wanted) => place == wanted,
    }
}
