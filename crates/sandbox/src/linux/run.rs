//! One job from start to end.

#![expect(unsafe_code, reason = "`pre_exec`, whose closure allocates nothing; see `inside` and `supervisor`")]

use super::{
    bubblewrap,
    filter::{self, Needs},
    inside::{Inside, Rules},
    landlock, memory,
    supervisor::{END, Ending, Message, Watch, timespec},
    tree::Tree,
    view::View,
};
use crate::{Captured, Job, Outcome, SandboxError, Status, Tier};
use rustix::event::{PollFd, PollFlags, poll};
use std::{
    fs::File,
    io::{self, PipeReader, Read},
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// How much longer than its own bounds a supervisor may take until it counts as lost.
const GRACE: Duration = Duration::from_secs(5);

/// Read from a stream at once.
const CHUNK: usize = 16 * 1024;

/// Chunks read after the end; more than a pipe can hold.
const LAST: usize = 128;

/// A command made ready for a tier, and what must live as long as it runs.
struct Ready {
    command: Command,
    rules: Option<Rules>,
    files: Vec<File>,
    scratch: Option<TempDir>,
}

pub(crate) fn run(job: &Job, tier: Tier) -> Result<Outcome, SandboxError> {
    let view = View::of(job)?;
    match tier {
        Tier::Bubblewrap => wrapped(job, &view),
        Tier::Landlock => ruled(job, &view),
        Tier::None => execute(job, tier, plain(job, &view)),
    }
}

fn wrapped(job: &Job, view: &View) -> Result<Outcome, SandboxError> {
    let bwrap = bubblewrap::program().ok_or_else(|| SandboxError::Setup {
        doing: "bubblewrap is no longer there".to_owned(),
        source: None,
    })?;
    let wrapped = bubblewrap::wrap(bwrap, job, view)?;
    let ready = Ready { command: wrapped.command, rules: None, files: wrapped.files.into(), scratch: None };
    let mut outcome = execute(job, Tier::Bubblewrap, ready)?;
    if let Status::Exited(code) = outcome.status {
        if let Some(doing) = bubblewrap::failure(code, &outcome.stderr.bytes) {
            return Err(SandboxError::Setup { doing, source: None });
        }
        outcome.status = signalled(code);
    }
    Ok(outcome)
}

/// Bubblewrap, like a shell, tells of a signal by a code.
fn signalled(code: i32) -> Status {
    const SIGNALS: std::ops::RangeInclusive<i32> = 129..=192;
    if SIGNALS.contains(&code) { Status::Signalled(code - 128) } else { Status::Exited(code) }
}

fn ruled(job: &Job, view: &View) -> Result<Outcome, SandboxError> {
    if let Some(path) = view.hole() {
        return Err(SandboxError::ReadOnlyInsideWritable(path.to_owned()));
    }
    let version = landlock::version().map_err(|source| SandboxError::setup("asking for Landlock", source))?;
    let needs = Needs { network: job.network, hidden: false, signals_kept: version >= landlock::SCOPES };
    execute(job, Tier::Landlock, under(job, view, needs)?)
}

fn under(job: &Job, view: &View, needs: Needs) -> Result<Ready, SandboxError> {
    let scratch =
        tempfile::tempdir().map_err(|source| SandboxError::setup("making a private folder", source))?;
    let rules = Rules {
        landlock: landlock::ruleset(view, job.network, scratch.path())?,
        filter: filter::filter(needs)?,
    };
    let mut ready = plain(job, view);
    if !job.environment.contains_key(std::ffi::OsStr::new("TMPDIR")) {
        ready.command.env("TMPDIR", scratch.path());
    }
    ready.rules = Some(rules);
    ready.scratch = Some(scratch);
    Ok(ready)
}

fn plain(job: &Job, view: &View) -> Ready {
    let mut command = Command::new(&view.program);
    command.args(&job.arguments).env_clear().envs(&job.environment).current_dir(&view.folder);
    Ready { command, rules: None, files: Vec::new(), scratch: None }
}

fn execute(job: &Job, tier: Tier, ready: Ready) -> Result<Outcome, SandboxError> {
    let Ready { mut command, rules, files, scratch } = ready;
    let failed = |doing: &'static str| move |source: io::Error| SandboxError::setup(doing, source);
    let stdin = memory::sealed(&job.stdin).map_err(failed("keeping the input"))?;
    let (lifeline, caller) = io::pipe().map_err(failed("making a pipe"))?;
    let (mut report, reporter) = io::pipe().map_err(failed("making a pipe"))?;
    let kept = files.iter().map(AsRawFd::as_raw_fd).collect();
    let inside = Inside { limits: job.limits, kept, rules };
    let mut watch = Watch {
        tree: Tree::new(),
        limits: job.limits,
        page: u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX),
        lifeline: lifeline.as_raw_fd(),
        report: reporter.as_raw_fd(),
    };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: the closure calls the kernel and writes to memory taken beforehand. It allocates nothing, takes
    // no lock, and the descriptors it names are held open by this function until `spawn` returns.
    unsafe {
        command.pre_exec(move || {
            watch.split()?;
            inside.enter()
        });
    }
    let started = Instant::now();
    let mut child = command.spawn().map_err(failed("starting the program"))?;
    drop((lifeline, reporter, files, command));
    let mut streams = Streams::new(child.stdout.take().map(Into::into), child.stderr.take().map(Into::into))
        .map_err(failed("reading the output"))?;
    let message =
        streams.follow(&mut report, started + job.limits.time + END + GRACE, job.limits.output_bytes);
    // Ends the job if it still runs, which it does only when the supervisor did not report.
    drop(caller);
    let took = started.elapsed();
    if message.is_none() {
        let _gone = child.kill();
    }
    child.wait().map_err(failed("waiting for the supervisor"))?;
    drop(scratch);
    let message = message.ok_or(SandboxError::Lost)?;
    let status = match message.ending {
        Ending::Exited(code) => Status::Exited(code),
        Ending::Signalled(signal) => Status::Signalled(signal),
        Ending::TimedOut => Status::TimedOut,
        Ending::TooManyProcesses => Status::TooManyProcesses,
        Ending::OutOfMemory => Status::OutOfMemory,
        Ending::Cancelled => return Err(SandboxError::Lost),
    };
    let [stdout, stderr] = streams.kept;
    Ok(Outcome { status, stdout, stderr, took, tier, survivors: message.survivors })
}

/// The two streams of a job while it runs.
struct Streams {
    open: [Option<File>; 2],
    kept: [Captured; 2],
}

impl Streams {
    fn new(stdout: Option<OwnedFd>, stderr: Option<OwnedFd>) -> io::Result<Self> {
        let open = [stdout, stderr].map(|stream| stream.map(File::from));
        for stream in open.iter().flatten() {
            rustix::io::ioctl_fionbio(stream, true)?;
        }
        Ok(Self { open, kept: Default::default() })
    }

    /// Reads both until the supervisor reports, which it does when nothing of the job is left.
    fn follow(&mut self, report: &mut PipeReader, until: Instant, limit: usize) -> Option<Message> {
        loop {
            let pause = until.saturating_duration_since(Instant::now());
            if pause.is_zero() {
                return None;
            }
            let reported = {
                let streams = self.open.iter().flatten().map(AsFd::as_fd);
                let all = std::iter::once(report.as_fd()).chain(streams);
                let mut waiting: Vec<_> = all.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
                let _woken = poll(&mut waiting, Some(&timespec(pause)));
                !waiting[0].revents().is_empty()
            };
            if reported {
                let mut bytes = [0; Message::BYTES];
                let read = report.read_exact(&mut bytes);
                self.drain(limit);
                return read.ok().and_then(|()| Message::read(bytes));
            }
            self.read(limit);
        }
    }

    /// One chunk of each.
    fn read(&mut self, limit: usize) {
        let mut chunk = [0; CHUNK];
        for (open, kept) in self.open.iter_mut().zip(&mut self.kept) {
            let Some(stream) = open else { continue };
            match stream.read(&mut chunk) {
                Ok(0) => *open = None,
                Ok(length) => kept.take(&chunk[..length], limit),
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(_) => *open = None,
            }
        }
    }

    /// What is left in the pipes. A stream that something else still holds open is not waited for.
    fn drain(&mut self, limit: usize) {
        for _ in 0..LAST {
            self.read(limit);
        }
    }
}

/// Runs in the Landlock tier as on a kernel that does not keep signals inside.
#[cfg(test)]
pub(crate) fn run_without_scopes(job: &Job) -> Result<Outcome, SandboxError> {
    let view = View::of(job)?;
    let needs = Needs { network: job.network, hidden: false, signals_kept: false };
    execute(job, Tier::Landlock, under(job, &view, needs)?)
}

#[cfg(test)]
mod tests;
