//! Questions to the user at a terminal. Without a terminal no question is asked.

use crate::{output, terminal::keys};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::io::{self, IsTerminal, Read};

/// Whether there is a terminal to ask at.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a value without echo. `None` when the user gave none.
pub(crate) fn hidden(question: &str) -> io::Result<Option<String>> {
    let _aside = keys::aside();
    // Before the question: keys typed until echo is off are discarded.
    let _quiet = Quiet::new()?;
    output::tell(&format!("{question} (not shown): "));
    let mut bytes = Vec::new();
    let mut byte = [0];
    let answer = loop {
        if io::stdin().read(&mut byte)? == 0 {
            break None;
        }
        match byte[0] {
            b'\r' | b'\n' => break Some(bytes),
            // Interrupt and end of input.
            3 | 4 => break None,
            8 | 127 => while bytes.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
            21 => bytes.clear(),
            other => bytes.push(other),
        }
    };
    output::tell("\n");
    match answer.map(String::from_utf8) {
        Some(Ok(text)) if !text.is_empty() => Ok(Some(text)),
        Some(Err(_)) => Err(io::Error::new(io::ErrorKind::InvalidData, "the answer is not UTF-8")),
        _ => Ok(None),
    }
}

/// Asks for a line. `None` at the end of input.
pub(crate) fn line(question: &str) -> io::Result<Option<String>> {
    let _aside = keys::aside();
    output::tell(&format!("{question} "));
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line)?;
    Ok((read > 0).then_some(line))
}

/// Asks a yes-or-no question. Every other answer is no.
pub(crate) fn yes(question: &str) -> io::Result<bool> {
    let _aside = keys::aside();
    output::tell(&format!("{question} [y/N] "));
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Asks for one key. `None` at the end of input; an interrupt is a key like any other.
pub(crate) fn key(question: &str) -> io::Result<Option<u8>> {
    let _aside = keys::aside();
    // Keys typed before the question are discarded.
    let _quiet = Quiet::new()?;
    output::tell(question);
    let mut byte = [0];
    let read = io::stdin().read(&mut byte)?;
    Ok((read > 0).then_some(byte[0]))
}

/// A terminal without echo that returns every key at once, until this is dropped.
struct Quiet(Termios);

impl Quiet {
    fn new() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Self(before))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _gone_terminal = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}
