//! Content that no lock names.

use super::{PathText, SCHEMA};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_format::Digest;
use skillful_registry::content_store::Cleaning;
use std::path::PathBuf;

/// What is removed from the content store, or was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CleanReport {
    /// The version of this object.
    pub schema: u32,
    /// Versions of skills that no lock names.
    pub trees: Vec<Digest>,
    /// Folders that stopped runs left.
    pub staged: usize,
    /// Bytes of the versions.
    pub bytes: u64,
    /// Versions that stay although no lock names them, because their files were changed.
    pub changed: Vec<PathText>,
    /// Folders whose locks are gone.
    pub forgotten: Vec<PathText>,
    /// Folders of the locks that were read.
    pub locks: Vec<PathText>,
    /// Whether it was removed.
    pub applied: bool,
}

impl CleanReport {
    /// The view of what a survey or a cleaning of the content store found.
    pub fn of(cleaning: &Cleaning, applied: bool) -> Self {
        let texts = |paths: &[PathBuf]| paths.iter().map(PathText::from).collect();
        Self {
            schema: SCHEMA,
            trees: cleaning.garbage.trees.clone(),
            staged: cleaning.garbage.staged.len(),
            bytes: cleaning.bytes,
            changed: texts(&cleaning.changed),
            forgotten: texts(&cleaning.forgotten),
            locks: texts(&cleaning.locks),
            applied,
        }
    }

    /// Whether there is nothing to remove.
    pub fn is_clean(&self) -> bool {
        self.trees.is_empty() && self.staged == 0 && self.forgotten.is_empty()
    }
}
