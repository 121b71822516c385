//! The content store, under the data folder. A tree is one file, named by its digest; where links need it,
//! the same tree is unfolded beside it into a read-only folder of that name, which can be made again at any time.
//!
//! Both are staged under another name of the same folder, synced, then renamed; so what has a
//! digest's name is whole. A process that adds holds a shared lock until it has recorded what it added; a process
//! that cleans holds the lock alone. The system drops both when a process dies, so nothing waits for a dead process.

mod dirs;
mod lease;
mod pack;
mod signatures;
mod uses;

use dirs::Dirs;
pub use lease::Lease;
pub use uses::{CleanError, Cleaning};

use crate::atomic_write::{AtomicWriter, STAGED, temporary_name};
use cap_std::fs::Dir;
use skillful_catalog::disk;
use skillful_format::{Digest, Limits, Tree, digest_bytes};
use std::{
    collections::BTreeSet,
    fs::{File, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

/// The folder of the trees as files.
const PACKS: &str = "packs";
/// The folder of the trees that are unfolded, named for what digests they are.
const FOLDERS: &str = "sha256";
/// The file that is locked; it stays empty.
const LOCK: &str = "lock";
/// How often a clean asks for the lock, and how long it waits between, before it reports that the content store is in use.
const LOCK_ATTEMPTS: u32 = 25;
const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// The folder of the files that are locked while a lock is rewritten.
const GUARDS: &str = "guards";

/// Why an operation of the content store failed.
#[derive(Debug, thiserror::Error)]
pub enum ContentStoreError {
    /// The disk refused.
    #[error("the content store at `{}` failed to {action}: {error}", path.display())]
    Disk {
        /// What was being done.
        action: &'static str,
        /// The content store, or the folder in it.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// There is no such tree.
    #[error("the content store has no tree {0}; fetch it again")]
    Missing(Digest),
    /// Its content does not match its name.
    #[error("the tree {digest} in the content store was changed ({found}); `skillful sync` replaces it")]
    Damaged {
        /// Its name.
        digest: Digest,
        /// What is there instead.
        found: String,
    },
    /// A file that no folder is read with, so that the tree could not be compared again.
    #[error("`{0}` is not part of a skill and cannot be stored")]
    Noise(String),
    /// Another process is adding.
    #[error("the content store is in use; clean it when no install runs")]
    Busy,
}

/// What nothing needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Garbage {
    /// Trees that no lock names.
    pub trees: Vec<Digest>,
    /// What was being written when a process died.
    pub staged: Vec<String>,
}

/// Trees of skills on disk, by digest.
#[derive(Debug)]
pub struct ContentStore {
    root: PathBuf,
    dirs: OnceLock<Dirs>,
    writer: AtomicWriter,
}

impl ContentStore {
    /// The content store at `root`. One that does not exist is empty and is made by the first process that adds: reading writes nothing.
    pub fn open(root: &Path, writer: AtomicWriter) -> Result<Self, ContentStoreError> {
        let contents = Self { root: root.to_path_buf(), dirs: OnceLock::new(), writer };
        contents.dirs().map_err(contents.failed("open"))?;
        Ok(contents)
    }

    /// The folder of a tree that is unfolded, whether it is there or not.
    pub fn path(&self, digest: &Digest) -> PathBuf {
        self.root.join(FOLDERS).join(digest.to_hex())
    }

    /// Whether a tree is there.
    pub fn has(&self, digest: &Digest) -> bool {
        let Ok(Some(dirs)) = self.dirs() else { return false };
        dirs.packs.symlink_metadata(digest.to_hex()).is_ok_and(|meta| meta.is_file())
    }

    /// A tree, compared with its name while it is read.
    pub fn read(&self, digest: &Digest) -> Result<Tree, ContentStoreError> {
        let limits = Limits::default();
        let most = pack::most_bytes(&limits);
        let mut bytes = Vec::new();
        let Some(dirs) = self.dirs().map_err(self.failed("read"))? else {
            return Err(ContentStoreError::Missing(*digest));
        };
        let read = dirs.packs.open(digest.to_hex()).and_then(|file| {
            let size = file.metadata()?.len().min(most);
            bytes.reserve(usize::try_from(size + 1).unwrap_or_default());
            file.take(most + 1).read_to_end(&mut bytes)
        });
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ContentStoreError::Missing(*digest));
            }
            Err(error) => return Err(self.failed("read")(error)),
        }
        let damaged = |found: &str| ContentStoreError::Damaged { digest: *digest, found: found.to_owned() };
        let tree = pack::read(&bytes, &limits).map_err(damaged)?;
        is_named(tree, digest)
    }

    /// The tree that is unfolded for links, compared with its name while it is read.
    pub fn read_folder(&self, digest: &Digest) -> Result<Tree, ContentStoreError> {
        let name = digest.to_hex();
        let dirs = self.dirs().map_err(self.failed("read"))?;
        let is_there = |dirs: &&Dirs| dirs.folders.symlink_metadata(&name).is_ok_and(|meta| meta.is_dir());
        let Some(dirs) = dirs.filter(is_there) else { return Err(ContentStoreError::Missing(*digest)) };
        let read = dirs.folders.open_dir(&name).and_then(|dir| disk::read_dir(&dir, &Limits::default()));
        let (tree, left_out) = read.map_err(self.failed("read"))?;
        match left_out.into_iter().next() {
            Some(first) => Err(ContentStoreError::Damaged { digest: *digest, found: first.message }),
            None => is_named(tree, digest),
        }
    }

    /// The trees that are there, in order.
    pub fn list(&self) -> Result<Vec<Digest>, ContentStoreError> {
        let mut all: BTreeSet<Digest> = BTreeSet::new();
        let dirs = self.dirs().map_err(self.failed("list"))?;
        for folder in dirs.into_iter().flat_map(|dirs| [&dirs.packs, &dirs.folders]) {
            all.extend(self.names(folder)?.iter().filter_map(|name| digest_of(name)));
        }
        Ok(all.into_iter().collect())
    }

    fn names(&self, folder: &Dir) -> Result<Vec<String>, ContentStoreError> {
        let read = || -> io::Result<Vec<String>> {
            let mut names = Vec::new();
            for entry in folder.entries()? {
                names.extend(entry?.file_name().to_str().map(str::to_owned));
            }
            names.sort();
            Ok(names)
        };
        read().map_err(self.failed("list"))
    }

    /// The right to add; nothing is cleaned while it lives.
    pub fn lease(&self) -> Result<Lease<'_>, ContentStoreError> {
        let dirs = self.made().map_err(self.failed("open"))?;
        let file = self.lock_file().map_err(self.failed("lock"))?;
        file.lock_shared().map_err(self.failed("lock"))?;
        Ok(Lease { contents: self, dirs, _file: file })
    }

    /// The right to change what is installed in a folder, held by one process at a time. It is kept here and
    /// not in that folder, so that no project gets a file it would have to ignore.
    pub fn guard(&self, folder: &Path) -> Result<Guard, ContentStoreError> {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let name = digest_bytes(real.as_os_str().as_encoded_bytes()).to_hex();
        let lock = || {
            let top = &self.made()?.top;
            top.create_dir_all(GUARDS)?;
            let mut options = cap_std::fs::OpenOptions::new();
            options.read(true).write(true).create(true);
            let file = top.open_with(format!("{GUARDS}/{name}"), &options)?.into_std();
            file.lock()?;
            Ok(file)
        };
        Ok(Guard { _file: lock().map_err(self.failed("lock"))? })
    }

    fn lock_file(&self) -> io::Result<File> {
        let mut options = cap_std::fs::OpenOptions::new();
        options.read(true).write(true).create(true);
        Ok(self.made()?.top.open_with(LOCK, &options)?.into_std())
    }

    /// What nothing needs, when `keep` is all that locks name. Something that is being added counts too, so
    /// this is for showing; [`Self::collect`] looks again.
    pub fn garbage(&self, keep: &BTreeSet<Digest>) -> Result<Garbage, ContentStoreError> {
        let mut staged = Vec::new();
        let dirs = self.dirs().map_err(self.failed("list"))?;
        for folder in dirs.into_iter().flat_map(|dirs| [&dirs.packs, &dirs.folders]) {
            staged.extend(self.names(folder)?.into_iter().filter(|name| name.starts_with(STAGED)));
        }
        let trees = self.list()?.into_iter().filter(|digest| !keep.contains(digest)).collect();
        Ok(Garbage { trees, staged })
    }

    /// Removes what nothing needs, and returns what that was. Refuses while a process adds.
    pub fn collect(&self, keep: &BTreeSet<Digest>) -> Result<Garbage, ContentStoreError> {
        let _alone = self.alone()?;
        let garbage = self.garbage(keep)?;
        self.discard(&garbage)?;
        Ok(garbage)
    }

    /// The right to clean, which no process gets while another one adds.
    fn alone(&self) -> Result<File, ContentStoreError> {
        let file = self.lock_file().map_err(self.failed("lock"))?;
        // A process that was just started by another thread holds our own lock for an instant.
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < LOCK_ATTEMPTS => std::thread::sleep(LOCK_PAUSE),
                Err(TryLockError::WouldBlock) => return Err(ContentStoreError::Busy),
                Err(TryLockError::Error(error)) => return Err(self.failed("lock")(error)),
            }
        }
        Ok(file)
    }

    fn discard(&self, garbage: &Garbage) -> Result<(), ContentStoreError> {
        let clear = |folder: &Dir| -> io::Result<()> {
            for digest in &garbage.trees {
                // Never half a tree under a digest's name.
                let aside = temporary_name()?;
                if folder.symlink_metadata(digest.to_hex()).is_ok() {
                    self.writer.rename_new((folder, &digest.to_hex()), (folder, &aside))?;
                    self.writer.remove(folder, &aside)?;
                }
            }
            garbage.staged.iter().try_for_each(|name| self.writer.remove(folder, name))
        };
        let dirs = self.made().map_err(self.failed("open"))?;
        clear(&dirs.folders).and_then(|()| clear(&dirs.packs)).map_err(self.failed("remove"))?;
        let kept: BTreeSet<Digest> = self.list()?.into_iter().collect();
        self.collect_signatures(&kept).map_err(self.failed("remove"))
    }

    fn failed(&self, action: &'static str) -> impl Fn(io::Error) -> ContentStoreError + Copy + '_ {
        move |error| ContentStoreError::Disk { action, path: self.root.clone(), error }
    }
}

/// The right to change what is installed in one folder.
#[derive(Debug)]
pub struct Guard {
    _file: File,
}

fn is_named(tree: Tree, digest: &Digest) -> Result<Tree, ContentStoreError> {
    let now = tree.digest();
    if now == *digest {
        Ok(tree)
    } else {
        Err(ContentStoreError::Damaged { digest: *digest, found: format!("it is {now} now") })
    }
}

fn digest_of(name: &str) -> Option<Digest> {
    format!("sha256:{name}").parse().ok()
}
