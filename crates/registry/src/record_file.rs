//! A file of the user's data folder with what the user decided: read whole or not at all, and changed by one process
//! at a time.

use crate::atomic_write::{AtomicWriter, Syncing};
use cap_std::{ambient_authority, fs::Dir};
use serde::de::DeserializeOwned;
use skillful_catalog::bounded;
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

const MODE: u32 = 0o600;
/// A larger file is refused before it is read.
const LIMIT: u64 = 64 << 20;

/// Why a record cannot be used. Nothing that it could allow is allowed then.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be {action}: {error}", path.display())]
pub struct RecordError {
    /// The file.
    pub path: PathBuf,
    /// `read` or `written`.
    pub action: &'static str,
    /// Why.
    pub error: io::Error,
}

/// A record as a file holds it.
pub(crate) trait Record: Clone + Default + PartialEq {
    /// The name of the file.
    const FILE: &'static str;
    /// The name of the file that is locked while the record is rewritten; it stays empty.
    const GUARD: &'static str;
    /// The name of the next file before it takes the place of the last.
    const NEXT: &'static str;
    /// The content of the file.
    type Text: DeserializeOwned;

    /// The record of a file, or why this program does not understand it.
    fn of_text(text: Self::Text) -> Result<Self, String>;

    /// The file.
    fn text(&self) -> String;
}

/// Reads the record of a data folder; a missing file is an empty record.
pub(crate) fn load<R: Record>(data: &Path) -> Result<R, RecordError> {
    let path = data.join(R::FILE);
    read(&path).map_err(|error| RecordError { path, action: "read", error })
}

/// Reads, changes and writes while no other process does.
pub(crate) fn change<R: Record>(
    data: &Path,
    writer: &AtomicWriter,
    change: impl FnOnce(&mut R),
) -> Result<(), RecordError> {
    let path = data.join(R::FILE);
    let failed = |action| {
        let path = path.clone();
        move |error| RecordError { path, action, error }
    };
    std::fs::create_dir_all(data).map_err(failed("written"))?;
    let guard =
        File::options().create(true).append(true).open(data.join(R::GUARD)).map_err(failed("written"))?;
    guard.lock().map_err(failed("written"))?;
    let before: R = read(&path).map_err(failed("read"))?;
    let mut after = before.clone();
    change(&mut after);
    if after == before {
        return Ok(());
    }
    write::<R>(data, &after.text(), writer).map_err(failed("written"))
}

fn read<R: Record>(path: &Path) -> io::Result<R> {
    let Some(text) = bounded::read_own(path, LIMIT)? else { return Ok(R::default()) };
    let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let text: R::Text = toml::from_str(&text).map_err(|error| wrong(error.message().to_owned()))?;
    R::of_text(text).map_err(wrong)
}

fn write<R: Record>(data: &Path, text: &str, writer: &AtomicWriter) -> io::Result<()> {
    let dir = Dir::open_ambient_dir(data, ambient_authority())?;
    // A run that was stopped may have left one.
    writer.remove(&dir, R::NEXT)?;
    writer.write_new(&dir, R::NEXT, text.as_bytes(), MODE, Syncing::Each)?;
    writer.rename_over((&dir, R::NEXT), (&dir, R::FILE))?;
    writer.sync_folder(&dir)
}
