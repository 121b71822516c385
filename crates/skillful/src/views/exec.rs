//! A program of a skill that ran.

use super::DiagnosticView;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_runtime::exec::Ran;

/// A program that ran in the sandbox.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExecView {
    /// The version of this object.
    pub schema: u32,
    /// What it did.
    #[serde(flatten)]
    pub ran: Ran,
    /// What it could not see, and why.
    pub notes: Vec<String>,
    /// What is wrong with our own files, with folders and with variables.
    pub diagnostics: Vec<DiagnosticView>,
}

/// A program that the credential proxy ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProxyExecView {
    /// The version of this object.
    pub schema: u32,
    /// The skill.
    pub skill: String,
    /// What the program printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
    /// Its exit code.
    pub exit_code: i32,
    /// Whether one of the two texts is only the beginning.
    pub truncated: bool,
}
