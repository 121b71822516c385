//! Results of a search, here and in sources.

use super::{
    DiagnosticView, FoundView, SCHEMA,
    source::{OfferedSkill, UnreachableSource},
};
use schemars::JsonSchema;
use serde::Serialize;

/// Skills that match the words of a search.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SearchView {
    /// The version of this object.
    pub schema: u32,
    /// The words.
    pub query: String,
    /// The probability that any skill serves the request, from 0 to 1.
    pub served: f32,
    /// Installed skills, best first.
    pub skills: Vec<FoundView>,
    /// Skills that sources offer, best first; absent unless sources were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<Vec<OfferedSkill>>,
    /// Sources that did not answer; absent unless sources were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<Vec<UnreachableSource>>,
    /// Problems of the catalog and of the search index.
    pub diagnostics: Vec<DiagnosticView>,
}

impl SearchView {
    /// The view of a search that did not ask sources.
    pub fn new(query: String, served: f32, skills: Vec<FoundView>) -> Self {
        Self {
            schema: SCHEMA,
            query,
            served,
            skills,
            offered: None,
            unreachable: None,
            diagnostics: Vec::new(),
        }
    }

    /// Whether nothing was found, here or in sources.
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty() && self.offered.as_ref().is_none_or(Vec::is_empty)
    }
}
