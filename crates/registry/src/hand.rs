//! The hand that writes: every change of a disk goes through here, one named step at a time.
//!
//! Steps work on handles of folders, so that no link leads them elsewhere. Before each step a [`Faults`]
//! may stop it; that is how the tests kill an install at every point and see what is left.

mod rename;

pub(crate) use rename::Name;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt, Permissions, PermissionsExt};
use skillful_format::Tree;
use std::{
    collections::BTreeSet,
    fmt,
    io::{self, Write},
    sync::Arc,
};

/// Bytes written between two chances of a fault.
const CHUNK: usize = 64 << 10;
/// Folders below one another that a removal follows.
const REMOVE_DEPTH: usize = 64;
/// Up to this many files each is synced alone; above, the file system is synced once.
const SYNC_EACH: usize = 64;

/// One change of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A new folder.
    MakeFolder,
    /// A new, empty file.
    MakeFile,
    /// A part of a file's bytes.
    Write,
    /// The permissions of a file or folder.
    SetMode,
    /// A file's bytes reach the disk.
    SyncFile,
    /// A folder's names reach the disk.
    SyncFolder,
    /// A new name, or two names exchanged.
    Rename,
    /// A link.
    MakeLink,
    /// A file, link or folder goes.
    Remove,
}

/// Something that may stop a step; only tests have one.
pub trait Faults: Send + Sync {
    /// Called before each step; an error stops it.
    fn reach(&self, step: Step) -> io::Result<()>;

    /// Whether syncs reach the disk. Tests of many faults go without, since they do not cut the power.
    fn syncs(&self) -> bool {
        true
    }
}

/// Writes, with or without faults.
#[derive(Clone, Default)]
pub struct Hand {
    faults: Option<Arc<dyn Faults>>,
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hand").field("faults", &self.faults.is_some()).finish()
    }
}

/// The permissions that a tree is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modes {
    /// Nobody writes there again.
    ReadOnly,
    /// As a person's own files.
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

impl Hand {
    /// A hand that faults can stop.
    pub fn with_faults(faults: Arc<dyn Faults>) -> Self {
        Self { faults: Some(faults) }
    }

    fn reach(&self, step: Step) -> io::Result<()> {
        self.faults.as_ref().map_or(Ok(()), |faults| faults.reach(step))
    }

    fn syncs(&self) -> bool {
        self.faults.as_ref().is_none_or(|faults| faults.syncs())
    }

    /// Writes trees as new folders of `parent`, and returns when their bytes are on the disk.
    pub(crate) fn stage(&self, parent: &Dir, trees: &[(String, &Tree)], modes: Modes) -> io::Result<()> {
        let each = trees.iter().map(|(_, tree)| tree.len()).sum::<usize>() <= SYNC_EACH || !can_sync_all();
        for (name, tree) in trees {
            self.write_tree(parent, name, tree, modes, each)?;
        }
        if !each {
            self.reach(Step::SyncFile)?;
            if self.syncs() {
                sync_all(parent)?;
            }
        }
        Ok(())
    }

    fn write_tree(&self, parent: &Dir, name: &str, tree: &Tree, modes: Modes, sync: bool) -> io::Result<()> {
        self.make_folder(parent, name)?;
        let top = parent.open_dir(name)?;
        let mut folders: BTreeSet<&str> = BTreeSet::new();
        for (path, file) in tree.iter() {
            for folder in path.parents() {
                if folders.insert(folder) {
                    self.make_folder(&top, folder)?;
                }
            }
            self.write_new(&top, path.as_str(), &file.bytes, modes.file(file.executable), sync)?;
        }
        // The deepest first: a folder without write permission takes no more names.
        for folder in folders.iter().rev() {
            self.finish_folder(&top.open_dir(folder)?, modes, sync)?;
        }
        self.finish_folder(&top, modes, sync)
    }

    fn finish_folder(&self, folder: &Dir, modes: Modes, sync: bool) -> io::Result<()> {
        self.reach(Step::SetMode)?;
        folder.set_permissions(".", Permissions::from_mode(modes.folder()))?;
        if sync { self.sync_folder(folder) } else { Ok(()) }
    }

    /// The folder below `top` and all above it.
    pub(crate) fn make_folders(&self, top: &Dir, path: &str) -> io::Result<()> {
        if top.is_dir(path) {
            return Ok(());
        }
        self.reach(Step::MakeFolder)?;
        top.create_dir_all(path)
    }

    fn make_folder(&self, parent: &Dir, name: &str) -> io::Result<()> {
        self.reach(Step::MakeFolder)?;
        parent.create_dir(name)
    }

    fn write_new(&self, dir: &Dir, path: &str, bytes: &[u8], mode: u32, sync: bool) -> io::Result<()> {
        self.reach(Step::MakeFile)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(mode);
        let mut file = dir.open_with(path, &options)?;
        for chunk in bytes.chunks(CHUNK) {
            self.reach(Step::Write)?;
            file.write_all(chunk)?;
        }
        // The mask of the process may have taken bits away that the digest counts.
        self.reach(Step::SetMode)?;
        file.set_permissions(Permissions::from_mode(mode))?;
        if sync {
            self.reach(Step::SyncFile)?;
            if self.syncs() {
                file.sync_all()?;
            }
        }
        Ok(())
    }

    /// Writes a file: staged beside it, synced, renamed over what was there.
    pub(crate) fn write_file(&self, dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
        let staged = temporary_name()?;
        let written = self.write_new(dir, &staged, bytes, 0o644, true).and_then(|()| {
            self.reach(Step::Rename)?;
            dir.rename(&staged, dir, name)
        });
        if written.is_err() {
            let _left = self.reach(Step::Remove).and_then(|()| dir.remove_file(&staged));
        }
        written?;
        self.sync_folder(dir)
    }

    /// Makes renames in a folder last.
    pub(crate) fn sync_folder(&self, dir: &Dir) -> io::Result<()> {
        self.reach(Step::SyncFolder)?;
        if !self.syncs() {
            return Ok(());
        }
        match rustix::fs::fsync(dir.open(".")?) {
            // Not every file system can do that for a folder.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::BADF) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives `from` a name that nothing has; says `false` when something has it.
    pub(crate) fn rename_new(&self, from: Name<'_>, to: Name<'_>) -> io::Result<bool> {
        self.reach(Step::Rename)?;
        rename::rename_new(from, to)
    }

    /// Exchanges two names in one instant where the system can.
    pub(crate) fn exchange(&self, from: Name<'_>, to: Name<'_>) -> io::Result<()> {
        self.reach(Step::Rename)?;
        rename::exchange(from, to)
    }

    /// A new link, under a name that nothing has.
    pub(crate) fn link(&self, dir: &Dir, target: &std::path::Path, name: &str) -> io::Result<()> {
        self.reach(Step::MakeLink)?;
        dir.symlink_contents(target, name)
    }

    /// Removes a file, a link or a folder with all below it, read-only or not. Links are not followed.
    pub(crate) fn remove(&self, parent: &Dir, name: &str) -> io::Result<()> {
        self.remove_below(parent, name, 0)
    }

    fn remove_below(&self, parent: &Dir, name: &str, depth: usize) -> io::Result<()> {
        let kind = match parent.symlink_metadata(name) {
            Ok(meta) => meta.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if !kind.is_dir() {
            self.reach(Step::Remove)?;
            return parent.remove_file(name);
        }
        if depth >= REMOVE_DEPTH {
            return Err(io::Error::other("folders are nested too deep to be removed"));
        }
        let folder = parent.open_dir(name)?;
        self.reach(Step::SetMode)?;
        folder.set_permissions(".", Permissions::from_mode(0o755))?;
        let names: Vec<_> =
            folder.entries()?.map(|entry| entry.map(|e| e.file_name())).collect::<Result<_, _>>()?;
        for name in names {
            let Some(name) = name.to_str() else {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a name is not UTF-8"));
            };
            self.remove_below(&folder, name, depth + 1)?;
        }
        self.reach(Step::Remove)?;
        parent.remove_dir(name)
    }
}

/// How names of what is not in place yet begin; no agent reads hidden folders of that name.
pub(crate) const STAGED: &str = ".skillful-";

/// A name that nobody else takes.
pub(crate) fn temporary_name() -> io::Result<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{STAGED}{:016x}", u64::from_le_bytes(random)))
}

#[cfg(target_os = "linux")]
fn can_sync_all() -> bool {
    true
}

#[cfg(target_os = "linux")]
fn sync_all(dir: &Dir) -> io::Result<()> {
    Ok(rustix::fs::syncfs(dir.open(".")?)?)
}

#[cfg(not(target_os = "linux"))]
fn can_sync_all() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn sync_all(_: &Dir) -> io::Result<()> {
    Ok(())
}
