//! What differs between a stored index and the skills in use.

use crate::library::Item;
use std::cmp::Ordering;

/// When more than one in so many skills changed, building anew is quicker than updating.
const REBUILD_SHARE: usize = 8;
/// So few changed skills are always an update.
const FEW: usize = 8;
/// Writing a large index for a single changed skill takes longer than reading that skill each time; it is
/// written when one in so many changed. A library of fewer skills is written with every change.
const KEEP_SHARE: usize = 1000;

/// What differs between a stored index and the skills in use.
pub(crate) struct Difference {
    /// Places of new and changed items.
    pub(crate) changed: Vec<usize>,
    /// Ids of skills that are gone.
    pub(crate) removed: Vec<String>,
}

impl Difference {
    /// Both sides stand in the order of their ids.
    pub(crate) fn of(stored: &[(String, u64)], items: &[Item]) -> Self {
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

    /// Whether writing the index pays.
    pub(crate) fn is_worth_keeping(&self, skills: usize) -> bool {
        (self.changed.len() + self.removed.len()) * KEEP_SHARE >= skills
    }

    /// Whether updating pays.
    pub(crate) fn is_small(&self, skills: usize) -> bool {
        self.changed.len() + self.removed.len() <= FEW + skills / REBUILD_SHARE
    }
}

#[cfg(test)]
mod tests;
