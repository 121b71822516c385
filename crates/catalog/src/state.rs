//! The state of a skill for one user on one machine: one enum, the same in every command and face.

use crate::{
    capability,
    catalog::Catalog,
    entry::{DisabledBy, Placement},
    environment::{Environment, Principal},
    gate::{Reason, requirements_of},
};
use serde::Serialize;
use skillful_format::Severity;
use std::{fmt, path::PathBuf};

/// The state of a skill as a user sees it. The gate decides who may call an available skill, the user or
/// a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum SkillState {
    /// It can be used.
    Available,
    /// It could be used if something it needs were there.
    Unavailable {
        /// Everything that is missing.
        reasons: Vec<Reason>,
    },
    /// It is disabled.
    Disabled {
        /// By what.
        disabled: DisabledBy,
    },
    /// It is a skill of a repository, and the user has not approved its files.
    Untrusted {
        /// Why it is not trusted.
        why: UntrustedReason,
    },
    /// It is pending review by the user.
    Pending {
        /// Why.
        why: PendingReason,
    },
    /// Another skill of its name comes first.
    Shadowed {
        /// The address of that skill.
        by: String,
        /// Its file.
        path: PathBuf,
    },
    /// Its file cannot be used; the gate refuses it.
    Invalid {
        /// What is wrong.
        message: String,
        /// The line in its file.
        line: Option<u32>,
    },
}

/// Why a skill of a repository is not trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UntrustedReason {
    /// The user has not trusted the repository.
    Repository,
    /// Only a path or an option of this call names it, and the user has not approved its files.
    Named,
    /// The repository is trusted; the skill is new since, or the user left it out.
    NotCovered,
    /// The user approved these files and took the approval back.
    Withdrawn,
    /// The user writes it, and it gained something that needs an answer.
    OwnGrew {
        /// What it gained.
        more: Vec<String>,
    },
    /// The audit blocks its files as they are now: a skill that the user writes, or one that this call trusts.
    Blocked {
        /// The rules and the lines.
        findings: Vec<String>,
    },
    /// The files changed since the user trusted them.
    Changed {
        /// What the skill can do now and could not do then.
        more: Vec<String>,
    },
    /// Its files cannot be compared with those that the user trusted.
    Unreadable {
        /// What is wrong with them.
        problem: String,
    },
}

impl fmt::Display for UntrustedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository => f.write_str("you have not trusted this repository"),
            Self::Named => f.write_str("you have not approved its files"),
            Self::NotCovered => f.write_str("it was not part of what you trusted in this repository"),
            Self::Withdrawn => f.write_str("you took the approval of its files back"),
            Self::OwnGrew { more } => {
                let more: Vec<String> = more.iter().map(|one| capability::shown(one)).collect();
                write!(f, "you write it, and it can do more than you approved: {}", more.join(", "))
            }
            Self::Blocked { findings } => {
                write!(f, "the audit blocks it as it is now: {}", findings.join(", "))
            }
            Self::Changed { more } if more.is_empty() => {
                f.write_str("its files changed since you trusted them")
            }
            Self::Changed { more } => {
                write!(f, "its files changed since you trusted them, and it can do more: {}", more.join(", "))
            }
            Self::Unreadable { problem } => {
                write!(f, "its files cannot be compared with those you trusted: {problem}")
            }
        }
    }
}

/// Why a skill is pending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PendingReason {
    /// It was downloaded and is not installed yet.
    Downloaded,
    /// A lock names it, and its files are not on this machine.
    NotDownloaded,
    /// It is installed, and the user has not approved its files as they are now.
    NotApproved,
    /// A model proposed it.
    Proposed,
    /// The record of what is installed and approved cannot be read.
    NoRecord {
        /// What is wrong with the record.
        problem: String,
    },
}

impl fmt::Display for PendingReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Downloaded => f.write_str("it is downloaded and not reviewed"),
            Self::NotDownloaded => f.write_str("a lock names it, and it is neither downloaded nor reviewed"),
            Self::NotApproved => f.write_str("you have not approved its files as they are now"),
            Self::Proposed => f.write_str("a model proposed it, and you have not reviewed it"),
            Self::NoRecord { problem } => write!(f, "no record shows that you approved it: {problem}"),
        }
    }
}

impl SkillState {
    /// Every word, in the order of summaries.
    pub const WORDS: [&'static str; 7] =
        ["available", "unavailable", "shadowed", "invalid", "disabled", "untrusted", "pending"];

    /// One word for a table.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Unavailable { .. } => "unavailable",
            Self::Disabled { .. } => "disabled",
            Self::Untrusted { .. } => "untrusted",
            Self::Pending { .. } => "pending",
            Self::Shadowed { .. } => "shadowed",
            Self::Invalid { .. } => "invalid",
        }
    }

    /// Why it is not available, one sentence each.
    pub fn reasons(&self) -> Vec<String> {
        match self {
            Self::Available => Vec::new(),
            Self::Unavailable { reasons } => reasons.iter().map(ToString::to_string).collect(),
            Self::Disabled { disabled } => {
                vec![Reason::Disabled { disabled: disabled.clone() }.to_string()]
            }
            Self::Untrusted { why } => vec![why.to_string()],
            Self::Pending { why } => vec![why.to_string()],
            Self::Shadowed { by, path } => vec![format!("{by} comes first ({})", path.display())],
            Self::Invalid { message, line } => {
                let at = line.map_or_else(String::new, |line| format!("line {line}: "));
                vec![format!("{at}{message}")]
            }
        }
    }
}

impl Catalog {
    /// The state of a skill for a user.
    pub fn state(&self, at: usize, principal: &Principal, environment: &Environment) -> SkillState {
        let entry = &self.entries[at];
        match &entry.placement {
            Placement::Invalid => {
                let worst = entry.loaded.diagnostics.iter().find(|one| one.severity == Severity::Error);
                SkillState::Invalid {
                    message: worst.map_or_else(String::new, |one| one.message.clone()),
                    line: worst.and_then(|one| one.span).map(|span| span.line),
                }
            }
            Placement::Disabled { by: DisabledBy::Rule { owner: crate::settings::RuleOwner::Proposed } } => {
                SkillState::Pending { why: PendingReason::Proposed }
            }
            Placement::Disabled { by } => SkillState::Disabled { disabled: by.clone() },
            Placement::Untrusted { why } => SkillState::Untrusted { why: why.clone() },
            Placement::Pending { why } => SkillState::Pending { why: why.clone() },
            Placement::Active | Placement::Shadowed { .. } => {
                let reasons = requirements_of(self, entry, principal, environment);
                match (&entry.placement, reasons.as_slice()) {
                    (Placement::Shadowed { by }, found) if found.contains(&Reason::Shadowed) => {
                        let winner = &self.entries[*by];
                        SkillState::Shadowed { by: winner.address(), path: winner.origin.file.clone() }
                    }
                    (_, []) => SkillState::Available,
                    (_, [Reason::Disabled { disabled }]) => {
                        SkillState::Disabled { disabled: disabled.clone() }
                    }
                    _ => SkillState::Unavailable { reasons },
                }
            }
        }
    }
}
