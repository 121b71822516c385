//! A job that runs, and the line to its supervisor.

#![expect(unsafe_code, reason = "`pre_exec`, whose closure allocates nothing; see `inside` and `supervisor`")]

use super::{
    group::{Group, Places},
    inside::Inside,
    ready::Ready,
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

/// How much longer than its own bounds a supervisor may take until it counts as lost.
const GRACE: Duration = Duration::from_secs(5);

/// Room above the limit where only the user's processes as a whole can be limited: others of the same user come
/// and go, and the supervisor's count is the exact one.
const ROOM: u64 = 64;

/// A job that runs. When this is dropped its tree is ended.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) tier: Tier,
    supervisor: Child,
    report: PipeReader,
    /// The supervisor ends the tree when this closes.
    lifeline: Option<PipeWriter>,
    since: Instant,
    /// When a supervisor that did not report counts as lost.
    until: Option<Instant>,
    ended: Option<Ended>,
    group: Option<Arc<Group>>,
    scratch: Option<TempDir>,
}

/// The caller's ends of the three streams.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) stdin: Option<File>,
    pub(crate) stdout: Option<File>,
    pub(crate) stderr: Option<File>,
}

/// Starts a job. `stdin` is what it reads; else a pipe is made.
pub(crate) fn start(
    ready: Ready,
    limits: &Limits,
    places: &Places,
    stdin: Option<File>,
) -> Result<(Started, Ends), SandboxError> {
    let Ready { tier, mut command, rules, files, scratch, own } = ready;
    let failed = |doing: &'static str| move |source: io::Error| SandboxError::setup(doing, source);
    let (lifeline, caller) = io::pipe().map_err(failed("making a pipe"))?;
    let (report, reporter) = io::pipe().map_err(failed("making a pipe"))?;
    let group = Arc::new(places.group(limits, own).map_err(failed("making a group of processes"))?);
    let of_user = user_limit(&group, limits, own);
    let kept = files.iter().map(AsRawFd::as_raw_fd).collect();
    let inside = Inside { limits: *limits, group: Arc::clone(&group), of_user, kept, rules };
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
    // SAFETY: the closure calls the kernel and writes to memory taken beforehand. It allocates nothing, takes
    // no lock, and the descriptors it names are held open by this function until `spawn` returns.
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
    let running = Started {
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

/// Where no group limits processes, the kernel still limits those of a user; but never those of root.
fn user_limit(group: &Group, limits: &Limits, own: usize) -> Option<u64> {
    let user = getuid();
    let needed = !group.limits_processes() && !user.is_root();
    let job = limits.processes.saturating_add(own) as u64;
    needed.then(|| tasks_of(user.as_raw()).saturating_add(job).saturating_add(ROOM))
}

impl Started {
    /// How it ended, if it has.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Until when it is worth waiting for the supervisor.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.until
    }

    /// Ready to be read when the job has ended.
    pub(crate) fn report(&self) -> BorrowedFd<'_> {
        self.report.as_fd()
    }

    /// Whether the supervisor reports, within a time; without one, for ever.
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

    /// Tells the supervisor to end the tree.
    pub(crate) fn let_go(&mut self) {
        self.lifeline = None;
        let until = Instant::now() + END + GRACE;
        self.until = Some(self.until.map_or(until, |earlier| earlier.min(until)));
    }

    /// Takes the report of a supervisor that has ended or must: nothing of the job is left afterwards.
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
        // Ends the job if it still runs, which it does only when the supervisor did not report.
        self.lifeline = None;
        if message.is_none() {
            let _gone = self.supervisor.kill();
        }
        let waited = self.supervisor.wait();
        // The group ends what is left in it, so after the supervisor and before the folder goes.
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

/// Bubblewrap, like a shell, tells of a signal by a code.
fn exited(tier: Tier, code: i32) -> Status {
    const SIGNALS: std::ops::RangeInclusive<i32> = 129..=192;
    let signal = tier == Tier::Bubblewrap && SIGNALS.contains(&code);
    if signal { Status::Signalled(code - 128) } else { Status::Exited(code) }
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.let_go();
            let _ended = self.finish();
        }
    }
}

#[cfg(test)]
mod tests;
