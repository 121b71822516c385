//! Where groups of ours may be made: below the group this process is in, or beside it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// How a group says its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// A folder of the kernel in which a group may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
    pub(crate) version: Version,
}

/// Levels looked at above the own group.
const LEVELS: usize = 16;

/// One mounted tree of groups.
#[derive(Debug, PartialEq, Eq)]
struct Mounted<'a> {
    /// The group that is shown as the mount's own folder.
    root: &'a str,
    point: &'a str,
    version: Version,
    /// What the tree controls (version 1 only).
    options: &'a str,
}

/// The folders that could hold a group which limits `controller`, the best first. Nothing is tried yet.
pub(crate) fn candidates(controller: &str) -> Vec<Place> {
    let (Ok(mounts), Ok(own)) =
        (fs::read_to_string("/proc/self/mountinfo"), fs::read_to_string("/proc/self/cgroup"))
    else {
        return Vec::new();
    };
    let Some(place) = find(&mounts, &own, controller) else { return Vec::new() };
    match place.version {
        Version::V1 => vec![place],
        Version::V2 => delegated(&place.folder, controller),
    }
}

/// A group limits what is below it only if the one above hands the controller down; the first that does is the
/// own group's parent, mostly.
fn delegated(own: &Path, controller: &str) -> Vec<Place> {
    let hands_down = |folder: &Path| {
        fs::read_to_string(folder.join("cgroup.subtree_control"))
            .is_ok_and(|names| names.split_whitespace().any(|name| name == controller))
    };
    own.ancestors()
        .take(LEVELS)
        .filter(|folder| hands_down(folder))
        .map(|folder| Place { folder: folder.to_owned(), version: Version::V2 })
        .collect()
}

/// The folder of the own group for a controller: in its own tree (version 1), else in the one of version 2.
fn find(mounts: &str, own: &str, controller: &str) -> Option<Place> {
    let mounts: Vec<_> = mounts.lines().filter_map(mounted).collect();
    let path = |list: &dyn Fn(&str) -> bool| {
        own.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (names, path) = (parts.next()?, parts.next()?);
            list(names).then_some(path)
        })
    };
    let first = path(&|names| names.split(',').any(|name| name == controller));
    let (path, mount) = match first {
        Some(path) => {
            let controls = |mount: &&Mounted<'_>| mount.options.split(',').any(|name| name == controller);
            (path, mounts.iter().filter(|mount| mount.version == Version::V1).find(controls)?)
        }
        None => (path(&str::is_empty)?, mounts.iter().find(|mount| mount.version == Version::V2)?),
    };
    // A container may be shown only a part of the tree; a group outside of it has no folder here.
    let below = Path::new(path).strip_prefix(mount.root).ok()?;
    let inside = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    inside.then(|| Place { folder: Path::new(mount.point).join(below), version: mount.version })
}

fn mounted(line: &str) -> Option<Mounted<'_>> {
    let (mount, kind) = line.split_once(" - ")?;
    let mut kind = kind.split(' ');
    let version = match kind.next()? {
        "cgroup" => Version::V1,
        "cgroup2" => Version::V2,
        _ => return None,
    };
    let options = kind.nth(1)?;
    let mut mount = mount.split(' ').skip(3);
    Some(Mounted { root: mount.next()?, point: mount.next()?, version, options })
}

#[cfg(test)]
mod tests;
