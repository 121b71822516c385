//! The process between the caller and the job. It takes in every orphan of the job, so that nothing the job
//! starts can get away; it counts, keeps the time, and ends the tree.
//!
//! It is a fork without exec, so that a library needs no helper program. It allocates nothing, holds no
//! descriptor but its two pipes, cannot be looked into, and ends the tree when the caller is gone. Where the
//! kernel counts (see `group`) it only asks; else it counts by itself.

#![expect(unsafe_code, reason = "a fork and what belongs to it; each block says why it is sound")]

use super::{group::Group, tree::Tree};
use crate::Limits;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{
        DumpableBehavior, Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, pidfd_open,
        set_child_subreaper, set_dumpable_behavior, setpriority_process, wait,
    },
};
use std::{
    io,
    os::fd::{BorrowedFd, RawFd},
    sync::Arc,
    time::{Duration, Instant},
};

/// How long the end of a tree may take before what is left is reported as surviving.
pub(crate) const END: Duration = Duration::from_secs(5);

/// Between two looks at the tree, at least.
const LOOK: Duration = Duration::from_millis(10);

/// Between two looks, at most: on a busy machine a look takes long, and is needed most.
const LONGEST: Duration = Duration::from_millis(50);

/// Looking at the tree takes at most one part in so many of a core.
const SHARE: u32 = 20;

/// Of the supervisor, where it may be raised.
const PRIORITY: i32 = -10;

/// Between two rounds of killing.
const ROUND: Duration = Duration::from_millis(1);

/// How the job ended, as told to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    TooManyProcesses,
    OutOfMemory,
    Cancelled,
}

/// What the supervisor says at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) ending: Ending,
    pub(crate) survivors: u32,
}

impl Message {
    pub(crate) const BYTES: usize = 9;

    fn bytes(self) -> [u8; Self::BYTES] {
        let (kind, value) = match self.ending {
            Ending::Exited(code) => (0, code),
            Ending::Signalled(signal) => (1, signal),
            Ending::TimedOut => (2, 0),
            Ending::TooManyProcesses => (3, 0),
            Ending::OutOfMemory => (4, 0),
            Ending::Cancelled => (5, 0),
        };
        let mut bytes = [kind; Self::BYTES];
        bytes[1..5].copy_from_slice(&value.to_ne_bytes());
        bytes[5..].copy_from_slice(&self.survivors.to_ne_bytes());
        bytes
    }

    pub(crate) fn read(bytes: [u8; Self::BYTES]) -> Option<Self> {
        let [kind, v0, v1, v2, v3, s0, s1, s2, s3] = bytes;
        let value = i32::from_ne_bytes([v0, v1, v2, v3]);
        let ending = match kind {
            0 => Ending::Exited(value),
            1 => Ending::Signalled(value),
            2 => Ending::TimedOut,
            3 => Ending::TooManyProcesses,
            4 => Ending::OutOfMemory,
            5 => Ending::Cancelled,
            _ => return None,
        };
        Some(Self { ending, survivors: u32::from_ne_bytes([s0, s1, s2, s3]) })
    }
}

/// What the supervisor needs, taken before the fork.
pub(crate) struct Watch {
    pub(crate) tree: Tree,
    pub(crate) group: Arc<Group>,
    pub(crate) limits: Limits,
    /// Processes and threads that may be there, those of the sandbox itself among them.
    pub(crate) most: usize,
    /// The child was not yet waited for.
    pub(crate) alive: bool,
    pub(crate) page: u64,
    /// Ends when the caller does, or wants to end the job.
    pub(crate) lifeline: RawFd,
    /// Where the [`Message`] goes.
    pub(crate) report: RawFd,
}

impl Watch {
    /// Splits in two: the supervisor, which never returns, and the one who does, who is to become the job.
    pub(crate) fn split(&mut self) -> io::Result<()> {
        set_child_subreaper(Some(getpid()))?;
        // SAFETY: this is itself the child of a fork and has one thread; what follows allocates nothing.
        match unsafe { libc::fork() } {
            0 => Ok(()),
            pid => match Pid::from_raw(pid.max(0)) {
                Some(child) => self.supervise(child),
                None => Err(io::Error::last_os_error()),
            },
        }
    }

    fn supervise(&mut self, child: Pid) -> ! {
        let started = Instant::now();
        let ready = self.settle();
        let ending = if ready.is_ok() { self.watch(child, started) } else { Ending::Cancelled };
        self.alive = !matches!(ending, Ending::Exited(_) | Ending::Signalled(_));
        // What a program did about a refused process or a killed child of its own does not matter.
        let ending = if self.alive { ending } else { self.exceeded().unwrap_or(ending) };
        let survivors = self.end(child);
        self.group.remove();
        let message = Message { ending, survivors }.bytes();
        // SAFETY: descriptor 1 is the report since `settle`. A caller that is gone needs no message.
        let _sent = rustix::io::write(unsafe { BorrowedFd::borrow_raw(1) }, &message);
        // SAFETY: ends this process without running what the caller registered for its own end.
        unsafe { libc::_exit(0) }
    }

    /// Lets go of everything the caller had: descriptors, signals, and the right of others to look in.
    fn settle(&self) -> io::Result<()> {
        // SAFETY: plain calls on numbers and a local set. All descriptors above 1 are closed; no owner of one
        // runs in this process again, since it leaves by `_exit`.
        unsafe {
            let mut all = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
            if libc::dup2(self.lifeline, 0) < 0
                || libc::dup2(self.report, 1) < 0
                || libc::syscall(libc::SYS_close_range, 2_u32, u32::MAX, 0_u32) != 0
            {
                return Err(io::Error::last_os_error());
            }
        }
        // Before its own tree in the queue of the processor; whoever may not say so still gets a turn.
        let _first = setpriority_process(None, PRIORITY);
        Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
    }

    fn watch(&mut self, child: Pid, started: Instant) -> Ending {
        // SAFETY: descriptor 0 is the lifeline since `settle`, open until the end of this process.
        let lifeline = unsafe { BorrowedFd::borrow_raw(0) };
        let Ok(alive) = pidfd_open(child, PidfdFlags::empty()) else { return Ending::Cancelled };
        let mut next = started + LOOK;
        loop {
            let pause = next.saturating_duration_since(Instant::now());
            let left = self.limits.time.map(|time| time.saturating_sub(started.elapsed()));
            let pause = left.map_or(pause, |left| left.min(pause));
            let mut waiting =
                [PollFd::from_borrowed_fd(lifeline, PollFlags::IN), PollFd::new(&alive, PollFlags::IN)];
            let _woken = poll(&mut waiting, Some(&timespec(pause)));
            if !waiting[0].revents().is_empty() {
                return Ending::Cancelled;
            }
            if let Some(ending) = reap(child) {
                return ending;
            }
            if self.limits.time.is_some_and(|time| started.elapsed() >= time) {
                return Ending::TimedOut;
            }
            let now = Instant::now();
            if now >= next {
                if let Some(ending) = self.look() {
                    return ending;
                }
                next = Instant::now() + (now.elapsed() * SHARE).clamp(LOOK, LONGEST);
            }
        }
    }

    /// What the kernel tells of the group, and for what no group limits, a count of the tree.
    fn look(&mut self) -> Option<Ending> {
        let exceeded = self.exceeded();
        if exceeded.is_some() || (self.group.limits_processes() && self.group.limits_memory()) {
            return exceeded;
        }
        let sum = self.tree.look().ok()?;
        if !self.group.limits_processes() && sum.tasks > self.most {
            return Some(Ending::TooManyProcesses);
        }
        let bytes = sum.pages.saturating_mul(self.page);
        (!self.group.limits_memory() && bytes > self.limits.memory).then_some(Ending::OutOfMemory)
    }

    fn exceeded(&self) -> Option<Ending> {
        match () {
            () if self.group.crowded() => Some(Ending::TooManyProcesses),
            () if self.group.hungry() => Some(Ending::OutOfMemory),
            () => None,
        }
    }

    /// Ends all that is below and gives what is left. In rounds: what is stopped cannot fork, and what was forked
    /// meanwhile is found by the next round. A group needs no second one.
    fn end(&mut self, child: Pid) -> u32 {
        let until = Instant::now() + END;
        // Bubblewrap takes its whole namespace with it. The number of a child that was waited for may be
        // somebody else's by now.
        let _killed = self.alive.then(|| kill_process(child, Signal::KILL));
        loop {
            if no_children() {
                return 0;
            }
            self.group.end();
            let left = self.tree.look().map_or(1, |sum| sum.processes);
            self.tree.signal(Signal::STOP);
            self.tree.signal(Signal::KILL);
            if Instant::now() >= until {
                return left;
            }
            let _slept = poll(&mut [], Some(&timespec(ROUND)));
        }
    }
}

/// Takes what has ended; tells how `child` did.
fn reap(child: Pid) -> Option<Ending> {
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid == child {
            return Some(ending(status));
        }
    }
    None
}

fn ending(status: WaitStatus) -> Ending {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, Some(signal)) => Ending::Signalled(signal),
        (None, None) => Ending::Cancelled,
    }
}

/// Takes what has ended; whether nothing is left. A tree without children has no leaves either: orphans come
/// here.
fn no_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

pub(crate) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}

#[cfg(test)]
mod tests;
