//! The list of skills, whole or filtered.

use super::{
    DiagnosticView, ListFilter, PathText, SkillStream, SkillSummary, UnknownFilter, list_filter::origin,
};
use crate::{library::version, workspace::Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::SkillState;

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
    /// The agent, when only what it misses was asked for: skills that another agent found here loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_in: Option<String>,
    /// The source, when only skills that were installed from it were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Every skill that the filter keeps, by name; of one name the available one first.
    pub skills: Vec<SkillSummary>,
    /// How many there are without the filter.
    pub total: usize,
    /// What is wrong outside single skills.
    pub diagnostics: Vec<DiagnosticView>,
}

impl SkillList {
    /// The skills of a workspace. Opened as an agent, the list holds what that agent loads.
    pub fn of(workspace: &Workspace, filter: &ListFilter) -> Result<Self, UnknownFilter> {
        Ok(SkillStream::of(workspace, filter)?.list(SkillSummary::of))
    }

    /// The same without the diagnostics of single skills, for a reader who does not see them.
    pub fn without_diagnostics(workspace: &Workspace, filter: &ListFilter) -> Result<Self, UnknownFilter> {
        Ok(SkillStream::of(workspace, filter)?.list(SkillSummary::without_diagnostics))
    }

    /// Where each skill was installed from, with its version, in the order of the skills; none of a skill that Skillful did
    /// not install.
    pub fn origins(&self, workspace: &Workspace) -> Vec<Option<String>> {
        let locked = workspace.locked_folders();
        let origin = |skill: &SkillSummary| {
            let folder = skill.path.parent().and_then(|folder| locked.get(folder));
            let locked = folder.or_else(|| locked.get(skill.real_path.as_path()))?;
            Some(format!("{} {}", origin(&locked.source), version(&locked.resolved, &locked.tree)))
        };
        self.skills.iter().map(origin).collect()
    }

    /// How many skills of each state the list holds, in a fixed order; states without a skill are omitted.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let count =
            |word: &&'static str| (*word, self.skills.iter().filter(|skill| skill.state == **word).count());
        SkillState::WORDS.iter().map(count).filter(|(_, count)| *count > 0).collect()
    }
}
