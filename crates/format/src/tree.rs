//! A skill as a set of files in memory: the unpacked content of an archive, the content of a
//! folder, the input of a digest.
//!
//! Every path in a [`Tree`] is a valid [`TreePath`], so code that writes a tree to a disk cannot
//! leave the target folder, on any operating system.

use crate::diagnostic::{Code, Diagnostic};
use std::{collections::BTreeMap, fmt};
use unicode_normalization::UnicodeNormalization;

/// The size limits of one skill, as named fields so that a diagnostic can quote them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of files in one skill.
    pub files: usize,
    /// Bytes of all files together.
    pub total_bytes: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Number of folders above a file, inside the skill.
    pub depth: usize,
    /// Bytes of a complete relative path.
    pub path_bytes: usize,
    /// Bytes of one component of a path.
    pub component_bytes: usize,
    /// Bytes of an archive as downloaded.
    pub packed_bytes: u64,
    /// Maximum ratio of unpacked to packed bytes for one member.
    pub member_ratio: u64,
    /// Maximum ratio of unpacked to packed bytes for the whole archive, above one MiB.
    pub total_ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 2_000,
            total_bytes: 64 << 20,
            file_bytes: 16 << 20,
            depth: 16,
            path_bytes: 240,
            component_bytes: 128,
            packed_bytes: 50 << 20,
            member_ratio: 100,
            total_ratio: 20,
        }
    }
}

/// A relative path with forward slashes that is safe on every system: no `..`, no empty or dotted
/// component, no control character, no Windows device name, no leading space, no trailing space or
/// dot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(String);

impl TreePath {
    /// Validates a path as an archive or a folder spells it.
    pub fn new(text: &str, limits: &Limits) -> Result<Self, PathFault> {
        if text.is_empty() {
            return Err(PathFault::Empty);
        }
        if text.len() > limits.path_bytes {
            return Err(PathFault::TooLong);
        }
        if text.starts_with('/') {
            return Err(PathFault::Absolute);
        }
        if text.contains('\\') {
            return Err(PathFault::Backslash);
        }
        let mut depth = 0;
        for component in text.split('/') {
            check_component(component, limits)?;
            depth += 1;
        }
        if depth > limits.depth {
            return Err(PathFault::TooDeep);
        }
        Ok(Self(text.to_owned()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Two paths with the same key cannot exist side by side on a file system that ignores case or
    /// Unicode form.
    pub fn clash_key(&self) -> String {
        // Fast way for ASCII paths; the general way below gives the same result.
        if self.0.is_ascii() {
            return self.0.to_ascii_lowercase();
        }
        self.0.nfc().flat_map(char::to_lowercase).nfc().collect()
    }

    /// The path without its first component, when it has more than one.
    pub fn without_first(&self) -> Option<(&str, Self)> {
        let (first, rest) = self.0.split_once('/')?;
        Some((first, Self(rest.to_owned())))
    }

    /// The folders above the file, outermost first.
    pub fn parents(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').map(|(at, _)| &self.0[..at])
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check_component(component: &str, limits: &Limits) -> Result<(), PathFault> {
    match component {
        "" => return Err(PathFault::Empty),
        "." | ".." => return Err(PathFault::Dots),
        _ => {}
    }
    if component.len() > limits.component_bytes {
        return Err(PathFault::TooLong);
    }
    if component.ends_with(['.', ' ']) || component.starts_with(' ') {
        return Err(PathFault::EdgeBlank);
    }
    if component.contains([':', '*', '?', '"', '<', '>', '|']) {
        return Err(PathFault::Character);
    }
    if component.chars().any(is_control_or_invisible) {
        return Err(PathFault::Invisible);
    }
    if is_windows_device(component) {
        return Err(PathFault::Device);
    }
    Ok(())
}

/// Unicode category C (control, format, surrogate, private use, unassigned): such characters are
/// invisible in a file name, and bidirectional controls make one name look like another.
fn is_control_or_invisible(c: char) -> bool {
    use unicode_general_category::GeneralCategory as G;
    !c.is_ascii_graphic()
        && c != ' '
        && matches!(
            unicode_general_category::get_general_category(c),
            G::Control | G::Format | G::Surrogate | G::PrivateUse | G::Unassigned
        )
}

pub(crate) fn is_windows_device(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or(component).trim_end();
    let upper = stem.to_ascii_uppercase();
    match upper.as_str() {
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" => true,
        _ => {
            upper.len() == 4
                && (upper.starts_with("COM") || upper.starts_with("LPT"))
                && upper.as_bytes()[3].is_ascii_digit()
                && upper.as_bytes()[3] != b'0'
        }
    }
}

/// Why a path was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// Nothing, or two slashes in a row.
    #[error("has an empty component")]
    Empty,
    /// `.` or `..`.
    #[error("has a component `.` or `..`")]
    Dots,
    /// Starts at the root of a disk.
    #[error("is absolute")]
    Absolute,
    /// A separator on Windows, a character elsewhere.
    #[error("has a backslash")]
    Backslash,
    /// Longer than systems allow.
    #[error("is too long")]
    TooLong,
    /// More folders than the limit.
    #[error("is nested too deep")]
    TooDeep,
    /// Windows drops these characters, so two names would become one.
    #[error("has a component that begins with a space or ends with a space or a dot")]
    EdgeBlank,
    /// Not allowed in file names on Windows.
    #[error("contains one of the characters : * ? \" < > |")]
    Character,
    /// Control or format characters.
    #[error("contains invisible characters")]
    Invisible,
    /// `CON`, `NUL`, `COM1` …
    #[error("is a device name on Windows")]
    Device,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// Whether the file is executable; the only permission that a skill carries.
    pub executable: bool,
}

/// The files of one skill, by path, in byte order of the paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<TreePath, TreeFile>,
    keys: BTreeMap<String, ClashKind>,
    total: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ClashKind {
    File,
    /// A folder with its spelling: `Lib` and `lib` cannot exist side by side either.
    Folder(String),
}

impl Tree {
    /// Adds a file; refuses a path that clashes with a file already in the tree.
    pub fn insert(&mut self, path: TreePath, file: TreeFile, limits: &Limits) -> Result<(), Diagnostic> {
        let clash = || {
            Diagnostic::new(Code::EntryClash, format!("`{path}` clashes with another entry of the skill"))
                .help(
                    "rename one of them; names must differ by more than case or Unicode form, and a file cannot also be a folder",
                )
        };
        for parent in path.parents() {
            let key = TreePath(parent.to_owned()).clash_key();
            match self.keys.get(&key) {
                Some(ClashKind::Folder(spelled)) if spelled == parent => {}
                Some(_) => return Err(clash()),
                None => {}
            }
        }
        if self.keys.contains_key(&path.clash_key()) {
            return Err(clash());
        }
        if self.files.len() >= limits.files {
            return Err(Diagnostic::new(
                Code::ArchiveTooMany,
                format!("the skill has more than {} files", limits.files),
            ));
        }
        let size = file.bytes.len() as u64;
        if size > limits.file_bytes {
            return Err(Diagnostic::new(
                Code::FileTooLarge,
                format!("`{path}` is larger than {} bytes", limits.file_bytes),
            ));
        }
        if self.total + size > limits.total_bytes {
            return Err(Diagnostic::new(
                Code::ArchiveTooLarge,
                format!("the skill is larger than {} bytes", limits.total_bytes),
            ));
        }
        for parent in path.parents() {
            self.keys.insert(TreePath(parent.to_owned()).clash_key(), ClashKind::Folder(parent.to_owned()));
        }
        self.keys.insert(path.clash_key(), ClashKind::File);
        self.total += size;
        self.files.insert(path, file);
        Ok(())
    }

    /// The files in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&TreePath, &TreeFile)> {
        self.files.iter()
    }

    /// One file by its exact path.
    pub fn get(&self, path: &str) -> Option<&TreeFile> {
        self.files.iter().find(|(p, _)| p.as_str() == path).map(|(_, f)| f)
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the tree has no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Bytes of all files together.
    pub fn total_bytes(&self) -> u64 {
        self.total
    }

    /// The file that makes this tree a skill: `SKILL.md`, or else `skill.md`.
    pub fn skill_file(&self) -> Option<(&'static str, &TreeFile)> {
        ["SKILL.md", "skill.md"].into_iter().find_map(|name| Some((name, self.get(name)?)))
    }
}
