//! Skills of this disk: a folder with one or more, a `SKILL.md`, or an archive.

use super::{FetchError, Fetched, FetchedSkill, choose};
use crate::lock::Resolved;
use skillful_catalog::{bounded, capability, disk, inspect, parallel};
use skillful_format::{Code, Diagnostic, Limits, Tree, TreeFile, TreePath, digest_bytes, source::FILE_LIMIT};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Skills in one source.
pub(super) const SKILLS_LIMIT: usize = 10_000;

pub(super) fn fetch(path: &Path) -> Result<Fetched, FetchError> {
    let disk = |error| FetchError::Disk { path: path.to_path_buf(), error };
    let meta = std::fs::metadata(path).map_err(disk)?;
    if meta.is_dir() {
        return folders(path);
    }
    if path.file_name().is_some_and(|name| name == "SKILL.md" || name == "skill.md") {
        let found = skill_file(path)?;
        return Ok(Fetched::of(vec![found], Resolved::default()));
    }
    if !meta.is_file() {
        return Err(disk(io::Error::new(io::ErrorKind::InvalidInput, "it is neither a folder nor a file")));
    }
    let found = archive(path)?;
    Ok(Fetched::of(vec![found], Resolved::default()))
}

fn folders(path: &Path) -> Result<Fetched, FetchError> {
    let files = inspect::skill_files(path);
    if files.len() > SKILLS_LIMIT {
        return Err(FetchError::TooMany(SKILLS_LIMIT));
    }
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let weight = choose::Weight::default();
    let found = parallel::map(&files, |file| {
        weight.check()?;
        let found = one(file.parent().unwrap_or(path), path, &real)?;
        weight.add(&found.tree)?;
        Ok(found)
    });
    choose::usable(found, Resolved::default())
}

/// The skill of one file. Its folder is a part of it when it is named like the skill; a folder such as that of downloads
/// holds what has nothing to do with it.
fn skill_file(path: &Path) -> Result<FetchedSkill, FetchError> {
    let (limits, within) = (Limits::default(), bounded::around(path));
    let unusable = |why: String| FetchError::Unusable { folder: path.display().to_string(), why };
    let bytes = bounded::read(path, FILE_LIMIT, within.as_ref())
        .map_err(|error| FetchError::Disk { path: path.to_path_buf(), error: error.into() })?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut tree = Tree::default();
    let at = TreePath::new(name, &limits).map_err(|fault| unusable(format!("its path {fault}")))?;
    tree.insert(at, TreeFile { bytes, executable: false }, &limits)
        .map_err(|found| unusable(found.message))?;
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = real.parent().unwrap_or(&real);
    let own = folder.file_name().and_then(|name| name.to_str());
    let named = capability::of_tree_with_name(&tree).and_then(|(_, name)| name);
    if own.is_some() && named.as_deref().map(str::trim) == own {
        return one_folder(folder);
    }
    let (name, capabilities) = choose::facts_of(&tree, own)
        .ok_or_else(|| unusable("it has no name that could be a folder".to_owned()))?;
    let message = format!(
        "only the file was taken: the folder is not named like the skill `{name}` and may hold other things"
    );
    let help = "to take the whole folder, name the folder instead of the file";
    let diagnostics = vec![Diagnostic::new(Code::EntrySkipped, message).in_path(path).help(help)];
    Ok(FetchedSkill { name, folder: None, tree, signature: None, artefact: None, capabilities, diagnostics })
}

/// The skill at the top of a folder.
pub(super) fn one_folder(folder: &Path) -> Result<FetchedSkill, FetchError> {
    let there = ["SKILL.md", "skill.md"].iter().any(|name| folder.join(name).is_file());
    if !there {
        return Err(FetchError::NoSkill { place: folder.display().to_string() });
    }
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    one(folder, folder, &real)
}

fn one(folder: &Path, base: &Path, real: &Path) -> Result<FetchedSkill, FetchError> {
    let limits = Limits::default();
    let unusable = |why: String| FetchError::Unusable { folder: folder.display().to_string(), why };
    let (tree, found) = disk::read_folder(folder, &limits)
        .map_err(|error| FetchError::Disk { path: folder.to_path_buf(), error })?;
    let mut diagnostics = left_out(found).map_err(unusable)?;
    let tree = choose::plain(tree, &mut diagnostics);
    let below =
        folder.strip_prefix(base).ok().and_then(|below| below.to_str()).filter(|below| !below.is_empty());
    let own: Option<PathBuf> = below.map(PathBuf::from).or_else(|| Some(real.to_path_buf()));
    let own = own.as_deref().and_then(Path::file_name).and_then(|name| name.to_str()).map(str::to_owned);
    let (name, capabilities) = choose::facts_of(&tree, own.as_deref())
        .ok_or_else(|| unusable("it has no name that could be a folder".to_owned()))?;
    let below = below.map(|below| TreePath::new(below, &limits)).transpose();
    let folder = below.map_err(|fault| unusable(format!("its path {fault}")))?;
    Ok(FetchedSkill { name, folder, tree, signature: None, artefact: None, capabilities, diagnostics })
}

/// Links are not part of a skill; anything else that is missing makes it another skill.
fn left_out(found: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, String> {
    match found.iter().find(|diagnostic| diagnostic.code != Code::LinkSkipped) {
        Some(first) => Err(first.message.clone()),
        None => Ok(found),
    }
}

fn archive(path: &Path) -> Result<FetchedSkill, FetchError> {
    let limits = Limits::default();
    let disk = |error| FetchError::Disk { path: path.to_path_buf(), error };
    let within = bounded::around(path);
    let bytes =
        bounded::read(path, limits.packed_bytes, within.as_ref()).map_err(|error| disk(error.into()))?;
    unpacked(&bytes, path)
}

/// The skill of an archive, wherever that came from; `path` names it.
pub(super) fn unpacked(bytes: &[u8], path: &Path) -> Result<FetchedSkill, FetchError> {
    let hint = path.file_name().and_then(|name| name.to_str());
    let package = skillful_archive::read(bytes, hint, &Limits::default())
        .map_err(|refused| FetchError::Package { path: path.to_path_buf(), refused })?;
    let stem = hint.and_then(|hint| hint.split('.').next());
    let own = package.folder.clone().or_else(|| stem.map(str::to_owned));
    let mut diagnostics = package.diagnostics;
    let tree = choose::plain(package.tree, &mut diagnostics);
    let (name, capabilities) =
        choose::facts_of(&tree, own.as_deref()).ok_or_else(|| FetchError::Unusable {
            folder: path.display().to_string(),
            why: "it has no skill file, or no name that could be a folder".to_owned(),
        })?;
    let artefact = Some(digest_bytes(bytes));
    Ok(FetchedSkill { name, folder: None, tree, artefact, signature: None, capabilities, diagnostics })
}
