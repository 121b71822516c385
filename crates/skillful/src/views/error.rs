//! Why a command failed.

use super::SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;

/// The failure of a command, printed on standard error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorReport {
    /// The version of this object.
    pub schema: u32,
    /// What failed.
    pub error: ErrorView,
}

/// What failed, why, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorView {
    /// What failed.
    pub message: String,
    /// What failed one by one, when it was more than one thing.
    pub items: Vec<ErrorItem>,
    /// Why.
    pub cause: Option<String>,
    /// Commands and changes that fix it, the likeliest first.
    pub fixes: Vec<String>,
}

/// One of several things that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorItem {
    /// A skill, a folder or a file.
    pub name: String,
    /// What is wrong with it.
    pub why: String,
}

impl ErrorReport {
    /// The report of an error.
    pub fn new(error: ErrorView) -> Self {
        Self { schema: SCHEMA, error }
    }
}
