//! Runs one job from start to end and captures its output.

use super::{
    bubblewrap,
    cgroup::CgroupParents,
    prepared::{PreparedJob, prepare},
    sealed_file,
    started::{Ends, StartedJob, start},
    supervisor::timespec,
};
use crate::{Captured, Job, Outcome, SandboxError, Status, Tier};
use rustix::event::{PollFd, PollFlags, poll};
use std::{
    fs::File,
    io::{self, Read},
    os::fd::AsFd,
    time::{Duration, Instant},
};

/// Bytes read from a stream at once.
const CHUNK: usize = 16 * 1024;

/// Number of chunks read after the end; more than a pipe can hold.
const LAST: usize = 128;

/// How often the caller's `stop` is called.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Returns whether the job should be stopped.
type Stop<'a> = Option<&'a dyn Fn() -> bool>;

pub(crate) fn run(job: &Job, tier: Tier, parents: &CgroupParents) -> Result<Outcome, SandboxError> {
    execute(job, prepare(job, tier)?, parents, None)
}

pub(crate) fn run_until(
    job: &Job,
    tier: Tier,
    parents: &CgroupParents,
    stop: &dyn Fn() -> bool,
) -> Result<Outcome, SandboxError> {
    execute(job, prepare(job, tier)?, parents, Some(stop))
}

fn execute(
    job: &Job,
    ready: PreparedJob,
    parents: &CgroupParents,
    stop: Stop<'_>,
) -> Result<Outcome, SandboxError> {
    let failed = |doing: &'static str| move |source: io::Error| SandboxError::setup(doing, source);
    let stdin = sealed_file::sealed(&job.stdin).map_err(failed("storing the input"))?;
    let (mut started, ends) = start(ready, &job.limits, parents, Some(stdin))?;
    let mut streams = Streams::new(ends).map_err(failed("reading the output"))?;
    streams.follow(&mut started, job.limits.output_bytes, stop);
    let ended = started.finish()?;
    let [stdout, stderr] = streams.kept;
    if let (Tier::Bubblewrap, Status::Exited(code)) = (started.tier, ended.status)
        && let Some(doing) = bubblewrap::failure(code, &stderr.bytes)
    {
        return Err(SandboxError::Setup { doing, source: None });
    }
    let (status, took, survivors) = (ended.status, ended.took, ended.survivors);
    Ok(Outcome { status, stdout, stderr, took, tier: started.tier, survivors })
}

/// The two output streams of a running job.
struct Streams {
    open: [Option<File>; 2],
    kept: [Captured; 2],
}

impl Streams {
    fn new(ends: Ends) -> io::Result<Self> {
        let open = [ends.stdout, ends.stderr];
        for stream in open.iter().flatten() {
            rustix::io::ioctl_fionbio(stream, true)?;
        }
        Ok(Self { open, kept: Default::default() })
    }

    /// Reads both streams until the supervisor reports that no process of the job is left, or until the
    /// supervisor counts as lost.
    fn follow(&mut self, started: &mut StartedJob, limit: usize, mut stop: Stop<'_>) {
        loop {
            if stop.is_some_and(|stop| stop()) {
                started.stop_tree();
                stop = None;
            }
            let pause = started.until().map(|until| until.saturating_duration_since(Instant::now()));
            if pause.is_some_and(|pause| pause.is_zero()) {
                return;
            }
            let pause = match (pause, stop) {
                (Some(pause), Some(_)) => Some(pause.min(STOP_INTERVAL)),
                (None, Some(_)) => Some(STOP_INTERVAL),
                (pause, None) => pause,
            };
            let reported = {
                let streams = self.open.iter().flatten().map(AsFd::as_fd);
                let all = std::iter::once(started.report()).chain(streams);
                let mut waiting: Vec<_> = all.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
                let _woken = poll(&mut waiting, pause.map(timespec).as_ref());
                !waiting[0].revents().is_empty()
            };
            if reported {
                // Reads the rest of the pipes, without waiting for a stream that another process keeps open.
                for _ in 0..LAST {
                    self.read(limit);
                }
                return;
            }
            self.read(limit);
        }
    }

    /// Reads one chunk of each stream.
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
}

#[cfg(test)]
mod tests;
