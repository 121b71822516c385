//! Computes which skills changed since an index was stored.

use crate::indexed_skills::IndexedSkill;
use std::cmp::Ordering;

/// The index is rebuilt when more than one in this many skills changed, because updating would take longer.
const REBUILD_SHARE: usize = 8;
/// Up to this many changed skills are always applied as an update.
const FEW: usize = 8;
/// A changed index is written when at least one in this many skills changed. Writing a large index for a
/// single skill takes longer than reading that skill again each time. An index with fewer skills is written
/// after every change.
const KEEP_SHARE: usize = 1000;

/// The difference between a stored index and the current skills.
pub(crate) struct Difference {
    /// Positions of new and changed skills in the list of indexed skills.
    pub(crate) changed: Vec<usize>,
    /// Ids of skills that no longer exist.
    pub(crate) removed: Vec<String>,
}

impl Difference {
    /// Compares two lists that are both sorted by id.
    pub(crate) fn of(stored: &[(String, u64)], items: &[IndexedSkill]) -> Self {
        let mut found = Self { changed: Vec::new(), removed: Vec::new() };
        let mut old = stored.iter().peekable();
        for (at, item) in items.iter().enumerate() {
            loop {
                match old.peek().map(|(id, stamp)| (id.as_str().cmp(&item.id), id, *stamp)) {
                    Some((Ordering::Less, id, _)) => {
                        found.removed.push(id.clone());
                        old.next();
                    }
                    Some((Ordering::Equal, _, stamp)) => {
                        if stamp != item.stamp {
                            found.changed.push(at);
                        }
                        old.next();
                        break;
                    }
                    _ => {
                        found.changed.push(at);
                        break;
                    }
                }
            }
        }
        found.removed.extend(old.map(|(id, _)| id.clone()));
        found
    }

    pub(crate) fn is_none(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }

    /// Whether enough changed to write the index.
    pub(crate) fn is_worth_keeping(&self, skills: usize) -> bool {
        (self.changed.len() + self.removed.len()) * KEEP_SHARE >= skills
    }

    /// Whether few enough skills changed for an update instead of a rebuild.
    pub(crate) fn is_small(&self, skills: usize) -> bool {
        self.changed.len() + self.removed.len() <= FEW + skills / REBUILD_SHARE
    }
}

#[cfg(test)]
mod tests;
