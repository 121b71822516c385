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
            // Reading fails when the last program in the terminal has ended.
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                if columns > 0 {
                    drawn.lock().expect("no panic").process(&bytes[..length]);
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

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}
