//! Watching the roots. A root that does not exist yet is watched through the nearest folder above
//! it that does, so that a new root is seen like a new skill.

use crate::roots::Root;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

/// Changes that come within this time of one another are one change.
const QUIET: Duration = Duration::from_millis(120);
/// However busy the disk, nobody waits longer than this.
const PATIENCE: Duration = Duration::from_millis(600);

/// A watch over a set of roots.
pub struct Watch {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<notify::Event>>,
    watched: BTreeMap<PathBuf, RecursiveMode>,
}

/// What waiting gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Something below a root changed.
    Changed,
    /// Nothing happened in the time given.
    TimedOut,
}

impl Watch {
    /// Starts to watch.
    pub fn new() -> notify::Result<Self> {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(move |event| {
            // The receiver is gone only when nobody is interested any more.
            let _gone = sender.send(event);
        })?;
        Ok(Self { watcher, events, watched: BTreeMap::new() })
    }

    /// Watches these roots from now on. Returns the folders that could not be watched.
    pub fn follow(&mut self, roots: &[Root]) -> Vec<(PathBuf, notify::Error)> {
        let mut wanted: BTreeMap<PathBuf, RecursiveMode> = BTreeMap::new();
        for root in roots {
            let (path, mode) = match nearest_existing(&root.path) {
                Some(path) if path == root.path => (path, RecursiveMode::Recursive),
                Some(path) => (path, RecursiveMode::NonRecursive),
                None => continue,
            };
            let known = wanted.entry(path).or_insert(mode);
            if mode == RecursiveMode::Recursive {
                *known = mode;
            }
        }
        let mut failed = Vec::new();
        let gone: Vec<PathBuf> = self
            .watched
            .iter()
            .filter(|(path, mode)| wanted.get(*path) != Some(mode))
            .map(|(path, _)| path.clone())
            .collect();
        for path in gone {
            // A folder that was removed is no longer watched anyway.
            let _removed = self.watcher.unwatch(&path);
            self.watched.remove(&path);
        }
        for (path, mode) in wanted {
            if self.watched.contains_key(&path) {
                continue;
            }
            match self.watcher.watch(&path, mode) {
                Ok(()) => {
                    self.watched.insert(path, mode);
                }
                Err(error) => failed.push((path, error)),
            }
        }
        failed
    }

    /// Waits for a change, then for a moment of quiet.
    pub fn wait(&self, timeout: Duration) -> Woken {
        let end = Instant::now() + timeout;
        loop {
            match self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(event) if matters(&event) => break,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Woken::TimedOut,
            }
        }
        let latest = Instant::now() + PATIENCE;
        while Instant::now() < latest {
            match self.events.recv_timeout(QUIET) {
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Woken::Changed
    }
}

/// Reading a file changes nothing.
fn matters(event: &notify::Result<notify::Event>) -> bool {
    event.as_ref().map_or(true, |event| !event.kind.is_access())
}

fn nearest_existing(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|path| path.is_dir()).map(Path::to_path_buf)
}
