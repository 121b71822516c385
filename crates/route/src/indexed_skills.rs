//! The skills of a catalog that are indexed: the active ones and those that the user has not approved, each with a stamp that
//! changes with its text.

use crate::hash::hash;
use crate::ranking::Skill;
use rustix::fs::OFlags;
use skillful_catalog::{Catalog, Entry, Placement};
use skillful_format::source::utf8;
use std::{
    borrow::Cow,
    fs::OpenOptions,
    io,
    num::NonZeroUsize,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::Path,
    thread,
};

/// Bytes of a body that are read. The index uses fewer.
pub(crate) const BODY_LIMIT: u64 = 64 << 10;
/// Longer ids are replaced by their hash, because the index would truncate them.
const ID_LIMIT: usize = 512;
/// More threads than this do not make reading from disk faster.
const MOST_THREADS: usize = 8;
/// The stamp of a skill whose file differed from what the catalog read. The skill is read again next time.
pub(crate) const UNSETTLED: u64 = 0;

/// A skill in the search index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexedSkill {
    /// Its address, which is unique among the active skills.
    pub(crate) id: String,
    /// Position of the skill in the catalog.
    pub(crate) entry: usize,
    /// Changes with everything that the index reads of the skill; never [`UNSETTLED`].
    pub(crate) stamp: u64,
}

/// The active skills, and those that the user has not approved, so that their user sees that they match; a search for a
/// model is restricted to what it may use. Sorted by id. A skill that is not active gives way to one of the same id that is.
pub(crate) fn items(catalog: &Catalog) -> Vec<IndexedSkill> {
    let is_waiting =
        |entry: &Entry| matches!(entry.placement, Placement::Untrusted { .. } | Placement::Pending { .. });
    let is_active = |at: usize| catalog.entries[at].placement == Placement::Active;
    let shown = catalog.entries.iter().enumerate().filter(|(at, entry)| is_active(*at) || is_waiting(entry));
    let mut items: Vec<IndexedSkill> = shown
        .map(|(at, entry)| IndexedSkill { id: id_of(entry), entry: at, stamp: stamp_of(entry) })
        .collect();
    items.sort_unstable_by(|a, b| {
        let order = |item: &IndexedSkill| (!is_active(item.entry), item.entry);
        a.id.cmp(&b.id).then_with(|| order(a).cmp(&order(b)))
    });
    items.dedup_by(|b, a| a.id == b.id);
    items
}

fn id_of(entry: &Entry) -> String {
    let address = entry.address();
    if address.len() <= ID_LIMIT { address } else { format!("#{:016x}", hash([address.as_bytes()])) }
}

fn stamp_of(entry: &Entry) -> u64 {
    let manifest = &entry.loaded.manifest;
    let fixed = [
        entry.name.as_bytes(),
        entry.description().unwrap_or_default().as_bytes(),
        manifest.when_to_use.as_deref().unwrap_or_default().as_bytes(),
        &entry.loaded.content.to_le_bytes(),
        &entry.loaded.body_offset.to_le_bytes(),
    ];
    hash(fixed.into_iter().chain(manifest.triggers.iter().map(String::as_bytes))).max(UNSETTLED + 1)
}

/// A fingerprint of all indexed skills.
pub(crate) fn fingerprint(items: &[IndexedSkill]) -> u64 {
    items.iter().fold(items.len() as u64, |sum, item| {
        hash([&sum.to_le_bytes()[..], item.id.as_bytes(), &item.stamp.to_le_bytes()])
    })
}

/// The body of a skill, or the error that prevented reading it.
pub(crate) struct Body {
    bytes: Vec<u8>,
    /// Whether the file is the same as when the catalog was made.
    pub(crate) settled: bool,
    pub(crate) failed: Option<io::Error>,
}

impl Body {
    /// The text; copied only when bytes are not UTF-8.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        utf8(&self.bytes).map_or_else(|_| String::from_utf8_lossy(&self.bytes), Cow::Borrowed)
    }
}

/// Reads the start of a skill's body, at the offset that the catalog recorded.
pub(crate) fn body(entry: &Entry) -> Body {
    if !entry.loaded.has_body {
        return Body { bytes: Vec::new(), settled: true, failed: None };
    }
    let file = entry.overridden.as_ref().map_or(&entry.origin.file, |from| &from.body);
    match read(file, u64::from(entry.loaded.body_offset)) {
        Ok((bytes, size)) => Body { bytes, settled: size == u64::from(entry.loaded.size), failed: None },
        Err(error) => Body { bytes: Vec::new(), settled: false, failed: Some(error) },
    }
}

fn read(file: &Path, offset: u64) -> io::Result<(Vec<u8>, u64)> {
    // Without this flag, opening a named pipe in place of the file would block.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(flags).open(file)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a regular file"));
    }
    // One byte more than there should be, so that one call reads all of it.
    let size = meta.len().saturating_sub(offset).min(BODY_LIMIT) + 1;
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
    let mut read = 0;
    loop {
        match file.read_at(&mut bytes[read..], offset + read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if read < bytes.len() || read as u64 > BODY_LIMIT {
            break;
        }
        bytes.resize(bytes.len() * 2, 0);
    }
    bytes.truncate(read.min(usize::try_from(BODY_LIMIT).unwrap_or(usize::MAX)));
    Ok((bytes, meta.len()))
}

/// The parts of a catalog entry that the index reads.
pub(crate) fn skill<'a>(id: &'a str, entry: &'a Entry, body: &'a str) -> Skill<'a> {
    Skill {
        id,
        name: &entry.name,
        description: entry.description().unwrap_or_default(),
        when_to_use: entry.loaded.manifest.when_to_use.as_deref().unwrap_or_default(),
        triggers: &entry.loaded.manifest.triggers,
        body,
    }
}

/// Number of threads to use.
pub(crate) fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS)
}
