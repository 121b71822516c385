//! Removes cgroups of callers that were killed together with their supervisor. Every run does this first.

use super::write;
use crate::linux::owner::Owner;
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, path::Path};

/// Removes the cgroups in this folder whose owner has ended, and kills the processes in them.
pub(super) fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        if name.to_str().and_then(Owner::read).is_some_and(Owner::gone) {
            remove(&entry.path());
        }
    }
}

/// Kills the processes of a cgroup and removes it. If that fails, the next run tries again.
pub(super) fn remove(group: &Path) {
    const ROUNDS: usize = 20;
    for _ in 0..ROUNDS {
        match fs::remove_dir(group) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {}
            _ => return,
        }
        // Forbids new processes, then kills the existing ones.
        let _none = write(&group.join("pids.max"), "0");
        let members = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
        for pid in members.lines().filter_map(|line| line.parse().ok()).filter_map(Pid::from_raw) {
            let _killed = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}
