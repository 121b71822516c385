//! The list of skills, whole or filtered.

use super::{DiagnosticView, PathText, SCHEMA, SkillSummary};
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{SkillState, entry::SeenBy, names::scope_named};

/// The skills of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillList {
    /// The version of this object.
    pub schema: u32,
    /// The folder that was asked about.
    pub folder: PathText,
    /// The repository around it, else the folder itself.
    pub project: PathText,
    /// The agent, when only what it loads was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Every skill that the filter keeps, by name; of one name the available one first.
    pub skills: Vec<SkillSummary>,
    /// How many there are without the filter.
    pub total: usize,
    /// What is wrong outside single skills.
    pub diagnostics: Vec<DiagnosticView>,
}

/// Which skills a list keeps. Filters combine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Text of the name or the description.
    pub text: Option<String>,
    /// A state by its word.
    pub state: Option<String>,
    /// A scope by its word.
    pub scope: Option<String>,
}

/// A filter value that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {what} named `{word}`")]
pub struct UnknownFilter {
    /// `state` or `scope`.
    pub what: &'static str,
    /// What was asked for.
    pub word: String,
    /// What there is.
    pub known: Vec<&'static str>,
}

/// Every word for a scope.
const SCOPES: [&str; 8] =
    ["project", "user", "custom", "managed", "plugin", "integration", "system", "extra"];

impl SkillList {
    /// The skills of a workspace. Opened as an agent, the list holds what that agent loads.
    pub fn of(workspace: &Workspace, filter: &ListFilter) -> Result<Self, UnknownFilter> {
        let unknown = |what, word: &String, known: &[&'static str]| UnknownFilter {
            what,
            word: word.clone(),
            known: known.to_vec(),
        };
        let scope = match &filter.scope {
            Some(word) => Some(scope_named(word).ok_or_else(|| unknown("scope", word, &SCOPES))?),
            None => None,
        };
        if let Some(word) = filter.state.as_ref().filter(|word| !SkillState::WORDS.contains(&word.as_str())) {
            return Err(unknown("state", word, &SkillState::WORDS));
        }
        let text = filter.text.as_deref().map(str::to_lowercase);
        let catalog = workspace.catalog();
        let loads = |at: &usize| !matches!(catalog.entries[*at].seen_by, Some(SeenBy::Missed { .. }));
        let loaded: Vec<usize> = (0..catalog.entries.len()).filter(loads).collect();
        let total = loaded.len();
        let mut shown: Vec<(String, bool, usize)> = Vec::new();
        for at in loaded {
            let entry = &catalog.entries[at];
            let name = entry.address();
            let has_text = |text: &str| {
                name.to_lowercase().contains(text)
                    || entry.description().is_some_and(|words| words.to_lowercase().contains(text))
            };
            if scope.is_some_and(|scope| scope != entry.origin.scope)
                || text.as_deref().is_some_and(|text| !has_text(text))
            {
                continue;
            }
            shown.push((name, entry.placement != skillful_catalog::Placement::Active, at));
        }
        shown.sort_unstable();
        let skills = shown.into_iter().map(|(_, _, at)| SkillSummary::of(workspace, &catalog, at));
        // No agent reads what is not installed.
        let pending = workspace.pending_downloads().iter().filter(|_| workspace.as_agent().is_none());
        let total = total + pending.clone().count();
        let pending = pending.filter(|one| scope.is_none_or(|scope| scope == one.scope));
        let pending = pending.map(|one| SkillSummary::pending(workspace, one)).filter(|one| {
            let has = |text: &str| {
                one.name.to_lowercase().contains(text)
                    || one.description.as_ref().is_some_and(|words| words.to_lowercase().contains(text))
            };
            text.as_deref().is_none_or(has)
        });
        let mut skills: Vec<SkillSummary> = skills.chain(pending).collect();
        skills.sort_by(|a, b| a.name.cmp(&b.name));
        let keeps = |skill: &SkillSummary| filter.state.as_ref().is_none_or(|state| *state == skill.state);
        Ok(Self {
            schema: SCHEMA,
            folder: PathText::from(&workspace.environment().cwd),
            project: PathText::from(&catalog.project),
            agent: workspace.as_agent().map(|agent| agent.id.clone()),
            skills: skills.into_iter().filter(keeps).collect(),
            total,
            diagnostics: DiagnosticView::all(workspace.diagnostics().iter().chain(&catalog.diagnostics)),
        })
    }

    /// How many skills of each state the list holds, in a fixed order; states without a skill are omitted.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let count =
            |word: &&'static str| (*word, self.skills.iter().filter(|skill| skill.state == **word).count());
        SkillState::WORDS.iter().map(count).filter(|(_, count)| *count > 0).collect()
    }
}
