//! The loop: events in, states drawn, effects carried out.

use crate::{
    draw::draw,
    error::UiError,
    job::Answer,
    keys::Keys,
    state::State,
    terminal::{EndSignals, FullScreen, Input},
    theme::Theme,
    update::{Effect, Event, update},
    worker::Workers,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use skillful::{Workspace, visible};
use std::{
    io::{self, Write as _},
    path::Path,
    process::Command,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    time::{Duration, Instant},
};

/// How long the cursor rests before a preview is made.
const REST: Duration = Duration::from_millis(40);
/// Events that are taken before the next frame.
const BATCH: usize = 256;

/// How the interface looks and what it may use.
#[derive(Clone, Debug)]
pub struct Options {
    /// Colours and characters.
    pub theme: Theme,
    /// Whether the mouse is used.
    pub mouse: bool,
    /// The user's editor, as a shell command.
    pub editor: String,
    /// What each key does.
    pub keys: Keys,
    /// What of the user's keys and colours cannot be used.
    pub problems: Vec<String>,
}

/// How the interface ended.
#[derive(Debug, Default)]
pub struct Ended {
    /// The signal that ended it.
    pub signal: Option<i32>,
}

enum Message {
    Event(Event),
    Lost(io::Error),
    Signal(i32),
}

/// Opens the interface and returns when the user leaves it.
pub fn run(workspace: Workspace, options: &Options) -> Result<Ended, UiError> {
    let (send, receive) = channel();
    let screen = FullScreen::enter(options.mouse)?;
    let to_loop = send.clone();
    let _signals = EndSignals::start(move |signal| drop(to_loop.send(Message::Signal(signal))))?;
    let to_loop = send.clone();
    let input =
        Input::start(move |event| to_loop.send(event.map_or_else(Message::Lost, Message::Event)).is_ok())?;
    let answer = move |answer: Answer| drop(send.send(Message::Event(Event::Answer(answer))));
    let workers = Workers::start(workspace, options.theme, answer)?;
    let size = screen.terminal.size()?;
    let mut state = State::new(options.theme, (size.width, size.height));
    state.keys = Arc::new(options.keys.clone());
    if let Some(problem) = options.problems.first() {
        state.warn(visible::sentence(problem));
    }
    let mut program = Program { screen, input, workers, state, rest: None, editor: options.editor.clone() };
    let signal = program.work(&receive)?;
    // What was begun is finished before the terminal is given back.
    program.workers.finish();
    Ok(Ended { signal })
}

struct Program {
    screen: FullScreen,
    input: Input,
    workers: Workers,
    state: State,
    /// When the cursor has rested, and since which move.
    rest: Option<(Instant, u64)>,
    editor: String,
}

impl Program {
    fn work(&mut self, messages: &Receiver<Message>) -> Result<Option<i32>, UiError> {
        loop {
            self.screen.terminal.autoresize()?;
            let size = self.screen.terminal.size()?;
            if (size.width, size.height) != self.state.size
                && self.take(Event::Resize(size.width, size.height))?
            {
                return Ok(None);
            }
            self.screen.draw(|frame| draw(frame, &self.state))?;
            let first = match self.rest {
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((due, _)) => messages.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            let mut next = match first {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some((_, moves)) = self.rest.take() {
                        self.take(Event::Rested(moves))?;
                    }
                    None
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            };
            let mut taken = 0;
            while let Some(message) = next.take() {
                match message {
                    Message::Event(event) => {
                        if self.take(event)? {
                            return Ok(None);
                        }
                    }
                    Message::Lost(error) => return Err(error.into()),
                    Message::Signal(signal) => return Ok(Some(signal)),
                }
                taken += 1;
                if taken < BATCH {
                    next = messages.try_recv().ok();
                }
            }
        }
    }

    /// Takes an event; returns whether the user leaves.
    fn take(&mut self, event: Event) -> Result<bool, UiError> {
        for effect in update(&mut self.state, event) {
            match effect {
                Effect::Read(job) => self.workers.read(job),
                Effect::Do(deed) => self.workers.carry_out(deed),
                Effect::Rest(moves) => self.rest = Some((Instant::now() + REST, moves)),
                Effect::Edit(file) => self.edit(&file)?,
                Effect::Copy(text) => copy(&text)?,
                Effect::Redraw => self.screen.terminal.clear()?,
                Effect::Suspend => {
                    let Self { screen, input, .. } = self;
                    input.without(|| screen.suspend())?;
                }
                Effect::Quit => return Ok(true),
            }
        }
        Ok(false)
    }

    fn edit(&mut self, file: &Path) -> Result<(), UiError> {
        let Self { screen, input, editor, .. } = self;
        // As git does: the variable may hold arguments.
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file);
        let ended = input.without(|| screen.without(|| command.status()))?;
        let failed = match ended {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("the editor ended with {status}")),
            Err(error) => Some(format!("the editor cannot be run: {error}")),
        };
        match failed {
            Some(why) => self.state.warn(format!("{}: {why}", visible::sentence(editor))),
            None => self.state.say(format!("closed {}", visible::path(file))),
        }
        self.workers.read(crate::job::Job::Refresh { quiet: true });
        Ok(())
    }
}

/// Asks the terminal to put a text into the clipboard (OSC 52), which works over ssh and tmux.
fn copy(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    write!(out, "\u{1b}]52;c;{}\u{7}", STANDARD.encode(text))?;
    out.flush()
}
