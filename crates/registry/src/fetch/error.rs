//! Why a fetch failed.

use super::WebError;
use skillful_archive::RefusedPackage;
use skillful_format::path_text;
use skillful_net::NetError;
use std::{io, path::PathBuf};

/// Why a source gave no skill.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The disk refused.
    #[error("`{}` cannot be read: {error}", path.display())]
    Disk {
        /// What was read.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The archive is not one that is taken.
    #[error("`{}` was refused: {refused}", path_text(&path.components().collect::<PathBuf>()))]
    Package {
        /// The archive.
        path: PathBuf,
        /// Why.
        refused: RefusedPackage,
    },
    /// git did not give it.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The web did not give it.
    #[error(transparent)]
    Web(#[from] WebError),
    /// There is no skill at all.
    #[error("there is no SKILL.md in `{place}`; name the folder that holds one")]
    NoSkill {
        /// Where it was looked for.
        place: String,
    },
    /// There are skills, but not that one.
    #[error("no skill named `{wanted}` here; available: {there}")]
    NoSuchSkill {
        /// What was asked for.
        wanted: String,
        /// What is there instead.
        there: String,
    },
    /// Two skills would get one folder. Neither is selected silently.
    #[error("the folders `{first}` and `{second}` both hold a skill `{name}`; name one folder")]
    SameName {
        /// The name.
        name: String,
        /// One of them.
        first: String,
        /// Another one.
        second: String,
    },
    /// A skill that cannot be read as a whole.
    #[error("the skill in `{folder}` cannot be installed: {why}")]
    Unusable {
        /// Where it lies.
        folder: String,
        /// What is wrong with it.
        why: String,
    },
    /// More skills than one source may hold.
    #[error("the source holds more than {0} skills; name a folder of it")]
    TooMany(usize),
    /// More bytes than one source may hold.
    #[error("the skills of the source hold more than {0} bytes; name a folder of it")]
    TooLarge(u64),
}

/// Why git did not give a repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program cannot be started.
    #[error("git cannot be started: {0}; install it, or add the skill by its path")]
    NoProgram(io::Error),
    /// It failed.
    #[error("git could not {action}: {said}")]
    Failed {
        /// What it was asked for.
        action: &'static str,
        /// Its last words, made harmless.
        said: String,
    },
    /// It took too long.
    #[error("git did not {action} within {seconds} seconds and was stopped")]
    TooSlow {
        /// What it was asked for.
        action: &'static str,
        /// The bound.
        seconds: u64,
    },
    /// It brought too much.
    #[error("the repository is larger than {0} bytes and the fetch was stopped")]
    TooLarge(u64),
    /// There are more files than the bound.
    #[error("the repository holds more than {0} files; name a folder of it")]
    TooManyFiles(usize),
    /// The disk refused.
    #[error("the folder for a fetch failed: {0}")]
    Disk(#[from] io::Error),
    /// It answered in a form that is not its own.
    #[error("git answered something that cannot be read")]
    Answer,
    /// The host may not be reached, or could not be looked up.
    #[error("the repository at `{host}` is not fetched: {error}")]
    Address {
        /// The host.
        host: String,
        /// Why.
        error: NetError,
    },
    /// Its address does not name a host that git can be bound to.
    #[error("`{0}` does not name a host by a plain name or address")]
    NoHost(String),
    /// The program does not take the addresses that were checked.
    #[error(
        "`{0}` looks up the name of a host itself, so that it could be led to this machine; install git 2.37 or newer"
    )]
    Old(String),
    /// The server leads elsewhere.
    #[error(
        "the server redirects this address, and redirects of repositories are not followed; use the address that it \
         redirects to, which often ends in `.git`"
    )]
    Redirected,
    /// The folder is not in the repository.
    #[error("there is no folder `{0}` in the repository")]
    NoFolder(String),
    /// What came is not what the lock names.
    #[error("the commit {wanted} was asked for and {got} came")]
    OtherCommit {
        /// Of the lock.
        wanted: String,
        /// Of the repository.
        got: String,
    },
}
