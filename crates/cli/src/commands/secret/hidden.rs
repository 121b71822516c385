//! A line from a terminal that shows nothing of it.

use crate::{
    error::{Failure, failed},
    output,
};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use skillful_runtime::secrets::VALUE_LIMIT;
use skillful_secret::Secret;
use std::io::{BufRead, Read, Stdin};

/// What Ctrl-C sends.
const INTERRUPT: u8 = 3;

/// Asks for a line. The terminal is as it was afterwards, also when the person gives up: Ctrl-C ends
/// the line instead of the program.
pub(super) fn line(question: &str) -> Result<Secret, Failure> {
    let stdin = std::io::stdin();
    let silent = Silent::new(&stdin)?;
    output::tell(question);
    let mut bytes = Vec::with_capacity(VALUE_LIMIT + 2);
    let mut input = stdin.lock().take(VALUE_LIMIT as u64 + 1);
    while !bytes.ends_with(b"\n") && !bytes.ends_with(&[INTERRUPT]) {
        let piece = input.fill_buf().map_err(failed("read the value"))?;
        if piece.is_empty() {
            break;
        }
        let count =
            piece.iter().position(|byte| [b'\n', INTERRUPT].contains(byte)).map_or(piece.len(), |at| at + 1);
        bytes.extend_from_slice(&piece[..count]);
        input.consume(count);
    }
    drop(silent);
    output::tell("\n");
    if bytes.ends_with(&[INTERRUPT]) {
        return Err(Failure::new("nothing was kept"));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::new("the value is not text (UTF-8)"))?;
    let value = Secret::new(text);
    Ok(Secret::new(value.reveal().trim_end_matches(['\r', '\n'])))
}

/// A terminal that shows nothing, until this is dropped.
struct Silent<'a> {
    terminal: &'a Stdin,
    before: Termios,
}

impl<'a> Silent<'a> {
    fn new(terminal: &'a Stdin) -> Result<Self, Failure> {
        let quiet = |error: rustix::io::Errno| failed("hide what is typed")(error.into());
        let before = tcgetattr(terminal).map_err(quiet)?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        hidden.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
        tcsetattr(terminal, OptionalActions::Flush, &hidden).map_err(quiet)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Silent<'_> {
    fn drop(&mut self) {
        let _best_effort = tcsetattr(self.terminal, OptionalActions::Flush, &self.before);
    }
}
