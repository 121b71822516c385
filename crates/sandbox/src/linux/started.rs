//! A running job and the pipes to its supervisor.

#![expect(
    unsafe_code,
    reason = "`pre_exec`, whose closure allocates nothing; see `child_setup` and `supervisor`"
)]

use super::{
    cgroup::{Cgroup, CgroupParents},
    child_setup::ChildSetup,
    prepared::PreparedJob,
    supervisor::{END, Ending, Message, Watch, timespec},
    tree::{Tree, tasks_of},
};
use crate::{Ended, Limits, SandboxError, Status, Tier};
use rustix::{
    event::{PollFd, PollFlags, poll},
    process::getuid,
};
use std::{
    fs::File,
    io::{self, PipeReader, PipeWriter, Read},
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Child, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A supervisor that exceeds its own time limits by more than this counts as lost.
const GRACE: Duration = Duration::from_secs(5);

/// Added to the limit where only the processes of the whole user can be limited: other processes of the user
/// come and go, and the supervisor's count is exact.
const ROOM: u64 = 64;

/// A running job. Dropping it kills its process tree.
#[derive(Debug)]
pub(crate) struct StartedJob {
    pub(crate) tier: Tier,
    supervisor: Child,
    report: PipeReader,
    /// The supervisor kills the tree when this pipe closes.
    lifeline: Option<PipeWriter>,
    since: Instant,
    /// When a supervisor that has not reported counts as lost.
    until: Option<Instant>,
    ended: Option<Ended>,
    group: Option<Arc<Cgroup>>,
    scratch: Option<TempDir>,
}

/// The caller's ends of the three streams.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) stdin: Option<File>,
    pub(crate) stdout: Option<File>,
    pub(crate) stderr: Option<File>,
}

/// Starts a job. `stdin` is its input; without it, a pipe is created.
pub(crate) fn start(
    ready: PreparedJob,
    limits: &Limits,
    parents: &CgroupParents,
    stdin: Option<File>,
) -> Result<(StartedJob, Ends), SandboxError> {
    let PreparedJob { tier, mut command, rules, files, scratch, own } = ready;
    let failed = |doing: &'static str| move |source: io::Error| SandboxError::setup(doing, source);
    let (lifeline, caller) = io::pipe().map_err(failed("creating a pipe"))?;
    let (report, reporter) = io::pipe().map_err(failed("creating a pipe"))?;
    let group = Arc::new(parents.group(limits, own).map_err(failed("creating a cgroup"))?);
    let user_tasks = user_limit(&group, limits, own);
    let kept = files.iter().map(AsRawFd::as_raw_fd).collect();
    let inside = ChildSetup { limits: *limits, group: Arc::clone(&group), user_tasks, kept, rules };
    let mut watch = Watch {
        tree: Tree::new(),
        group: Arc::clone(&group),
        limits: *limits,
        most: limits.processes.saturating_add(own),
        alive: true,
        page: u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX),
        lifeline: lifeline.as_raw_fd(),
        report: reporter.as_raw_fd(),
    };
    command.stdin(stdin.map_or_else(Stdio::piped, Stdio::from)).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: the closure makes system calls and writes to memory allocated beforehand. It allocates nothing
    // and takes no lock, and this function keeps the descriptors it uses open until `spawn` returns.
    unsafe {
        command.pre_exec(move || {
            watch.split()?;
            inside.enter()
        });
    }
    let since = Instant::now();
    let mut supervisor = command.spawn().map_err(failed("starting the program"))?;
    drop((lifeline, reporter, files, command));
    let file = |fd: OwnedFd| File::from(fd);
    let ends = Ends {
        stdin: supervisor.stdin.take().map(Into::into).map(file),
        stdout: supervisor.stdout.take().map(Into::into).map(file),
        stderr: supervisor.stderr.take().map(Into::into).map(file),
    };
    let running = StartedJob {
        tier,
        supervisor,
        report,
        lifeline: Some(caller),
        since,
        until: limits.time.and_then(|time| since.checked_add(time + END + GRACE)),
        ended: None,
        group: Some(group),
        scratch,
    };
    Ok((running, ends))
}

/// The limit on the processes of the user, used where no cgroup limits them. The kernel does not apply it to
/// root.
fn user_limit(group: &Cgroup, limits: &Limits, own: usize) -> Option<u64> {
    let user = getuid();
    let needed = !group.limits_processes() && !user.is_root();
    let job = limits.processes.saturating_add(own) as u64;
    needed.then(|| tasks_of(user.as_raw()).saturating_add(job).saturating_add(ROOM))
}

impl StartedJob {
    /// How the job ended, if it has.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// How long to wait for the supervisor at most.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.until
    }

    /// Becomes readable when the job has ended.
    pub(crate) fn report(&self) -> BorrowedFd<'_> {
        self.report.as_fd()
    }

    /// Waits until the supervisor reports, at most for `time`; returns whether it did.
    pub(crate) fn reports_within(&self, time: Option<Duration>) -> bool {
        let until = time.and_then(|time| Instant::now().checked_add(time));
        loop {
            let mut waiting = [PollFd::from_borrowed_fd(self.report(), PollFlags::IN)];
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let woken = poll(&mut waiting, left.map(timespec).as_ref());
            match woken {
                Ok(count) if count > 0 => return true,
                Err(rustix::io::Errno::INTR) | Ok(_) if left.is_none_or(|left| !left.is_zero()) => {}
                _ => return false,
            }
        }
    }

    /// Makes the supervisor kill the tree.
    pub(crate) fn stop_tree(&mut self) {
        self.lifeline = None;
        let until = Instant::now() + END + GRACE;
        self.until = Some(self.until.map_or(until, |earlier| earlier.min(until)));
    }

    /// Reads the report and waits for the supervisor. No process of the job is left afterwards.
    pub(crate) fn finish(&mut self) -> Result<Ended, SandboxError> {
        if let Some(ended) = self.ended {
            return Ok(ended);
        }
        let asked = self.lifeline.is_none();
        let time = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let mut bytes = [0; Message::BYTES];
        let read = self.reports_within(time) && self.report.read_exact(&mut bytes).is_ok();
        let message = read.then(|| Message::read(bytes)).flatten();
        let took = self.since.elapsed();
        // Kills the job if it still runs, which is the case only when the supervisor did not report.
        self.lifeline = None;
        if message.is_none() {
            let _gone = self.supervisor.kill();
        }
        let waited = self.supervisor.wait();
        // Dropping the cgroup kills what is left in it: after the supervisor has ended, and before the
        // private folder is removed.
        self.group = None;
        self.scratch = None;
        waited.map_err(|source| SandboxError::setup("waiting for the supervisor", source))?;
        let message = message.ok_or(SandboxError::Lost)?;
        let status = match message.ending {
            Ending::Exited(code) => exited(self.tier, code),
            Ending::Signalled(signal) => Status::Signalled(signal),
            Ending::TimedOut => Status::TimedOut,
            Ending::TooManyProcesses => Status::TooManyProcesses,
            Ending::OutOfMemory => Status::OutOfMemory,
            Ending::Cancelled if asked => Status::Stopped,
            Ending::Cancelled => return Err(SandboxError::Lost),
        };
        let ended = Ended { status, took, survivors: message.survivors };
        self.ended = Some(ended);
        Ok(ended)
    }
}

/// Bubblewrap, like a shell, reports a signal as an exit code.
fn exited(tier: Tier, code: i32) -> Status {
    const SIGNALS: std::ops::RangeInclusive<i32> = 129..=192;
    let signal = tier == Tier::Bubblewrap && SIGNALS.contains(&code);
    if signal { Status::Signalled(code - 128) } else { Status::Exited(code) }
}

impl Drop for StartedJob {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.stop_tree();
            let _ended = self.finish();
        }
    }
}

#[cfg(test)]
mod tests;
