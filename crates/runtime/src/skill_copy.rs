//! A private copy of the approved files of a skill, for its programs. They see it in the place of the skill's folder,
//! so that they run the files that the user approved, whatever lies in that folder by then, and nothing beside them.

use crate::key_files;
use skillful_catalog::{AdmittedSkill, Settings, disk, profile::RootKind};
use skillful_format::{Limits, Tree};
use skillful_sandbox::Replacement;
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;

/// The copy, which is removed with the last handle to it.
#[derive(Clone, Debug)]
pub struct SkillCopy {
    /// The folder of the skill, without links in its path.
    folder: PathBuf,
    files: Arc<Tree>,
    copy: Arc<TempDir>,
}

impl SkillCopy {
    /// Copies the approved files of a skill. None for a skill that needs no approval, whose own folder counts, and
    /// for a command file, which has no folder of its own.
    pub fn of(skill: &AdmittedSkill<'_>, settings: &Settings) -> io::Result<Option<Self>> {
        if skill.entry().origin.kind == RootKind::Commands {
            return Ok(None);
        }
        let Some(files) = skill.approved_files() else { return Ok(None) };
        Self::make(skill.folder(), files, settings.copies.as_deref()).map(Some)
    }

    /// A copy of files, to be seen in the place of a folder.
    pub fn make(folder: &Path, files: &Arc<Tree>, place: Option<&Path>) -> io::Result<Self> {
        let copy = private_folder(place)?;
        disk::write_files(&without_keys(files), copy.path())?;
        Ok(Self { folder: folder.to_path_buf(), files: Arc::clone(files), copy: Arc::new(copy) })
    }

    /// The approved files.
    pub fn files(&self) -> &Tree {
        &self.files
    }

    /// The copy in the place of the folder.
    pub fn replacement(&self) -> Replacement {
        Replacement { path: self.folder.clone(), by: self.copy.path().to_path_buf() }
    }
}

/// Commands do not see files with keys.
fn without_keys(files: &Arc<Tree>) -> Arc<Tree> {
    let is_key = |path: &str| key_files::is_key(Path::new(path));
    if !files.iter().any(|(path, _)| is_key(path.as_str())) {
        return Arc::clone(files);
    }
    let mut kept = Tree::default();
    for (path, file) in files.iter().filter(|(path, _)| !is_key(path.as_str())) {
        // What was in a tree fits into one with fewer files.
        let _fits = kept.insert(path.clone(), file.clone(), &Limits::default());
    }
    Arc::new(kept)
}

/// What the names of copies begin with; the process that made one follows.
const PREFIX: &str = "skill-";

/// A folder that only the user can open. Without a place for it, it is in the folder of the system for temporary files.
fn private_folder(place: Option<&Path>) -> io::Result<TempDir> {
    let name = format!("{PREFIX}{}-", std::process::id());
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(&name);
    let Some(place) = place else { return builder.tempdir() };
    std::fs::create_dir_all(place)?;
    remove_abandoned(place);
    builder.tempdir_in(place)
}

/// Removes the copies of processes that were killed.
fn remove_abandoned(place: &Path) {
    let Ok(entries) = place.read_dir() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse().ok());
        let Some(process) = process.and_then(rustix::process::Pid::from_raw) else { continue };
        let is_gone = rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH);
        if is_gone {
            // Another process may be removing it too.
            let _removed = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_processes_that_are_gone_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let gone = place.path().join(format!("{PREFIX}{}-abc", child.id()));
        child.wait().unwrap();
        let (alive, other) = (place.path().join(format!("{PREFIX}1-abc")), place.path().join("other"));
        for folder in [&gone, &alive, &other] {
            std::fs::create_dir_all(folder.join("scripts")).unwrap();
        }
        let made = private_folder(Some(place.path())).unwrap();
        assert!(made.path().is_dir() && alive.is_dir() && other.is_dir() && !gone.exists());
        let kept = made.path().to_path_buf();
        drop(made);
        assert!(!kept.exists());
    }
}
