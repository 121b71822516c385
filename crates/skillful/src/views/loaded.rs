//! A skill as a model reads it.

use super::{DiagnosticView, SCHEMA};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_runtime::{Activation, resource::Resource};

/// A skill that was loaded.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LoadedSkill {
    /// The version of this object.
    pub schema: u32,
    /// The activation: instructions, tools, files, hooks, server.
    #[serde(flatten)]
    pub activation: Activation,
    /// The text that the model reads.
    pub text: String,
    /// Problems of the catalog and of the skill.
    pub diagnostics: Vec<DiagnosticView>,
}

/// A file of a skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkillResource {
    /// The version of this object.
    pub schema: u32,
    /// The file and its text.
    #[serde(flatten)]
    pub resource: Resource,
}

impl LoadedSkill {
    /// The view of an activation.
    pub fn new(activation: Activation, text: String, diagnostics: Vec<DiagnosticView>) -> Self {
        Self { schema: SCHEMA, activation, text, diagnostics }
    }
}

impl SkillResource {
    /// The view of a file.
    pub fn new(resource: Resource) -> Self {
        Self { schema: SCHEMA, resource }
    }
}
