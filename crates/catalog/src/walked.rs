//! What the walk of a catalog saw in each folder, so that the emulation of an agent opens nothing a second time.
//!
//! Only a catalog that is made without a cache has it: with one, most folders are not opened at all.

use crate::folder::Name;
use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The folders that a walk opened, by path.
#[derive(Debug, Default)]
pub struct WalkedFolders {
    /// By their text, which is hashed much faster than the parts of a path.
    folders: HashMap<OsString, WalkedFolder>,
}

/// One folder.
#[derive(Clone, Debug)]
pub struct WalkedFolder {
    /// The same for every path that leads to it.
    pub identity: (u64, u64),
    /// Everything in it that has a name in UTF-8, sorted.
    pub names: Vec<Name>,
    /// The skill file that was read, and its head when every reader finds the same one.
    pub head: Option<(String, Arc<SkillHead>)>,
}

/// The head of a skill file about whose ends no reader disagrees: the whole file is UTF-8 and has no carriage return, its
/// first line and the one that ends the frontmatter are `---` and nothing else.
#[derive(Debug, PartialEq, Eq)]
pub struct SkillHead {
    /// Everything through the line that ends the frontmatter.
    pub text: Box<str>,
    /// Bytes of the whole file.
    pub size: u64,
}

impl SkillHead {
    /// The head of a file whose frontmatter ends before `end`.
    pub(crate) fn of(text: &str, end: usize) -> Option<Self> {
        const FENCE: &str = "---\n";
        let is_plain = text.starts_with(FENCE)
            && end > FENCE.len()
            && text.get(end..).is_some_and(|rest| rest.starts_with(FENCE))
            && memchr::memchr(b'\r', text.as_bytes()).is_none();
        is_plain.then(|| Self { text: text[..end + FENCE.len()].into(), size: text.len() as u64 })
    }
}

impl WalkedFolders {
    pub(crate) fn insert(&mut self, path: PathBuf, folder: WalkedFolder) {
        self.folders.insert(path.into(), folder);
    }

    /// What was in a folder; none for one that was not opened by this path.
    pub fn get(&self, path: &Path) -> Option<&WalkedFolder> {
        self.folders.get(path.as_os_str())
    }
}
