//! A skill that was created.

use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// A new skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreatedSkill {
    /// The version of this object.
    pub schema: u32,
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}
