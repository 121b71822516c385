//! `teams.toml`: what team servers put on this machine for the user, and the files that they took back.
//!
//! ```toml
//! version = 1
//!
//! [server.team]
//! address = "https://skills.example.org"
//!
//! [server.team.skill.pdf]
//! id = "skill_…"
//! version = 3
//! tree = "sha256:…"
//!
//! [revoked."sha256:…"]
//! server = "team"
//! skill = "pdf"
//! reason = "it deletes files"
//! ```
//!
//! Files that are listed as revoked are not used, also while the server is away.

use crate::{
    atomic_write::AtomicWriter,
    record_file::{self, Record, RecordError},
};
use serde::{Deserialize, Serialize};
use skillful_format::Digest;
use std::{collections::BTreeMap, path::Path};

/// The file, in the user's data folder.
pub const TEAM_FILE: &str = "teams.toml";
const VERSION: i64 = 1;
const HEAD: &str =
    "# What team servers put on this machine, and what they took back. Written by `skillful sync --team`.\n";

/// What team servers decided for one user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamRecord {
    /// By the label of the source.
    pub servers: BTreeMap<String, TeamServer>,
    /// Files that must not be used, by digest.
    pub revoked: BTreeMap<Digest, RevokedTree>,
}

/// One server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamServer {
    /// Its address.
    pub address: String,
    /// The skills that it put here, by name.
    #[serde(default, rename = "skill")]
    pub skills: BTreeMap<String, TeamSkill>,
}

/// A skill that a server put on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamSkill {
    /// Its id on the server.
    pub id: String,
    /// The version.
    pub version: i64,
    /// The digest of its files.
    pub tree: Digest,
}

/// Files that a server took back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokedTree {
    /// The label of the server.
    pub server: String,
    /// The skill.
    pub skill: String,
    /// Why.
    pub reason: String,
}

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    version: i64,
    #[serde(default)]
    server: BTreeMap<String, TeamServer>,
    #[serde(default)]
    revoked: BTreeMap<Digest, RevokedTree>,
}

impl TeamRecord {
    /// Reads the record of a data folder; a missing file is an empty record.
    pub fn load(data: &Path) -> Result<Self, RecordError> {
        record_file::load(data)
    }

    /// Changes the record of a data folder while no other process does.
    pub fn change(
        data: &Path,
        writer: &AtomicWriter,
        change: impl FnOnce(&mut Self),
    ) -> Result<(), RecordError> {
        record_file::change(data, writer, change)
    }

    /// The skill that a server put here with these files, and the label of the server.
    pub fn skill_of(&self, tree: &Digest) -> Option<(&str, &TeamSkill)> {
        self.servers.iter().find_map(|(label, server)| {
            let skill = server.skills.values().find(|skill| skill.tree == *tree)?;
            Some((label.as_str(), skill))
        })
    }
}

impl Record for TeamRecord {
    const FILE: &'static str = TEAM_FILE;
    const GUARD: &'static str = "teams.lock";
    const NEXT: &'static str = ".teams.toml.new";
    type Text = FileText;

    fn of_text(text: FileText) -> Result<Self, String> {
        if text.version != VERSION {
            return Err(format!("it is of version {}, and this program knows {VERSION}", text.version));
        }
        Ok(Self { servers: text.server, revoked: text.revoked })
    }

    fn text(&self) -> String {
        let file = FileText { version: VERSION, server: self.servers.clone(), revoked: self.revoked.clone() };
        // A text without a version is refused when it is read, so that a failure cannot lose a revocation.
        format!("{HEAD}{}", toml::to_string(&file).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approvals::{Approvals, ApprovedBy, Approver};
    use skillful_format::digest_bytes;

    #[test]
    fn revoked_files_are_not_approved_whatever_the_user_approved() {
        let data = tempfile::tempdir().unwrap();
        let (tree, writer) = (digest_bytes(b"a"), AtomicWriter::default());
        let approver = Approver { data: data.path(), date: "2026-11-18", how: ApprovedBy::Team };
        Approvals::record(approver, &[(tree, ["pdf".to_owned()].into())].into(), &writer).unwrap();
        assert!(Approvals::load(data.path()).unwrap().has(&tree));
        let skill = TeamSkill { id: "skill_1".to_owned(), version: 3, tree };
        TeamRecord::change(data.path(), &writer, |record| {
            let server = record.servers.entry("team".to_owned()).or_default();
            server.address = "https://skills.example.org".to_owned();
            server.skills.insert("pdf".to_owned(), skill.clone());
            let revoked = RevokedTree {
                server: "team".to_owned(),
                skill: "pdf".to_owned(),
                reason: "\"x\"\n".to_owned(),
            };
            record.revoked.insert(tree, revoked);
        })
        .unwrap();
        let record = TeamRecord::load(data.path()).unwrap();
        assert_eq!(record.skill_of(&tree), Some(("team", &skill)));
        assert_eq!(record.revoked[&tree].reason, "\"x\"\n");
        assert!(!Approvals::load(data.path()).unwrap().has(&tree));
        TeamRecord::change(data.path(), &writer, |record| record.revoked.clear()).unwrap();
        assert!(Approvals::load(data.path()).unwrap().has(&tree));
        std::fs::write(data.path().join(TEAM_FILE), "version = 2\n").unwrap();
        assert!(Approvals::load(data.path()).is_err(), "a record that is not understood allows nothing");
    }
}
