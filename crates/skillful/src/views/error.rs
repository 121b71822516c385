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
    /// Why.
    pub cause: Option<String>,
    /// Commands and changes that fix it, the likeliest first.
    pub fixes: Vec<String>,
}

impl ErrorReport {
    /// The report of an error.
    pub fn new(message: String, cause: Option<String>, fixes: Vec<String>) -> Self {
        Self { schema: SCHEMA, error: ErrorView { message, cause, fixes } }
    }
}
