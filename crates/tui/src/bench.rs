//! Measures the time from a key press to a drawn frame. For `examples/latency.rs` only.

use crate::{
    draw::draw,
    job::{Answer, Job, Snapshot},
    pages,
    state::State,
    theme::Theme,
    update::{Effect, Event, update},
    worker::{Bodies, read_snapshot},
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{Terminal, TerminalOptions, Viewport, backend::CrosstermBackend, layout::Rect};
use skillful::Workspace;
use std::{
    io::{self, Write},
    sync::Arc,
};

/// A terminal that only counts what is written to it.
#[derive(Default)]
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An interface without threads: what workers would answer is computed outside of the measurement.
pub struct Bench<'w> {
    workspace: &'w Workspace,
    snapshot: Arc<Snapshot>,
    bodies: Bodies,
    state: State,
    terminal: Terminal<CrosstermBackend<Counter>>,
    waiting: Vec<Effect>,
}

impl<'w> Bench<'w> {
    /// Reads a workspace, and draws its first frame.
    pub fn new(workspace: &'w Workspace, columns: u16, rows: u16) -> io::Result<Self> {
        let snapshot = Arc::new(read_snapshot(workspace, 1));
        let mut bodies = Bodies::default();
        bodies.begin(snapshot.items.len());
        while !bodies.is_complete() {
            bodies.read_some(workspace, &snapshot);
        }
        let viewport = Viewport::Fixed(Rect { x: 0, y: 0, width: columns, height: rows });
        let backend = CrosstermBackend::new(Counter::default());
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport })?;
        let theme = Theme { color: true, unicode: true, ..Theme::default() };
        let state = State::new(theme, (columns, rows));
        let mut bench = Self { workspace, snapshot, bodies, state, terminal, waiting: Vec::new() };
        let snapshot = Arc::clone(&bench.snapshot);
        bench.take(Event::Answer(Answer::Snapshot { snapshot, changed: None }))?;
        bench.settle()?;
        Ok(bench)
    }

    /// How many skills there are.
    pub fn skills(&self) -> usize {
        self.snapshot.items.len()
    }

    fn take(&mut self, event: Event) -> io::Result<()> {
        self.waiting.extend(update(&mut self.state, event));
        self.terminal.draw(|frame| draw(frame, &self.state))?;
        Ok(())
    }

    /// A key press up to the frame; this is what is measured.
    pub fn press(&mut self, code: KeyCode) -> io::Result<()> {
        self.take(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    /// Answers what the last keys asked for. Each answer up to the frame is a measurement of its own.
    pub fn settle(&mut self) -> io::Result<()> {
        for event in self.answers() {
            self.take(event)?;
        }
        Ok(())
    }

    fn answers(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        for effect in std::mem::take(&mut self.waiting) {
            match effect {
                Effect::Rest(moves) => events.push(Event::Rested(moves)),
                Effect::Read(Job::Preview { row, width, .. }) => {
                    let theme = self.state.theme;
                    let preview = pages::skill::preview(self.workspace, &self.snapshot, row, width, theme);
                    events.push(Event::Answer(Answer::Preview(Box::new(preview))));
                }
                Effect::Read(Job::SearchBodies { words }) => {
                    let hits = self.bodies.search(&words);
                    events.push(Event::Answer(Answer::Bodies { words, snapshot: 1, hits }));
                }
                _ => {}
            }
        }
        events
    }

    /// The answers that wait, to be measured one by one.
    pub fn pending(&mut self) -> Vec<WaitingAnswer> {
        self.answers().into_iter().map(WaitingAnswer).collect()
    }

    /// Takes an answer up to the frame.
    pub fn answer(&mut self, answer: WaitingAnswer) -> io::Result<()> {
        self.take(answer.0)
    }
}

/// What a worker would report.
pub struct WaitingAnswer(Event);
