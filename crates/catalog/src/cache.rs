//! What a walk remembers between runs: one file per root in the cache folder.
//!
//! A cache file is only ever a hint. Every folder and file it speaks of is compared with the disk
//! before it is believed, and a file that is damaged, foreign or of another version is ignored.

use crate::bounded::{self, ReadError};
use crate::scan::{FolderRecord, Memory};
use sha2::{Digest, Sha256};
use std::{
    ffi::OsStr,
    fs,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::LazyLock,
};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// First bytes of a cache file. They change with the sources of this crate and of `format`: a version
/// number that a developer must remember to raise is forgotten.
static VERSION: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let (own, format) = (env!("SOURCES_HASH"), skillful_format::SOURCES_HASH);
    format!("skillful cache {} {own} {format}\n", env!("CARGO_PKG_VERSION")).into_bytes()
});
/// A cache file larger than this is not read.
const LIMIT: u64 = 1 << 30;

/// Where the memory of one root lies. `rule` is part of the key: another rule finds other skills.
pub(crate) fn file_for(folder: &Path, root: &Path, rule: &str) -> PathBuf {
    let mut hash = Sha256::new();
    hash.update(root.as_os_str().as_encoded_bytes());
    hash.update([0]);
    hash.update(rule.as_bytes());
    folder.join(format!("root-{}.bin", hex(&hash.finalize()[..12])))
}

/// Whether the folder has the memory of any root.
pub(crate) fn is_used(folder: &Path) -> bool {
    let is_memory = |name: &OsStr| name.as_encoded_bytes().starts_with(b"root-");
    fs::read_dir(folder)
        .is_ok_and(|mut all| all.any(|entry| entry.is_ok_and(|one| is_memory(&one.file_name()))))
}

/// Reads the memory of a root. `None` in the second place means that there was none; a reason
/// means that it was thrown away.
pub(crate) fn read(file: &Path) -> (Memory, Option<&'static str>) {
    let none = |reason| (Memory::default(), reason);
    let bytes = match bounded::read(file, LIMIT, None) {
        Ok(bytes) => bytes,
        Err(ReadError::Missing) => return none(None),
        Err(ReadError::TooLarge(_)) => return none(Some("it is too large")),
        Err(_) => return none(Some("it could not be read")),
    };
    let Some(rest) = bytes.strip_prefix(VERSION.as_slice()) else {
        return none(Some("it is of another version"));
    };
    let Some((sum, rest)) = rest.split_at_checked(8) else { return none(Some("it is cut off")) };
    if sum != xxh3_64(rest).to_le_bytes() {
        return none(Some("it is damaged"));
    }
    match postcard::from_bytes::<(i64, Vec<Box<FolderRecord>>)>(rest) {
        Ok((taken, records)) => {
            let records = records.into_iter().map(|record| (record.path.clone(), record)).collect();
            (Memory { taken, records }, None)
        }
        Err(_) => none(Some("it is damaged")),
    }
}

/// Writes the memory of a root: whole or not at all.
pub(crate) fn write(file: &Path, taken: i64, records: &[Box<FolderRecord>]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(&VERSION)?;
    temporary.write_all(&[0; 8])?;
    // Piece by piece: the whole of it would take as much memory as the skills.
    let out = BufWriter::with_capacity(1 << 16, Summed { out: &mut temporary, sum: Xxh3::new() });
    let out = postcard::to_io(&(taken, records), out).map_err(io::Error::other)?;
    let sum = out.into_inner().map_err(io::IntoInnerError::into_error)?.sum.digest();
    temporary.seek(SeekFrom::Start(VERSION.len() as u64))?;
    temporary.write_all(&sum.to_le_bytes())?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// A writer that keeps the sum of what it wrote.
struct Summed<W: Write> {
    out: W,
    sum: Xxh3,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Bytes in hexadecimal digits, as digests are written.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
