//! What installed skills were when they were installed, asked again each time one is activated: text
//! that changed behind a person's back is not what they agreed to.

use serde::{Deserialize, Serialize};
use skillful_catalog::{disk, variables};
use skillful_format::Limits;
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

/// The file below the data folder.
pub const FILE: &str = "installed.toml";
/// The file that is locked while the record is rewritten; it stays empty.
const LOCK: &str = "installed.lock";
/// A record larger than this is refused.
const LIMIT: u64 = 16 << 20;

/// The digests of installed skills, by folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installed {
    /// Digest of the tree, by its folder with links resolved.
    #[serde(default)]
    pub folders: BTreeMap<PathBuf, String>,
}

/// Why an installed skill may not be activated.
#[derive(Debug, thiserror::Error)]
pub enum Changed {
    /// Its files are not what was installed.
    #[error(
        "its files changed since it was installed (now {now}); look at them, then `skillful accept` it or import it again"
    )]
    Differs {
        /// What the folder holds now.
        now: String,
    },
    /// Its files cannot be read.
    #[error("its files cannot be compared with what was installed: {0}")]
    Unreadable(#[from] io::Error),
}

impl Installed {
    /// Reads the record; none is an empty one. One that cannot be read is an error: without it a
    /// changed skill would pass.
    pub fn read(data: &Path) -> io::Result<Self> {
        let file = data.join(FILE);
        match std::fs::metadata(&file) {
            Ok(meta) if meta.len() > LIMIT => {
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is over {LIMIT} bytes")));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        }
        let text = std::fs::read_to_string(file)?;
        toml::from_str(&text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.message()))
    }

    /// Notes what a folder holds now. Returns its digest.
    pub fn note(data: &Path, folder: &Path) -> io::Result<String> {
        let mut noted = Self::note_all(data, &[folder.to_path_buf()])?;
        noted.pop().ok_or_else(|| io::Error::other("nothing was noted"))
    }

    /// The same for many folders, with one write. Returns their digests in order.
    pub fn note_all(data: &Path, folders: &[PathBuf]) -> io::Result<Vec<String>> {
        let digests = folders.iter().map(|folder| digest(folder)).collect::<io::Result<Vec<_>>>()?;
        Self::note_known(data, folders.iter().map(PathBuf::as_path).zip(digests.iter().cloned()))?;
        Ok(digests)
    }

    /// Notes folders whose digests are known, because whoever asks has just written them. They are not read
    /// again, so that what somebody changes meanwhile is found at the next activation.
    pub fn note_known<'a>(
        data: &Path,
        folders: impl IntoIterator<Item = (&'a Path, String)>,
    ) -> io::Result<()> {
        std::fs::create_dir_all(data)?;
        // Whoever reads it to write it is alone: a note that got lost would let a changed skill pass.
        let alone = std::fs::File::options().create(true).append(true).open(data.join(LOCK))?;
        alone.lock()?;
        let mut record = Self::read(data)?;
        // A folder that is gone needs no record, and another one at its place must not inherit it.
        record.folders.retain(|folder, _| folder.is_dir());
        let mut parents: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        for (folder, digest) in folders {
            record.folders.insert(real(folder, &mut parents)?, digest);
        }
        let text = toml::to_string(&record).map_err(io::Error::other)?;
        let mut staged = tempfile::NamedTempFile::new_in(data)?;
        io::Write::write_all(&mut staged, text.as_bytes())?;
        staged.persist(data.join(FILE)).map_err(|error| error.error)?;
        Ok(())
    }

    /// Whether a skill is as it was installed. One that nobody installed through us passes.
    pub fn check(&self, folder: &Path) -> Result<(), Changed> {
        if self.folders.is_empty() {
            return Ok(());
        }
        let Some(known) = self.folders.get(&folder.canonicalize()?) else { return Ok(()) };
        let now = digest(folder)?;
        if now == *known { Ok(()) } else { Err(Changed::Differs { now }) }
    }
}

/// A folder with links resolved. Of many in one folder, what is above is resolved once.
fn real(folder: &Path, parents: &mut BTreeMap<PathBuf, PathBuf>) -> io::Result<PathBuf> {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return folder.canonicalize();
    };
    if !folder.symlink_metadata()?.is_dir() || parent.as_os_str().is_empty() {
        return folder.canonicalize();
    }
    let above = match parents.get(parent) {
        Some(above) => above,
        None => parents.entry(parent.to_path_buf()).or_insert(parent.canonicalize()?),
    };
    Ok(above.join(name))
}

/// The digest of a folder. What cannot be a part of a skill (links, devices, files beyond the limits)
/// would be missing in it, so its presence is an error.
fn digest(folder: &Path) -> io::Result<String> {
    let (tree, left_out) = disk::read_folder(folder, &Limits::default())?;
    if let Some(first) = left_out.first() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, first.message.clone()));
    }
    // The person may set values beside a skill at any time.
    Ok(variables::without_values(tree, &Limits::default()).0.digest().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_note_is_lost_when_many_are_made_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (data, skills) = (folder.path().join("data"), folder.path().join("skills"));
        let each = &|at: usize| {
            let skill = skills.join(at.to_string());
            std::fs::create_dir_all(&skill).unwrap();
            Installed::note_known(&data, [(skill.as_path(), "sha256:0".to_owned())]).unwrap();
        };
        std::thread::scope(|scope| {
            for at in 0..16 {
                scope.spawn(move || each(at));
            }
        });
        assert_eq!(Installed::read(&data).unwrap().folders.len(), 16);
    }
}
