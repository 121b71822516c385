//! The terminal: full screen while this lives, and restored whatever ends the program.

use crate::{backend::Unasking, update::Event, worker::THREAD};
use crossterm::{
    cursor::{Hide, Show},
    event::{self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture},
    execute,
    terminal::{
        BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
        disable_raw_mode, enable_raw_mode,
    },
};
use ratatui::{Frame, Terminal, backend::CrosstermBackend};
use rustix::event::{PollFd, PollFlags, Timespec};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP},
    iterator::{Handle, Signals},
    low_level::emulate_default_handler,
};
use std::{
    io::{self, Stdout, Write as _},
    sync::{
        Arc, Once,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Whether the terminal is ours.
static ACTIVE: AtomicBool = AtomicBool::new(false);
/// The longest wait for keys before a request to pause is seen.
const POLL: Duration = Duration::from_millis(50);
/// How often the thread that watches the terminal looks whether the interface has ended.
const WATCH: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };

/// A terminal in full screen.
pub(crate) struct FullScreen {
    pub(crate) terminal: Terminal<Unasking<Stdout>>,
    mouse: bool,
}

impl FullScreen {
    /// Takes the terminal.
    pub(crate) fn enter(mouse: bool) -> io::Result<Self> {
        restore_on_panic();
        take(mouse)?;
        let terminal =
            Terminal::new(Unasking(CrosstermBackend::new(io::stdout()))).inspect_err(|_| restore())?;
        Ok(Self { terminal, mouse })
    }

    /// Draws a frame, which a terminal that can shows as a whole. Other terminals ignore the marks around it.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        execute!(io::stdout(), BeginSynchronizedUpdate)?;
        let drawn = self.terminal.draw(draw).map(drop);
        execute!(io::stdout(), EndSynchronizedUpdate)?;
        drawn
    }

    /// Gives the terminal back while something else uses it.
    pub(crate) fn without<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        restore();
        let done = work();
        take(self.mouse)?;
        self.terminal.clear()?;
        Ok(done)
    }

    /// Stops the program as Ctrl-Z does.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        self.without(|| emulate_default_handler(SIGTSTP))?
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        restore();
    }
}

fn take(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    ACTIVE.store(true, Ordering::SeqCst);
    let mut out = io::stdout();
    let taken = execute!(out, EnterAlternateScreen, EnableBracketedPaste, Hide)
        .and_then(|()| if mouse { execute!(out, EnableMouseCapture) } else { Ok(()) });
    taken.inspect_err(|_| restore())
}

/// Restores the terminal, once. A terminal that is gone cannot be restored.
fn restore() {
    if ACTIVE.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        let _gone = execute!(
            out,
            EndSynchronizedUpdate,
            DisableMouseCapture,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            Show
        );
        let _gone = disable_raw_mode();
        let _gone = out.flush();
    }
}

/// A panic restores the terminal before it is reported. One in a worker is reported on the screen.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let is_worker = thread::current().name().is_some_and(|name| name.starts_with(THREAD));
            if is_worker && ACTIVE.load(Ordering::SeqCst) {
                return;
            }
            restore();
            before(panic);
        }));
    });
}

/// Whether the terminal was closed. A program in a session of its own gets no signal then.
fn is_gone(wait: &Timespec) -> bool {
    let input = io::stdin();
    let mut watched = [PollFd::new(&input, PollFlags::empty())];
    let polled = rustix::event::poll(&mut watched, Some(wait));
    polled.is_ok() && watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

/// What the threads of the input share.
#[derive(Default)]
struct Flow {
    /// Whether something else wants to read keys.
    wanted: AtomicBool,
    /// Whether the reader of keys has stopped, for a while or for good.
    paused: AtomicBool,
    /// Whether nothing is to be read any more: the terminal was closed, or the interface ended.
    over: AtomicBool,
}

/// Reads keys in a thread of its own.
pub(crate) struct Input(Arc<Flow>);

impl Input {
    /// Starts to read. `send` returns whether anyone listens.
    pub(crate) fn start(
        send: impl Fn(io::Result<Event>) -> bool + Clone + Send + 'static,
    ) -> io::Result<Self> {
        let flow = Arc::new(Flow::default());
        let (shared, report) = (Arc::clone(&flow), send.clone());
        // The reader of `crossterm` never returns from a terminal that is closed while it reads, so that another
        // thread watches the terminal.
        thread::Builder::new().name(format!("{THREAD}terminal")).spawn(move || {
            while !shared.over.load(Ordering::SeqCst) {
                if is_gone(&WATCH) {
                    shared.over.store(true, Ordering::SeqCst);
                    report(Err(io::Error::other("the terminal was closed")));
                }
            }
        })?;
        let shared = Arc::clone(&flow);
        thread::Builder::new().name(format!("{THREAD}input")).spawn(move || {
            read_events(&shared, &send);
            shared.paused.store(true, Ordering::SeqCst);
        })?;
        Ok(Self(flow))
    }

    /// Runs something that reads keys itself.
    pub(crate) fn without<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.wanted.store(true, Ordering::SeqCst);
        while !self.0.paused.load(Ordering::SeqCst) && !self.0.over.load(Ordering::SeqCst) {
            thread::sleep(POLL / 10);
        }
        let done = work();
        self.0.wanted.store(false, Ordering::SeqCst);
        done
    }
}

fn read_events(flow: &Flow, send: &impl Fn(io::Result<Event>) -> bool) {
    while !flow.over.load(Ordering::SeqCst) {
        let is_wanted = flow.wanted.load(Ordering::SeqCst);
        flow.paused.store(is_wanted, Ordering::SeqCst);
        if is_wanted {
            thread::sleep(POLL / 5);
            continue;
        }
        let read = match event::poll(POLL) {
            Ok(false) => continue,
            Ok(true) => event::read(),
            Err(error) => Err(error),
        };
        let is_over = read.is_err();
        let event = match read {
            Ok(event::Event::Key(key)) => Ok(Event::Key(key)),
            Ok(event::Event::Mouse(mouse)) => Ok(Event::Mouse(mouse)),
            Ok(event::Event::Resize(width, height)) => Ok(Event::Resize(width, height)),
            Ok(event::Event::Paste(text)) => Ok(Event::Paste(text)),
            Ok(_) => continue,
            Err(error) => Err(error),
        };
        if !send(event) || is_over {
            return;
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        // The threads end before the terminal is given back, so that keys reach the shell.
        self.without(|| self.0.over.store(true, Ordering::SeqCst));
    }
}

/// Reports signals that end the program, until it is dropped.
pub(crate) struct EndSignals(Handle);

impl EndSignals {
    pub(crate) fn start(send: impl Fn(i32) + Send + 'static) -> io::Result<Self> {
        let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT])?;
        let handle = signals.handle();
        thread::Builder::new()
            .name(format!("{THREAD}signals"))
            .spawn(move || signals.forever().for_each(send))?;
        Ok(Self(handle))
    }
}

impl Drop for EndSignals {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const PANICS: &str = "SKILLFUL_TUI_TEST_PANICS";

    #[test]
    fn a_panic_restores_the_terminal_before_it_is_reported() {
        if std::env::var_os(PANICS).is_some() {
            let _screen = FullScreen::enter(true).unwrap();
            panic!("on purpose");
        }
        let name = "terminal::tests::a_panic_restores_the_terminal_before_it_is_reported";
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", name, "--nocapture"]).env(PANICS, "1").env("TERM", "xterm");
        let (_, shown) = skillful_testkit::Terminal::start_sized(command, 80, 24).end();
        let (before, after) = shown.split_once("\u{1b}[?1049l").expect("the screen is given back");
        assert!(before.contains("\u{1b}[?1049h") && !before.contains("on purpose"), "{shown:?}");
        assert!(after.contains("on purpose") && after.contains("\u{1b}[?25h"), "{shown:?}");
    }
}
