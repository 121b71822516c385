//! `skillful.lock`: what was installed, from where, and exactly which bytes.
//!
//! A user reads it and git merges it: one table per skill in order of the names, one key per line, lists
//! with one item per line, and the same lock is always the same text. Keys that this program does not
//! know are kept, so that an older program does not destroy what a newer one wrote.
//!
//! ```toml
//! version = 1
//!
//! [skill.pdf]
//! source = "github:owner/repo#v1"     # as it was asked for
//! folder = "skills/pdf"               # where in it the skill lies
//! url = "https://github.com/owner/repo.git"
//! commit = "…"                        # what the ref was, and is installed again
//! artefact = "sha256:…"               # of the archive as it arrived
//! tree = "sha256:…"                   # of the files as the source has them
//! edited = "sha256:…"                 # of the files with the edits that were approved
//! patch = [ … ]                       # these edits, one line each; none when a file is not text
//! signer = "NAME SHA256:…"            # who signed them
//! pending = true                      # not used before it is approved
//! capabilities = [ … ]                # as they were approved
//! copied = [".agents/skills/pdf"]     # where it is, from the folder of the lock
//! linked = [ … ]                      # as a link into the content store
//! aliases = [ … ]                     # as a link to a copy, as other installers make them
//!
//! [push.anthropic.pdf]                # skills that were sent to an API, by its name or address
//! id = "skill_…"
//! version = "…"
//! tree = "sha256:…"
//! ```

mod error;
mod file;
pub mod npm;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use error::{LockError, LockFault};
pub(crate) use file::NextLock;
pub use file::{LOCK_FILE, LOCK_LIMIT};

use crate::{sign::Signer, source::Source};
use skillful_format::{Digest, Limits, TreePath};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

/// The version of the format.
const VERSION: i64 = 1;

/// Everything that is installed in one project, or for one user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    /// By the name of the folder each has.
    pub skills: BTreeMap<SkillKey, Locked>,
    /// Skills that were sent to APIs, by the name or address of the API and the name of the skill.
    pub pushed: BTreeMap<String, BTreeMap<String, PushedSkill>>,
    /// Keys of a newer program.
    pub rest: BTreeMap<String, toml::Value>,
}

/// A skill as an API has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushedSkill {
    /// Its id there.
    pub id: String,
    /// The version there.
    pub version: String,
    /// The files that were sent.
    pub tree: Digest,
}

/// Most characters of an id or a version of an API.
const ID: usize = 200;

impl PushedSkill {
    /// Whether a text can be an id or a version of an API. It becomes a part of an address that gets the user's key, and a
    /// lock comes with a repository: another text could lead to another resource there.
    pub fn is_id(text: &str) -> bool {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        (1..=ID).contains(&text.len()) && text.bytes().all(is_plain) && text.bytes().any(|b| b != b'.')
    }
}

/// One installed skill.
#[derive(Clone, Debug, PartialEq)]
pub struct Locked {
    /// As it was asked for.
    pub source: Source,
    /// Where in the source it lies.
    pub folder: Option<TreePath>,
    /// What the source was when it was fetched.
    pub resolved: Resolved,
    /// Of the archive as it arrived.
    pub artefact: Option<Digest>,
    /// Of the files, as the source has them.
    pub tree: Digest,
    /// The approved edits of them.
    pub edited: Option<LockedEdit>,
    /// Who signed it, as it was checked; a change of the signer needs the user's approval.
    pub signer: Option<Signer>,
    /// Its capabilities, as approved.
    pub capabilities: BTreeSet<String>,
    /// Whether it is pending review, so that it is in no agent's folder.
    pub pending: bool,
    /// Where it is, or will be after the review, as a copy.
    pub copied: BTreeSet<TreePath>,
    /// Where it is, or will be after the review, as a link.
    pub linked: BTreeSet<TreePath>,
    /// Where it is as a link to one of the copies, as other installers make them.
    pub aliases: BTreeSet<TreePath>,
    /// Keys of a newer program.
    pub rest: BTreeMap<String, toml::Value>,
}

/// Edits of an installed skill that were approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedEdit {
    /// Of the files with the edits.
    pub tree: Digest,
    /// What makes them of the source's files; none when a changed file is not text.
    pub patch: Option<String>,
}

impl Locked {
    /// The tree that is to lie in every place: that of the source, or the edited one.
    pub fn installed(&self) -> Digest {
        self.edited.as_ref().map_or(self.tree, |edited| edited.tree)
    }
}

/// What a source was when it was fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The address that answered.
    pub url: Option<String>,
    /// The commit.
    pub commit: Option<String>,
    /// The version in a registry.
    pub version: Option<String>,
}

/// The name of an installed skill: one folder name that is safe everywhere, and not hidden.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillKey(String);

impl SkillKey {
    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text cannot be the name of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot be the name of a skill's folder")]
pub struct NotAFolderName;

impl FromStr for SkillKey {
    type Err = NotAFolderName;

    fn from_str(text: &str) -> Result<Self, NotAFolderName> {
        let is_plain = !text.contains('/')
            && !text.starts_with(['.', '-'])
            && TreePath::new(text, &Limits::default()).is_ok();
        is_plain.then(|| Self(text.to_owned())).ok_or(NotAFolderName)
    }
}
