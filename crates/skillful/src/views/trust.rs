//! Trusted folders.

use super::PathText;
use schemars::JsonSchema;
use serde::Serialize;

/// The folders that the user trusts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustedFolders {
    /// The version of this object.
    pub schema: u32,
    /// The folders, in order.
    pub trusted: Vec<PathText>,
}

/// A folder that the user no longer trusts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UntrustedFolder {
    /// The version of this object.
    pub schema: u32,
    /// The folder.
    pub untrusted: PathText,
    /// Its skills that stay in use, since the user approved the same files in another way.
    pub still_approved: Vec<StillApproved>,
}

/// A skill whose files are approved in another way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StillApproved {
    /// Its path in the folder.
    pub skill: String,
    /// In which way.
    pub how: String,
}
