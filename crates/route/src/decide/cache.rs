//! Verdicts remembered: one small file, because a hook runs this program anew for every message and would
//! find nothing in memory. No text of a request is in it, only a digest.

use super::verdict::Verdict;
use crate::kept::{self, Kept};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use skillful_llm::{Part, Request};
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const MARK: &[u8] = b"skillful verdicts 1\n";
const FILE: &str = "verdicts.bin";
/// A larger file is not read.
const LIMIT: u64 = 4 << 20;
/// Verdicts that are kept, the newest.
const ENTRIES: usize = 1_000;

/// Digest of a question.
pub(crate) type Key = [u8; 16];

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    key: Key,
    /// Seconds since 1970.
    at: u64,
    verdict: Verdict,
}

/// Verdicts by the digest of what was asked, oldest first.
pub(crate) struct Cache {
    file: Option<PathBuf>,
    lifetime: Duration,
    entries: Mutex<Vec<Entry>>,
}

/// The digest of everything that a verdict depends on: the request with its context, the candidates, the
/// library and the model.
pub(crate) fn key(request: &Request, fingerprint: u64, model: &str) -> Key {
    let mut digest = Sha256::new();
    let mut add = |part: &[u8]| {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    };
    add(model.as_bytes());
    add(&fingerprint.to_le_bytes());
    add(request.system.as_deref().unwrap_or_default().as_bytes());
    for part in request.messages.iter().flat_map(|message| &message.parts) {
        if let Part::Text { text } = part {
            add(text.as_bytes());
        }
    }
    let mut key = Key::default();
    key.iter_mut().zip(digest.finalize()).for_each(|(to, from)| *to = from);
    key
}

impl Cache {
    pub(crate) fn open(folder: Option<&Path>, minutes: u64) -> Self {
        let file = folder.map(|folder| folder.join(FILE));
        let kept = file.as_deref().and_then(|file| Kept::open(file, MARK, LIMIT).ok().flatten());
        let entries = kept.and_then(|kept| postcard::from_bytes::<Vec<Entry>>(kept.as_ref()).ok());
        let lifetime = Duration::from_secs(minutes.saturating_mul(60));
        Self { file, lifetime, entries: Mutex::new(entries.unwrap_or_default()) }
    }

    /// A verdict that is not too old. One from the future is too old: the clock was set.
    pub(crate) fn get(&self, key: &Key, now: SystemTime) -> Option<Verdict> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.iter().rfind(|entry| entry.key == *key && self.is_fresh(entry, now))?;
        Some(entry.verdict.clone())
    }

    /// Remembers a verdict. A file that cannot be written costs a question later and nothing else.
    pub(crate) fn put(&self, key: Key, verdict: &Verdict, now: SystemTime) {
        if self.lifetime.is_zero() {
            return;
        }
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.key != key && self.is_fresh(entry, now));
        entries.push(Entry { key, at: seconds(now), verdict: verdict.clone() });
        let surplus = entries.len().saturating_sub(ENTRIES);
        entries.drain(..surplus);
        if let (Some(file), Ok(bytes)) = (&self.file, postcard::to_stdvec(&*entries)) {
            let _forgotten = kept::write(file, MARK, &[&bytes]);
        }
    }

    fn is_fresh(&self, entry: &Entry, now: SystemTime) -> bool {
        seconds(now).checked_sub(entry.at).is_some_and(|age| age < self.lifetime.as_secs())
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests;
