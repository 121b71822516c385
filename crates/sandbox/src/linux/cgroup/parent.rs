//! Finds where our cgroups can be created: below the cgroup of this process, or beside it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The version of the cgroup interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// A cgroup folder in which a new cgroup can be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CgroupParent {
    pub(crate) folder: PathBuf,
    pub(crate) version: Version,
}

/// Number of levels above the own cgroup that are searched.
const LEVELS: usize = 16;

/// A mounted cgroup hierarchy.
#[derive(Debug, PartialEq, Eq)]
struct Mounted<'a> {
    /// The cgroup that appears as the mount point.
    root: &'a str,
    point: &'a str,
    version: Version,
    /// The controllers of the hierarchy (version 1 only).
    options: &'a str,
}

/// The folders that could contain a cgroup with this controller, the best first. Nothing is created yet.
pub(crate) fn candidates(controller: &str) -> Vec<CgroupParent> {
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

/// A cgroup has a controller only if its parent delegates it; the first one that does is usually the parent
/// of the own cgroup.
fn delegated(own: &Path, controller: &str) -> Vec<CgroupParent> {
    let hands_down = |folder: &Path| {
        fs::read_to_string(folder.join("cgroup.subtree_control"))
            .is_ok_and(|names| names.split_whitespace().any(|name| name == controller))
    };
    own.ancestors()
        .take(LEVELS)
        .filter(|folder| hands_down(folder))
        .map(|folder| CgroupParent { folder: folder.to_owned(), version: Version::V2 })
        .collect()
}

/// The folder of the own cgroup for a controller: in the controller's hierarchy (version 1), else in that of
/// version 2.
fn find(mounts: &str, own: &str, controller: &str) -> Option<CgroupParent> {
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
    // A container may see only a part of the hierarchy; a cgroup outside of it has no folder here.
    let below = Path::new(path).strip_prefix(mount.root).ok()?;
    let inside = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    inside.then(|| CgroupParent { folder: Path::new(mount.point).join(below), version: mount.version })
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
