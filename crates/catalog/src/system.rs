//! The skills shipped with the program, installed where agents can read them.
//!
//! Each version has a folder of its own, named by the digest of its content. Installing is writing
//! a folder beside it and renaming, so that a reader sees all of it or nothing, and programs of
//! different versions do not disturb one another.

use crate::disk;
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

include!(concat!(env!("OUT_DIR"), "/skills.rs"));

/// Names of the skills shipped with the program.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = EMBEDDED.iter().filter_map(|(path, _)| path.split('/').next()).collect();
    names.dedup();
    names
}

/// The shipped skills by name, each with its files.
pub fn trees() -> Vec<(&'static str, Tree)> {
    let limits = Limits::default();
    let mut trees: Vec<(&str, Tree)> = names().into_iter().map(|name| (name, Tree::default())).collect();
    for (path, bytes) in EMBEDDED {
        let Some((name, inside)) = path.split_once('/') else { continue };
        let tree = trees.iter_mut().find(|(known, _)| *known == name);
        if let (Some((_, tree)), Ok(inside)) = (tree, TreePath::new(inside, &limits)) {
            // Within the limits: the tests read every shipped skill this way.
            let _inserted =
                tree.insert(inside, TreeFile { bytes: bytes.to_vec(), executable: false }, &limits);
        }
    }
    trees
}

/// The folder in which this version's skills lie, installed or not.
pub fn folder(data: &Path) -> PathBuf {
    data.join("system").join(FINGERPRINT)
}

/// Installs the shipped skills when they are not there, or not whole. Returns their folder.
pub fn install(data: &Path) -> io::Result<PathBuf> {
    let target = folder(data);
    if is_whole(&target) {
        return Ok(target);
    }
    let parent = data.join("system");
    fs::create_dir_all(&parent)?;
    // One process at a time: the second one finds the work done. Where locks do not work, two may do it;
    // the folder is whole all the same.
    let lock = fs::OpenOptions::new().create(true).append(true).open(parent.join(".lock"))?;
    let _locked = lock.lock();
    if is_whole(&target) {
        return Ok(target);
    }
    let staged = tempfile::Builder::new().prefix(".new-").tempdir_in(&parent)?;
    for (path, bytes) in EMBEDDED {
        let file = staged.path().join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&file, bytes)?;
    }
    // Edited or damaged files get the staged name, and are removed with it.
    match disk::put_in_place(staged.path(), &target) {
        Ok(_) => {
            if !staged.path().is_dir() || staged.path().is_symlink() {
                fs::remove_file(staged.path()).ok();
            }
            Ok(target)
        }
        // Another process was faster with the same content.
        Err(_) if is_whole(&target) => Ok(target),
        Err(error) => Err(error),
    }
}

/// Whether the folder holds every shipped file, byte for byte, and nothing else. The files are few
/// and small, so they are read: a size or a date would let an edit pass that a reader of system
/// skills takes for ours.
fn is_whole(folder: &Path) -> bool {
    let mut left: BTreeMap<PathBuf, &[u8]> =
        EMBEDDED.iter().map(|(path, bytes)| (folder.join(path), *bytes)).collect();
    let mut folders = vec![folder.to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { return false };
        for entry in entries {
            let Ok((path, kind)) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) else {
                return false;
            };
            if kind.is_dir() {
                folders.push(path);
                continue;
            }
            let Some(bytes) = left.remove(&path).filter(|_| kind.is_file()) else { return false };
            // One byte more than there should be, so that one call reads all of it, and a longer file is another.
            found.resize(bytes.len() + 1, 0);
            let read = fs::File::open(&path).and_then(|mut file| file.read(&mut found));
            if !read.is_ok_and(|length| found[..length] == *bytes) {
                return false;
            }
        }
    }
    left.is_empty()
}
