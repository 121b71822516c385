//! Watching the roots. A root that does not exist yet is watched through the nearest folder above
//! it that does, so that a new root is seen like a new skill.

use crate::{profile::RootKind, roots::Root};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher, event::ModifyKind};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

/// Changes that come within this time of one another are one change.
const QUIET: Duration = Duration::from_millis(120);
/// The longest wait, however busy the disk is.
const PATIENCE: Duration = Duration::from_millis(600);

/// A watch over a set of roots.
pub struct Watch {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<notify::Event>>,
    watched: BTreeMap<PathBuf, RecursiveMode>,
    /// What is to be watched, whether it is there or not.
    places: BTreeSet<PathBuf>,
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
            // The receiver is gone only when the watch was dropped.
            let _gone = sender.send(event);
        })?;
        Ok(Self { watcher, events, watched: BTreeMap::new(), places: BTreeSet::new() })
    }

    /// Watches these roots from now on. Returns the folders that could not be watched.
    pub fn follow(&mut self, roots: &[Root]) -> Vec<(PathBuf, notify::Error)> {
        self.places = roots.iter().flat_map(places_of).collect();
        self.renew()
    }

    /// Watches what is there now of the places.
    fn renew(&mut self) -> Vec<(PathBuf, notify::Error)> {
        let mut wanted: BTreeMap<PathBuf, RecursiveMode> = BTreeMap::new();
        for place in &self.places {
            let (path, mode) = match nearest_existing(place) {
                Some(path) if path == *place => (path, RecursiveMode::Recursive),
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
            self.forget(&path);
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

    fn forget(&mut self, path: &Path) {
        // A folder that was removed is no longer watched anyway.
        let _removed = self.watcher.unwatch(path);
        self.watched.remove(path);
    }

    /// Waits for a change, then for a moment of quiet. What appeared is watched before this
    /// returns, so that a catalog built afterwards misses nothing.
    pub fn wait(&mut self, timeout: Duration) -> Woken {
        let end = Instant::now() + timeout;
        loop {
            match self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(event) if self.matters(&event) => break,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Woken::TimedOut,
            }
        }
        let latest = Instant::now() + PATIENCE;
        while Instant::now() < latest {
            match self.events.recv_timeout(QUIET) {
                Ok(event) => {
                    self.matters(&event);
                }
                Err(_) => break,
            }
        }
        self.renew();
        Woken::Changed
    }

    /// Whether an event is about a place or about a folder on the way to one. Reading a file changes
    /// nothing, and neither does a file that merely lies beside a root.
    fn matters(&mut self, event: &notify::Result<notify::Event>) -> bool {
        let Ok(event) = event else { return true };
        if event.need_rescan() {
            return true;
        }
        if event.kind.is_access() {
            return false;
        }
        let matters = event.paths.iter().any(|path| {
            path.ancestors().any(|above| self.places.contains(above))
                || self.places.range(path.clone()..).next().is_some_and(|place| place.starts_with(path))
        });
        // A folder that comes, goes or moves takes the watches of its name with it; a link that
        // comes brings a folder that is not watched yet.
        if matters && !matches!(event.kind, EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)))
        {
            for path in &event.paths {
                let stale: Vec<PathBuf> = self
                    .watched
                    .keys()
                    .filter(|watched| {
                        watched.starts_with(path) || path.is_symlink() && path.starts_with(watched)
                    })
                    .cloned()
                    .collect();
                for path in stale {
                    self.forget(&path);
                }
            }
        }
        matters
    }
}

/// What of a root is watched. A plugin that is a whole repository is watched where it has skills:
/// the rest may be large, and changes all the time.
fn places_of(root: &Root) -> Vec<PathBuf> {
    if root.kind == RootKind::Plugins && root.needs_trust.is_some() && !root.searched.is_empty() {
        return root.searched.clone();
    }
    vec![root.path.clone()]
}

fn nearest_existing(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|path| path.is_dir()).map(Path::to_path_buf)
}
