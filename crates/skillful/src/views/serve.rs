//! A team server that is ready, or would be.

use super::SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;

/// A team server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServeView {
    /// The version of this object.
    pub schema: u32,
    /// The address that users open.
    pub address: String,
    /// The database, without a password.
    pub database: String,
    /// Where contents are kept.
    pub objects: String,
    /// The link that makes its first user the administrator; absent when there is one.
    pub first_administrator: Option<String>,
    /// What is wrong, when it was only checked.
    pub problems: Vec<String>,
}

/// A backup of a team server, or what was brought back from one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BackupView {
    /// The version of this object.
    pub schema: u32,
    /// The folder of the backup.
    pub folder: String,
    /// Rows of the database.
    pub rows: u64,
    /// Contents of skills.
    pub contents: u64,
    /// Whether it was brought back.
    pub restored: bool,
}

impl BackupView {
    /// What was kept or brought back.
    pub fn new(folder: String, rows: u64, contents: u64, restored: bool) -> Self {
        Self { schema: SCHEMA, folder, rows, contents, restored }
    }
}

impl ServeView {
    /// A server without problems.
    pub fn new(address: String, database: String, objects: String) -> Self {
        Self { schema: SCHEMA, address, database, objects, first_administrator: None, problems: Vec::new() }
    }
}
