//! Signatures beside the trees: one file for a tree and a key, so that two signers do not disturb each other.

use super::{Contents, ContentsError, Lease};
use crate::{
    hand::STAGED,
    sign::{Fingerprint, SIGNATURE_LIMIT, Signature},
};
use skillful_format::Digest;
use std::{
    collections::BTreeSet,
    io::{self, Read},
};

/// The folder of the signatures.
const SIGNATURES: &str = "signatures";
/// How the names of its files end.
const ENDING: &str = ".sig";

fn file_name(tree: &Digest, key: &Fingerprint) -> String {
    format!("{}-{}{ENDING}", tree.to_hex(), Digest::from_bytes(*key.as_bytes()).to_hex())
}

impl Contents {
    /// The signature of a tree by a key, as it arrived; it is not checked here.
    pub fn signature(&self, tree: &Digest, key: &Fingerprint) -> Result<Option<Signature>, ContentsError> {
        let read = || -> io::Result<Option<Signature>> {
            let file = match self.top.open(format!("{SIGNATURES}/{}", file_name(tree, key))) {
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
        let folder = match self.top.open_dir(SIGNATURES) {
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
                self.hand.remove(&folder, name)?;
            }
        }
        Ok(())
    }
}

impl Lease<'_> {
    /// Keeps the signature of a tree by a key.
    pub fn put_signature(
        &self,
        tree: &Digest,
        key: &Fingerprint,
        signature: &Signature,
    ) -> Result<(), ContentsError> {
        let contents = self.contents;
        if contents.signature(tree, key)?.as_ref() == Some(signature) {
            return Ok(());
        }
        let write = || {
            contents.hand.make_folders(&contents.top, SIGNATURES)?;
            let folder = contents.top.open_dir(SIGNATURES)?;
            contents.hand.write_file(&folder, &file_name(tree, key), signature.as_bytes())
        };
        write().map_err(contents.failed("add"))
    }
}
