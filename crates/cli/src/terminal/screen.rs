//! Writes to the terminal during a turn: the answer, lines about it, the words of a line that has not ended, and a
//! status line. The last two are live: they are drawn over before anything else is written.

use super::live::{LiveLines, Size};
use crate::output::{self, DIM, Output, cut};
use std::{
    io::{IsTerminal, stdout},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// Time between two drawings of the status line.
const TICK: Duration = Duration::from_millis(120);
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Time without a new word after which the status is shown below the words.
const SILENCE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct ScreenState {
    /// The status, and since when.
    running: Option<(String, Instant)>,
    frame: usize,
    /// Lines of the answer that are not final, and since when they are as they are.
    draft: Option<(Vec<String>, Instant)>,
    live: LiveLines,
    /// Whether the status is drawn.
    spins: bool,
    /// What the user can do meanwhile.
    hint: &'static str,
    ended: bool,
}

/// The terminal during a turn. Clones share their state.
#[derive(Clone, Debug)]
pub(crate) struct Screen {
    output: Output,
    /// Whether standard output is the terminal, so that live lines and the answer are one stream.
    is_terminal: bool,
    shared: Arc<(Mutex<ScreenState>, Condvar)>,
}

impl Screen {
    /// The terminal of this process.
    pub(crate) fn new(output: Output) -> Self {
        Self { output, is_terminal: stdout().is_terminal(), shared: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, ScreenState> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes to standard output.
    pub(crate) fn print(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut state = self.state();
        self.erase(&mut state);
        // A closed pipe does not end the turn.
        let _gone = self.output.print_now(text);
    }

    /// Writes whole lines of the answer to standard output, which is a terminal, and below them the lines that are
    /// not final; `None` leaves those as they are.
    pub(crate) fn stream(&self, text: &str, draft: Option<Vec<String>>) {
        let mut state = self.state();
        if let Some(draft) = draft {
            state.draft = (!draft.is_empty()).then(|| (draft, Instant::now()));
        }
        let lines = self.lines(&state);
        let changed = state.live.change(text, lines, Size::measured(self.output.width));
        let _gone = self.output.print_now(&changed);
    }

    /// Writes to standard error.
    pub(crate) fn tell(&self, text: &str) {
        let mut state = self.state();
        self.erase(&mut state);
        output::tell(text);
        if state.draft.is_some() {
            let lines = self.lines(&state);
            self.show(&mut state, lines);
        }
    }

    /// Writes that the turn stops: as the status where that is drawn, so that it does not cut an answer in two.
    pub(crate) fn stopping(&self, what: &str) {
        if self.is_terminal && self.state().spins {
            self.working(Some(what));
        } else {
            self.tell(&format!("{what}\n"));
        }
    }

    /// Erases the status line until `resume`, while the user is asked.
    pub(crate) fn pause(&self) -> Option<(String, Instant)> {
        let mut state = self.state();
        self.erase(&mut state);
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
                self.erase(&mut state);
            }
        }
    }

    /// Sets what the status says that the user can do meanwhile; empty for nothing.
    pub(crate) fn hint(&self, hint: &'static str) {
        self.state().hint = hint;
    }

    /// Draws the status line until the value is dropped. Only for a terminal.
    pub(crate) fn spin(&self) -> Spinner {
        {
            let mut state = self.state();
            state.ended = false;
            state.spins = true;
        }
        let screen = self.clone();
        let thread = std::thread::spawn(move || {
            let (state, wake) = &*screen.shared;
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            while !state.ended {
                screen.draw(&mut state);
                state = wake.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
            }
            // Words that are not final stay.
            let lines = screen.lines(&state);
            screen.show(&mut state, lines);
        });
        Spinner { screen: self.clone(), thread: Some(thread) }
    }

    fn erase(&self, state: &mut ScreenState) {
        if !state.live.is_empty() {
            self.show(state, Vec::new());
        }
    }

    fn draw(&self, state: &mut ScreenState) {
        if state.running.is_some() {
            state.frame += 1;
            let lines = self.lines(state);
            self.show(state, lines);
        }
    }

    fn show(&self, state: &mut ScreenState, lines: Vec<String>) {
        let changed = state.live.change("", lines, Size::measured(self.output.width));
        if self.is_terminal {
            let _gone = self.output.print_now(&changed);
        } else {
            output::tell(&changed);
        }
    }

    /// The live lines: words that are not final, and the status unless words keep coming.
    fn lines(&self, state: &ScreenState) -> Vec<String> {
        let (mut lines, is_silent) = match &state.draft {
            Some((lines, since)) => (lines.clone(), since.elapsed() >= SILENCE),
            None => (Vec::new(), true),
        };
        if let Some((what, since)) = state.running.as_ref().filter(|_| is_silent && state.spins) {
            let seconds = since.elapsed().as_secs();
            let frame = FRAMES[state.frame % FRAMES.len()];
            let time = if seconds > 0 { format!(" {seconds} s") } else { String::new() };
            let room = self.output.width.saturating_sub(1);
            let line = cut(&format!("{frame} {what}{time}"), room);
            // The hint stands where it fits.
            let full = format!("{line}   {}", state.hint);
            let line = if state.hint.is_empty() || full.chars().count() > room { line } else { full };
            lines.push(format!("{DIM}{line}{DIM:#}"));
        }
        lines
    }
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
            state.spins = false;
            state.running = None;
        }
        self.screen.shared.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
