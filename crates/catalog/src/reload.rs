//! Changes on disk: a shared snapshot, and what a reload changed.

use crate::catalog::Catalog;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// The current catalog. A reload builds the next one and swaps it in; a reader that holds
/// the old one keeps it unchanged.
#[derive(Debug, Default)]
pub struct Shared {
    current: Mutex<Arc<Catalog>>,
    /// Held while the next one is built, so that an older look at the disk never replaces a newer.
    turn: Mutex<()>,
}

impl Shared {
    /// Starts with a catalog.
    pub fn new(catalog: Catalog) -> Self {
        Self { current: Mutex::new(Arc::new(catalog)), turn: Mutex::default() }
    }

    /// The current catalog.
    pub fn current(&self) -> Arc<Catalog> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts a new catalog in place and returns what changed. When `build` fails the old one
    /// stays.
    pub fn reload<E>(&self, build: impl FnOnce() -> Result<Catalog, E>) -> Result<Changes, E> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Arc::new(build()?);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = Changes::between(&current, &next);
        *current = next;
        Ok(changes)
    }
}

/// What is different between two catalogs, each list by address and path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// Skills that are new.
    pub added: Vec<Changed>,
    /// Skills whose text, place or placement changed.
    pub changed: Vec<Changed>,
    /// Skills that are gone.
    pub removed: Vec<Changed>,
}

/// One skill that is different.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Changed {
    /// Its address.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What became of it, in one word; of a removed one, what it was.
    pub state: &'static str,
}

impl Changes {
    /// Compares two catalogs.
    pub fn between(old: &Catalog, new: &Catalog) -> Self {
        fn by_path(catalog: &Catalog) -> BTreeMap<&PathBuf, &crate::Entry> {
            catalog.entries.iter().map(|entry| (&entry.origin.file, entry)).collect()
        }
        let (old, new) = (by_path(old), by_path(new));
        let changed = |entry: &crate::Entry| Changed {
            name: entry.address(),
            path: entry.origin.file.clone(),
            state: entry.placement.word(),
        };
        let mut changes = Self::default();
        for (path, entry) in &new {
            match old.get(path) {
                None => changes.added.push(changed(entry)),
                Some(before)
                    if before.loaded != entry.loaded
                        || before.placement.word() != entry.placement.word()
                        || before.address() != entry.address()
                        || before.overridden != entry.overridden
                        || before.missing_variables != entry.missing_variables =>
                {
                    changes.changed.push(changed(entry));
                }
                Some(_) => {}
            }
        }
        changes.removed = old
            .iter()
            .filter(|(path, _)| !new.contains_key(*path))
            .map(|(_, entry)| changed(entry))
            .collect();
        for list in [&mut changes.added, &mut changes.changed, &mut changes.removed] {
            list.sort();
        }
        changes
    }

    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}
