//! A user at a terminal: runs the program in a pseudo terminal and reads what it displays.

use crate::PATIENCE;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
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
    reader: JoinHandle<()>,
    child: Child,
}

impl Terminal {
    /// Starts a program in a pseudo terminal of its own.
    pub fn start(command: impl Into<Command>) -> Self {
        let mut command = command.into();
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
        grantpt(&master).expect("its other end");
        unlockpt(&master).expect("its other end, open");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let open = || OpenOptions::new().read(true).write(true).open(path).expect("the other end");
        let child = command.stdin(open()).stdout(open()).stderr(open()).spawn().expect("the program runs");
        drop(command);
        let keys = File::from(master);
        let mut screen = keys.try_clone().expect("a second handle");
        let shown = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&shown);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails when the last program in the terminal has ended.
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                seen.lock().expect("no panic").push_str(&String::from_utf8_lossy(&bytes[..length]));
            }
        });
        Self { keys, shown, reader, child }
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
