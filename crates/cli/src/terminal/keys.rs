//! Keys that are pressed while the model works: Esc stops the step, and what is typed waits for the next prompt.

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

const ESCAPE: u8 = 27;
/// Bytes that are kept of what is typed during a step.
const KEPT: usize = 64 << 10;
/// How long the watch waits while a question is asked.
const ASIDE: Duration = Duration::from_millis(20);

/// The modes of the terminal before they were changed; `None` while it is not watched.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);
/// Questions that want to read keys themselves. The watch reads only while there are none, and holds [`BEFORE`] then.
static QUESTIONS: AtomicUsize = AtomicUsize::new(0);

fn before() -> MutexGuard<'static, Option<Termios>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches the keys of the terminal until it is ended.
pub(crate) struct KeyWatch {
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<u8>>>,
}

impl KeyWatch {
    /// Watches from now on. Standard input must be a terminal; `stop` is called when Esc is pressed.
    pub(crate) fn new(stop: impl Fn() + Send + 'static) -> io::Result<Self> {
        let known = tcgetattr(io::stdin())?;
        set(&known)?;
        *before() = Some(known);
        let ends = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ends);
        let thread = thread::spawn(move || {
            let mut typed = Vec::new();
            while !flag.load(Ordering::Acquire) {
                if QUESTIONS.load(Ordering::Acquire) > 0 {
                    thread::sleep(ASIDE);
                } else if !read(&mut typed, &stop) {
                    break;
                }
            }
            typed
        });
        Ok(Self { ends, thread: Some(thread) })
    }

    /// Ends the watch and returns what was typed.
    pub(crate) fn end(mut self) -> String {
        let typed = self.close();
        text(&typed)
    }

    fn close(&mut self) -> Vec<u8> {
        self.ends.store(true, Ordering::Release);
        let typed = self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        restore();
        *before() = None;
        typed
    }
}

impl Drop for KeyWatch {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.close();
        }
    }
}

/// Gives the terminal to a question until the value is dropped.
pub(crate) struct Aside;

/// The keys belong to the caller until the result is dropped; without a watch this does nothing.
pub(crate) fn aside() -> Aside {
    QUESTIONS.fetch_add(1, Ordering::AcqRel);
    restore();
    Aside
}

impl Drop for Aside {
    fn drop(&mut self) {
        if let Some(known) = before().as_ref().filter(|_| QUESTIONS.load(Ordering::Acquire) == 1) {
            // A terminal that is gone needs no modes.
            let _gone = set(known);
        }
        QUESTIONS.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Sets the modes as they were before the watch.
pub(crate) fn restore() {
    if let Some(known) = &*before() {
        let _gone = tcsetattr(io::stdin(), OptionalActions::Now, known);
    }
}

/// No echo, and a read returns after a tenth of a second. Interrupts stay signals.
fn set(known: &Termios) -> io::Result<()> {
    let mut watched = known.clone();
    watched.local_modes -= LocalModes::ECHO | LocalModes::ICANON;
    watched.special_codes[SpecialCodeIndex::VMIN] = 0;
    watched.special_codes[SpecialCodeIndex::VTIME] = 1;
    tcsetattr(io::stdin(), OptionalActions::Now, &watched)?;
    Ok(())
}

/// Reads what was pressed; a lone Esc stops the step. Returns `false` when the terminal cannot be read.
fn read(typed: &mut Vec<u8>, stop: &dyn Fn()) -> bool {
    let _held = before();
    // A question came while this waited for the terminal.
    if QUESTIONS.load(Ordering::Acquire) > 0 {
        return true;
    }
    let mut bytes = [0; 256];
    let Ok(mut count) = rustix::io::read(io::stdin(), &mut bytes) else { return false };
    let mut is_escape = false;
    if bytes[..count].last() == Some(&ESCAPE) && count < bytes.len() {
        // The other bytes of an arrow key may come later.
        match rustix::io::read(io::stdin(), &mut bytes[count..]) {
            Ok(0) => {
                is_escape = true;
                count -= 1;
            }
            Ok(more) => count += more,
            Err(_) => return false,
        }
    }
    if typed.len() + count <= KEPT {
        typed.extend_from_slice(&bytes[..count]);
    }
    if is_escape {
        stop();
    }
    true
}

/// What the pressed keys come to: without arrow keys and the like, with deletions carried out.
fn text(typed: &[u8]) -> String {
    let typed = String::from_utf8_lossy(typed);
    let mut chars = typed.chars().peekable();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !matches!(c, '@'..='~')) {},
                Some('O') => drop(chars.next()),
                _ => {}
            },
            // A line that was sent is not deleted.
            '\u{8}' | '\u{7f}' if out.ends_with('\n') => {}
            '\u{8}' | '\u{7f}' => drop(out.pop()),
            '\u{15}' => out.truncate(out.rfind('\n').map_or(0, |at| at + 1)),
            '\r' | '\n' => out.push('\n'),
            c if !c.is_control() => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_text_without_keys_that_move_or_delete() {
        assert_eq!(text("and \u{1b}[Aalso\u{1b}OB this".as_bytes()), "and also this");
        assert_eq!(text("wrongg\u{7f} way".as_bytes()), "wrong way");
        assert_eq!(text("send\rdelete me\u{15}next".as_bytes()), "send\nnext");
        assert_eq!(text("sent\r\u{7f}".as_bytes()), "sent\n");
        assert_eq!(text("Ünïcödé\t\u{4}".as_bytes()), "Ünïcödé");
    }
}
