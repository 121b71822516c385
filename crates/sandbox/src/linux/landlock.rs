//! Landlock rules for files, network and signals.

use super::view::{SETTINGS, SYSTEM, View};
use crate::{Network, SandboxError};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use std::{
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// The lowest usable version. Below 3 a program can truncate files outside, below 4 it can use TCP. Linux
/// 6.7.
pub(crate) const LEAST: i32 = 4;

/// From this version on the kernel confines signals. Linux 6.12.
pub(crate) const SCOPES: i32 = 6;

/// The newest rules that this code knows; an older kernel gets the subset it supports.
const NEWEST: ABI = ABI::V6;

/// Devices that store nothing.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Files that describe the machine. Not all of `/proc`, because it exposes other processes.
const MACHINE: [&str; 11] = [
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/fs/pipe-max-size",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/vm/overcommit_memory",
    "/proc/uptime",
    "/proc/version",
    "/sys/devices/system/cpu",
];

/// The Landlock version of this kernel.
#[expect(unsafe_code, reason = "one system call without a safe wrapper")]
pub(crate) fn version() -> io::Result<i32> {
    const ASK_VERSION: u32 = 1;
    // SAFETY: with this flag the kernel accesses no memory; pointer and size must be null.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0_usize,
            ASK_VERSION,
        )
    };
    if version < 0 { Err(io::Error::last_os_error()) } else { Ok(i32::try_from(version).unwrap_or(i32::MAX)) }
}

/// The rules for a view of the disk, to be applied by the child. `scratch` is its private folder.
pub(crate) fn ruleset(view: &View, network: Network, scratch: &Path) -> Result<OwnedFd, SandboxError> {
    let failed =
        |error: RulesetError| SandboxError::setup("creating the Landlock rules", io::Error::other(error));
    let mut rules = handled(network).map_err(failed)?;
    let read = AccessFs::from_read(NEWEST);
    let write = AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    let machine = [SYSTEM.as_slice(), &SETTINGS, &MACHINE].concat();
    let mut given = Vec::new();
    for mount in &view.mounts {
        around(&mount.path, &view.hidden, if mount.writable { write } else { read }, &mut given)?;
    }
    let paths = machine
        .iter()
        .map(|path| (PathBuf::from(path), read))
        .chain(DEVICES.iter().map(|path| (PathBuf::from(path), AccessFs::ReadFile | AccessFs::WriteFile)))
        .filter(|(path, _)| path.exists())
        .chain(given)
        .chain([(scratch.to_owned(), write)]);
    for (path, access) in paths {
        rules = allow(rules, &path, access)?;
    }
    Option::<OwnedFd>::from(rules).ok_or_else(|| SandboxError::Setup {
        doing: "the kernel returned no Landlock rules".to_owned(),
        source: None,
    })
}

/// The paths that together give `path` without what is hidden in it. Landlock cannot take a right back, so a
/// folder on the way to a hidden path can only be listed, and its other entries are given one by one.
fn around(
    path: &Path,
    hidden: &[PathBuf],
    access: BitFlags<AccessFs>,
    given: &mut Vec<(PathBuf, BitFlags<AccessFs>)>,
) -> Result<(), SandboxError> {
    if hidden.iter().any(|hidden| hidden == path) {
        return Ok(());
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        given.push((path.to_owned(), access));
        return Ok(());
    }
    given.push((path.to_owned(), AccessFs::ReadDir.into()));
    let failed = |source| SandboxError::Path { path: path.to_owned(), source };
    for entry in path.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        // A link gives nothing by itself; its target is reached by its own path.
        if kind.is_dir() || kind.is_file() {
            around(&entry.path(), hidden, access, given)?;
        }
    }
    Ok(())
}

fn handled(network: Network) -> Result<RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    if network == Network::Denied {
        rules = rules.handle_access(AccessNet::from_all(NEWEST))?;
    }
    rules.create()
}

fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, SandboxError> {
    let denied = |source| SandboxError::Path { path: path.to_owned(), source };
    let fd = PathFd::new(path).map_err(|error| denied(io::Error::other(error)))?;
    // The kernel refuses rights for folders on other files.
    let folder = path.metadata().map_err(denied)?.is_dir();
    let access = if folder { access } else { access & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(fd, access)).map_err(|error| denied(io::Error::other(error)))
}
