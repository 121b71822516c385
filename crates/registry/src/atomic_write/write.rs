//! New files and trees. Each folder is opened once and everything below is made through its handle, by
//! names without a slash that nothing may have yet; so no link can lead a step elsewhere.

use super::{AtomicWriter, Step, Syncing};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{Mode, OFlags},
};
use skillful_format::Tree;
use std::{
    borrow::Borrow,
    fs::File,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
};

/// Bytes written between two chances of a fault.
const CHUNK: usize = 64 << 10;
/// The permissions of a mode, without the kind of the file.
const PERMISSIONS: u32 = 0o7777;

/// The permissions that a tree is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modes {
    /// Read-only.
    ReadOnly,
    /// As a user's own files.
    Usual,
}

impl Modes {
    fn file(self, executable: bool) -> u32 {
        match (self, executable) {
            (Self::ReadOnly, false) => 0o444,
            (Self::ReadOnly, true) => 0o555,
            (Self::Usual, false) => 0o644,
            (Self::Usual, true) => 0o755,
        }
    }

    fn folder(self) -> u32 {
        match self {
            Self::ReadOnly => 0o555,
            Self::Usual => 0o755,
        }
    }
}

impl AtomicWriter {
    /// Writes trees as new folders of `parent`, one after the other: two threads that make names in one folder
    /// wait for each other longer than they help.
    pub(crate) fn write_trees<T: Borrow<Tree> + Sync>(
        &self,
        parent: &(impl AsFd + Sync),
        trees: &[(String, T)],
        modes: Modes,
        syncing: Syncing,
    ) -> io::Result<()> {
        trees.iter().try_for_each(|(name, tree)| self.write_tree(parent, name, tree.borrow(), modes, syncing))
    }

    fn write_tree(
        &self,
        parent: &impl AsFd,
        name: &str,
        tree: &Tree,
        modes: Modes,
        syncing: Syncing,
    ) -> io::Result<()> {
        let top = self.make_folder(parent, name)?;
        // What the first folder got, all below it get: neither a mask of the process nor a rule of the parent
        // changes between two files.
        let exact = permissions(&top)? == Modes::Usual.folder();
        // The folders above the file before, outermost first. In the order of the paths everything in a
        // folder comes together, so a folder that is left is done.
        let mut open: Vec<(&str, OwnedFd)> = Vec::new();
        for (path, file) in tree.iter() {
            let is_above =
                |folder: &str| path.as_str().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
            while let Some((_, folder)) = open.pop_if(|(folder, _)| !is_above(folder)) {
                self.finish_folder(folder, modes, exact, syncing)?;
            }
            for folder in path.parents().skip(open.len()) {
                let above = open.last().map_or(&top, |(_, above)| above);
                let made = self.make_folder(above, last(folder))?;
                open.push((folder, made));
            }
            let above = open.last().map_or(&top, |(_, above)| above);
            let mode = modes.file(file.executable);
            let file = self.new_file(above, last(path.as_str()), &file.bytes, mode)?;
            if !exact {
                self.set_mode(&file, mode)?;
            }
            self.sync_file(&file, syncing)?;
        }
        while let Some((_, folder)) = open.pop() {
            self.finish_folder(folder, modes, exact, syncing)?;
        }
        self.finish_folder(top, modes, exact, syncing)
    }

    fn make_folder(&self, parent: &impl AsFd, name: &str) -> io::Result<OwnedFd> {
        self.reach(Step::MakeFolder)?;
        rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(Modes::Usual.folder()))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(parent, name, flags, Mode::empty())?)
    }

    /// Takes the handle, so that not one more is open than there are folders above a file.
    fn finish_folder(&self, folder: OwnedFd, modes: Modes, exact: bool, syncing: Syncing) -> io::Result<()> {
        let folder = File::from(folder);
        if !(exact && modes == Modes::Usual) {
            self.set_mode(&folder, modes.folder())?;
        }
        if syncing == Syncing::Each { self.sync_open_folder(&folder) } else { Ok(()) }
    }

    /// A new file of a folder.
    pub(crate) fn write_new(
        &self,
        dir: &impl AsFd,
        name: &str,
        bytes: &[u8],
        mode: u32,
        syncing: Syncing,
    ) -> io::Result<()> {
        let file = self.new_file(dir, name, bytes, mode)?;
        self.set_mode(&file, mode)?;
        self.sync_file(&file, syncing)
    }

    fn new_file(&self, dir: &impl AsFd, name: &str, bytes: &[u8], mode: u32) -> io::Result<File> {
        self.reach(Step::MakeFile)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(dir, name, flags, Mode::from_raw_mode(mode))?);
        for chunk in bytes.chunks(CHUNK) {
            self.reach(Step::Write)?;
            file.write_all(chunk)?;
        }
        Ok(file)
    }

    fn sync_file(&self, file: &File, syncing: Syncing) -> io::Result<()> {
        if syncing == Syncing::Each {
            self.reach(Step::SyncFile)?;
            if self.syncs() {
                file.sync_all()?;
            }
        }
        Ok(())
    }

    /// Looks first, which is cheap: only a mask of the process, or a folder that wants other permissions, takes
    /// bits away that the digest counts.
    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        if permissions(file)? == mode {
            return Ok(());
        }
        self.reach(Step::SetMode)?;
        file.set_permissions(std::fs::Permissions::from_mode(mode))
    }
}

fn permissions(file: &impl AsFd) -> io::Result<u32> {
    Ok(rustix::fs::fstat(file)?.st_mode & PERMISSIONS)
}

/// The last name of a path.
fn last(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}
