//! The index on disk: one file per library in the cache folder.
//!
//! A file is a hint: it is believed only when it was written by this very version, is whole, and the stamps
//! in it are those of the skills; else it is built anew.

use crate::ranking::Index;
use crate::{
    hash::hash,
    kept::{self, Kept},
};
use skillful_catalog::Catalog;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Changes with every source that decides what is in an index.
const MARK: &[u8] =
    concat!("skillful index ", env!("CARGO_PKG_VERSION"), " ", env!("SOURCES_HASH"), "\n").as_bytes();
/// A larger file is not read.
const LIMIT: u64 = 4 << 30;
/// Libraries whose index is kept, the last used ones.
const KEPT: usize = 8;
const PREFIX: &str = "routes-";
const ENDING: &str = ".idx";
/// Length of the table's length.
const WORD: usize = 8;

/// What a file held.
pub(crate) struct Stored {
    /// Id and stamp of every skill, in the order of the ids.
    pub(crate) stamps: Vec<(String, u64)>,
    pub(crate) index: Index,
}

/// Where the index of a library lies. A library is its project and its roots, so that a change of a skill
/// finds the file again and two projects do not take turns with one.
pub(crate) fn file_for(folder: &Path, catalog: &Catalog) -> PathBuf {
    let roots = catalog.roots.iter().map(|root| root.path.as_os_str().as_encoded_bytes());
    let key = hash(std::iter::once(catalog.project.as_os_str().as_encoded_bytes()).chain(roots));
    folder.join(format!("{PREFIX}{key:016x}{ENDING}"))
}

/// Opens a file; `Ok(None)` when there is none, a reason when it cannot be believed.
pub(crate) fn read(file: &Path) -> Result<Option<Stored>, String> {
    let Some(kept) = Kept::open(file, MARK, LIMIT)? else { return Ok(None) };
    let (length, rest) = kept.as_ref().split_first_chunk::<WORD>().ok_or("it is cut off")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (table, _) = rest.split_at_checked(length).ok_or("it is cut off")?;
    let stamps = postcard::from_bytes(table).map_err(|_| "its table is damaged")?;
    let index = Index::from_bytes(kept.skip(WORD + length)).map_err(|damage| damage.to_string())?;
    Ok(Some(Stored { stamps, index }))
}

/// Writes a file, and forgets the libraries that were not used for longest.
pub(crate) fn write(file: &Path, stamps: &[(&str, u64)], index: &[u8]) -> io::Result<()> {
    let table = postcard::to_stdvec(stamps).map_err(io::Error::other)?;
    kept::write(file, MARK, &[&(table.len() as u64).to_le_bytes(), &table, index])?;
    kept::prune(file, PREFIX, ENDING, KEPT);
    Ok(())
}
