//! Writes to disks: every change of a disk goes through here, one named step at a time.
//!
//! Steps work on handles of folders, so that no link leads them elsewhere. Before each step a [`Faults`]
//! may stop it; that is how the tests kill an install at every point and see what is left.

mod rename;
mod settle;
mod write;

pub(crate) use rename::Name;
pub(crate) use settle::Syncing;
pub(crate) use write::Modes;

use cap_std::fs::{Dir, Permissions, PermissionsExt};
use std::{fmt, io, sync::Arc};

/// Folders below one another that a removal follows.
const REMOVE_DEPTH: usize = 64;

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
pub struct AtomicWriter {
    faults: Option<Arc<dyn Faults>>,
}

impl fmt::Debug for AtomicWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicWriter").field("faults", &self.faults.is_some()).finish()
    }
}

impl AtomicWriter {
    /// A writer that faults can stop.
    pub fn with_faults(faults: Arc<dyn Faults>) -> Self {
        Self { faults: Some(faults) }
    }

    fn reach(&self, step: Step) -> io::Result<()> {
        self.faults.as_ref().map_or(Ok(()), |faults| faults.reach(step))
    }

    fn syncs(&self) -> bool {
        self.faults.as_ref().is_none_or(|faults| faults.syncs())
    }

    /// The folder below `top` and all above it.
    pub(crate) fn make_folders(&self, top: &Dir, path: &str) -> io::Result<()> {
        if top.is_dir(path) {
            return Ok(());
        }
        self.reach(Step::MakeFolder)?;
        top.create_dir_all(path)
    }

    /// Writes a file: staged beside it, synced, renamed over what was there.
    pub(crate) fn write_file(&self, dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
        let staged = temporary_name()?;
        let written = self
            .write_new(dir, &staged, bytes, 0o644, Syncing::Each)
            .and_then(|()| self.rename_over((dir, &staged), (dir, name)));
        if written.is_err() {
            let _left = self.reach(Step::Remove).and_then(|()| dir.remove_file(&staged));
        }
        written?;
        self.sync_folder(dir)
    }

    /// Gives `from` a name that nothing has; returns `false` when something has it.
    pub(crate) fn rename_new(&self, from: Name<'_>, to: Name<'_>) -> io::Result<bool> {
        self.reach(Step::Rename)?;
        rename::rename_new(from, to)
    }

    /// Gives `from` a name, whatever file has it.
    pub(crate) fn rename_over(&self, from: Name<'_>, to: Name<'_>) -> io::Result<()> {
        self.reach(Step::Rename)?;
        from.0.rename(from.1, to.0, to.1)
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

/// A name that no other process takes.
pub(crate) fn temporary_name() -> io::Result<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{STAGED}{:016x}", u64::from_le_bytes(random)))
}
