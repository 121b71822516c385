//! The decision about a call, and why.

use super::Unproven;
use serde::Serialize;
use std::fmt;

/// The decision about a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "decision", content = "because")]
pub enum Decision {
    /// Go on.
    Allowed(Because),
    /// Do not run it, and do not ask the user.
    Denied(Reason),
    /// Ask, or do what the agent does with any call.
    NeedsApproval(Reason),
}

impl Decision {
    /// Whether it may run at once.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed(_))
    }

    /// Whether it may not run at all.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Denied(_))
    }
}

/// Why a call may run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// It brings skills in.
    Loader,
    /// No list restricts it.
    Unrestricted,
    /// These entries cover it, one per command.
    Granted(Vec<String>),
}

/// Why a call may not run at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// `disallowed-tools` names it.
    Disallowed(String),
    /// No entry covers it.
    NotGranted {
        /// The tool or the command.
        what: String,
        /// The list in force.
        list: Vec<String>,
    },
    /// There is a list, and it names no tool that we know.
    UnreadableList(Vec<String>),
    /// It cannot be shown to be within a grant.
    Unproven(Unproven),
    /// A rule of the user has every such call asked about.
    AskFirst(String),
    /// The list names the calls that need no approval; this one is not among them.
    NotPreapproved(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disallowed(entry) => write!(f, "it is forbidden by `{entry}`"),
            Self::NotGranted { what, list } if list.is_empty() => {
                write!(f, "`{what}` is not allowed: the active skill allows no tools")
            }
            Self::NotGranted { what, list } => {
                write!(f, "`{what}` is not allowed: the active skill allows only {}", list.join(", "))
            }
            Self::UnreadableList(list) if list.is_empty() => f.write_str(
                "the active skill restricts its tools, but its list is empty or could not be read",
            ),
            Self::UnreadableList(list) => {
                write!(
                    f,
                    "the active skill restricts its tools to {}, none of which is known here",
                    list.join(", ")
                )
            }
            Self::Unproven(reason) => write!(f, "it cannot be shown to be allowed: {reason}"),
            Self::AskFirst(entry) => write!(f, "`{entry}` is asked about before every call"),
            Self::NotPreapproved(what) => {
                write!(f, "`{what}` is not among what the active skill has approved")
            }
        }
    }
}
