//! Files of the cache folder. Each has a format mark, a checksum and the content. They are replaced
//! atomically, and a file whose checksum does not match is rejected.

use crate::{hash::checksum, mapped_file::MappedFile};
use std::{
    fs, io,
    io::Write,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// A use is recorded at most once in this time, because recording it is a write to the disk.
const GRAIN: Duration = Duration::from_hours(1);
/// Length of the checksum in bytes.
const WORD: usize = 8;

/// The content of a cache file, without the bytes that [`CacheFile::skip`] removed.
pub(crate) struct CacheFile {
    map: MappedFile,
    start: usize,
}

impl AsRef<[u8]> for CacheFile {
    fn as_ref(&self) -> &[u8] {
        self.map.as_ref().get(self.start..).unwrap_or_default()
    }
}

impl CacheFile {
    /// Opens a file of at most `limit` bytes. Returns `Ok(None)` when the file does not exist, and the reason
    /// when the file is unusable.
    pub(crate) fn open(file: &Path, mark: &[u8], limit: u64) -> Result<Option<Self>, String> {
        let map = match MappedFile::open(file, limit) {
            Ok(map) => map,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let rest = map.as_ref().strip_prefix(mark).ok_or("another version of this program wrote it")?;
        let (sum, content) = rest.split_first_chunk::<WORD>().ok_or("it is truncated")?;
        if u64::from_le_bytes(*sum) != checksum(content) {
            return Err("its checksum does not match".to_owned());
        }
        let now = SystemTime::now();
        if map.used().is_none_or(|used| now.duration_since(used).is_ok_and(|age| age > GRAIN)) {
            map.touch(now);
        }
        Ok(Some(Self { map, start: mark.len() + WORD }))
    }

    /// The same content without its first `bytes` bytes.
    pub(crate) fn skip(self, bytes: usize) -> Self {
        Self { start: self.start.saturating_add(bytes), ..self }
    }
}

/// Writes a file that only its owner can read, and creates its folder if necessary.
pub(crate) fn write(file: &Path, mark: &[u8], parts: &[&[u8]]) -> io::Result<()> {
    // In one piece, because the checksum covers all of it.
    let content = parts.concat();
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // `tempfile` makes files that only their owner can read or write.
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(mark)?;
    temporary.write_all(&checksum(&content).to_le_bytes())?;
    temporary.write_all(&content)?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// Removes all files with this prefix and ending except the `most` last used ones and the current one. Files
/// that cannot be removed are left in place.
pub(crate) fn prune(current: &Path, prefix: &str, ending: &str, most: usize) {
    let Some(Ok(entries)) = current.parent().map(fs::read_dir) else { return };
    let is_kind = |name: &str| name.starts_with(prefix) && name.ends_with(ending);
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_str().is_some_and(is_kind) && entry.path() != current)
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    for (_, file) in files.into_iter().skip(most.saturating_sub(1)) {
        let _stays = fs::remove_file(file);
    }
}
