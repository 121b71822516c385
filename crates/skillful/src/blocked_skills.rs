//! Which skills the audit blocks, remembered between runs.
//!
//! An overview asks about every skill that an agent misses, and auditing hundreds of skills takes longer than the rest
//! of it. An answer counts while every file of the skill has the stamp that it had; what writes for an agent audits
//! anew.

use crate::workspace::Workspace;
use serde::{Deserialize, Serialize};
use skillful_audit::{RULESET, Verdict, audit};
use skillful_catalog::{Entry, approvals::tree_of, bounded};
use skillful_format::digest_bytes;
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// A larger file of answers is not read.
const FILE_LIMIT: u64 = 16 << 20;
/// Files and folders of a skill whose stamps are taken; a larger skill is audited each time.
const MOST: usize = 2_000;

/// Answers about skills.
#[derive(Debug)]
pub(crate) struct BlockedSkills {
    file: Option<PathBuf>,
    answers: Mutex<Answers>,
}

#[derive(Debug, Default)]
struct Answers {
    known: BTreeMap<PathBuf, KnownAnswer>,
    is_changed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KnownAnswer {
    stamp: String,
    is_blocked: bool,
}

impl BlockedSkills {
    /// The answers that the cache of a workspace holds; with `is_fresh` none of them.
    pub(crate) fn open(workspace: &Workspace, is_fresh: bool) -> Self {
        let folder = workspace.config().settings.cache.as_ref().filter(|_| !is_fresh);
        let file = folder.map(|folder| folder.join("blocked-skills.json"));
        let text = file.as_ref().and_then(|file| bounded::read_text(file, FILE_LIMIT, None).ok());
        let known = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Self { file, answers: Mutex::new(Answers { known, is_changed: false }) }
    }

    /// Whether the audit blocks a skill, or why that is not known.
    pub(crate) fn is_blocked(&self, entry: &Entry) -> Result<bool, String> {
        let stamp = stamp(&entry.origin.real);
        let real = &entry.origin.real;
        if let Some(stamp) = &stamp {
            let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = answers.known.get(real).filter(|known| known.stamp == *stamp) {
                return Ok(known.is_blocked);
            }
        }
        let tree = tree_of(entry).map_err(|error| format!("its files cannot be read: {error}"))?;
        let is_blocked = audit(&tree).verdict == Verdict::Blocked;
        if let Some(stamp) = stamp {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.known.insert(real.clone(), KnownAnswer { stamp, is_blocked });
            answers.is_changed = true;
        }
        Ok(is_blocked)
    }

    /// Remembers new answers. A cache that cannot be written costs time only.
    pub(crate) fn keep(&self) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = self.file.as_ref().filter(|_| answers.is_changed) else { return };
        answers.known.retain(|folder, _| folder.exists());
        let Ok(text) = serde_json::to_string(&answers.known) else { return };
        let folder = file.parent().unwrap_or(Path::new("/"));
        let _costs_time =
            fs::create_dir_all(folder).and_then(|()| bounded::replace(file, text.as_bytes(), 0o600, None));
        answers.is_changed = false;
    }
}

/// Changes with every file of a skill, with its name, and with the rules of the audit. None for a skill that is too
/// large or cannot be read.
fn stamp(real: &Path) -> Option<String> {
    let mut text = format!("{RULESET} {}\n", env!("CARGO_PKG_VERSION"));
    let mut open = vec![real.to_path_buf()];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        seen += 1;
        if seen > MOST {
            return None;
        }
        let meta = path.symlink_metadata().ok()?;
        let of_name = path.strip_prefix(real).unwrap_or(&path).display().to_string();
        let (changed, size) = ((meta.ctime(), meta.ctime_nsec()), (meta.ino(), meta.size()));
        writeln!(text, "{of_name} {:?} {changed:?} {size:?}", (meta.mtime(), meta.mtime_nsec())).ok()?;
        if meta.is_dir() {
            let mut inner: Vec<PathBuf> =
                fs::read_dir(&path).ok()?.filter_map(Result::ok).map(|entry| entry.path()).collect();
            inner.sort();
            open.extend(inner);
        }
    }
    Some(digest_bytes(text.as_bytes()).to_hex())
}
