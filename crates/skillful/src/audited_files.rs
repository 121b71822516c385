//! What an audit reads of a skill: every file, and what could not be read, which is never called clean.

use skillful_audit::{NotScanned, Report, audit};
use skillful_catalog::{bounded, disk};
use skillful_format::{Diagnostic, Limits, Tree};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Levels of folders, and entries in them, that are searched for folders of tools.
const DEPTH: usize = 8;
const ENTRIES: usize = 2_000;

/// The files of one skill as an audit sees them.
#[derive(Debug)]
pub struct AuditedFiles {
    tree: Tree,
    unread: Vec<NotScanned>,
    /// The name of the file, where one file is the whole skill.
    single: Option<String>,
}

/// Why the files of a skill were not read.
#[derive(Debug, thiserror::Error)]
pub enum NotRead {
    /// The folder cannot be read.
    #[error("the folder cannot be read: {0}")]
    Folder(io::Error),
    /// The file cannot be read.
    #[error("the file was not read: {0}")]
    File(String),
    /// The archive is refused.
    #[error("the archive was refused: {0}")]
    Archive(String),
}

impl AuditedFiles {
    /// Reads a folder, an archive or a command file.
    pub fn read(place: &Path) -> Result<Self, NotRead> {
        let limits = Limits::default();
        if place.is_dir() {
            let (tree, diagnostics) = disk::read_folder(place, &limits).map_err(NotRead::Folder)?;
            let mut unread = not_scanned(diagnostics);
            folders_of_tools(place, &mut unread);
            return Ok(Self { tree, unread, single: None });
        }
        let bytes = bounded::read(place, limits.packed_bytes, bounded::around(place).as_ref())
            .map_err(|error| NotRead::File(error.to_string()))?;
        let hint = place.file_name().and_then(|name| name.to_str());
        let package = skillful_archive::read(&bytes, hint, &limits).map_err(|refused| {
            let reasons =
                refused.diagnostics.iter().map(|found| format!("[{}] {}", found.code, found.message));
            NotRead::Archive(reasons.collect::<Vec<_>>().join("; "))
        })?;
        let is_text = place.extension().is_some_and(|ending| ending == "md");
        let single = hint.filter(|_| is_text).map(str::to_owned);
        Ok(Self { tree: package.tree, unread: not_scanned(package.diagnostics), single })
    }

    /// Files that were read already.
    pub fn of_tree(tree: Tree) -> Self {
        Self { tree, unread: Vec::new(), single: None }
    }

    /// The files that were read.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What these files could do to their user, and what of them was not scanned.
    pub fn report(&self) -> Report {
        let mut report = audit(&self.tree);
        report.add_not_scanned(self.unread.clone());
        if let Some(name) = &self.single {
            for finding in report.findings.iter_mut().filter(|finding| finding.path == "SKILL.md") {
                finding.path.clone_from(name);
            }
        }
        report
    }
}

fn not_scanned(diagnostics: Vec<Diagnostic>) -> Vec<NotScanned> {
    let one = |found: Diagnostic| NotScanned { path: ".".to_owned(), why: found.message };
    diagnostics.into_iter().map(one).collect()
}

/// Folders of tools inside a skill: no skill is read with them, and an agent may run what they hold.
fn folders_of_tools(place: &Path, unread: &mut Vec<NotScanned>) {
    let mut level: Vec<PathBuf> = vec![place.to_path_buf()];
    let mut seen = 0;
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for entry in level.iter().flat_map(fs::read_dir).flatten().flatten() {
            seen += 1;
            if seen > ENTRIES || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = entry.path();
            if entry.file_name().to_str().is_some_and(disk::is_noise) {
                let path = path.strip_prefix(place).unwrap_or(&path).to_string_lossy().into_owned();
                let why = "a folder of tools, which is not part of the skill; remove it".to_owned();
                unread.push(NotScanned { path, why });
            } else {
                next.push(path);
            }
        }
        level = next;
    }
}
