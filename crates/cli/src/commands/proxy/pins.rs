//! Paths inside of a writable folder that must stay what they are: nobody inside of the sandbox may
//! write there, move a folder above away, or turn a link on the way.
//!
//! A folder that something is mounted on cannot be moved. So every folder on the way becomes a mount
//! of its own, the last one a read-only one, and so does a folder that holds a link on the way.

use std::{
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

/// Links on the way to one path, as many as the system follows.
const LINKS: usize = 40;

/// Mounts that keep paths in place.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pins {
    /// Those that may be written below.
    pub(super) writable: Vec<PathBuf>,
    /// Those that may not.
    pub(super) read_only: Vec<PathBuf>,
}

/// Why a path cannot be kept in place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Loose {
    /// The writable folder lies in it, or is it.
    Around,
    /// A link right in the writable folder leads to it.
    Link(PathBuf),
    /// Too many links.
    Winding,
}

impl Pins {
    /// Keeps `path` in place, as far as it lies in the writable folder `top`, whose path is resolved.
    /// What is not there has nothing to be kept.
    pub(super) fn hold(&mut self, top: &Path, path: &Path) -> Result<(), Loose> {
        let mut left = words(path);
        let (mut at, mut links) = (PathBuf::from("/"), 0);
        while let Some(word) = left.pop() {
            if word == ".." {
                at.pop();
                continue;
            }
            let next = at.join(&word);
            if let Ok(target) = fs::read_link(&next) {
                links += 1;
                match () {
                    () if links > LINKS => return Err(Loose::Winding),
                    () if at == top => return Err(Loose::Link(next)),
                    () if at.starts_with(top) => self.read_only.push(at.clone()),
                    () => {}
                }
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                left.extend(words(&target));
                continue;
            }
            at = next;
            if at.starts_with(top) && at != top && at.is_dir() && !left.is_empty() {
                self.writable.push(at.clone());
            }
        }
        if top.starts_with(&at) {
            return Err(Loose::Around);
        }
        if at.starts_with(top) && at.exists() {
            self.read_only.push(at);
        }
        Ok(())
    }
}

/// The words of a path, the first one last.
fn words(path: &Path) -> Vec<OsString> {
    let word = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().rev().filter_map(word).collect()
}

#[cfg(test)]
mod tests;
