//! The list of skills, whole or filtered.

use super::{DiagnosticView, PathText, SkillStream, SkillSummary};
use crate::workspace::Workspace;
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

impl SkillList {
    /// The skills of a workspace. Opened as an agent, the list holds what that agent loads.
    pub fn of(workspace: &Workspace, filter: &ListFilter) -> Result<Self, UnknownFilter> {
        Ok(SkillStream::of(workspace, filter)?.list(SkillSummary::of))
    }

    /// The same without the diagnostics of single skills, for a reader who does not see them.
    pub fn without_diagnostics(workspace: &Workspace, filter: &ListFilter) -> Result<Self, UnknownFilter> {
        Ok(SkillStream::of(workspace, filter)?.list(SkillSummary::without_diagnostics))
    }

    /// How many skills of each state the list holds, in a fixed order; states without a skill are omitted.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let count =
            |word: &&'static str| (*word, self.skills.iter().filter(|skill| skill.state == **word).count());
        SkillState::WORDS.iter().map(count).filter(|(_, count)| *count > 0).collect()
    }
}
