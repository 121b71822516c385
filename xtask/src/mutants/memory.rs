//! The breaks that were caught, so that a run that was stopped goes on and a small change makes few of them again.

use super::table::{self, Mutation};
use skillful_format::digest_bytes;
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

/// The file, below the root of the workspace.
const FILE: &str = "target/mutants/caught.txt";

/// Breaks that were caught, each by a digest of its entry, the broken file and the file of its test.
pub(crate) struct Memory {
    root: PathBuf,
    caught: BTreeSet<String>,
}

impl Memory {
    /// Nothing was caught yet.
    pub(crate) fn empty(root: &Path) -> Self {
        Self { root: root.to_path_buf(), caught: BTreeSet::new() }
    }

    /// What earlier runs caught.
    pub(crate) fn load(root: &Path) -> io::Result<Self> {
        let mut memory = Self::empty(root);
        match fs::read_to_string(root.join(FILE)) {
            Ok(text) => memory.caught = text.lines().map(str::to_owned).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(memory)
    }

    /// Whether a break was caught in the code as it is now.
    pub(crate) fn has(&self, mutation: &Mutation) -> bool {
        self.caught.contains(&self.key(mutation))
    }

    /// Keeps that a break was caught.
    pub(crate) fn keep(&mut self, mutation: &Mutation) -> io::Result<()> {
        self.caught.insert(self.key(mutation));
        let lines: Vec<&str> = self.caught.iter().map(String::as_str).collect();
        fs::write(self.root.join(FILE), lines.join("\n") + "\n")
    }

    fn key(&self, mutation: &Mutation) -> String {
        let file = fs::read_to_string(self.root.join(&mutation.file)).unwrap_or_default();
        let tests = table::test_sources(&self.root, &mutation.test);
        digest_bytes(format!("{mutation:?}\0{file}\0{}", tests.join("\0")).as_bytes()).to_string()
    }
}
