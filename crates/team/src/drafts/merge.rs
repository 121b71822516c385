//! Two saves of one draft become one: the texts that both began with, what the author sends, and what was saved in between.

use super::{Draft, Files};
use serde::Serialize;
use skillful_registry::install::merge_marked;
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// A save that was refused, since another one came in between. Nothing is lost: both are here, and one text of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DraftConflict {
    /// What was saved in between.
    pub saved: Draft,
    /// The texts that were sent.
    pub sent: BTreeMap<String, String>,
    /// Both as one; a place that both changed has both between marks.
    pub merged: BTreeMap<String, String>,
    /// The files with marks, and how many places each has.
    pub conflicts: BTreeMap<String, usize>,
}

/// Merges the texts of two saves. `base` is what both began with; without it, every file that differs is a conflict.
pub(super) fn merged(base: Option<&Files>, sent: &Files, saved: Draft) -> DraftConflict {
    let empty = Files::new();
    let base = base.unwrap_or(&empty);
    let paths: BTreeSet<&String> = sent.keys().chain(saved.files.keys()).collect();
    let (mut files, mut conflicts) = (Files::new(), BTreeMap::new());
    for path in paths {
        let (old, mine, theirs) = (base.get(path), sent.get(path), saved.files.get(path));
        let (text, count) = match (mine, theirs) {
            (mine, theirs) if mine == theirs || theirs == old => (mine.cloned(), 0),
            (mine, theirs) if mine == old => (theirs.cloned(), 0),
            (Some(mine), Some(theirs)) => {
                match merge_marked(old.map_or("", String::as_str), mine, theirs) {
                    Ok(marked) => (Some(marked.text), marked.conflicts),
                    // Too large for lines: the author's own text stays, and the place is named.
                    Err(_) => (Some(mine.clone()), 1),
                }
            }
            // One side removed what the other changed: the text stays, so that nothing is lost.
            (mine, theirs) => (mine.or(theirs).cloned(), 1),
        };
        files.extend(text.map(|text| (path.clone(), text)));
        if count > 0 {
            conflicts.insert(path.clone(), count);
        }
    }
    DraftConflict { saved, sent: sent.clone(), merged: files, conflicts }
}
