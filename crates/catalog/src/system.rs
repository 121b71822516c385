//! The skills shipped with the program, installed where agents can read them.
//!
//! Each version has a folder of its own, named by the digest of its content. Installing is writing
//! a folder beside it and renaming, so that a reader sees all of it or nothing, and programs of
//! different versions do not disturb one another.

use sha2::{Digest, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

include!(concat!(env!("OUT_DIR"), "/skills.rs"));

/// Names of the skills shipped with the program.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = EMBEDDED.iter().filter_map(|(path, _)| path.split('/').next()).collect();
    names.dedup();
    names
}

/// Digest of everything shipped.
fn fingerprint() -> String {
    let mut hash = Sha256::new();
    for (path, bytes) in EMBEDDED {
        hash.update((path.len() as u64).to_le_bytes());
        hash.update(path.as_bytes());
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// The folder in which this version's skills lie, installed or not.
pub fn folder(data: &Path) -> PathBuf {
    data.join("system").join(fingerprint())
}

/// Installs the shipped skills when they are not there, or not whole. Returns their folder.
pub fn install(data: &Path) -> io::Result<PathBuf> {
    let target = folder(data);
    if is_whole(&target) {
        return Ok(target);
    }
    let parent = data.join("system");
    fs::create_dir_all(&parent)?;
    let staged = tempfile::Builder::new().prefix(".new-").tempdir_in(&parent)?;
    for (path, bytes) in EMBEDDED {
        let file = staged.path().join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&file, bytes)?;
    }
    if target.exists() {
        // Somebody edited or damaged it: put it aside under a name nobody reads.
        let aside = tempfile::Builder::new().prefix(".old-").tempdir_in(&parent)?;
        fs::rename(&target, aside.path().join("skills"))?;
    }
    let staged = staged.keep();
    match fs::rename(&staged, &target) {
        Ok(()) => Ok(target),
        // Another process was faster with the same content.
        Err(_) if is_whole(&target) => fs::remove_dir_all(&staged).map(|()| target),
        Err(error) => Err(error),
    }
}

/// Whether every shipped file is there with its size; content is what the folder's name says.
fn is_whole(folder: &Path) -> bool {
    EMBEDDED.iter().all(|(path, bytes)| {
        fs::metadata(folder.join(path)).is_ok_and(|meta| meta.len() == bytes.len() as u64)
    })
}
