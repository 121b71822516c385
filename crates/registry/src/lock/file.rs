//! The lock as a file.

use super::{Lock, LockError};
use crate::hand::Hand;
use cap_std::{ambient_authority, fs::Dir};
use std::{
    io::{self, Read},
    path::Path,
};

/// Its name, in the folder of the project or of the person.
pub const LOCK_FILE: &str = "skillful.lock";
/// A larger file is refused before it is read.
pub const LOCK_LIMIT: u64 = 16 << 20;

impl Lock {
    /// Reads the lock of a folder; none is an empty one.
    pub fn load(folder: &Path) -> Result<Self, LockError> {
        let path = folder.join(LOCK_FILE);
        let failed = |error| LockError::Disk { path: path.clone(), action: "read", error };
        let mut bytes = Vec::new();
        match std::fs::File::open(&path) {
            Ok(file) => file.take(LOCK_LIMIT + 1).read_to_end(&mut bytes).map_err(failed)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(failed(error)),
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| failed(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8")))?;
        text.parse().map_err(|fault| LockError::Text { path: path.clone(), fault })
    }

    /// Writes the lock of a folder, unless the file already says the same; returns whether it wrote.
    pub fn save(&self, folder: &Path, hand: &Hand) -> Result<bool, LockError> {
        let path = folder.join(LOCK_FILE);
        let text = self.to_string();
        if std::fs::read_to_string(&path).is_ok_and(|now| now == text) {
            return Ok(false);
        }
        let write = || {
            let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
            hand.write_file(&dir, LOCK_FILE, text.as_bytes())
        };
        write().map_err(|error| LockError::Disk { path: path.clone(), action: "written", error })?;
        Ok(true)
    }
}
