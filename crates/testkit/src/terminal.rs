//! A user at a terminal: runs the program in a pseudo terminal and reads what it displays.

use crate::PATIENCE;
use rustix::{
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    os::unix::ffi::OsStrExt,
    process::{Child, Command},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Looks in a row that must see the same, 10 ms apart.
const LOOKS: usize = 30;

/// A program in a pseudo terminal.
pub struct Terminal {
    keys: File,
    shown: Arc<Mutex<String>>,
    screen: Arc<Mutex<vt100::Parser>>,
    reader: JoinHandle<()>,
    child: Child,
}

impl Terminal {
    /// Starts a program in a pseudo terminal of its own.
    pub fn start(command: impl Into<Command>) -> Self {
        Self::start_sized(command, 0, 0)
    }

    /// The same in a terminal with so many columns and rows; 0 leaves them unknown.
    pub fn start_sized(command: impl Into<Command>, columns: u16, rows: u16) -> Self {
        let mut command = command.into();
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
        grantpt(&master).expect("its other end");
        unlockpt(&master).expect("its other end, open");
        if columns > 0 {
            tcsetwinsize(&master, size(columns, rows)).expect("a size");
        }
        let name = ptsname(&master, Vec::new()).expect("its name");
        let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let open = || OpenOptions::new().read(true).write(true).open(path).expect("the other end");
        let child = command.stdin(open()).stdout(open()).stderr(open()).spawn().expect("the program runs");
        drop(command);
        let keys = File::from(master);
        let mut screen = keys.try_clone().expect("a second handle");
        let shown = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&shown);
        let parser = Arc::new(Mutex::new(vt100::Parser::new(rows.max(1), columns.max(1), 0)));
        let drawn = Arc::clone(&parser);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            let mut frames = WholeFrames::default();
            // Reading fails when the last program in the terminal has ended.
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                if columns > 0 {
                    drawn.lock().expect("no panic").process(&frames.take(&bytes[..length]));
                }
                seen.lock().expect("no panic").push_str(&String::from_utf8_lossy(&bytes[..length]));
            }
        });
        Self { keys, shown, screen: parser, reader, child }
    }

    /// Waits until this text is displayed.
    pub fn wait_for(&self, words: &str) {
        let start = Instant::now();
        while !self.shown.lock().expect("no panic").contains(words) {
            assert!(start.elapsed() < PATIENCE, "{words:?} was never displayed: {:?}", self.shown);
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until this text is displayed behind another one.
    pub fn wait_for_after(&self, before: &str, words: &str) {
        let start = Instant::now();
        let is_shown = |shown: &str| shown.split_once(before).is_some_and(|(_, rest)| rest.contains(words));
        while !is_shown(&self.shown.lock().expect("no panic")) {
            assert!(start.elapsed() < PATIENCE, "{words:?} was never displayed: {:?}", self.shown);
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the screen is as a condition wants it, and returns it without blanks at the ends of lines.
    pub fn wait_for_screen(&self, what: &str, is_it: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if is_it(&screen) {
                return screen;
            }
            assert!(start.elapsed() < PATIENCE, "{what} never came:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the screen stays as a condition wants it. What is not there any more may be missing only while a line is
    /// drawn again; a key that is pressed then would meet the state before.
    pub fn wait_until_it_stays(&self, what: &str, is_it: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        let mut seen = 0;
        loop {
            let screen = self.screen();
            seen = if is_it(&screen) { seen + 1 } else { 0 };
            if seen == LOOKS {
                return screen;
            }
            assert!(start.elapsed() < PATIENCE, "{what} never stayed:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// What the screen shows now.
    pub fn screen(&self) -> String {
        let contents = self.screen.lock().expect("no panic").screen().contents();
        contents.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// Whether the program draws on the whole screen.
    pub fn is_full_screen(&self) -> bool {
        self.screen.lock().expect("no panic").screen().alternate_screen()
    }

    /// Everything that was written until now, with its sequences.
    pub fn written(&self) -> String {
        self.shown.lock().expect("no panic").clone()
    }

    /// Changes the size of the window.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.screen.lock().expect("no panic").screen_mut().set_size(rows, columns);
        tcsetwinsize(&self.keys, size(columns, rows)).expect("a size");
        // The terminal does not control the program, so that the system does not report this.
        self.signal(Signal::WINCH);
    }

    /// Sends a signal to the program.
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(pid, signal).expect("the program runs");
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys");
    }

    /// Waits for the end; returns the exit code and everything that was displayed.
    pub fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().expect("an end");
        self.reader.join().expect("no panic");
        let shown = self.shown.lock().expect("no panic").replace("\r\n", "\n");
        (status.code(), shown)
    }
}

/// Holds a frame back until it is whole, as a terminal with synchronized updates does, so that no test sees a part of one.
#[derive(Default)]
struct WholeFrames(Vec<u8>);

impl WholeFrames {
    const BEGIN: &[u8] = b"\x1b[?2026h";
    const END: &[u8] = b"\x1b[?2026l";

    /// Takes what was read and returns what a terminal shows now.
    fn take(&mut self, read: &[u8]) -> Vec<u8> {
        self.0.extend_from_slice(read);
        let last = |mark: &[u8]| self.0.windows(mark.len()).rposition(|part| part == mark);
        let open = last(Self::BEGIN).filter(|begin| last(Self::END).is_none_or(|end| end < *begin));
        // A mark may be cut in two by the end of what was read.
        let cut = (1..Self::BEGIN.len()).rev().find(|length| self.0.ends_with(&Self::BEGIN[..*length]));
        let whole = open.unwrap_or(self.0.len() - cut.unwrap_or(0));
        self.0.drain(..whole).collect()
    }
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_frame_is_not_shown() {
        let all = b"before\x1b[?2026hone\x1b[?2026lmid\x1b[?2026htwo\x1b[?2026lafter\x1b[31m";
        for cut in 0..all.len() {
            let mut frames = WholeFrames::default();
            let mut seen = String::from_utf8(frames.take(&all[..cut])).unwrap();
            let open = seen.matches("\u{1b}[?2026h").count();
            assert_eq!(open, seen.matches("\u{1b}[?2026l").count(), "{cut}: {seen:?}");
            assert!(!seen.ends_with("on") && !seen.ends_with("tw"), "{cut}: {seen:?}");
            seen.push_str(&String::from_utf8(frames.take(&all[cut..])).unwrap());
            assert_eq!(seen.as_bytes(), all, "{cut}");
        }
        let mut frames = WholeFrames::default();
        assert_eq!(frames.take(b"before\x1b[?20"), b"before");
        assert_eq!(frames.take(b"26ho"), b"");
    }
}
