//! Files of the cache folder: a mark, a checksum, the content. Written whole or not at all, believed only
//! when every byte is as it was written.

use crate::{hash::checksum, map::Mapped};
use std::{
    fs, io,
    io::Write,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Uses are noted at this grain; a note is a write to the disk.
const GRAIN: Duration = Duration::from_hours(1);
/// Length of the checksum.
const WORD: usize = 8;

/// The content of a file, or a part of it to the end.
pub(crate) struct Kept {
    map: Mapped,
    start: usize,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        self.map.as_ref().get(self.start..).unwrap_or_default()
    }
}

impl Kept {
    /// Opens a file of at most `limit` bytes; `Ok(None)` when there is none, a reason when it cannot be
    /// believed.
    pub(crate) fn open(file: &Path, mark: &[u8], limit: u64) -> Result<Option<Self>, String> {
        let map = match Mapped::open(file, limit) {
            Ok(map) => map,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let rest = map.as_ref().strip_prefix(mark).ok_or("it is of another version")?;
        let (sum, content) = rest.split_first_chunk::<WORD>().ok_or("it is cut off")?;
        if u64::from_le_bytes(*sum) != checksum(content) {
            return Err("it is damaged".to_owned());
        }
        let now = SystemTime::now();
        if map.used().is_none_or(|used| now.duration_since(used).is_ok_and(|age| age > GRAIN)) {
            map.touch(now);
        }
        Ok(Some(Self { map, start: mark.len() + WORD }))
    }

    /// The same without its first bytes.
    pub(crate) fn skip(self, bytes: usize) -> Self {
        Self { start: self.start.saturating_add(bytes), ..self }
    }
}

/// Writes a file for this person alone, and its folder when it is missing.
pub(crate) fn write(file: &Path, mark: &[u8], parts: &[&[u8]]) -> io::Result<()> {
    // In one piece, because the checksum runs over all of it.
    let content = parts.concat();
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Only this person can read or write a temporary file.
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(mark)?;
    temporary.write_all(&checksum(&content).to_le_bytes())?;
    temporary.write_all(&content)?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// Removes all files of a kind but those used last and the current one. One that cannot be removed stays.
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
