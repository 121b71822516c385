//! Writes to the terminal during a turn: the answer, lines about it, and a status line. The status line is erased
//! before anything else is written.

use crate::output::{self, DIM, Output, cut};
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// Time between two drawings of the status line.
const TICK: Duration = Duration::from_millis(120);
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Erases the line.
const ERASE: &str = "\r\u{1b}[2K";

#[derive(Debug, Default)]
struct State {
    /// The status, and since when.
    running: Option<(String, Instant)>,
    frame: usize,
    drawn: bool,
    ended: bool,
}

/// The terminal during a turn. Clones share their state.
#[derive(Clone, Debug)]
pub(crate) struct Screen {
    output: Output,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Screen {
    /// The terminal of this process.
    pub(crate) fn new(output: Output) -> Self {
        Self { output, shared: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes to standard output.
    pub(crate) fn print(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut state = self.state();
        erase(&mut state);
        // A closed pipe does not end the turn.
        let _gone = self.output.print_now(text);
    }

    /// Writes to standard error.
    pub(crate) fn tell(&self, text: &str) {
        let mut state = self.state();
        erase(&mut state);
        output::tell(text);
    }

    /// Erases the status line until `resume`, while the user is asked.
    pub(crate) fn pause(&self) -> Option<(String, Instant)> {
        let mut state = self.state();
        erase(&mut state);
        state.running.take()
    }

    /// Shows the status line again.
    pub(crate) fn resume(&self, what: Option<(String, Instant)>) {
        self.state().running = what;
    }

    /// Sets the status; `None` erases the line.
    pub(crate) fn working(&self, what: Option<&str>) {
        let mut state = self.state();
        match (&mut state.running, what) {
            (Some((now, _)), Some(what)) if now == what => {}
            (running, Some(what)) => *running = Some((what.to_owned(), Instant::now())),
            (running, None) => {
                *running = None;
                erase(&mut state);
            }
        }
    }

    /// Draws the status line until the value is dropped. Only for a terminal.
    pub(crate) fn spin(&self) -> Spinner {
        self.state().ended = false;
        let screen = self.clone();
        let thread = std::thread::spawn(move || {
            let (state, wake) = &*screen.shared;
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            while !state.ended {
                draw(&mut state, screen.output.width);
                state = wake.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
            }
            erase(&mut state);
        });
        Spinner { screen: self.clone(), thread: Some(thread) }
    }
}

fn erase(state: &mut State) {
    if std::mem::take(&mut state.drawn) {
        output::tell(ERASE);
    }
}

fn draw(state: &mut State, width: usize) {
    let Some((what, since)) = &state.running else { return };
    let seconds = since.elapsed().as_secs();
    let frame = FRAMES[state.frame % FRAMES.len()];
    let time = if seconds > 0 { format!(" {seconds} s") } else { String::new() };
    let line = cut(&format!("{frame} {what}{time}"), width.saturating_sub(1));
    output::tell(&format!("{ERASE}{DIM}{line}{DIM:#}"));
    state.frame += 1;
    state.drawn = true;
}

/// Draws the status line until it is dropped.
#[derive(Debug)]
pub(crate) struct Spinner {
    screen: Screen,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Spinner {
    fn drop(&mut self) {
        {
            let mut state = self.screen.state();
            state.ended = true;
            state.running = None;
        }
        self.screen.shared.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
