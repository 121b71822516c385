//! Cached verdicts of the classifier. They are kept in a small file, because a hook starts a new process for
//! every message. The file holds digests of requests and never their text.

use super::verdict::Verdict;
use crate::cache_file::{self, CacheFile};
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
/// Number of verdicts that are kept, the newest ones.
const ENTRIES: usize = 1_000;

/// Digest of a request to the classifier.
pub(crate) type Key = [u8; 16];

#[derive(Clone, Debug, Serialize, Deserialize)]
struct CachedVerdict {
    key: Key,
    /// Seconds since 1970.
    at: u64,
    verdict: Verdict,
}

/// Verdicts by the digest of the request, oldest first.
pub(crate) struct Cache {
    file: Option<PathBuf>,
    lifetime: Duration,
    entries: Mutex<Vec<CachedVerdict>>,
}

/// The digest of everything that a verdict depends on: the request with its context, the candidates, the
/// indexed skills and the model.
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
        let stored = file.as_deref().and_then(|file| CacheFile::open(file, MARK, 0, LIMIT).ok().flatten());
        let entries =
            stored.and_then(|stored| postcard::from_bytes::<Vec<CachedVerdict>>(stored.as_ref()).ok());
        let lifetime = Duration::from_secs(minutes.saturating_mul(60));
        Self { file, lifetime, entries: Mutex::new(entries.unwrap_or_default()) }
    }

    /// Returns a verdict that has not expired. One with a time in the future counts as expired, because the
    /// clock was changed.
    pub(crate) fn get(&self, key: &Key, now: SystemTime) -> Option<Verdict> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.iter().rfind(|entry| entry.key == *key && self.is_fresh(entry, now))?;
        Some(entry.verdict.clone())
    }

    /// Caches a verdict. When the file cannot be written, the only cost is one more request to the classifier
    /// later.
    pub(crate) fn put(&self, key: Key, verdict: &Verdict, now: SystemTime) {
        if self.lifetime.is_zero() {
            return;
        }
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.key != key && self.is_fresh(entry, now));
        entries.push(CachedVerdict { key, at: seconds(now), verdict: verdict.clone() });
        let surplus = entries.len().saturating_sub(ENTRIES);
        entries.drain(..surplus);
        if let (Some(file), Ok(bytes)) = (&self.file, postcard::to_stdvec(&*entries)) {
            let _ignored = cache_file::write(file, MARK, &bytes);
        }
    }

    fn is_fresh(&self, entry: &CachedVerdict, now: SystemTime) -> bool {
        seconds(now).checked_sub(entry.at).is_some_and(|age| age < self.lifetime.as_secs())
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests;
