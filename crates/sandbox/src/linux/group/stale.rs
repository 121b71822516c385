//! Groups left behind by a caller that was killed together with its supervisor. Each run removes them first.

use super::write;
use crate::linux::owner::Owner;
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, path::Path};

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
