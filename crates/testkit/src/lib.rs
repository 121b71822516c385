#![expect(clippy::expect_used, reason = "a test whose setup fails must stop")]
//! Temporary homes, fixture trees and the program under test. A dev-dependency only.
//!
//! A [`TestContext`] is an isolated environment: its own home, its own repository, and only the variables
//! that a test sets. The output of a command becomes one text for snapshots.

mod attempts;
mod command;
pub mod disguised;
mod file_server;
mod git_server;
mod model_server;
mod postgres;
mod process;
mod ssh;
mod terminal;
mod tools;
mod wait;

pub use attempts::Attempts;
pub use command::TestCommand;
pub use file_server::{FileServer, Served};
pub use git_server::GitServer;
pub use model_server::{AnswerPart, Broken, ModelAnswer, ModelServer, RecordedRequest, Script, WireFormat};
pub use postgres::postgres_database;
pub use process::{alone, cpu_time, write_program};
pub use ssh::ssh_key;
use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;
pub use terminal::Terminal;
pub use tools::{has_tool, skip};
pub use wait::{PATIENCE, wait_until};

/// Examines the arguments and the output of a command that a test ran, and panics when they do not agree.
pub type OutputCheck = fn(&[OsString], &Output);

/// An isolated environment for one test.
pub struct TestContext {
    program: PathBuf,
    root: TempDir,
    variables: Vec<(String, String)>,
    check: Option<OutputCheck>,
}

impl TestContext {
    /// Creates an environment with an empty home and an empty repository, for the program at `program`.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let root = tempfile::Builder::new().prefix("skillful-test-").tempdir().expect("a temp folder");
        let context = Self { program: program.into(), root, variables: Vec::new(), check: None };
        fs::create_dir_all(context.home()).expect("a home");
        fs::create_dir_all(context.work().join(".git")).expect("a repository");
        context
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.base().join("home")
    }

    /// The repository that commands run in.
    pub fn work(&self) -> PathBuf {
        self.base().join("work")
    }

    fn base(&self) -> PathBuf {
        self.root.path().canonicalize().expect("the temp folder")
    }

    /// Sets a variable for every command.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Examines the output of every command that runs to its end.
    #[must_use]
    pub fn checked(mut self, check: OutputCheck) -> Self {
        self.check = Some(check);
        self
    }

    /// Writes a file below the temporary folder: `work/…` or `home/…`.
    pub fn file(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let file = self.base().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("folders");
        fs::write(&file, content).expect("a file");
        file
    }

    /// Writes a skill with a name, a description and a short body.
    pub fn skill(&self, folder: &str, description: &str) -> PathBuf {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        self.file(
            &format!("{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\n\nDo it.\n"),
        )
    }

    /// Makes a symbolic link at `path` to `target`.
    pub fn link(&self, path: &str, target: &str) {
        let link = self.base().join(path);
        fs::create_dir_all(link.parent().expect("a parent")).expect("folders");
        std::os::unix::fs::symlink(target, link).expect("a link");
    }

    /// The program, ready to run in the repository.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> TestCommand {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.work())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("COLUMNS", "100")
            .stdin(Stdio::null());
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        TestCommand { command, check: self.check }
    }

    /// Runs the program with arguments separated by spaces.
    pub fn run(&self, line: &str) -> Output {
        self.command(line.split_whitespace()).output().expect("the program runs")
    }

    /// Runs the program and returns standard output as JSON.
    pub fn json(&self, line: &str) -> serde_json::Value {
        let output = self.run(line);
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{line}: {error}\n{text}\n{}", String::from_utf8_lossy(&output.stderr))
        })
    }

    /// Runs the program and returns what a user sees: exit code, standard output, standard error.
    pub fn see(&self, line: &str) -> String {
        self.tell(&self.run(line))
    }

    /// An output as a user sees it, with the temporary folder and digests replaced.
    pub fn tell(&self, output: &Output) -> String {
        let mut text = String::new();
        let code = output.status.code().map_or("a signal".to_owned(), |code| code.to_string());
        let _never = writeln!(text, "exit: {code}");
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                let _never = write!(text, "----- {name} -----\n{}", String::from_utf8_lossy(bytes));
            }
        }
        self.filter(&text)
    }

    /// Replaces parts that differ between runs.
    pub fn filter(&self, text: &str) -> String {
        let base = self.base();
        let text = text.replace(&base.display().to_string(), "[TEMP]");
        hide_ruleset(&hide_hex(&text))
    }

    /// Whether a path below the temporary folder exists; symbolic links are not followed.
    pub fn exists(&self, path: &str) -> bool {
        self.base().join(path).symlink_metadata().is_ok()
    }

    /// The text of a file below the temporary folder.
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.base().join(path)).expect("a text file")
    }

    /// The absolute path of a file below the temporary folder.
    pub fn path(&self, path: &str) -> PathBuf {
        self.base().join(Path::new(path))
    }
}

/// Replaces the version of the audit's ruleset, which changes with every rule.
fn hide_ruleset(text: &str) -> String {
    let mut parts = text.split(", rules ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        out.push_str(", rules [RULES]");
        out.push_str(rest);
    }
    out
}

/// Replaces folder names that are digests, which change with every edit of the shipped skills.
fn hide_hex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("system/") {
        let (before, after) = rest.split_at(at + "system/".len());
        out.push_str(before);
        let hex = after.bytes().take_while(u8::is_ascii_hexdigit).count();
        rest = if hex == 12 {
            out.push_str("[DIGEST]");
            &after[hex..]
        } else {
            after
        };
    }
    out + rest
}
