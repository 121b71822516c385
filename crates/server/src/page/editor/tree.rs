//! The files of a draft as a tree.

use skillful_team::{drafts::Draft, judged::CheckedView};
use std::collections::BTreeSet;

/// A row of the tree.
pub(crate) struct TreeRow {
    /// The name that is shown.
    pub(crate) name: String,
    /// The path of a file; empty for a folder.
    pub(crate) path: String,
    /// The icon.
    pub(crate) icon: &'static str,
    /// Whether it is the edited file.
    pub(crate) is_current: bool,
    /// Errors and warnings in it.
    pub(crate) problems: usize,
    /// Rows inside of a folder.
    pub(crate) inside: Vec<TreeRow>,
}

/// The rows: the skill file first, then folders and files by name. Deeper folders are part of the name.
pub(crate) fn rows(draft: &Draft, current: &str, problems: &[CheckedView]) -> Vec<TreeRow> {
    let file = |path: &str, name: &str| TreeRow {
        name: name.to_owned(),
        path: path.to_owned(),
        icon: if path.starts_with("scripts/") { "terminal" } else { "file" },
        is_current: path == current,
        problems: problems.iter().filter(|found| found.path == path && found.severity != "note").count(),
        inside: Vec::new(),
    };
    let mut rows: Vec<TreeRow> = Vec::new();
    let top = |path: &&String| !path.contains('/');
    rows.extend(
        draft.files.keys().filter(top).filter(|path| *path == "SKILL.md").map(|path| file(path, path)),
    );
    let folders: BTreeSet<&str> =
        draft.files.keys().filter_map(|path| path.split_once('/').map(|(folder, _)| folder)).collect();
    for folder in folders {
        let inside = draft.files.keys().filter_map(|path| {
            let (own, rest) = path.split_once('/')?;
            (own == folder).then(|| file(path, rest))
        });
        rows.push(TreeRow {
            name: folder.to_owned(),
            path: String::new(),
            icon: "folder",
            is_current: false,
            problems: 0,
            inside: inside.collect(),
        });
    }
    rows.extend(
        draft.files.keys().filter(top).filter(|path| *path != "SKILL.md").map(|path| file(path, path)),
    );
    rows
}
