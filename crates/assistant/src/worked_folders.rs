//! The folders in which a user let the assistant work. In another folder it only reads until the user answers.

use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// The file in the data folder.
const FILE: &str = "worked-folders.json";
/// A larger file is not read, and counts as empty.
const LIMIT: u64 = 4 << 20;

/// The folders, as the file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Folders {
    folders: BTreeSet<PathBuf>,
}

/// The record of one user.
#[derive(Clone, Debug)]
pub struct WorkedFolders {
    file: PathBuf,
}

impl WorkedFolders {
    /// The record in a data folder.
    pub fn new(data: &Path) -> Self {
        Self { file: data.join(FILE) }
    }

    /// Whether the user let the assistant work in this project. A record that cannot be read knows none.
    pub fn knows(&self, project: &Path) -> bool {
        self.read().folders.contains(&real(project))
    }

    /// Remembers a project.
    pub fn remember(&self, project: &Path) -> io::Result<()> {
        let mut known = self.read();
        if !known.folders.insert(real(project)) {
            return Ok(());
        }
        let folder = self.file.parent().unwrap_or(&self.file);
        fs::create_dir_all(folder)?;
        let temporary = self.file.with_extension(format!("{}.tmp", std::process::id()));
        let mut file = fs::File::create(&temporary)?;
        file.write_all(serde_json::to_string_pretty(&known)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, &self.file)
    }

    fn read(&self) -> Folders {
        let whole = || -> io::Result<Folders> {
            let meta = self.file.metadata()?;
            if !meta.is_file() || meta.len() > LIMIT {
                return Ok(Folders::default());
            }
            let mut text = String::new();
            fs::File::open(&self.file)?.take(LIMIT).read_to_string(&mut text)?;
            Ok(serde_json::from_str(&text)?)
        };
        whole().unwrap_or_default()
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_remembered_by_its_real_path_and_a_broken_record_knows_none() {
        let root = tempfile::tempdir().unwrap();
        let (data, project) = (root.path().join("data"), root.path().join("project"));
        fs::create_dir(&project).unwrap();
        std::os::unix::fs::symlink(&project, root.path().join("link")).unwrap();
        let record = WorkedFolders::new(&data);
        assert!(!record.knows(&project));
        record.remember(&root.path().join("link")).unwrap();
        assert!(record.knows(&project) && WorkedFolders::new(&data).knows(&project.join(".")));
        assert!(!record.knows(&project.join("inside")) && !record.knows(root.path()));
        fs::write(data.join(FILE), "{broken").unwrap();
        assert!(!record.knows(&project));
    }
}
