//! A refusal as the person sees it: with its true reason, and without any value.

use super::protocol::Reason;
use serde::Serialize;
use std::{fmt, sync::Arc};

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A program of a skill.
    Run,
    /// A secret.
    Credential,
    /// Nobody knows: the request could not be read.
    Connection,
}

/// One refusal. Its reason is the true one; who asked may have been told less.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The run whose socket it came to.
    pub run: String,
    /// What was asked for.
    pub kind: Kind,
    /// The skill or the variable, made harmless.
    pub name: String,
    /// Why.
    pub reason: Reason,
    /// More about it.
    pub detail: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Run => "the run of a program of",
            Kind::Credential => "the lookup of",
            Kind::Connection => "a request",
        };
        write!(f, "proxy {}: {kind} ", self.run)?;
        if self.kind != Kind::Connection {
            write!(f, "`{}` ", self.name)?;
        }
        write!(f, "was refused ({}): {}", self.reason.word(), self.detail)
    }
}

/// Who hears of refusals.
pub type Sink = Arc<dyn Fn(&Refused) + Send + Sync>;
