//! Instruction files: those of the user, and those of a trusted project from its root down to the working folder.

use crate::project;
use skillful::Workspace;
use skillful_catalog::bounded::{self, Boundary};
use std::path::{Path, PathBuf};

/// The files of a folder, best first. A folder with both has one in general and a copy or a link for one agent.
const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// The files of the user, below the home; the first that exists counts.
const OF_USER: [&str; 4] =
    [".config/skillful/AGENTS.md", ".agents/AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md"];
/// Bytes of all files together.
const LIMIT: usize = 32 << 10;

/// The instructions of the user and of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// The text for the system prompt; empty when there is none.
    pub text: String,
    /// Files that were not read or not completely, each with the rest of a sentence about it.
    pub notes: Vec<(PathBuf, String)>,
}

impl Instructions {
    /// Reads them. Those of the project only when the user trusts it: the model follows them.
    pub fn of(workspace: &Workspace) -> Self {
        let mut read = Self::default();
        let environment = workspace.environment();
        let own = OF_USER.iter().map(|name| environment.home.join(name)).find(|file| file.is_file());
        if let Some(file) = own {
            read.add(&file, "the user", None);
        }
        let project = &workspace.catalog().project;
        let within = Boundary::of(project);
        for file in files_down(project, &environment.cwd) {
            if project::is_trusted(workspace) {
                read.add(&file, "this project", Some(&within));
            } else {
                read.notes.push((file, project::UNTRUSTED.to_owned()));
            }
        }
        read
    }

    fn add(&mut self, file: &Path, whose: &str, within: Option<&Boundary>) {
        let room = LIMIT.saturating_sub(self.text.len());
        if room == 0 {
            self.notes
                .push((file.to_owned(), format!("was not read: the files before it have {LIMIT} bytes")));
            return;
        }
        match bounded::read_start(file, room, within) {
            Ok((text, whole)) => {
                if !whole {
                    self.notes.push((file.to_owned(), format!("was read up to its first {room} bytes")));
                }
                if !text.trim().is_empty() {
                    let name = file.display();
                    self.text
                        .push_str(&format!("## Instructions of {whose} ({name})\n\n{}\n\n", text.trim_end()));
                }
            }
            Err(error) => self.notes.push((file.to_owned(), format!("was not read: {error}"))),
        }
    }
}

/// The instruction files from the root of a project down to a folder.
pub(crate) fn files_down(project: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<&Path> =
        folder.ancestors().take_while(|folder| folder.starts_with(project)).collect();
    if folders.is_empty() {
        folders.push(project);
    }
    folders.reverse();
    let file = |folder: &Path| {
        NAMES.iter().map(|name| folder.join(name)).find(|file| file.symlink_metadata().is_ok())
    };
    folders.into_iter().filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_from_the_root_down_and_one_in_each_folder() {
        let top = tempfile::tempdir().unwrap();
        let inner = top.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        for name in ["AGENTS.md", "CLAUDE.md", "a/CLAUDE.md", "a/b/AGENTS.md"] {
            std::fs::write(top.path().join(name), "x").unwrap();
        }
        let found: Vec<PathBuf> = files_down(top.path(), &inner);
        let expected = ["AGENTS.md", "a/CLAUDE.md", "a/b/AGENTS.md"].map(|name| top.path().join(name));
        assert_eq!(found, expected);
    }
}
