//! Files of the cache folder. Each has a format mark, a checksum and the content. They are replaced
//! atomically, and a file whose checksum does not match is rejected.

use crate::{hash::Checksum, mapped_file::MappedFile, ranking::Buffer};
use std::{
    borrow::Cow,
    fs, io,
    io::{BufWriter, Seek, SeekFrom, Write},
    ops::Range,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};
use tempfile::NamedTempFile;

/// A use is recorded at most once in this time, because recording it is a write to the disk.
const GRAIN: Duration = Duration::from_hours(1);
/// Length of the checksum in bytes.
const WORD: usize = 8;
/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 16;

/// The content of a cache file, or the part of it that [`CacheFile::first`] names.
pub(crate) struct CacheFile {
    map: MappedFile,
    start: usize,
    end: usize,
}

impl AsRef<[u8]> for CacheFile {
    fn as_ref(&self) -> &[u8] {
        self.map.as_ref().get(self.start..self.end).unwrap_or_default()
    }
}

impl Buffer for CacheFile {
    fn bytes(&self) -> &[u8] {
        self.as_ref()
    }

    fn part(&self, range: Range<usize>) -> Option<Cow<'_, [u8]>> {
        let mapped = self.as_ref().get(range.clone())?;
        let read = self.map.read((self.start + range.start) as u64, mapped.len());
        Some(read.map_or(Cow::Borrowed(mapped), Cow::Owned))
    }
}

impl CacheFile {
    /// Opens a file of at most `limit` bytes, whose content has `front` bytes that were written last. Returns
    /// `Ok(None)` when the file does not exist, and the reason when the file is unusable.
    pub(crate) fn open(file: &Path, mark: &[u8], front: usize, limit: u64) -> Result<Option<Self>, String> {
        let map = match MappedFile::open(file, limit) {
            Ok(map) => map,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let rest = map.as_ref().strip_prefix(mark).ok_or("another version of this program wrote it")?;
        let (sum, content) = rest.split_first_chunk::<WORD>().ok_or("it is truncated")?;
        let front = content.get(..front).ok_or("it is truncated")?;
        let mut checksum = Checksum::new();
        let behind = (mark.len() + WORD + front.len()) as u64;
        // Read and not mapped: what is mapped stays in the memory of the process.
        map.read_from(behind, |bytes| checksum.add(bytes)).map_err(|error| error.to_string())?;
        checksum.add(front);
        if u64::from_le_bytes(*sum) != checksum.sum() {
            return Err("its checksum does not match".to_owned());
        }
        let now = SystemTime::now();
        if map.used().is_none_or(|used| now.duration_since(used).is_ok_and(|age| age > GRAIN)) {
            map.touch(now);
        }
        let end = map.as_ref().len();
        Ok(Some(Self { map, start: mark.len() + WORD, end }))
    }

    /// The first `length` bytes of the content.
    pub(crate) fn first(self, length: usize) -> Self {
        Self { end: self.start.saturating_add(length).min(self.end), ..self }
    }
}

/// A cache file that is being written under another name. What its front holds is known at the end.
pub(crate) struct NewCacheFile {
    temporary: BufWriter<NamedTempFile>,
    checksum: Checksum,
    /// Where the content starts.
    start: usize,
    /// Bytes of the front, and bytes behind it that were written.
    front: usize,
    written: usize,
}

impl NewCacheFile {
    /// Begins a file that only its owner can read, and creates its folder if necessary.
    pub(crate) fn create(folder: &Path, mark: &[u8], front: usize) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // `tempfile` makes files that only their owner can read or write.
        let mut temporary = BufWriter::with_capacity(BUFFER, NamedTempFile::new_in(folder)?);
        temporary.write_all(mark)?;
        temporary.write_all(&vec![0; WORD + front])?;
        Ok(Self { temporary, checksum: Checksum::new(), start: mark.len() + WORD, front, written: 0 })
    }

    /// Bytes of the content so far, front included.
    pub(crate) fn length(&self) -> usize {
        self.front + self.written
    }

    /// Writes the front and gives the file its name.
    pub(crate) fn finish(mut self, front: &[u8], file: &Path) -> io::Result<CacheFile> {
        let end = self.start + self.length();
        self.checksum.add(front);
        self.temporary.seek(SeekFrom::Start((self.start - WORD) as u64))?;
        self.temporary.write_all(&self.checksum.sum().to_le_bytes())?;
        self.temporary.write_all(front)?;
        let temporary = self.temporary.into_inner().map_err(io::IntoInnerError::into_error)?;
        let written = temporary.persist(file).map_err(|error| error.error)?;
        let map = MappedFile::own(written)?;
        Ok(CacheFile { map, start: self.start, end })
    }
}

impl Write for NewCacheFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.add(bytes);
        self.written += bytes.len();
        self.temporary.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

/// Writes a file that only its owner can read, and creates its folder if necessary.
pub(crate) fn write(file: &Path, mark: &[u8], content: &[u8]) -> io::Result<()> {
    let mut new = NewCacheFile::create(file.parent().unwrap_or(Path::new(".")), mark, 0)?;
    new.write_all(content)?;
    new.finish(&[], file).map(drop)
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
