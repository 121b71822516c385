//! What the last look at the sources found, so that an overview can name updates without the network.

use super::{Library, LibraryError};
use crate::{views::status::OutdatedView, workspace::Workspace};
use serde::{Deserialize, Serialize};
use skillful_catalog::bounded;
use skillful_format::Digest;
use skillful_registry::{Lock, install::Site};
use std::{collections::BTreeMap, fs, path::PathBuf};

/// A larger record is not read.
const RECORD_LIMIT: u64 = 8 << 20;

/// The skills with a newer version, by the folder of their lock and their name, with the digest that they had.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct KnownUpdates {
    locks: BTreeMap<PathBuf, BTreeMap<String, Digest>>,
}

fn record_file(workspace: &Workspace) -> PathBuf {
    workspace.paths().cache.join("updates.json")
}

fn read(workspace: &Workspace) -> KnownUpdates {
    let text = bounded::read_text(&record_file(workspace), RECORD_LIMIT, None).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

impl Workspace {
    /// The installed skills of a scope that have a newer version, as far as that is known on this machine. What
    /// changed in the lock since is not named.
    pub fn known_updates(&self, site: &Site) -> Vec<String> {
        let known = read(self);
        let Some(skills) = known.locks.get(&site.lock).filter(|skills| !skills.is_empty()) else {
            return Vec::new();
        };
        let Ok(lock) = Lock::load(&site.lock) else { return Vec::new() };
        let is_same = |name: &str, tree: &Digest| {
            lock.skills.iter().any(|(key, locked)| key.as_str() == name && locked.tree == *tree)
        };
        skills.iter().filter(|(name, tree)| is_same(name, tree)).map(|(name, _)| name.clone()).collect()
    }
}

impl Library<'_> {
    /// Keeps what a look at the sources of all skills found. A cache that cannot be written is not a failure of the look.
    pub fn remember_outdated(&self, view: &OutdatedView) -> Result<(), LibraryError> {
        let lock = self.lock()?;
        let newer = view.skills.iter().filter(|skill| skill.state == "update");
        let newer = newer.filter_map(|skill| {
            let locked = lock.skills.iter().find(|(key, _)| key.as_str() == skill.skill)?.1;
            Some((skill.skill.clone(), locked.tree))
        });
        let newer: BTreeMap<String, Digest> = newer.collect();
        let mut known = read(self.workspace);
        // Where there is nothing new to remember nothing is made.
        if known.locks.get(&self.site.lock).map_or(newer.is_empty(), |before| *before == newer) {
            return Ok(());
        }
        known.locks.insert(self.site.lock.clone(), newer);
        let file = record_file(self.workspace);
        if let (Ok(text), Some(folder)) = (serde_json::to_string(&known), file.parent()) {
            let _only_a_cache = fs::create_dir_all(folder)
                .and_then(|()| bounded::replace(&file, text.as_bytes(), 0o600, None));
        }
        Ok(())
    }
}
