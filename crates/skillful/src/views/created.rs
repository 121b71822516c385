//! A skill that was created.

use super::PathText;
use schemars::JsonSchema;
use serde::Serialize;

/// A new skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreatedSkill {
    /// The version of this object.
    pub schema: u32,
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathText,
}
