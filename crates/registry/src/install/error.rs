//! Why an install failed.

use crate::{content_store::ContentStoreError, lock::LockError, record_file::RecordError};
use std::{io, path::PathBuf};

/// Why an install was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The content store failed.
    #[error(transparent)]
    ContentStore(#[from] ContentStoreError),
    /// The approvals failed.
    #[error(transparent)]
    Approvals(#[from] RecordError),
    /// The lock failed.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The disk refused.
    #[error("`{}` cannot be {action}: {error}", path.display())]
    Disk {
        /// The folder.
        path: PathBuf,
        /// `read`, `written` or `removed`.
        action: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// The plan refuses a step.
    #[error("nothing was changed: {0}")]
    Refused(String),
    /// Another process changed the lock in the meantime.
    #[error("the lock changed since the plan was made; nothing was changed, try again")]
    LockChanged,
    /// Another process edited a folder in the meantime.
    #[error("`{}` was changed while it was being replaced; it was left as it is, and so was everything after it", .0.display())]
    Edited(PathBuf),
    /// The agent has no such folder.
    #[error("`{agent}` has no folder for skills of this {reach}; choose another agent or the other scope")]
    NoFolder {
        /// The agent.
        agent: String,
        /// `project` or `user`.
        reach: &'static str,
    },
    /// No choice of folders is read exactly once by an agent that lists every copy.
    #[error(
        "`{agent}` would list the skill twice: it reads {folders}, and a copy for {agents} would be another one; \
         `skillful remove` it, then add it for all agents at once"
    )]
    ListedTwice {
        /// The agent that lists each copy.
        agent: String,
        /// The folders that it reads.
        folders: String,
        /// The agents of the request.
        agents: String,
    },
    /// The agent's folder lies elsewhere.
    #[error("the skills of `{agent}` are in `{}`, outside `{}`", folder.display(), base.display())]
    Elsewhere {
        /// The agent.
        agent: String,
        /// Its folder.
        folder: PathBuf,
        /// The folder of the lock.
        base: PathBuf,
    },
    /// Two places of a skill were edited differently.
    #[error("`{0}` was edited differently in several places; name the folder whose edits you approve")]
    SeveralEdits(String),
    /// There is no such skill in the lock.
    #[error("`{0}` was not installed by skillful, so it is not removed")]
    NotInstalled(String),
}
