//! The folders of the content store: opened by a reader, made by a process that adds.

use super::{ContentStore, FOLDERS, PACKS};
use cap_std::{ambient_authority, fs::Dir};
use std::{io, path::Path};

/// The folders of a content store that exists.
#[derive(Debug)]
pub(super) struct Dirs {
    pub(super) top: Dir,
    pub(super) packs: Dir,
    pub(super) folders: Dir,
}

impl Dirs {
    fn open(root: &Path) -> io::Result<Self> {
        let top = Dir::open_ambient_dir(root, ambient_authority())?;
        let (packs, folders) = (top.open_dir(PACKS)?, top.open_dir(FOLDERS)?);
        Ok(Self { top, packs, folders })
    }

    fn make(root: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(root)?;
        let top = Dir::open_ambient_dir(root, ambient_authority())?;
        for folder in [PACKS, FOLDERS] {
            top.create_dir_all(folder)?;
        }
        Self::open(root)
    }
}

impl ContentStore {
    /// The folders, when they are there.
    pub(super) fn dirs(&self) -> io::Result<Option<&Dirs>> {
        if let Some(dirs) = self.dirs.get() {
            return Ok(Some(dirs));
        }
        let opened = match Dirs::open(&self.root) {
            // Half a content store, as a user copied it or a stopped run left it.
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.root.is_dir() => {
                Dirs::make(&self.root)
            }
            opened => opened,
        };
        match opened {
            Ok(dirs) => Ok(Some(self.dirs.get_or_init(|| dirs))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The folders, for a process that adds.
    pub(super) fn made(&self) -> io::Result<&Dirs> {
        match self.dirs()? {
            Some(dirs) => Ok(dirs),
            None => {
                let dirs = Dirs::make(&self.root)?;
                Ok(self.dirs.get_or_init(|| dirs))
            }
        }
    }
}
