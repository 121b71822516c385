//! The cached lists of sources. A file that cannot be used is ignored.

use super::{Listing, Offered};
use serde::{Deserialize, Serialize};
use skillful_format::digest_bytes;
use std::{
    io::Read,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// How long an answer is used without asking again.
const FRESH: Duration = Duration::from_hours(1);
/// A larger file is none of ours.
const LIMIT: u64 = 32 << 20;

/// What an answer is the answer to.
pub(super) struct Key<'a> {
    pub(super) source: String,
    pub(super) label: &'a str,
    pub(super) registry: bool,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    at: u64,
    skills: Vec<Offered>,
    notes: Vec<String>,
}

impl Key<'_> {
    fn text(&self) -> String {
        format!("1 {} {} {}", self.label, self.registry, self.source)
    }

    /// Named by a digest, since a source holds what no file name can.
    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.json", digest_bytes(self.text().as_bytes()).to_hex()))
    }
}

/// Whether it is young enough.
pub(super) fn is_fresh(listing: &Listing) -> bool {
    listing.age.is_some_and(|age| age < FRESH)
}

/// What was remembered.
pub(super) fn read(folder: &Path, key: &Key<'_>, now: SystemTime) -> Option<Listing> {
    let mut bytes = Vec::new();
    std::fs::File::open(key.file(folder)).ok()?.take(LIMIT).read_to_end(&mut bytes).ok()?;
    let kept: Kept = serde_json::from_slice(&bytes).ok()?;
    // A time that has not come yet says nothing.
    let age = now.duration_since(UNIX_EPOCH + Duration::from_secs(kept.at)).ok()?;
    (kept.key == key.text()).then_some(Listing {
        skills: kept.skills,
        notes: kept.notes,
        age: Some(age),
        stale: None,
    })
}

/// Remembers. A cache that cannot be written costs time and nothing else.
pub(super) fn write(folder: &Path, key: &Key<'_>, listing: &Listing, now: SystemTime) {
    let at = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let kept = Kept { key: key.text(), at, skills: listing.skills.clone(), notes: listing.notes.clone() };
    let written = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut file, &kept)?;
        file.persist(key.file(folder))?;
        Ok(())
    };
    let _costs_time = written();
}
