//! The `git` program, in its own process group, with a bound on everything it may do.

use super::{
    super::{GitError, Outside},
    Bounds,
    pin::Pin,
};
use std::{
    io::{self, Read, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// What one answer may come to: the largest skill with room for its names.
const ANSWER_LIMIT: u64 = 96 << 20;
/// What is kept of its complaints.
const SAID_LIMIT: u64 = 64 << 10;
/// Characters of them that are shown.
const SAID_SHOWN: usize = 400;
/// Between two looks at a running program.
const LOOK: Duration = Duration::from_millis(10);
/// Between two looks at what it put on the disk.
const MEASURE: Duration = Duration::from_millis(100);

/// The first version with `http.curloptResolve`; an older one ignores the setting.
const PINNING: (u32, u32) = (2, 37);

/// Variables that a user's connection needs. No name of git's own is among them.
/// No proxy either: it would look names up itself, out of reach of the address check.
const PASSED: [&str; 6] = ["PATH", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR", "LOGNAME"];

/// Set for every call.
const SET: [(&str, &str); 13] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "/bin/false"),
    ("SSH_ASKPASS", "/bin/false"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("LC_ALL", "C"),
];

/// No key of an unknown machine is believed, nothing is asked, and no connection outlives the call.
const SSH: &str = "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes -oControlMaster=no -oControlPath=none \
                   -oPermitLocalCommand=no -oForwardAgent=no -oClearAllForwardings=yes";

/// Configuration of every call; stronger than any file.
const CONFIG: [&str; 18] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=false",
    "core.attributesFile=/dev/null",
    "core.sshCommand=",
    "credential.helper=",
    "protocol.allow=never",
    "protocol.version=2",
    "transfer.fsckObjects=true",
    "fetch.fsckObjects=true",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.bundleURI=",
    "transfer.bundleURI=false",
    "http.followRedirects=false",
    "http.proxy=",
];

pub(super) struct Program<'a> {
    folder: &'a Path,
    protocol: &'static str,
    pin: Pin,
    outside: &'a Outside,
}

impl<'a> Program<'a> {
    pub(super) fn new(folder: &'a Path, protocol: &'static str, pin: Pin, outside: &'a Outside) -> Self {
        Self { folder, protocol, pin, outside }
    }

    pub(super) fn bounds(&self) -> Bounds {
        self.outside.bounds
    }

    /// Refuses a program that would look the name of the host up itself: it ignores the addresses that were checked.
    pub(super) fn holds_pin(&self) -> Result<(), GitError> {
        if self.pin.curl().is_none() || self.pin.is_forge() {
            return Ok(());
        }
        let said = self.run("report its version", &["version"], &[])?;
        let said = String::from_utf8_lossy(&said);
        if takes_addresses(&said) {
            Ok(())
        } else {
            Err(GitError::Old(said.trim().chars().take(SAID_SHOWN).collect()))
        }
    }

    /// Runs one command to its end and returns what it wrote.
    pub(super) fn run(&self, action: &'static str, args: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        let mut child = self.command(args).spawn().map_err(GitError::NoProgram)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        std::thread::scope(|scope| {
            let writer = scope.spawn(move || {
                // A program that stopped reading reports it by its status.
                let _closed = stdin.map(|mut stdin| stdin.write_all(input));
            });
            let reader = scope.spawn(move || read_bounded(stdout, ANSWER_LIMIT));
            let complaints = scope.spawn(move || read_bounded(stderr, SAID_LIMIT));
            let ended = self.wait(&mut child, action);
            let _written = writer.join();
            let answer = reader.join().unwrap_or_else(|_| Err(io::Error::other("a reader failed")));
            let said = complaints.join().unwrap_or_else(|_| Ok(Vec::new())).unwrap_or_default();
            if !ended? {
                let said = harmless(&said);
                let redirected = ["301", "302", "303", "307", "308"]
                    .iter()
                    .any(|status| said.contains(&format!("The requested URL returned error: {status}")));
                return Err(if redirected {
                    GitError::Redirected
                } else {
                    GitError::Failed { action, said }
                });
            }
            let answer = answer?;
            if answer.len() as u64 > ANSWER_LIMIT {
                Err(GitError::TooLarge(ANSWER_LIMIT))
            } else {
                Ok(answer)
            }
        })
    }

    fn command(&self, args: &[&str]) -> Command {
        // Never from a relative folder of the search path, which would be the one we work in.
        let path = self.outside.variables.get("PATH").map(String::as_str).unwrap_or_default();
        let program = std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join("git"))
            .find(|program| program.is_file())
            .unwrap_or_else(|| "/usr/bin/git".into());
        let mut command = Command::new(program);
        command.env_clear().envs(SET).current_dir(self.folder);
        for name in PASSED {
            if let Some(value) = self.outside.variables.get(name) {
                command.env(name, value);
            }
        }
        // Looked up here and not in the folder above: only this repository is meant.
        command.env("HOME", self.folder).env("XDG_CONFIG_HOME", self.folder).env("GIT_DIR", self.folder);
        command.env("GIT_ALLOW_PROTOCOL", self.protocol);
        command.env("GIT_SSH_COMMAND", format!("{SSH}{}", self.pin.ssh()));
        if let Some(setting) = self.pin.curl() {
            command.args(["-c", &setting]);
        }
        for setting in CONFIG {
            command.args(["-c", setting]);
        }
        command.args(["-c", &format!("protocol.{}.allow=always", self.protocol)]);
        command.args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        command
    }

    /// Waits, and ends the whole group when a bound is reached.
    fn wait(&self, child: &mut Child, action: &'static str) -> Result<bool, GitError> {
        let Bounds { seconds, bytes, .. } = self.bounds();
        let began = Instant::now();
        let mut measured = began;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            let stopped = if began.elapsed() >= Duration::from_secs(seconds) {
                Some(GitError::TooSlow { action, seconds })
            } else if measured.elapsed() >= MEASURE && {
                measured = Instant::now();
                size_of(self.folder, 0) > bytes
            } {
                Some(GitError::TooLarge(bytes))
            } else {
                None
            };
            if let Some(error) = stopped {
                end(child);
                return Err(error);
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Whether git of this version takes the addresses of a host (`http.curloptResolve`).
fn takes_addresses(said: &str) -> bool {
    let number = said.trim().strip_prefix("git version ").unwrap_or_default();
    let mut parts = number.split('.').map(|part| part.parse::<u32>().ok());
    matches!((parts.next().flatten(), parts.next().flatten()), (Some(major), Some(minor)) if (major, minor) >= PINNING)
}

fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _gone = child.kill();
    let _gone = child.wait();
}

fn read_bounded(from: Option<impl Read>, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Some(mut from) = from else { return Ok(bytes) };
    from.by_ref().take(limit + 1).read_to_end(&mut bytes)?;
    // The rest is read away, so that the program does not wait for us until its time is up.
    io::copy(&mut from, &mut io::sink())?;
    Ok(bytes)
}

/// Bytes below a folder of git's own, which is a few levels deep.
fn size_of(folder: &Path, depth: usize) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() && depth < 8 => size_of(&entry.path(), depth + 1),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

/// Words of another program, on one line, without anything that moves a cursor.
fn harmless(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let words: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let line = words.join("; ");
    let shown: String = line.chars().filter(|c| !crate::source::is_unseen(*c)).take(SAID_SHOWN).collect();
    if shown.is_empty() { "it gave no reason".to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_that_would_look_names_up_itself_is_known_by_its_version() {
        for said in [
            "git version 2.37.0",
            "git version 2.47.3\n",
            "git version 2.39.5 (Apple Git-154)",
            "git version 3.0.rc1",
        ] {
            assert!(takes_addresses(said), "{said}");
        }
        for said in [
            "git version 2.34.1",
            "git version 2.36.6",
            "git version 1.99.0",
            "git version two",
            "2.47.3",
            "",
        ] {
            assert!(!takes_addresses(said), "{said}");
        }
    }
}
