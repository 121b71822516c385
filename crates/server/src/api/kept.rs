//! Pages of lists as they were written, each of one change: a page is asked for far more often than a skill changes. The actor,
//! whose roles and groups decide what is on a page, is read for each request together with the number of the newest change.

use bytes::Bytes;
use skillful_team::{Actor, skills::SkillFilter};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// Pages that are kept.
const PAGES: usize = 256;
/// Bytes of a page that is kept.
const BYTES: usize = 64 << 10;

/// Who asks, as of which change, and for what.
pub(crate) type PageKey = (Actor, SkillFilter);

/// Pages by who asked for them and what they asked for.
#[derive(Debug, Default)]
pub(crate) struct KeptPages(Mutex<HashMap<PageKey, Bytes>>);

/// Whether the rows of the newest change decide alone: guests are not read from the database, and a search follows changes later.
fn is_kept((actor, filter): &PageKey) -> bool {
    actor.user.is_some() && filter.words.is_empty()
}

impl KeptPages {
    pub(crate) fn get(&self, key: &PageKey) -> Option<Bytes> {
        if !is_kept(key) {
            return None;
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub(crate) fn keep(&self, key: PageKey, page: &Bytes) {
        if !is_kept(&key) || page.len() > BYTES {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= PAGES {
            let newest = key.0.change;
            kept.retain(|(actor, _), _| actor.change == newest);
        }
        // Those that are in use come back with their next request.
        if kept.len() >= PAGES {
            kept.clear();
        }
        kept.insert(key, page.clone());
    }
}
