//! Adding to the content store: staged, on the disk, then named.

use super::{ContentStore, ContentStoreError, Dirs, pack};
use crate::atomic_write::{AtomicWriter, Modes, Syncing, temporary_name};
use cap_std::fs::Dir;
use skillful_catalog::{disk, parallel};
use skillful_format::{Digest, Tree};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io,
};

/// The permissions of a tree that is one file.
const PACK_MODE: u32 = 0o444;

/// The right to add to the content store.
#[derive(Debug)]
pub struct Lease<'a> {
    pub(super) contents: &'a ContentStore,
    pub(super) dirs: &'a Dirs,
    pub(super) _file: File,
}

/// Trees that are written and have no name yet; each by its staged name.
#[derive(Debug, Default)]
pub(crate) struct Staged {
    packs: Vec<(String, Digest)>,
    folders: Vec<(String, Digest)>,
}

impl Lease<'_> {
    /// Adds trees, and returns their digests in the order given. What is there already is compared, and
    /// replaced when it was changed.
    pub fn put(&self, trees: &[&Tree]) -> Result<Vec<Digest>, ContentStoreError> {
        let digests = parallel::map(trees, |tree| tree.digest());
        let by_digest: BTreeMap<Digest, &Tree> = digests.iter().copied().zip(trees.iter().copied()).collect();
        let syncing = Syncing::of(by_digest.len());
        let staged = self.stage(&by_digest, &BTreeSet::new(), syncing)?;
        let done = self.settle(syncing).and_then(|()| self.place(&staged)).and_then(|()| self.sync(&staged));
        if done.is_err() {
            self.abandon(&staged);
        }
        done.map(|()| digests)
    }

    /// Writes the trees that are not there, or not as their digests say; those of `unfold` also as folders.
    pub(crate) fn stage(
        &self,
        trees: &BTreeMap<Digest, &Tree>,
        unfold: &BTreeSet<Digest>,
        syncing: Syncing,
    ) -> Result<Staged, ContentStoreError> {
        let contents = self.contents;
        if let Some(path) = trees.values().find_map(|tree| noise_in(tree)) {
            return Err(ContentStoreError::Noise(path));
        }
        let trees: Vec<(&Digest, &&Tree)> = trees.iter().collect();
        let is_wanted = |missing: bool| missing.then(temporary_name).transpose();
        let wanted = parallel::map(&trees, |(digest, _)| {
            let pack = is_wanted(contents.read(digest).is_err())?;
            let folder = is_wanted(unfold.contains(digest) && contents.read_folder(digest).is_err())?;
            Ok((pack, folder))
        });
        let (mut staged, mut packs, mut folders) = (Staged::default(), Vec::new(), Vec::new());
        for ((digest, tree), wanted) in trees.into_iter().zip(wanted) {
            let (pack, folder) = wanted.map_err(contents.failed("add"))?;
            if let Some(name) = pack {
                staged.packs.push((name.clone(), *digest));
                packs.push((name, *tree));
            }
            if let Some(name) = folder {
                staged.folders.push((name.clone(), *digest));
                folders.push((name, *tree));
            }
        }
        let (writer, Dirs { packs: to, folders: unfolded, .. }) = (&contents.writer, self.dirs);
        let written = packs
            .iter()
            .try_for_each(|(name, tree)| writer.write_new(to, name, &pack::write(tree), PACK_MODE, syncing));
        let written = written.and_then(|()| writer.write_trees(unfolded, &folders, Modes::ReadOnly, syncing));
        if written.is_err() {
            self.abandon(&staged);
        }
        written.map_err(contents.failed("add"))?;
        Ok(staged)
    }

    /// Returns when what was staged is on the disk.
    fn settle(&self, syncing: Syncing) -> Result<(), ContentStoreError> {
        let settled = self.contents.writer.settle(&[self.folder()], syncing);
        settled.map_err(self.contents.failed("add"))
    }

    /// A folder of the file system that has to be settled between staging and naming.
    pub(crate) fn folder(&self) -> &Dir {
        &self.dirs.packs
    }

    /// Makes the names that were given last.
    pub(crate) fn sync(&self, staged: &Staged) -> Result<(), ContentStoreError> {
        let (writer, Dirs { packs, folders, .. }) = (&self.contents.writer, self.dirs);
        for (folder, names) in [(packs, &staged.packs), (folders, &staged.folders)] {
            if !names.is_empty() {
                writer.sync_folder(folder).map_err(self.contents.failed("add"))?;
            }
        }
        Ok(())
    }

    /// Gives what was staged its names; [`Self::sync`] makes them last.
    pub(crate) fn place(&self, staged: &Staged) -> Result<(), ContentStoreError> {
        let (writer, Dirs { packs, folders, .. }) = (&self.contents.writer, self.dirs);
        let place = || {
            name_all(writer, packs, &staged.packs, |digest| self.contents.read(digest).is_ok())?;
            name_all(writer, folders, &staged.folders, |digest| self.contents.read_folder(digest).is_ok())
        };
        place().map_err(self.contents.failed("add"))
    }

    /// Removes what was staged and got no name; what stays is left for a cleaning.
    pub(crate) fn abandon(&self, staged: &Staged) {
        let (writer, Dirs { packs, folders, .. }) = (&self.contents.writer, self.dirs);
        for (folder, names) in [(packs, &staged.packs), (folders, &staged.folders)] {
            for (name, _) in names {
                let _left_for_collect = writer.remove(folder, name);
            }
        }
    }
}

fn name_all(
    writer: &AtomicWriter,
    folder: &Dir,
    staged: &[(String, Digest)],
    is_whole: impl Fn(&Digest) -> bool,
) -> io::Result<()> {
    for (name, digest) in staged {
        let own = &digest.to_hex();
        if writer.rename_new((folder, name), (folder, own))? {
            continue;
        }
        // Another process was faster, and somebody may be reading its tree; or it was changed.
        if !is_whole(digest) {
            writer.exchange((folder, name), (folder, own))?;
        }
        writer.remove(folder, name)?;
    }
    Ok(())
}

fn noise_in(tree: &Tree) -> Option<String> {
    let mut paths = tree.iter().map(|(path, _)| path.as_str());
    paths.find(|path| path.split('/').any(disk::is_noise)).map(str::to_owned)
}
