//! What the child process does between fork and exec. This code must not allocate, because another thread of
//! the caller may have held the allocator's lock at the fork.

#![expect(
    unsafe_code,
    reason = "three system calls without a safe wrapper; the comment at each explains why it is sound"
)]

use super::cgroup::Cgroup;
use crate::Limits;
use rustix::{
    fs::{CWD, Mode, OFlags, openat},
    process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit, setsid},
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities, set_no_new_privs,
    },
};
use seccompiler::BpfProgram;
use std::{
    io,
    os::fd::{AsRawFd, OwnedFd, RawFd},
    sync::Arc,
};

/// The restrictions that a program of the Landlock tier puts on itself.
pub(crate) struct Rules {
    pub(crate) landlock: OwnedFd,
    pub(crate) filter: BpfProgram,
}

/// The setup of the child process.
pub(crate) struct ChildSetup {
    pub(crate) limits: Limits,
    /// The cgroup it joins.
    pub(crate) group: Arc<Cgroup>,
    /// Limit on the processes and threads of the user, where no cgroup limits them and the kernel applies it.
    pub(crate) user_tasks: Option<u64>,
    /// File descriptors that the program inherits, besides 0, 1 and 2.
    pub(crate) kept: Vec<RawFd>,
    pub(crate) rules: Option<Rules>,
}

impl ChildSetup {
    /// Sets up a session, limits and descriptors, and applies the restrictions last, because they would
    /// forbid the other steps.
    pub(crate) fn enter(&self) -> io::Result<()> {
        setsid()?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        self.group.join()?;
        prefer_for_oom_kill();
        if let Some(most) = self.user_tasks {
            limit(Resource::Nproc, most)?;
        }
        limit(Resource::Core, 0)?;
        limit(Resource::Data, self.limits.memory)?;
        limit(Resource::Fsize, self.limits.file_size)?;
        limit(Resource::Nofile, self.limits.open_files)?;
        close_on_exec(&self.kept)?;
        if let Some(rules) = &self.rules {
            rules.enter()?;
        }
        Ok(())
    }
}

impl Rules {
    fn enter(&self) -> io::Result<()> {
        let none = CapabilitySet::empty();
        // Fails harmlessly without capabilities or on an old kernel; then there is nothing to clear.
        let _cleared = clear_ambient_capability_set();
        set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
        // From here on exec cannot restore any of it, not even for uid 0 or with a set-user-id file.
        set_no_new_privs(true)?;
        restrict(&self.landlock)?;
        seccompiler::apply_filter(&self.filter).map_err(|error| match error {
            seccompiler::Error::Prctl(source) | seccompiler::Error::Seccomp(source) => source,
            _ => io::Error::from_raw_os_error(libc::EINVAL),
        })
    }
}

/// Makes the job the preferred victim when the machine runs out of memory. A failure is ignored; the limits
/// apply anyway.
fn prefer_for_oom_kill() {
    const MUCH: &[u8] = b"500";
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let file = openat(CWD, c"/proc/self/oom_score_adj", flags, Mode::empty());
    let _said = file.map(|file| rustix::io::write(file, MUCH));
}

/// Sets a limit, or keeps the caller's own limit if it is lower.
fn limit(resource: Resource, value: u64) -> io::Result<()> {
    let value = getrlimit(resource).maximum.map_or(value, |hard| hard.min(value));
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

fn close_on_exec(kept: &[RawFd]) -> io::Result<()> {
    // On exec and not immediately, because the standard library still needs its pipe to report a failed exec.
    // SAFETY: only sets a flag of descriptors; none is closed.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    for fd in kept {
        // SAFETY: clears that flag of a descriptor that the caller of `spawn` keeps open meanwhile.
        if unsafe { libc::fcntl(*fd, libc::F_SETFD, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

fn restrict(ruleset: &OwnedFd) -> io::Result<()> {
    // SAFETY: takes an open descriptor and a number, and accesses no memory of ours.
    let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0_u32) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
