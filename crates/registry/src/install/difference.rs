//! What is different between two trees, file by file, in a form that a user reads.
//!
//! The text is as the author wrote it; the code that prints it makes hidden characters visible.

use super::merge::{Conflict, lines};
use similar::TextDiff;
use skillful_format::{Tree, TreeFile, TreePath};
use std::collections::{BTreeMap, BTreeSet};

/// Unchanged lines around a change.
const AROUND: usize = 3;

/// One file that is not the same in both trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which one.
    pub path: TreePath,
    /// What happened to it.
    pub what: What,
    /// Whether it may be executed now, when that changed.
    pub executable: Option<bool>,
    /// How its contents changed.
    pub detail: Detail,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is another.
    Changed,
}

/// How the contents of a file changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Not at all.
    Same,
    /// As a unified difference, without its two header lines.
    Text(String),
    /// It is not text, or too large to be compared by lines; its bytes before and after.
    Bytes {
        /// Before.
        before: usize,
        /// After.
        after: usize,
    },
}

/// Compares two trees; the order is that of the paths.
pub fn differences(before: &Tree, after: &Tree) -> Vec<Difference> {
    let (old, new): (BTreeMap<_, _>, BTreeMap<_, _>) = (before.iter().collect(), after.iter().collect());
    let paths: BTreeSet<&TreePath> = old.keys().chain(new.keys()).copied().collect();
    let mut found = Vec::new();
    for path in paths {
        let (old, new) = (old.get(path).copied(), new.get(path).copied());
        if old == new {
            continue;
        }
        let what = match (old, new) {
            (None, _) => What::Added,
            (_, None) => What::Removed,
            _ => What::Changed,
        };
        let is = |file: Option<&TreeFile>| file.is_some_and(|file| file.executable);
        let executable = new.is_some().then(|| is(new)).filter(|now| *now != is(old));
        let bytes = |file: Option<&TreeFile>| file.map(|file| file.bytes.clone()).unwrap_or_default();
        found.push(Difference {
            path: path.clone(),
            what,
            executable,
            detail: detail(&bytes(old), &bytes(new)),
        });
    }
    found
}

fn detail(before: &[u8], after: &[u8]) -> Detail {
    if before == after {
        return Detail::Same;
    }
    let compared = lines::text(before).and_then(|before| Ok::<_, Conflict>((before, lines::text(after)?)));
    match compared {
        Ok((before, after)) => Detail::Text(
            TextDiff::from_lines(before, after).unified_diff().context_radius(AROUND).to_string(),
        ),
        Err(_) => Detail::Bytes { before: before.len(), after: after.len() },
    }
}
