//! Secrets in an encrypted file, beside a key that only its person can read.
//!
//! It guards copies of the file: backups, synchronised folders, a repository by mistake. Who can
//! read the key can read the secrets, so a sandbox must hide the folder of the key.

use super::{
    COUNT_LIMIT, Name, Store, StoreError, check_value,
    private::{self, Put},
    records::{self, Records},
    seal::{KEY, Key, Shut},
};
use secrecy::SecretString;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// A store larger than this is not read.
const FILE_LIMIT: u64 = 32 << 20;
/// The encrypted file.
const FILE: &str = "secrets";
/// The key beside it.
const KEY_FILE: &str = "secrets.key";

/// The encrypted file of one person.
#[derive(Clone, Debug)]
pub struct EncryptedFile {
    file: PathBuf,
    key: PathBuf,
}

impl EncryptedFile {
    /// The store in a folder; its key lies beside it, or where `key` says. Nothing is read yet.
    pub fn new(folder: &Path, key: Option<&Path>) -> Self {
        Self { file: folder.join(FILE), key: key.map_or_else(|| folder.join(KEY_FILE), Path::to_path_buf) }
    }

    /// The file of the key, which no sandbox may show.
    pub fn key_file(&self) -> &Path {
        &self.key
    }

    fn key(&self) -> Result<Option<Key>, StoreError> {
        let Some(bytes) = private::read(&self.key, KEY as u64)? else { return Ok(None) };
        Key::from_bytes(&bytes).map(Some).ok_or_else(|| StoreError::KeyInvalid { key: self.key.clone() })
    }

    /// The key, made now when there is none and nothing is locked yet.
    fn key_or_new(&self) -> Result<Key, StoreError> {
        if let Some(key) = self.key()? {
            return Ok(key);
        }
        let key = Key::random().map_err(StoreError::io("make a key for", &self.key))?;
        match private::write(&self.key, key.bytes(), Put::New) {
            Ok(()) => Ok(key),
            // Somebody else made one in between: theirs counts.
            Err(error) => self.key()?.ok_or(error),
        }
    }

    fn records(&self) -> Result<Records, StoreError> {
        let Some(sealed) = private::read(&self.file, FILE_LIMIT)? else { return Ok(Records::new()) };
        let key = self.key()?.ok_or_else(|| StoreError::KeyMissing { key: self.key.clone() })?;
        let format = |why| StoreError::Format { file: self.file.clone(), why };
        let plain = key.open(&sealed).map_err(|shut| match shut {
            Shut::Foreign => format("it has no header"),
            Shut::Version => format("it is of another version"),
            Shut::Key => StoreError::Locked { file: self.file.clone(), key: self.key.clone() },
        })?;
        records::read(&plain).ok_or_else(|| format("its records cannot be read"))
    }

    fn write(&self, records: &Records) -> Result<(), StoreError> {
        let sealed = self.key_or_new()?.seal(&records::write(records));
        let sealed = sealed.map_err(StoreError::io("encrypt", &self.file))?;
        private::write(&self.file, &sealed, Put::Replace)
    }
}

impl Store for EncryptedFile {
    fn get(&self, name: &Name) -> Result<Option<SecretString>, StoreError> {
        Ok(self.records()?.remove(name))
    }

    fn set(&self, name: &Name, value: &SecretString) -> Result<(), StoreError> {
        check_value(value)?;
        let _lock = private::lock(&self.file)?;
        let mut records = self.records()?;
        if records.len() >= COUNT_LIMIT && !records.contains_key(name) {
            return Err(StoreError::Full);
        }
        records.insert(name.clone(), value.clone());
        self.write(&records)
    }

    fn remove(&self, name: &Name) -> Result<bool, StoreError> {
        let _lock = private::lock(&self.file)?;
        let mut records = self.records()?;
        if records.remove(name).is_none() {
            return Ok(false);
        }
        self.write(&records)?;
        Ok(true)
    }

    fn list(&self) -> Result<Vec<Name>, StoreError> {
        Ok(self.records()?.into_keys().collect())
    }

    fn place(&self) -> String {
        format!("the encrypted file {} with the key {}", self.file.display(), self.key.display())
    }
}
