//! `approvals.toml`: the trees of skills that one user approved, by digest.
//!
//! The lock names what is installed; this file names what of it the user approved. An approval is written before the
//! files and before the lock, so that a run that is stopped leaves nothing in use that is not approved.
//!
//! ```toml
//! version = 1
//!
//! [tree]
//! "sha256:…" = { skill = "pdf", date = "2026-11-16", how = "installed" }
//! ```

use crate::{
    atomic_write::AtomicWriter,
    record_file::{self, Record, RecordError},
    team_record::TeamRecord,
};
use serde::{Deserialize, Serialize};
use skillful_format::Digest;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Display, Write},
    path::Path,
};

/// The file, in the user's data folder.
pub const APPROVALS_FILE: &str = "approvals.toml";
const VERSION: i64 = 1;
const HEAD: &str = "# The skills that you approved, by the digest of their files. Written by `skillful`.\n\
                    # A skill whose files have no line here is not used. Removing a line takes the approval back.\n";

/// The trees that one user approved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvals {
    /// By the digest of the tree.
    pub trees: BTreeMap<Digest, Approval>,
}

/// One approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The name of the skill then. One without a name in its file takes that of its folder, which is not part of the
    /// digest: it is approved under this name.
    pub skill: String,
    /// Further names that the user approved the same files under.
    #[serde(default)]
    pub also: BTreeSet<String>,
    /// The day, as `2026-11-16`.
    pub date: String,
    /// What the user did.
    pub how: ApprovedBy,
}

impl Approval {
    /// Every name that the tree is approved under.
    pub fn names(&self) -> BTreeSet<String> {
        self.also.iter().chain([&self.skill]).cloned().collect()
    }
}

/// What a user did to approve a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovedBy {
    /// Confirmed the plan that installed it.
    Installed,
    /// Approved it in a review.
    Reviewed,
    /// Approved an edit of an installed skill.
    Edited,
    /// Trusted the repository that it is part of.
    Trusted,
    /// Wrote it.
    Written,
    /// Signed in to a team server that requires it.
    Team,
}

impl Display for ApprovedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Installed => "installed",
            Self::Reviewed => "reviewed",
            Self::Edited => "edited",
            Self::Trusted => "trusted",
            Self::Written => "written",
            Self::Team => "team",
        })
    }
}

/// The user who approves what a plan brings into use, and when.
#[derive(Clone, Copy, Debug)]
pub struct Approver<'a> {
    /// The user's data folder.
    pub data: &'a Path,
    /// The day, as `2026-11-16`.
    pub date: &'a str,
    /// What the user did.
    pub how: ApprovedBy,
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    version: i64,
    #[serde(default)]
    tree: BTreeMap<Digest, Approval>,
}

impl Approvals {
    /// Reads the approvals of a data folder; a missing file approves nothing. Files that a team server revoked are
    /// not approved, whatever the user approved before, also while that server is away.
    pub fn load(data: &Path) -> Result<Self, RecordError> {
        let mut approvals: Self = record_file::load(data)?;
        for tree in TeamRecord::load(data)?.revoked.keys() {
            approvals.trees.remove(tree);
        }
        Ok(approvals)
    }

    /// Whether a tree was approved.
    pub fn has(&self, tree: &Digest) -> bool {
        self.trees.contains_key(tree)
    }

    /// Whether a tree was approved under each of some names.
    pub fn has_as(&self, tree: &Digest, names: &BTreeSet<String>) -> bool {
        self.trees.get(tree).is_some_and(|known| names.iter().all(|name| known.names().contains(name)))
    }

    /// Adds approvals to the file of a data folder, each tree with the names of its skill. The first approval of a tree stays, except that trust can be taken
    /// back with its repository and gives way to any other; nothing is written when all are there.
    pub fn record(
        approver: Approver<'_>,
        trees: &BTreeMap<Digest, BTreeSet<String>>,
        writer: &AtomicWriter,
    ) -> Result<(), RecordError> {
        record_file::change(approver.data, writer, |approvals: &mut Self| {
            for (tree, names) in trees {
                let mut approval = match approvals.trees.remove(tree) {
                    Some(known)
                        if known.how != ApprovedBy::Trusted || approver.how == ApprovedBy::Trusted =>
                    {
                        known
                    }
                    before => {
                        let skill = names.first().cloned().unwrap_or_default();
                        let also = before.map(|before| before.names()).unwrap_or_default();
                        Approval { skill, also, date: approver.date.to_owned(), how: approver.how }
                    }
                };
                approval.also.extend(names.iter().cloned());
                approval.also.remove(&approval.skill);
                approvals.trees.insert(*tree, approval);
            }
        })
    }

    /// Withdraws the approval of a tree.
    pub fn withdraw(data: &Path, tree: &Digest, writer: &AtomicWriter) -> Result<(), RecordError> {
        record_file::change(data, writer, |approvals: &mut Self| drop(approvals.trees.remove(tree)))
    }

    /// Withdraws approvals that were given by trusting a repository; what the user installed, reviewed or wrote stays.
    pub fn withdraw_trust(
        data: &Path,
        trees: &BTreeSet<Digest>,
        writer: &AtomicWriter,
    ) -> Result<(), RecordError> {
        let is_trust =
            |tree: &Digest, approval: &Approval| trees.contains(tree) && approval.how == ApprovedBy::Trusted;
        record_file::change(data, writer, |approvals: &mut Self| {
            approvals.trees.retain(|tree, one| !is_trust(tree, one));
        })
    }
}

impl Record for Approvals {
    const FILE: &'static str = APPROVALS_FILE;
    const GUARD: &'static str = "approvals.lock";
    const NEXT: &'static str = ".approvals.toml.new";
    type Text = FileText;

    fn of_text(text: FileText) -> Result<Self, String> {
        if text.version != VERSION {
            return Err(format!("it is of version {}, and this program knows {VERSION}", text.version));
        }
        Ok(Self { trees: text.tree })
    }

    /// One line per tree, in order of the digests.
    fn text(&self) -> String {
        let mut text = format!("{HEAD}version = {VERSION}\n\n[tree]\n");
        for (tree, Approval { skill, also, date, how }) in &self.trees {
            let (skill, date) = (toml::Value::from(skill.as_str()), toml::Value::from(date.as_str()));
            let also = if also.is_empty() {
                String::new()
            } else {
                let names = also.iter().map(|name| toml::Value::from(name.as_str())).collect();
                format!(", also = {}", toml::Value::Array(names))
            };
            let line =
                writeln!(text, "\"{tree}\" = {{ skill = {skill}{also}, date = {date}, how = \"{how}\" }}");
            debug_assert!(line.is_ok(), "a string takes every line");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillful_format::digest_bytes;

    fn one(data: &Path, text: &str, how: ApprovedBy) -> Digest {
        let tree = digest_bytes(text.as_bytes());
        let approver = Approver { data, date: "2026-11-16", how };
        let trees = [(tree, ["pdf".to_owned()].into())].into();
        Approvals::record(approver, &trees, &AtomicWriter::default()).unwrap();
        tree
    }

    #[test]
    fn an_approval_is_kept_with_its_day_until_it_is_withdrawn() {
        let data = tempfile::tempdir().unwrap();
        let tree = one(data.path(), "a", ApprovedBy::Reviewed);
        let again = one(data.path(), "a", ApprovedBy::Installed);
        let approvals = Approvals::load(data.path()).unwrap();
        assert_eq!(tree, again);
        assert_eq!(approvals.trees[&tree].how, ApprovedBy::Reviewed, "the first approval stays");
        Approvals::withdraw(data.path(), &tree, &AtomicWriter::default()).unwrap();
        assert!(!Approvals::load(data.path()).unwrap().has(&tree));
    }

    #[test]
    fn only_trust_is_withdrawn_with_a_repository_and_it_gives_way_to_other_approvals() {
        let data = tempfile::tempdir().unwrap();
        let how = |tree: &Digest| Approvals::load(data.path()).unwrap().trees.get(tree).map(|one| one.how);
        let [installed, trusted] = [ApprovedBy::Installed, ApprovedBy::Trusted];
        let kept = one(data.path(), "kept", installed);
        one(data.path(), "kept", trusted);
        let taken = one(data.path(), "taken", trusted);
        let later = one(data.path(), "later", trusted);
        one(data.path(), "later", installed);
        let written = one(data.path(), "written", ApprovedBy::Written);
        let all = [kept, taken, later, written].into();
        Approvals::withdraw_trust(data.path(), &all, &AtomicWriter::default()).unwrap();
        assert_eq!((how(&kept), how(&later)), (Some(installed), Some(installed)));
        assert_eq!((how(&taken), how(&written)), (None, Some(ApprovedBy::Written)));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error_and_is_not_written_over() {
        let data = tempfile::tempdir().unwrap();
        for text in ["version = 2\n", "[tree]\n", "version = 1\nextra = 1\n", "version = 1\n[tree]\nx = 1\n"]
        {
            std::fs::write(data.path().join(APPROVALS_FILE), text).unwrap();
            assert!(Approvals::load(data.path()).is_err(), "{text}");
            let approver = Approver { data: data.path(), date: "2026-11-16", how: ApprovedBy::Installed };
            let trees = [(digest_bytes(b"a"), ["pdf".to_owned()].into())].into();
            assert!(Approvals::record(approver, &trees, &AtomicWriter::default()).is_err(), "{text}");
        }
    }

    #[test]
    fn no_approval_is_lost_when_many_are_made_at_once() {
        let data = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for at in 0..16 {
                let data = data.path();
                scope.spawn(move || one(data, &at.to_string(), ApprovedBy::Installed));
            }
        });
        assert_eq!(Approvals::load(data.path()).unwrap().trees.len(), 16);
    }
}
