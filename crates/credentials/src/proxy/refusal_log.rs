//! A refusal as the user sees it: with its true reason, and without any value.

use super::protocol::Reason;
use serde::Serialize;
use std::{fmt, sync::Arc};

/// What a request asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    /// A program of a skill.
    Run,
    /// A secret.
    Credential,
    /// Unknown: the request could not be read.
    Connection,
}

/// One refusal, with the true reason; the reply to the client may give another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusalRecord {
    /// The proxy that refused.
    pub run: String,
    /// What was asked for.
    pub kind: RequestKind,
    /// The skill or the variable, escaped and shortened.
    pub name: String,
    /// The true reason.
    pub reason: Reason,
    /// The reason in words.
    pub detail: String,
}

impl fmt::Display for RefusalRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            RequestKind::Run => "the run of a program of",
            RequestKind::Credential => "the lookup of",
            RequestKind::Connection => "a request",
        };
        write!(f, "proxy {}: {kind} ", self.run)?;
        if self.kind != RequestKind::Connection {
            write!(f, "`{}` ", self.name)?;
        }
        write!(f, "was refused ({}): {}", self.reason.word(), self.detail)
    }
}

/// Receives every refusal.
pub type RefusalLog = Arc<dyn Fn(&RefusalRecord) + Send + Sync>;
