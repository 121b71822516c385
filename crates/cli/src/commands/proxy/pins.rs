//! Paths inside a writable folder that must not change: a command in the sandbox may not write there, move a
//! parent folder, or replace a link on the way.
//!
//! A mount point cannot be moved. So every folder on the way becomes a mount point, the last one read-only, and
//! so does a folder that contains a link on the way.

use std::{
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

/// Most links on the way to one path, as in the kernel.
const LINKS: usize = 40;

/// Mounts that keep paths in place.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pins {
    /// Writable mount points.
    pub(super) writable: Vec<PathBuf>,
    /// Read-only mount points.
    pub(super) read_only: Vec<PathBuf>,
}

/// Why a path cannot be kept in place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Loose {
    /// The writable folder is inside it, or is the same.
    Around,
    /// A link right in the writable folder leads to it.
    Link(PathBuf),
    /// Too many links.
    Winding,
}

impl Pins {
    /// Keeps `path` in place, as far as it is inside the writable folder `top`, whose path is resolved. A path that
    /// does not exist needs nothing.
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

/// The components of a path in reverse order.
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
