//! The index on disk: one file per library in the cache folder.
//!
//! A file is a hint. It is believed only when its first line names this very version, its checksum holds
//! over every byte, and the stamps in it are those of the skills; else it is built anew.

use crate::{
    hash::{checksum, hash},
    map::Mapped,
};
use skillful_catalog::Catalog;
use skillful_select::route::Index;
use std::{
    fs, io,
    io::Write,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Changes with every source that decides what is in an index.
const VERSION: &[u8] =
    concat!("skillful index ", env!("CARGO_PKG_VERSION"), " ", env!("SKILLFUL_ROUTER_SOURCES"), "\n")
        .as_bytes();
/// A larger file is not read.
const LIMIT: u64 = 4 << 30;
/// Libraries whose index is kept, the last used ones.
const KEPT: usize = 8;
/// Uses are noted at this grain; a note is a write to the disk.
const GRAIN: Duration = Duration::from_hours(1);
const PREFIX: &str = "routes-";
const ENDING: &str = ".idx";
/// Length of the checksum and of the table's length.
const WORD: usize = 8;

/// What a file held.
pub(crate) struct Stored {
    /// Id and stamp of every skill, in the order of the ids.
    pub(crate) stamps: Vec<(String, u64)>,
    pub(crate) index: Index,
}

/// The part of a mapped file that is the index.
struct Tail {
    map: Mapped,
    start: usize,
}

impl AsRef<[u8]> for Tail {
    fn as_ref(&self) -> &[u8] {
        self.map.as_ref().get(self.start..).unwrap_or_default()
    }
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
    let map = match Mapped::open(file, LIMIT) {
        Ok(map) => map,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let bytes = map.as_ref();
    let rest = bytes.strip_prefix(VERSION).ok_or("it is of another version")?;
    let (sum, rest) = rest.split_first_chunk::<WORD>().ok_or("it is cut off")?;
    if u64::from_le_bytes(*sum) != checksum(rest) {
        return Err("it is damaged".to_owned());
    }
    let (length, rest) = rest.split_first_chunk::<WORD>().ok_or("it is cut off")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (table, index) = rest.split_at_checked(length).ok_or("it is cut off")?;
    let stamps = postcard::from_bytes(table).map_err(|_| "its table is damaged")?;
    let start = bytes.len() - index.len();
    let now = SystemTime::now();
    if map.used().is_none_or(|used| now.duration_since(used).is_ok_and(|age| age > GRAIN)) {
        map.touch(now);
    }
    let index = Index::from_bytes(Tail { map, start }).map_err(|damage| damage.to_string())?;
    Ok(Some(Stored { stamps, index }))
}

/// Writes a file, whole or not at all, and forgets the libraries that were not used for longest.
pub(crate) fn write(file: &Path, stamps: &[(&str, u64)], index: &[u8]) -> io::Result<()> {
    let table = postcard::to_stdvec(stamps).map_err(io::Error::other)?;
    let length = (table.len() as u64).to_le_bytes();
    // In one piece, because the checksum runs over all of it.
    let content = [&length[..], &table, index].concat();
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Only this person can read or write a temporary file.
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(VERSION)?;
    temporary.write_all(&checksum(&content).to_le_bytes())?;
    temporary.write_all(&content)?;
    temporary.persist(file).map_err(|error| error.error)?;
    prune(folder, file);
    Ok(())
}

/// Removes all but the last used files. One that cannot be removed stays.
fn prune(folder: &Path, current: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(Result::ok)
        .filter(|entry| {
            entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(ENDING))
        })
        .filter(|entry| entry.path() != current)
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    for (_, file) in files.into_iter().skip(KEPT - 1) {
        let _stays = fs::remove_file(file);
    }
}
