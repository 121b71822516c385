//! Groups left behind by a caller that was killed together with its supervisor. Each run removes them first.

use super::{NAME, write};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Who owns a group: told by its name, so that whoever comes later can tell whether it is still needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    /// The space its number counts in: elsewhere the same number is somebody else.
    space: u64,
    pid: u32,
    /// When it started, since numbers come back.
    started: u64,
}

impl Owner {
    fn own() -> Option<Self> {
        let pid = std::process::id();
        Some(Self { space: space()?, pid, started: started(pid)? })
    }

    fn read(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(NAME)?.split('-');
        let (space, pid, started) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { space: space.parse().ok()?, pid: pid.parse().ok()?, started: started.parse().ok()? })
    }

    fn gone(self) -> bool {
        space() == Some(self.space) && started(self.pid) != Some(self.started)
    }
}

/// A name that is nobody else's, and tells of its owner.
pub(super) fn name() -> Option<String> {
    let Owner { space, pid, started } = Owner::own()?;
    Some(format!("{NAME}{space}-{pid}-{started}-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Removes the groups in this folder whose owner is gone, with what still runs in them.
pub(super) fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        if name.to_str().and_then(Owner::read).is_some_and(Owner::gone) {
            remove(&entry.path());
        }
    }
}

/// Ends what is in a group and removes it; what cannot be ended now is left for the next time.
pub(super) fn remove(group: &Path) {
    const ROUNDS: usize = 20;
    for _ in 0..ROUNDS {
        match fs::remove_dir(group) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {}
            _ => return,
        }
        // Nothing new can start; then what is there is ended.
        let _none = write(&group.join("pids.max"), "0");
        let members = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
        for pid in members.lines().filter_map(|line| line.parse().ok()).filter_map(Pid::from_raw) {
            let _killed = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// The space in which this process has its number.
fn space() -> Option<u64> {
    fs::metadata("/proc/self/ns/pid").ok().map(|meta| meta.ino())
}

/// When a process started, in ticks since the machine did.
fn started(pid: u32) -> Option<u64> {
    const PLACE_AFTER_NAME: usize = 19;
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    line.rsplit_once(')')?.1.split_whitespace().nth(PLACE_AFTER_NAME)?.parse().ok()
}

#[cfg(test)]
mod tests;
