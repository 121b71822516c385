//! Changes of the catalog while it is watched.

use super::{PathText, SCHEMA};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::reload::{Changed, Changes};

/// Skills that were added, changed or removed. One object per line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangesView {
    /// The version of this object.
    pub schema: u32,
    /// Skills that are new.
    pub added: Vec<ChangedSkill>,
    /// Skills whose text, place or state changed.
    pub changed: Vec<ChangedSkill>,
    /// Skills that are gone.
    pub removed: Vec<ChangedSkill>,
}

/// One skill that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedSkill {
    /// Its name with what qualifies it.
    pub name: String,
    /// Its file.
    pub path: PathText,
    /// Its state now; of a removed skill, its last state.
    pub state: String,
}

impl ChangesView {
    /// The view of changes between two catalogs.
    pub fn of(changes: &Changes) -> Self {
        let skill = |one: &Changed| ChangedSkill {
            name: one.name.clone(),
            path: (&one.path).into(),
            state: one.state.to_owned(),
        };
        let all = |list: &[Changed]| list.iter().map(skill).collect();
        Self {
            schema: SCHEMA,
            added: all(&changes.added),
            changed: all(&changes.changed),
            removed: all(&changes.removed),
        }
    }
}
