//! The store by content: read-only trees under the data folder, each in a folder named by its digest.
//!
//! A tree is staged under another name of the same folder, synced, then renamed; so what has a
//! digest's name is whole. Whoever adds holds a shared lock until it has noted what it added; whoever
//! cleans holds it alone. The system drops both when a process dies, so nothing ever waits for the dead.

mod uses;

pub use uses::{CleanError, Cleaning};

use crate::hand::{Hand, Modes, STAGED, temporary_name};
use cap_std::{ambient_authority, fs::Dir};
use skillful_catalog::disk;
use skillful_format::{Digest, Limits, Tree, digest_bytes};
use std::{
    collections::BTreeSet,
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The folder of the trees, named for what digests they are.
const TREES: &str = "sha256";
/// The file that is locked; it stays empty.
const LOCK: &str = "lock";
/// How often a clean asks for the lock, and how long it waits between, before it says that the store is in use.
const LOCK_ATTEMPTS: u32 = 25;
const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// The folder of the files that are locked while a lock is rewritten.
const GUARDS: &str = "guards";

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ContentsError {
    /// The disk refused.
    #[error("the skill store at `{}` failed to {action}: {error}", path.display())]
    Disk {
        /// What was being done.
        action: &'static str,
        /// The store, or the folder in it.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// There is no such tree.
    #[error("the skill store holds no tree {0}; fetch it again")]
    Missing(Digest),
    /// The folder does not hold what its name says.
    #[error("the tree {digest} in the skill store was changed ({found}); `skillful sync` replaces it")]
    Damaged {
        /// Its name.
        digest: Digest,
        /// What is there instead.
        found: String,
    },
    /// A file that no folder is read with, so that the tree could not be compared again.
    #[error("`{0}` is no part of a skill and cannot be stored")]
    Noise(String),
    /// Somebody is adding.
    #[error("the skill store is in use; clean it when no install runs")]
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

/// The store.
#[derive(Debug)]
pub struct Contents {
    root: PathBuf,
    top: Dir,
    trees: Dir,
    hand: Hand,
}

impl Contents {
    /// Opens the store at `root`, and makes it when there is none.
    pub fn open(root: &Path, hand: Hand) -> Result<Self, ContentsError> {
        let opened = || {
            std::fs::create_dir_all(root.join(TREES))?;
            let top = Dir::open_ambient_dir(root, ambient_authority())?;
            let trees = top.open_dir(TREES)?;
            Ok((top, trees))
        };
        let (top, trees) = opened().map_err(|error| ContentsError::Disk {
            action: "open",
            path: root.to_path_buf(),
            error,
        })?;
        Ok(Self { root: root.to_path_buf(), top, trees, hand })
    }

    /// The folder of a tree, whether it is there or not.
    pub fn path(&self, digest: &Digest) -> PathBuf {
        self.root.join(TREES).join(digest.to_hex())
    }

    /// Whether a tree is there.
    pub fn has(&self, digest: &Digest) -> bool {
        self.trees.symlink_metadata(digest.to_hex()).is_ok_and(|meta| meta.is_dir())
    }

    /// A tree, compared with its name while it is read.
    pub fn read(&self, digest: &Digest) -> Result<Tree, ContentsError> {
        if !self.has(digest) {
            return Err(ContentsError::Missing(*digest));
        }
        let path = self.path(digest);
        let damaged = |found: String| ContentsError::Damaged { digest: *digest, found };
        let (tree, left_out) = disk::read_folder(&path, &Limits::default()).map_err(self.failed("read"))?;
        if let Some(first) = left_out.first() {
            return Err(damaged(first.message.clone()));
        }
        let now = tree.digest();
        if now == *digest { Ok(tree) } else { Err(damaged(format!("it is {now} now"))) }
    }

    /// The trees that are there, in order.
    pub fn list(&self) -> Result<Vec<Digest>, ContentsError> {
        Ok(self.names()?.into_iter().filter_map(|name| format!("sha256:{name}").parse().ok()).collect())
    }

    fn names(&self) -> Result<Vec<String>, ContentsError> {
        let read = || -> io::Result<Vec<String>> {
            let mut names = Vec::new();
            for entry in self.trees.entries()? {
                names.extend(entry?.file_name().to_str().map(str::to_owned));
            }
            names.sort();
            Ok(names)
        };
        read().map_err(self.failed("list"))
    }

    /// The right to add; nothing is cleaned while it lives.
    pub fn lease(&self) -> Result<Lease<'_>, ContentsError> {
        let file = self.lock_file().map_err(self.failed("lock"))?;
        file.lock_shared().map_err(self.failed("lock"))?;
        Ok(Lease { contents: self, _file: file })
    }

    /// The right to change what is installed in a folder, held by one process at a time. It is kept here and
    /// not in that folder, so that no project gets a file it would have to ignore.
    pub fn guard(&self, folder: &Path) -> Result<Guard, ContentsError> {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let name = digest_bytes(real.as_os_str().as_encoded_bytes()).to_hex();
        let lock = || {
            self.top.create_dir_all(GUARDS)?;
            let mut options = cap_std::fs::OpenOptions::new();
            options.read(true).write(true).create(true);
            let file = self.top.open_with(format!("{GUARDS}/{name}"), &options)?.into_std();
            file.lock()?;
            Ok(file)
        };
        Ok(Guard { _file: lock().map_err(self.failed("lock"))? })
    }

    fn lock_file(&self) -> io::Result<File> {
        let mut options = cap_std::fs::OpenOptions::new();
        options.read(true).write(true).create(true);
        Ok(self.top.open_with(LOCK, &options)?.into_std())
    }

    /// What nothing needs, when `keep` is all that locks name. Something that is being added counts too, so
    /// this is for showing; [`Self::collect`] looks again.
    pub fn garbage(&self, keep: &BTreeSet<Digest>) -> Result<Garbage, ContentsError> {
        let staged = self.names()?.into_iter().filter(|name| name.starts_with(STAGED)).collect();
        let trees = self.list()?.into_iter().filter(|digest| !keep.contains(digest)).collect();
        Ok(Garbage { trees, staged })
    }

    /// Removes what nothing needs, and says what that was. Refuses while somebody adds.
    pub fn collect(&self, keep: &BTreeSet<Digest>) -> Result<Garbage, ContentsError> {
        let _alone = self.alone()?;
        let garbage = self.garbage(keep)?;
        self.discard(&garbage)?;
        Ok(garbage)
    }

    /// The right to clean, which nobody has while somebody adds.
    fn alone(&self) -> Result<File, ContentsError> {
        let file = self.lock_file().map_err(self.failed("lock"))?;
        // A process that was just started by another thread holds our own lock for an instant.
        for attempt in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt < LOCK_ATTEMPTS => std::thread::sleep(LOCK_PAUSE),
                Err(TryLockError::WouldBlock) => return Err(ContentsError::Busy),
                Err(TryLockError::Error(error)) => return Err(self.failed("lock")(error)),
            }
        }
        Ok(file)
    }

    fn discard(&self, garbage: &Garbage) -> Result<(), ContentsError> {
        for digest in &garbage.trees {
            // Never half a tree under a digest's name.
            let aside = temporary_name().map_err(self.failed("remove"))?;
            let renamed = self.hand.rename_new((&self.trees, &digest.to_hex()), (&self.trees, &aside));
            renamed.and_then(|_| self.hand.remove(&self.trees, &aside)).map_err(self.failed("remove"))?;
        }
        for name in &garbage.staged {
            self.hand.remove(&self.trees, name).map_err(self.failed("remove"))?;
        }
        Ok(())
    }

    fn failed(&self, action: &'static str) -> impl Fn(io::Error) -> ContentsError + Copy + '_ {
        move |error| ContentsError::Disk { action, path: self.root.clone(), error }
    }
}

/// The right to change what is installed in one folder.
#[derive(Debug)]
pub struct Guard {
    _file: File,
}

/// The right to add to the store.
#[derive(Debug)]
pub struct Lease<'a> {
    contents: &'a Contents,
    _file: File,
}

impl Lease<'_> {
    /// Adds trees, and returns their digests in the order given. What is there already is compared, and
    /// replaced when somebody changed it.
    pub fn put(&self, trees: &[&Tree]) -> Result<Vec<Digest>, ContentsError> {
        let contents = self.contents;
        if let Some(path) = trees.iter().find_map(|tree| noise_in(tree)) {
            return Err(ContentsError::Noise(path));
        }
        let digests: Vec<Digest> = trees.iter().map(|tree| tree.digest()).collect();
        let mut seen = BTreeSet::new();
        let mut staged = Vec::new();
        let mut names = Vec::new();
        for (tree, digest) in trees.iter().zip(&digests) {
            if seen.insert(*digest) && contents.read(digest).is_err() {
                let name = temporary_name().map_err(contents.failed("add"))?;
                names.push((name.clone(), *digest));
                staged.push((name, *tree));
            }
        }
        if staged.is_empty() {
            return Ok(digests);
        }
        let added = contents
            .hand
            .stage(&contents.trees, &staged, Modes::ReadOnly)
            .and_then(|()| self.put_in_place(&names));
        if added.is_err() {
            for (name, _) in &names {
                let _left_for_collect = contents.hand.remove(&contents.trees, name);
            }
        }
        added.map_err(contents.failed("add"))?;
        Ok(digests)
    }

    fn put_in_place(&self, names: &[(String, Digest)]) -> io::Result<()> {
        let Contents { trees, hand, .. } = self.contents;
        for (staged, tree_digest) in names {
            let digest = &tree_digest.to_hex();
            if hand.rename_new((trees, staged), (trees, digest))? {
                continue;
            }
            // Another process was faster, and somebody may be reading its tree; or it was changed.
            if self.contents.read(tree_digest).is_err() {
                hand.exchange((trees, staged), (trees, digest))?;
            }
            hand.remove(trees, staged)?;
        }
        hand.sync_folder(trees)
    }
}

fn noise_in(tree: &Tree) -> Option<String> {
    let mut paths = tree.iter().map(|(path, _)| path.as_str());
    paths.find(|path| path.split('/').any(disk::is_noise)).map(str::to_owned)
}
