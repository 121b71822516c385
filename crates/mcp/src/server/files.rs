//! The files of a skill as others may read them. Links, hidden files, the folders of tools and the values
//! of variables are not part of it.

use crate::names::{BYTES_LIMIT, FILES_LIMIT, SKILL_FILE};
use cap_std::fs::Dir;
use skillful_catalog::{AdmittedSkill, Entry, bounded};
use skillful_format::Tree;
use skillful_runtime::files::is_served;
use std::{io, io::Read};

/// Folders below folders that are looked into.
const DEPTH: usize = 8;

/// The files of a skill.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Path and bytes of each, in order of the paths.
    pub files: Vec<(String, u64)>,
    /// Whether these are all; a skill can be larger than a client has to accept.
    pub complete: bool,
}

/// Lists the files of a skill that has a folder.
pub(crate) fn list(skill: &AdmittedSkill<'_>) -> io::Result<Listing> {
    let mut listing = Listing { files: Vec::new(), complete: true };
    let main = main_file(skill.entry());
    match skill.approved_files() {
        Some(files) => approved(files, &main, &mut listing),
        None => walk(&skill.entry().open_folder()?, "", 0, &main, &mut listing)?,
    }
    listing.files.sort();
    let total: u64 = listing.files.iter().map(|(_, size)| size).sum();
    listing.complete &= total <= BYTES_LIMIT;
    Ok(listing)
}

fn approved(files: &Tree, main: &str, listing: &mut Listing) {
    for (path, file) in files.iter() {
        let path = path.as_str();
        let shown = if path == main { SKILL_FILE } else { path };
        let is_other_main = shown != SKILL_FILE && path.eq_ignore_ascii_case(SKILL_FILE);
        if is_other_main || !path.split('/').enumerate().all(|(depth, part)| is_served(part, depth)) {
            continue;
        }
        if listing.files.len() >= FILES_LIMIT || path.matches('/').count() > DEPTH {
            listing.complete = false;
        } else {
            listing.files.push((shown.to_owned(), file.bytes.len() as u64));
        }
    }
}

fn walk(folder: &Dir, above: &str, depth: usize, main: &str, listing: &mut Listing) -> io::Result<()> {
    let mut entries: Vec<_> = folder.entries()?.collect::<Result<_, _>>()?;
    entries.sort_by_key(cap_std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| is_served(name, depth)) else { continue };
        let kind = entry.file_type()?;
        let shown = if depth == 0 && name == main { SKILL_FILE } else { name };
        let path = if above.is_empty() { shown.to_owned() } else { format!("{above}/{shown}") };
        if listing.files.len() >= FILES_LIMIT || kind.is_dir() && depth >= DEPTH {
            listing.complete = false;
        } else if kind.is_dir() {
            walk(&entry.open_dir()?, &path, depth + 1, main, listing)?;
        } else if kind.is_file()
            && !(depth == 0 && shown != SKILL_FILE && name.eq_ignore_ascii_case(SKILL_FILE))
        {
            listing.files.push((path, entry.metadata()?.len()));
        }
    }
    Ok(())
}

/// The bytes of a file; an error of the kind `NotFound` for all that is not part of the skill.
pub(crate) fn read(skill: &AdmittedSkill<'_>, path: &str) -> io::Result<Vec<u8>> {
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    let main = main_file(skill.entry());
    let path = if path == SKILL_FILE { main.as_str() } else { path };
    if skill.approved_files().is_some() {
        let is_part = path.split('/').enumerate().all(|(depth, part)| is_served(part, depth));
        let file = skill.approved_file(path).filter(|_| is_part).ok_or_else(missing)?;
        return within_limit(file.bytes.clone());
    }
    let mut folder = skill.entry().open_folder()?;
    let mut parts = path.split('/').enumerate().peekable();
    while let Some((depth, part)) = parts.next() {
        let kind = folder.symlink_metadata(part).map_err(|_| missing())?.file_type();
        if !is_served(part, depth) || kind.is_symlink() {
            return Err(missing());
        }
        if parts.peek().is_some() {
            folder = folder.open_dir(part)?;
        } else if kind.is_file() {
            let mut bytes = Vec::new();
            bounded::open_regular(&folder, part)?.take(BYTES_LIMIT + 1).read_to_end(&mut bytes)?;
            return within_limit(bytes);
        }
    }
    Err(missing())
}

fn within_limit(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if bytes.len() as u64 <= BYTES_LIMIT {
        return Ok(bytes);
    }
    Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is over {BYTES_LIMIT} bytes")))
}

/// What the file that makes it a skill is called on disk: some write `skill.md`.
fn main_file(entry: &Entry) -> String {
    entry.origin.file.file_name().and_then(|name| name.to_str()).unwrap_or(SKILL_FILE).to_owned()
}
