//! The starter skills, and the steps of the tour.

use super::SCHEMA;
use crate::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::system;
use skillful_format::{Document, Sidecars};

/// The starter skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StarterList {
    /// The version of this object.
    pub schema: u32,
    /// Whether Skillful offers them without an installation: the setting `system`.
    pub enabled: bool,
    /// Each skill, in the order of the names.
    pub skills: Vec<StarterSkill>,
}

/// One starter skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StarterSkill {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// Number of files.
    pub files: usize,
    /// Whether it has programs that a model can run.
    pub scripts: bool,
}

impl StarterList {
    /// The starter skills of this program, and whether the workspace offers them.
    pub fn of(workspace: &Workspace) -> Self {
        let skill = |(name, tree): (&str, skillful_format::Tree)| {
            let text = tree.skill_file().map(|(_, file)| Document::read(&file.bytes, &Sidecars::default()));
            StarterSkill {
                name: name.to_owned(),
                description: text.and_then(|text| text.manifest.description).unwrap_or_default(),
                files: tree.len(),
                scripts: tree.iter().any(|(path, _)| path.as_str().starts_with("scripts/")),
            }
        };
        let skills = system::trees().into_iter().map(skill).collect();
        Self { schema: SCHEMA, enabled: workspace.settings().system, skills }
    }
}

/// The tour: real commands in a temporary folder, and what they printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TourView {
    /// The version of this object.
    pub schema: u32,
    /// The steps, in order.
    pub steps: Vec<TourStep>,
}

/// One step of the tour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TourStep {
    /// The question that the step answers.
    pub question: String,
    /// The command, as a user types it.
    pub command: String,
    /// What it printed.
    pub output: String,
    /// Its exit code; absent after a signal.
    pub exit: Option<i32>,
    /// What to notice.
    pub notice: String,
}

impl TourView {
    /// The view of the steps.
    pub fn new(steps: Vec<TourStep>) -> Self {
        Self { schema: SCHEMA, steps }
    }
}
