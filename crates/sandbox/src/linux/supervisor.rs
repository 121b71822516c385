//! The supervisor: a process between the caller and the job. It adopts every orphan of the job, so that no
//! process escapes. It counts processes, watches the time, and kills the tree.
//!
//! It is a fork without exec, so that the library needs no helper program. It allocates nothing, has no
//! descriptors except its two pipes, cannot be traced, and kills the tree when the caller dies. With cgroups
//! it only reads the kernel's counters; without them it counts itself.

#![expect(
    unsafe_code,
    reason = "a fork and related system calls; the comment at each block explains why it is sound"
)]

use super::{cgroup::Cgroup, tree::Tree};
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

/// Time limit for killing a tree; processes left after that are reported as survivors.
pub(crate) const END: Duration = Duration::from_secs(5);

/// Shortest pause between two checks of the tree.
const LOOK: Duration = Duration::from_millis(10);

/// Longest pause between two checks: on a busy machine a check takes long, but is needed most.
const LONGEST: Duration = Duration::from_millis(50);

/// Checking the tree takes at most one part in this many of a core.
const SHARE: u32 = 20;

/// Priority of the supervisor, where it may raise it.
const PRIORITY: i32 = -10;

/// Pause between two rounds of killing.
const ROUND: Duration = Duration::from_millis(1);

/// How the job ended, as reported to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    TooManyProcesses,
    OutOfMemory,
    Cancelled,
}

/// The final report of the supervisor.
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

/// The state of the supervisor, allocated before the fork.
pub(crate) struct Watch {
    pub(crate) tree: Tree,
    pub(crate) group: Arc<Cgroup>,
    pub(crate) limits: Limits,
    /// Limit on processes and threads, including those of the sandbox itself.
    pub(crate) most: usize,
    /// Whether the child has not been waited for yet.
    pub(crate) alive: bool,
    pub(crate) page: u64,
    /// Closes when the caller ends or stops the job.
    pub(crate) lifeline: RawFd,
    /// The pipe for the [`Message`].
    pub(crate) report: RawFd,
}

impl Watch {
    /// Forks: the supervisor never returns, and the child returns to become the job.
    pub(crate) fn split(&mut self) -> io::Result<()> {
        set_child_subreaper(Some(getpid()))?;
        // SAFETY: this is itself the child of a fork and has one thread; the following code allocates
        // nothing.
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
        // A limit that was exceeded takes precedence, however the program reacted to it.
        let ending = if self.alive { ending } else { self.exceeded().unwrap_or(ending) };
        let survivors = self.end(child);
        self.group.remove();
        let message = Message { ending, survivors }.bytes();
        // SAFETY: descriptor 1 is the report pipe since `settle`. If the caller has gone, the message is
        // lost, which does no harm.
        let _sent = rustix::io::write(unsafe { BorrowedFd::borrow_raw(1) }, &message);
        // SAFETY: ends this process without running the exit handlers of the caller.
        unsafe { libc::_exit(0) }
    }

    /// Releases everything of the caller: descriptors, signal handlers, and the permission to trace this
    /// process.
    fn settle(&self) -> io::Result<()> {
        // SAFETY: plain system calls on numbers and a local signal set. All descriptors above 1 are closed;
        // no owner of one runs in this process again, because it leaves by `_exit`.
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
        // Runs before its own tree. Without the permission to raise the priority, it still gets its share.
        let _first = setpriority_process(None, PRIORITY);
        Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
    }

    fn watch(&mut self, child: Pid, started: Instant) -> Ending {
        // SAFETY: descriptor 0 is the lifeline since `settle`, and stays open until this process ends.
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

    /// Checks the counters of the cgroup, and counts the tree for limits without a cgroup.
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
            () if self.group.hit_process_limit() => Some(Ending::TooManyProcesses),
            () if self.group.hit_memory_limit() => Some(Ending::OutOfMemory),
            () => None,
        }
    }

    /// Kills the whole tree and returns the number of processes left. Works in rounds: stopped processes
    /// cannot fork, and the next round finds those forked meanwhile. With a cgroup one round is enough.
    fn end(&mut self, child: Pid) -> u32 {
        let until = Instant::now() + END;
        // Killing bubblewrap ends its whole PID namespace. Not after the child was waited for, because its
        // process id may have been reused.
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

/// Reaps ended children; returns how `child` ended.
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

/// Reaps ended children; returns whether none is left. Then the whole tree is gone, because orphans become
/// children of this process.
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
