//! The files of a skill, by what an agent does with them.

use skillful_format::{Tree, TreeFile, TreePath};

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNote {
    /// Where, inside the skill.
    pub path: TreePath,
    /// How large.
    pub bytes: usize,
    /// What an agent does with it.
    pub role: Role,
    /// How it changed; none when the skill was not reviewed before.
    pub change: Option<Change>,
}

/// What an agent does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A model reads it whenever the skill is used.
    Skill,
    /// A model may read it.
    Text,
    /// It can be run.
    Code,
    /// Not text.
    Opaque,
}

/// How a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It is new.
    Added,
    /// Other bytes, or another permission to execute it.
    Changed,
    /// It is gone.
    Removed,
}

impl Role {
    /// For a heading.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skill => "read when used",
            Self::Text => "may be read",
            Self::Code => "can be run",
            Self::Opaque => "not text",
        }
    }
}

impl Change {
    /// For a line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "new",
            Self::Changed => "changed",
            Self::Removed => "gone",
        }
    }
}

/// All files of a skill.
pub(super) fn all(tree: &Tree) -> Vec<FileNote> {
    tree.iter().map(|(path, file)| note(tree, path, file, None)).collect()
}

/// The files that differ.
pub(super) fn changed(old: &Tree, new: &Tree) -> Vec<FileNote> {
    let mut notes: Vec<FileNote> = new
        .iter()
        .filter_map(|(path, file)| {
            let change = match old.get(path.as_str()) {
                None => Change::Added,
                Some(was) if was == file => return None,
                Some(_) => Change::Changed,
            };
            Some(note(new, path, file, Some(change)))
        })
        .collect();
    let gone = old.iter().filter(|(path, _)| new.get(path.as_str()).is_none());
    notes.extend(gone.map(|(path, file)| note(old, path, file, Some(Change::Removed))));
    notes.sort_by(|a, b| a.path.cmp(&b.path));
    notes
}

fn note(tree: &Tree, path: &TreePath, file: &TreeFile, change: Option<Change>) -> FileNote {
    let is_skill = tree.skill_file().is_some_and(|(name, _)| name == path.as_str());
    let role = match () {
        () if is_skill => Role::Skill,
        () if std::str::from_utf8(&file.bytes).is_err() || file.bytes.contains(&0) => Role::Opaque,
        () if file.executable || file.bytes.starts_with(b"#!") || path.as_str().starts_with("scripts/") => {
            Role::Code
        }
        () => Role::Text,
    };
    FileNote { path: path.clone(), bytes: file.bytes.len(), role, change }
}
