//! Why nothing was published.

use super::{PublishStep, Refused};
use skillful_format::Digest;
use std::{io, path::PathBuf};

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// Skills that must not be published, or that could not be used. Each with all its reasons.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Refused(Vec<Refused>),
    /// Skills with blocking findings that no answer names.
    #[error("the audit reports blocking findings of {}", .0.iter().map(|step| step.name.as_str()).collect::<Vec<_>>().join(", "))]
    Blocked(Vec<PublishStep>),
    /// A version never changes.
    #[error(
        "{name} {version} is published with other files ({there}, these are {new}); give it a new version"
    )]
    Taken {
        /// The skill.
        name: String,
        /// The version.
        version: String,
        /// What is published.
        there: Digest,
        /// What was to be.
        new: Digest,
    },
    /// An archive that was published is gone, and would be another one now.
    #[error(
        "the archive `{path}` of {name} {version} is gone or changed, and should be {wanted}; restore it from a copy"
    )]
    Lost {
        /// The skill.
        name: String,
        /// The version.
        version: String,
        /// What is published.
        wanted: Digest,
        /// The file.
        path: String,
    },
    /// There is no such version to withdraw.
    #[error("{name} {version} is not published here")]
    NotThere {
        /// The skill.
        name: String,
        /// The version.
        version: String,
    },
    /// A file of the folder is not ours, or broken.
    #[error("`{}` is damaged: {why}; restore it, or publish into an empty folder", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The disk refused.
    #[error("`{}` failed: {error}", path.display())]
    Disk {
        /// What was read or written.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}
