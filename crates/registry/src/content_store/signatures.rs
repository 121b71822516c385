//! Signatures beside the trees: one file for a tree and a key, so that two signers do not disturb each other.

use super::{ContentStore, ContentStoreError, Lease};
use crate::{
    atomic_write::{AtomicWriter, STAGED, Syncing, temporary_name},
    sign::{Fingerprint, SIGNATURE_LIMIT, Signature},
};
use cap_std::fs::Dir;
use skillful_format::Digest;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read},
};

/// The folder of the signatures.
const SIGNATURES: &str = "signatures";
/// How the names of its files end.
const ENDING: &str = ".sig";
/// Their permissions.
const MODE: u32 = 0o444;

fn file_name(tree: &Digest, key: &Fingerprint) -> String {
    format!("{}-{}{ENDING}", tree.to_hex(), Digest::from_bytes(*key.as_bytes()).to_hex())
}

impl ContentStore {
    /// The signature of a tree by a key, as it arrived; it is not checked here.
    pub fn signature(
        &self,
        tree: &Digest,
        key: &Fingerprint,
    ) -> Result<Option<Signature>, ContentStoreError> {
        let read = || -> io::Result<Option<Signature>> {
            let Some(dirs) = self.dirs()? else { return Ok(None) };
            let file = match dirs.top.open(format!("{SIGNATURES}/{}", file_name(tree, key))) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            let mut bytes = Vec::new();
            file.take(SIGNATURE_LIMIT as u64 + 1).read_to_end(&mut bytes)?;
            Ok(Some(Signature::new(bytes)))
        };
        read().map_err(self.failed("read"))
    }

    /// Removes the signatures of trees that nothing needs, and what a process that died left.
    pub(super) fn collect_signatures(&self, keep: &BTreeSet<Digest>) -> io::Result<()> {
        let folder = match self.made()?.top.open_dir(SIGNATURES) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let needed: BTreeSet<String> = keep.iter().map(Digest::to_hex).collect();
        for entry in folder.entries()? {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            let tree = name.strip_suffix(ENDING).and_then(|name| name.split('-').next());
            if name.starts_with(STAGED) || tree.is_some_and(|tree| !needed.contains(tree)) {
                self.writer.remove(&folder, name)?;
            }
        }
        Ok(())
    }
}

impl Lease<'_> {
    /// Keeps signatures, each of a tree by a key; the disk is waited for once.
    pub fn put_signatures(
        &self,
        signatures: &BTreeMap<(Digest, Fingerprint), Signature>,
    ) -> Result<(), ContentStoreError> {
        let contents = self.contents;
        let mut wanted = Vec::new();
        for ((tree, key), signature) in signatures {
            if contents.signature(tree, key)?.as_ref() != Some(signature) {
                let staged = temporary_name().map_err(contents.failed("add"))?;
                wanted.push((staged, file_name(tree, key), signature));
            }
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let write = || {
            contents.writer.make_folders(&self.dirs.top, SIGNATURES)?;
            let folder = self.dirs.top.open_dir(SIGNATURES)?;
            let written = write_all(&contents.writer, &folder, &wanted);
            if written.is_err() {
                for (staged, ..) in &wanted {
                    let _left_for_collect = contents.writer.remove(&folder, staged);
                }
            }
            written
        };
        write().map_err(contents.failed("add"))
    }
}

fn write_all(writer: &AtomicWriter, folder: &Dir, wanted: &[(String, String, &Signature)]) -> io::Result<()> {
    let syncing = Syncing::of(wanted.len());
    for (staged, _, signature) in wanted {
        writer.write_new(folder, staged, signature.as_bytes(), MODE, syncing)?;
    }
    writer.settle(&[folder], syncing)?;
    for (staged, name, _) in wanted {
        if !writer.rename_new((folder, staged), (folder, name))? {
            writer.exchange((folder, staged), (folder, name))?;
            writer.remove(folder, staged)?;
        }
    }
    writer.sync_folder(folder)
}
