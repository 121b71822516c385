//! The one gate every entry of every archive goes through, before a byte of it is unpacked.
//!
//! The gate refuses an entry whose declared size is above a limit, and the walkers refuse an entry that is
//! smaller or larger than its declared size. So the memory that an archive needs is known from its headers,
//! and nothing is inflated that would be thrown away.

use crate::refuse;
use skillful_format::{Code, Diagnostic, Limits, TreeFile, TreePath};
use std::collections::BTreeMap;

/// Below this a whole archive may unpack to any multiple of itself: short texts compress well, and a bomb
/// of this size does no harm.
const RATIO_FLOOR: u64 = 1 << 20;
/// Below this one member may: many honest tables shrink that well.
const MEMBER_FLOOR: u64 = 64 << 10;

/// The fields of one entry of an archive.
pub(super) struct ArchiveEntry<'a> {
    /// The path as it is spelled, already known to be UTF-8.
    pub(super) name: &'a str,
    pub(super) kind: EntryKind,
    /// Bytes after unpacking.
    pub(super) size: u64,
    /// Bytes in the archive, where the format packs each entry by itself.
    pub(super) packed: Option<u64>,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    File { executable: bool },
    Folder,
}

/// The path of an admitted entry; `None` for folders and for skipped entries.
pub(super) struct Admission(Option<(TreePath, bool)>);

/// Files in the order of the archive, with their paths as the archive has them.
pub(super) type Files = Vec<(TreePath, TreeFile)>;

/// The state of one archive's admission.
pub(super) struct Gate<'a> {
    limits: &'a Limits,
    /// The limits with room for a wrapper folder, which does not count as part of the skill.
    wrapped: Limits,
    packed: u64,
    entries: usize,
    total: u64,
    names: BTreeMap<String, Name>,
    files: Files,
    skipped: BTreeMap<&'static str, (usize, String)>,
}

/// A name that is taken, under its clash key.
struct Name {
    spelled: String,
    is_folder: bool,
}

impl<'a> Gate<'a> {
    /// A gate for an archive of `packed` bytes.
    pub(super) fn new(packed: usize, limits: &'a Limits) -> Self {
        let wrapped = Limits {
            depth: limits.depth + 1,
            path_bytes: limits.path_bytes + limits.component_bytes + 1,
            ..*limits
        };
        Self {
            limits,
            wrapped,
            packed: packed as u64,
            entries: 0,
            total: 0,
            names: BTreeMap::new(),
            files: Vec::new(),
            skipped: BTreeMap::new(),
        }
    }

    /// Refuses a number of entries above the limit.
    pub(super) fn admit_count(&self, entries: usize) -> Result<(), Diagnostic> {
        if entries <= self.limits.files {
            return Ok(());
        }
        Err(Diagnostic::new(
            Code::ArchiveTooMany,
            format!("the archive has more than {} entries", self.limits.files),
        )
        .help("remove what is not part of the skill, such as `.git` or `node_modules`"))
    }

    /// Decides on one entry by its header.
    pub(super) fn admit(&mut self, entry: &ArchiveEntry<'_>) -> Result<Admission, Diagnostic> {
        self.entries += 1;
        self.admit_count(self.entries)?;
        self.admit_size(entry)?;
        let Some(path) = self.admit_path(entry)? else { return Ok(Admission(None)) };
        if let Some(noise) = noise(&path) {
            self.skipped.entry(noise).or_insert_with(|| (0, path.to_string())).0 += 1;
            return Ok(Admission(None));
        }
        self.claim(&path, entry.kind)?;
        Ok(Admission(match entry.kind {
            EntryKind::File { executable } => Some((path, executable)),
            EntryKind::Folder => None,
        }))
    }

    /// Takes the bytes of an admitted entry.
    pub(super) fn keep(&mut self, place: Admission, bytes: Vec<u8>) {
        if let Some((path, executable)) = place.0 {
            self.files.push((path, TreeFile { bytes, executable }));
        }
    }

    /// The files that were admitted, and a note on each kind of entry that was skipped.
    pub(super) fn finish(self) -> (Files, Vec<Diagnostic>) {
        let notes = self.skipped.into_iter().map(|(noise, (count, first))| {
            let entries = if count == 1 { "entry" } else { "entries" };
            Diagnostic::new(
                Code::EntrySkipped,
                format!("{count} {entries} of {noise} skipped, the first is `{first}`"),
            )
        });
        (self.files, notes.collect())
    }

    fn admit_size(&mut self, entry: &ArchiveEntry<'_>) -> Result<(), Diagnostic> {
        let limits = self.limits;
        let name = refuse::shown(entry.name.as_bytes());
        if entry.kind == EntryKind::Folder && entry.size != 0 {
            return Err(refuse::unreadable(format!("the folder `{name}` has content of its own")));
        }
        if entry.size > limits.file_bytes {
            return Err(Diagnostic::new(
                Code::FileTooLarge,
                format!("`{name}` has {} bytes; the limit for one file is {}", entry.size, limits.file_bytes),
            ));
        }
        self.total += entry.size;
        if self.total > limits.total_bytes {
            return Err(Diagnostic::new(
                Code::ArchiveTooLarge,
                format!("the archive unpacks to more than {} bytes", limits.total_bytes),
            ));
        }
        let ratio = |what: String, times: u64| {
            Diagnostic::new(Code::ArchiveRatio, format!("{what} unpacks to more than {times} times its size"))
                .help("store files uncompressed that shrink so well")
        };
        let grown =
            entry.packed.is_some_and(|packed| entry.size > packed.saturating_mul(limits.member_ratio));
        if grown && entry.size > MEMBER_FLOOR {
            return Err(ratio(format!("`{name}`"), limits.member_ratio));
        }
        if self.total > RATIO_FLOOR && self.total > self.packed.saturating_mul(limits.total_ratio) {
            return Err(ratio("the archive".to_owned(), limits.total_ratio));
        }
        Ok(())
    }

    /// The entry's path; none for the archive's own top folder.
    fn admit_path(&self, entry: &ArchiveEntry<'_>) -> Result<Option<TreePath>, Diagnostic> {
        // `tar -c .` spells every path with `./` in front.
        let name = entry.name.strip_prefix("./").unwrap_or(entry.name);
        let name = match entry.kind {
            EntryKind::Folder if matches!(name, "" | ".") => return Ok(None),
            EntryKind::Folder => name.strip_suffix('/').unwrap_or(name),
            EntryKind::File { .. } => name,
        };
        TreePath::new(name, &self.wrapped)
            .map(Some)
            .map_err(|fault| refuse::path(entry.name.as_bytes(), fault))
    }

    /// Takes the path and its parents; a folder may be named again, in the same spelling.
    fn claim(&mut self, path: &TreePath, kind: EntryKind) -> Result<(), Diagnostic> {
        let key = path.clash_key();
        // Neither folding touches a slash, so the key has the same parents as the path.
        let parent_keys = key.match_indices('/').map(|(at, _)| &key[..at]);
        for (parent, parent_key) in path.parents().zip(parent_keys) {
            self.claim_one(parent_key, parent, true)?;
        }
        self.claim_one(&key, path.as_str(), kind == EntryKind::Folder)
    }

    fn claim_one(&mut self, key: &str, spelled: &str, is_folder: bool) -> Result<(), Diagnostic> {
        match self.names.get(key) {
            None => {
                self.names.insert(key.to_owned(), Name { spelled: spelled.to_owned(), is_folder });
                Ok(())
            }
            Some(taken) if taken.is_folder && is_folder && taken.spelled == spelled => Ok(()),
            Some(taken) => Err(Diagnostic::new(
                Code::EntryClash,
                format!("`{spelled}` clashes with another entry `{}`", taken.spelled),
            )
            .help("names must differ by more than case or Unicode form, and a file cannot also be a folder")),
        }
    }
}

/// Files of operating systems and version control that are not part of a skill. A `.git` folder would also
/// bring hooks, which run when a user later works in the skill's folder.
fn noise(path: &TreePath) -> Option<&'static str> {
    let mut parts = path.as_str().split('/');
    parts.find_map(|part| match part {
        "__MACOSX" => Some("`__MACOSX` (macOS)"),
        ".DS_Store" => Some("`.DS_Store` (macOS)"),
        _ if part.starts_with("._") => Some("`._*` (macOS)"),
        // `git~1` is the short name that Windows gives to `.git`.
        _ if part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case("git~1") => Some("`.git`"),
        _ => None,
    })
}
