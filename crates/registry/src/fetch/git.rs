//! Skills of a git repository, through the `git` program, with everything off that a repository could use.
//!
//! One commit is fetched into a bare repository without a template, and its files are read as objects. There
//! never is a working tree: so no hook, filter, attribute, submodule, link or large-file program has a part
//! in it. The program gets no configuration, one protocol, no way to ask, and the addresses that it may connect to.

mod objects;
mod pin;
mod program;

use super::{FetchError, Fetched, FetchedSkill, GitError, Outside, choose, local};
use crate::{
    lock::Resolved,
    source::{Ref, Source, SourceLocation},
};
use objects::Listed;
use program::Program;
use skillful_format::{Code, Diagnostic, Limits, Tree, TreeFile, TreePath};
use std::collections::{BTreeMap, BTreeSet};

/// Folders above a skill in a repository.
const DEPTH: usize = 8;
/// The first bytes of a file that points to a large file elsewhere.
const LARGE_FILE_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The bounds of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Seconds for each program.
    pub seconds: u64,
    /// Bytes that a fetch may put on the disk.
    pub bytes: u64,
    /// Files of one commit.
    pub files: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { seconds: 60, bytes: 100 << 20, files: 100_000 }
    }
}

pub(super) fn fetch(source: &Source, pinned: Option<&Ref>, outside: &Outside) -> Result<Fetched, FetchError> {
    let address = source.git_address().ok_or(GitError::Answer)?;
    let protocol = match &source.place {
        SourceLocation::Git(remote) => remote.protocol(),
        _ => "https",
    };
    let pin = pin::pin(&address, protocol, &outside.web.net)?;
    std::fs::create_dir_all(&outside.scratch).map_err(GitError::Disk)?;
    let scratch =
        tempfile::Builder::new().prefix("git-").tempdir_in(&outside.scratch).map_err(GitError::Disk)?;
    let program = Program::new(scratch.path(), protocol, pin, outside);
    program.holds_pin()?;
    program.run("make a repository", &["init", "--quiet", "--bare", "--template=", "."], &[])?;
    let wanted = pinned.or(source.reference.as_ref()).map_or("HEAD", Ref::as_str);
    program.run(
        "fetch it",
        &[
            "fetch",
            "--quiet",
            "--depth=1",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--no-write-fetch-head",
            "--end-of-options",
            &address,
            &format!("+{wanted}:refs/skillful/got"),
        ],
        &[],
    )?;
    let commit = program.commit()?;
    if let Some(pinned) = pinned.filter(|pinned| pinned.as_str() != commit) {
        return Err(GitError::OtherCommit { wanted: pinned.to_string(), got: commit }.into());
    }
    let listed = program.list(&commit, source.folder.as_ref())?;
    let folders = skill_folders(&listed);
    if folders.len() > local::SKILLS_LIMIT {
        return Err(FetchError::TooMany(local::SKILLS_LIMIT));
    }
    let own = own_name(source, &address);
    let weight = choose::Weight::default();
    let read = |folder: &str| {
        let below = |name: &str| join(source.folder.as_ref(), name);
        let place = below(folder).map_err(|why| FetchError::Unusable { folder: folder.to_owned(), why })?;
        let unusable = |why: String| FetchError::Unusable {
            folder: place.as_ref().map_or(".", TreePath::as_str).to_owned(),
            why,
        };
        let last = folder.rsplit('/').next().filter(|name| !name.is_empty());
        let mut diagnostics = Vec::new();
        let tree = tree_of(&program, &listed, folder, &mut diagnostics)?.map_err(unusable)?;
        let tree = choose::plain(tree, &mut diagnostics);
        let (name, capabilities) = choose::facts_of(&tree, last.or(own.as_deref()))
            .ok_or_else(|| unusable("it has no name that could be a folder".to_owned()))?;
        weight.add(&tree)?;
        Ok(FetchedSkill {
            name,
            folder: place,
            tree,
            signature: None,
            artefact: None,
            capabilities,
            diagnostics,
        })
    };
    let found = folders.into_iter().map(read).collect();
    choose::usable(found, Resolved { url: Some(address), commit: Some(commit), version: None })
}

/// The name of a repository's only skill, when nothing else names it.
fn own_name(source: &Source, address: &str) -> Option<String> {
    let last = match &source.folder {
        Some(folder) => folder.as_str().rsplit('/').next(),
        None => address.trim_end_matches('/').rsplit(['/', ':']).next(),
    };
    last.map(|name| name.strip_suffix(".git").unwrap_or(name).to_owned())
}

fn join(above: Option<&TreePath>, below: &str) -> Result<Option<TreePath>, String> {
    let text = match (above, below) {
        (above, "") => return Ok(above.cloned()),
        (None, below) => below.to_owned(),
        (Some(above), below) => format!("{above}/{below}"),
    };
    TreePath::new(&text, &Limits::default()).map(Some).map_err(|fault| format!("its path {fault}"))
}

/// The folders with a skill file, none of them inside another; the top one is `""`.
fn skill_folders(listed: &[Listed]) -> Vec<&str> {
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    for entry in listed.iter().filter(|entry| entry.is_file()) {
        let (folder, file) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        let is_deep = folder.split('/').count() > DEPTH;
        let is_noise = folder.split('/').any(skillful_catalog::disk::is_noise);
        if matches!(file, "SKILL.md" | "skill.md") && !is_deep && !is_noise {
            folders.insert(folder);
        }
    }
    if folders.contains("") {
        return vec![""];
    }
    let is_inside = |folder: &str| folder.match_indices('/').any(|(at, _)| folders.contains(&folder[..at]));
    folders.iter().copied().filter(|folder| !is_inside(folder)).collect()
}

type Taken = Result<Tree, String>;

/// The files of one skill. The outer error is git's, the inner one the skill's.
fn tree_of(
    program: &Program<'_>,
    listed: &[Listed],
    folder: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Taken, GitError> {
    let limits = Limits::default();
    let mut wanted = Vec::new();
    let mut total = 0;
    let mut noise: BTreeMap<String, usize> = BTreeMap::new();
    for entry in listed {
        let below = if folder.is_empty() {
            Some(entry.path.as_str())
        } else {
            entry.path.strip_prefix(folder).and_then(|below| below.strip_prefix('/'))
        };
        let Some(below) = below else { continue };
        if let Some(name) = below.split('/').find(|name| skillful_catalog::disk::is_noise(name)) {
            *noise.entry(name.to_owned()).or_default() += 1;
            continue;
        }
        let path = match TreePath::new(below, &limits) {
            Ok(path) => path,
            Err(fault) => return Ok(Err(format!("the path `{}` {fault}", below.escape_debug()))),
        };
        if !entry.is_file() {
            let what = if entry.is_link() { "a link" } else { "another repository" };
            let message = format!("`{path}` is {what} and not part of the skill");
            diagnostics.push(Diagnostic::new(Code::LinkSkipped, message));
            continue;
        }
        total += entry.size;
        if entry.size > limits.file_bytes || total > limits.total_bytes || wanted.len() >= limits.files {
            return Ok(Err(format!(
                "`{path}` goes beyond the limits of a skill: {} files, {} bytes each, {} bytes together",
                limits.files, limits.file_bytes, limits.total_bytes
            )));
        }
        wanted.push((path, entry));
    }
    choose::report_noise(&noise, diagnostics);
    let contents = program.contents(&wanted.iter().map(|(_, entry)| *entry).collect::<Vec<_>>())?;
    let mut tree = Tree::default();
    for ((path, entry), bytes) in wanted.into_iter().zip(contents) {
        if bytes.starts_with(LARGE_FILE_POINTER) {
            return Ok(Err(format!("`{path}` is in large-file storage (git LFS), which is not fetched")));
        }
        if let Err(found) = tree.insert(path, TreeFile { bytes, executable: entry.is_executable() }, &limits)
        {
            return Ok(Err(found.message));
        }
    }
    Ok(Ok(tree))
}
