//! The search index on disk: one file per workspace in the cache folder.
//!
//! A file is used only if this very version of the code wrote it and its checksum matches. Skills whose
//! stamps differ are read again. In all other cases the index is rebuilt.

use crate::ranking::{Header, Index};
use crate::{
    cache_file::{self, CacheFile, NewCacheFile},
    hash::hash,
};
use skillful_catalog::Catalog;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The format mark. It changes with the sources of this crate, because they determine the content of an
/// index.
const MARK: &[u8] =
    concat!("skillful index ", env!("CARGO_PKG_VERSION"), " ", env!("SOURCES_HASH"), "\n").as_bytes();
/// A larger file is not read.
const LIMIT: u64 = 4 << 30;
/// Number of index files that are kept, the last used ones.
const MOST_FILES: usize = 8;
const PREFIX: &str = "routes-";
const ENDING: &str = ".idx";
/// Length in bytes of the field that holds the length of the table.
const WORD: usize = 8;

/// The content of an index file.
pub(crate) struct StoredIndex {
    /// Id and stamp of every skill, sorted by id.
    pub(crate) stamps: Vec<(String, u64)>,
    pub(crate) index: Index,
}

/// The path of the index file of a catalog. It is derived from the project and the roots, so that the file is
/// found again after a skill changes, and each project has a file of its own.
pub(crate) fn file_for(folder: &Path, catalog: &Catalog) -> PathBuf {
    let roots = catalog.roots.iter().map(|root| root.path.as_os_str().as_encoded_bytes());
    let key = hash(std::iter::once(catalog.project.as_os_str().as_encoded_bytes()).chain(roots));
    folder.join(format!("{PREFIX}{key:016x}{ENDING}"))
}

/// Reads a file. Returns `Ok(None)` when it does not exist, and the reason when it is unusable.
pub(crate) fn read(file: &Path) -> Result<Option<StoredIndex>, String> {
    let Some(content) = CacheFile::open(file, MARK, Header::LENGTH, LIMIT)? else { return Ok(None) };
    let (rest, length) = content.as_ref().split_last_chunk::<WORD>().ok_or("it is truncated")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let end = rest.len().checked_sub(length).ok_or("it is truncated")?;
    let stamps = postcard::from_bytes(&rest[end..]).map_err(|_| "its table is damaged")?;
    let index = Index::from_bytes(content.first(end)).map_err(|damage| damage.to_string())?;
    Ok(Some(StoredIndex { stamps, index }))
}

/// Writes a file, removes the least recently used ones and returns the index as the file holds it. `write` writes the
/// index without its first bytes, which it returns with the stamps of the skills.
pub(crate) fn write<'a>(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<(Header, Vec<(&'a str, u64)>)>,
) -> io::Result<Index> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut new = NewCacheFile::create(folder, MARK, Header::LENGTH)?;
    let (header, stamps) = write(&mut new)?;
    let length = new.length();
    let table = postcard::to_stdvec(&stamps).map_err(io::Error::other)?;
    new.write_all(&table)?;
    new.write_all(&(table.len() as u64).to_le_bytes())?;
    let content = new.finish(header.bytes(), file)?;
    cache_file::prune(file, PREFIX, ENDING, MOST_FILES);
    Index::from_bytes(content.first(length)).map_err(io::Error::other)
}
