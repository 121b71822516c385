//! What the child does to itself between fork and exec. Nothing here may allocate: another thread of the
//! caller may have held the allocator's lock at the fork.

#![expect(
    unsafe_code,
    reason = "three calls of the kernel that have no safe wrapper; each says why it is sound"
)]

use super::group::Group;
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

/// The rules a program puts on itself in the Landlock tier.
pub(crate) struct Rules {
    pub(crate) landlock: OwnedFd,
    pub(crate) filter: BpfProgram,
}

/// All that is done in the child.
pub(crate) struct Inside {
    pub(crate) limits: Limits,
    /// Where the kernel counts it.
    pub(crate) group: Arc<Group>,
    /// Processes and threads its user may have, where no group limits them and the kernel heeds it.
    pub(crate) of_user: Option<u64>,
    /// File descriptors the program is meant to inherit, besides 0, 1 and 2.
    pub(crate) kept: Vec<RawFd>,
    pub(crate) rules: Option<Rules>,
}

impl Inside {
    /// Own session, limits, no descriptors of the caller, and the rules last, since they take away the means.
    pub(crate) fn enter(&self) -> io::Result<()> {
        setsid()?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        self.group.join()?;
        first_to_go();
        if let Some(most) = self.of_user {
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
        // A caller without capabilities has no ambient ones to clear, and an old kernel no such set.
        let _cleared = clear_ambient_capability_set();
        set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
        // From here on exec cannot give any of it back, not even to uid 0 or by a set-user-id file.
        set_no_new_privs(true)?;
        restrict(&self.landlock)?;
        seccompiler::apply_filter(&self.filter).map_err(|error| match error {
            seccompiler::Error::Prctl(source) | seccompiler::Error::Seccomp(source) => source,
            _ => io::Error::from_raw_os_error(libc::EINVAL),
        })
    }
}

/// When the whole machine is out of memory, a job is what it can best do without. Where this cannot be said the
/// limits still hold.
fn first_to_go() {
    const MUCH: &[u8] = b"500";
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let file = openat(CWD, c"/proc/self/oom_score_adj", flags, Mode::empty());
    let _said = file.map(|file| rustix::io::write(file, MUCH));
}

/// Sets a limit, or keeps the caller's own where that is lower already.
fn limit(resource: Resource, value: u64) -> io::Result<()> {
    let value = getrlimit(resource).maximum.map_or(value, |hard| hard.min(value));
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

fn close_on_exec(kept: &[RawFd]) -> io::Result<()> {
    // On exec, not at once: the standard library still needs its pipe to tell the caller of a failed exec.
    // SAFETY: only sets a flag of descriptors; none is closed under an owner.
    let done = unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    for fd in kept {
        // SAFETY: clears that flag of a descriptor which the caller of `spawn` holds open meanwhile.
        if unsafe { libc::fcntl(*fd, libc::F_SETFD, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

fn restrict(ruleset: &OwnedFd) -> io::Result<()> {
    // SAFETY: takes an open descriptor and a number, and touches no memory of ours.
    let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0_u32) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
