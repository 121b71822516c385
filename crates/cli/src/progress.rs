//! A progress bar on standard error during downloads: only on a terminal, never with `--json`, without colour, and
//! erased at the end.

use crate::{context::Context, output};
use skillful_registry::fetch::{Phase, Progress};
use std::{
    io::{self, IsTerminal},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Time between two drawings.
const PAUSE: Duration = Duration::from_millis(80);
/// Downloads shorter than this draw nothing.
const PATIENCE: Duration = Duration::from_millis(300);
/// Columns of the bar itself.
const WIDTH: u64 = 24;
/// Erases the line.
const CLEAR: &str = "\r\u{1b}[2K";

/// A progress bar; dropping it erases it.
pub(crate) struct Bar(Option<Arc<Mutex<Drawn>>>);

struct Drawn {
    begun: Instant,
    last: Option<Instant>,
}

impl Bar {
    /// A bar, when standard error is a terminal.
    pub(crate) fn new(context: &Context) -> Self {
        let term = context.workspace.environment().variables.get("TERM").map_or("dumb", String::as_str);
        let is_seen = !context.output.json && term != "dumb" && io::stderr().is_terminal();
        Self(is_seen.then(|| Arc::new(Mutex::new(Drawn { begun: Instant::now(), last: None }))))
    }

    /// The receiver of progress.
    pub(crate) fn progress(&self) -> Progress {
        let Some(drawn) = self.0.clone() else { return Progress::default() };
        Progress::new(move |phase, done, total| {
            let mut drawn = drawn.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let is_early = now.duration_since(drawn.begun) < PATIENCE;
            if is_early || drawn.last.is_some_and(|last| now.duration_since(last) < PAUSE) {
                return;
            }
            drawn.last = Some(now);
            output::tell(&format!("{CLEAR}{}", line(phase, done, total)));
        })
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let drawn = self.0.as_ref().map(|drawn| drawn.lock().unwrap_or_else(PoisonError::into_inner));
        if drawn.is_some_and(|drawn| drawn.last.is_some()) {
            output::tell(CLEAR);
        }
    }
}

fn line(phase: Phase, done: u64, total: Option<u64>) -> String {
    let word = phase.word();
    match total.filter(|total| *total > 0) {
        Some(total) => {
            let filled = (done.min(total) * WIDTH) / total;
            let bar: String = (0..WIDTH).map(|at| if at < filled { '#' } else { '-' }).collect();
            format!("{word} [{bar}] {} of {}", size(done), size(total))
        }
        None if done > 0 => format!("{word} {}", size(done)),
        None => format!("{word}…"),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KiB", bytes / 1_024),
        _ => format!("{}.{} MiB", bytes >> 20, ((bytes % (1 << 20)) * 10) >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_the_progress_and_never_more_than_all() {
        assert_eq!(line(Phase::Index, 0, None), "reading the index…");
        assert_eq!(line(Phase::Download, 2_048, None), "downloading 2 KiB");
        let half = line(Phase::Download, 3 << 19, Some(3 << 20));
        assert_eq!(half, "downloading [############------------] 1.5 MiB of 3.0 MiB");
        assert!(line(Phase::Download, 900, Some(10)).contains("[########################]"));
        assert_eq!(line(Phase::Download, 0, Some(0)), "downloading…");
    }
}
