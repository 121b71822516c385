//! Secrets in an encrypted file, beside a key that only its owner can read.
//!
//! It protects copies of the file: backups, synchronised folders, a commit by mistake. A process that can
//! read the key can read the secrets, so a sandbox must hide the folder of the key.

use super::{
    COUNT_LIMIT, SecretName, Vault, VaultError, check_value,
    private_file::{self, Put},
    records::{self, Records},
    seal::{KEY, Key, SealError},
};
use secrecy::SecretString;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// A vault larger than this is not read.
const FILE_LIMIT: u64 = 32 << 20;
/// The encrypted file.
const FILE: &str = "secrets";
/// The key beside it.
const KEY_FILE: &str = "secrets.key";

/// The encrypted file of one user.
#[derive(Clone, Debug)]
pub struct EncryptedFile {
    file: PathBuf,
    key: PathBuf,
}

impl EncryptedFile {
    /// The vault in a folder; its key lies beside it, or at `key`. Nothing is read yet.
    pub fn new(folder: &Path, key: Option<&Path>) -> Self {
        Self { file: folder.join(FILE), key: key.map_or_else(|| folder.join(KEY_FILE), Path::to_path_buf) }
    }

    /// The file of the key, which every sandbox must hide.
    pub fn key_file(&self) -> &Path {
        &self.key
    }

    fn key(&self) -> Result<Option<Key>, VaultError> {
        let Some(bytes) = private_file::read(&self.key, KEY as u64)? else { return Ok(None) };
        Key::from_bytes(&bytes).map(Some).ok_or_else(|| VaultError::KeyInvalid { key: self.key.clone() })
    }

    /// The key; a new one when there is none and nothing is encrypted yet.
    fn key_or_new(&self) -> Result<Key, VaultError> {
        if let Some(key) = self.key()? {
            return Ok(key);
        }
        let key = Key::random().map_err(VaultError::io("make a key for", &self.key))?;
        match private_file::write(&self.key, key.bytes(), Put::New) {
            Ok(()) => Ok(key),
            // Another process made one in between: use that one.
            Err(error) => self.key()?.ok_or(error),
        }
    }

    fn records(&self) -> Result<Records, VaultError> {
        let Some(sealed) = private_file::read(&self.file, FILE_LIMIT)? else { return Ok(Records::new()) };
        let key = self.key()?.ok_or_else(|| VaultError::KeyMissing { key: self.key.clone() })?;
        let format = |why| VaultError::Format { file: self.file.clone(), why };
        let plain = key.open(&sealed).map_err(|error| match error {
            SealError::Foreign => format("it has no header"),
            SealError::Version => format("it is of another version"),
            SealError::Key => VaultError::Locked { file: self.file.clone(), key: self.key.clone() },
        })?;
        records::read(&plain).ok_or_else(|| format("its records cannot be read"))
    }

    fn write(&self, records: &Records) -> Result<(), VaultError> {
        let sealed = self.key_or_new()?.seal(&records::write(records));
        let sealed = sealed.map_err(VaultError::io("encrypt", &self.file))?;
        private_file::write(&self.file, &sealed, Put::Replace)
    }
}

impl Vault for EncryptedFile {
    fn get(&self, name: &SecretName) -> Result<Option<SecretString>, VaultError> {
        Ok(self.records()?.remove(name))
    }

    fn set(&self, name: &SecretName, value: &SecretString) -> Result<(), VaultError> {
        check_value(value)?;
        let _lock = private_file::lock(&self.file)?;
        let mut records = self.records()?;
        if records.len() >= COUNT_LIMIT && !records.contains_key(name) {
            return Err(VaultError::Full);
        }
        records.insert(name.clone(), value.clone());
        self.write(&records)
    }

    fn remove(&self, name: &SecretName) -> Result<bool, VaultError> {
        let _lock = private_file::lock(&self.file)?;
        let mut records = self.records()?;
        if records.remove(name).is_none() {
            return Ok(false);
        }
        self.write(&records)?;
        Ok(true)
    }

    fn list(&self) -> Result<Vec<SecretName>, VaultError> {
        Ok(self.records()?.into_keys().collect())
    }

    fn location(&self) -> String {
        format!("the encrypted file {} with the key {}", self.file.display(), self.key.display())
    }
}
