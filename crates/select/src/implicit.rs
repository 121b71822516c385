//! Use without a word: an agent that runs a skill's script or reads its instructions uses the
//! skill, whether anybody named it or not.
//!
//! Pure: a command is a text, and paths are compared as they are written. Nothing is run, nothing
//! on disk is looked at, and the work grows with the length of the command and no faster.

use crate::access::Asker;
use serde::Serialize;
use skillful_catalog::{
    Catalog, Entry,
    gate::{Door, Reason, gate},
    host::RootKind,
};
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};

mod place;
#[cfg(test)]
mod tests;
mod words;

use place::Place;
use words::{Dialect, Step};

/// Programs that run the first file they are given.
const RUNNERS: [&str; 11] =
    ["python", "python3", "bash", "zsh", "sh", "node", "deno", "ruby", "perl", "pwsh", "powershell"];
/// Programs that show the files they are given.
const READERS: [&str; 12] =
    ["cat", "nl", "sed", "head", "tail", "less", "more", "bat", "batcat", "get-content", "gc", "type"];
/// Words before the program itself.
const PREFIXES: [&str; 6] = ["env", "exec", "command", "time", "nohup", "sudo"];
/// Shells in shells that are looked into.
const NESTING: usize = 4;
/// Commands and files of one line that are looked at; no agent writes a line of more.
const MOST_WORDS: usize = 4096;

/// What an agent ran.
#[derive(Clone, Copy, Debug)]
pub enum Command<'a> {
    /// A line for a POSIX shell.
    Shell(&'a str),
    /// A program and its arguments.
    Argv(&'a [String]),
}

/// How a skill was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// One of its scripts was run.
    Script,
    /// Its instructions were read.
    Read,
}

/// A skill that a command used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Use {
    /// Index into the catalogue.
    pub entry: usize,
    /// How.
    pub how: How,
}

/// Finds the skills that commands use. Made once for a catalogue.
#[derive(Debug)]
pub struct Finder<'a> {
    catalog: &'a Catalog,
    asker: Asker<'a>,
    folders: HashMap<PathBuf, usize>,
    files: HashMap<PathBuf, usize>,
}

impl<'a> Finder<'a> {
    /// Remembers every way that leads to a skill.
    pub fn new(catalog: &'a Catalog, asker: Asker<'a>) -> Self {
        let mut finder = Self { catalog, asker, folders: HashMap::new(), files: HashMap::new() };
        for (at, entry) in catalog.entries.iter().enumerate() {
            finder.remember(at, entry);
        }
        finder
    }

    fn remember(&mut self, at: usize, entry: &Entry) {
        let origin = &entry.origin;
        // The folder of a command file is not its own.
        let owns_folder = origin.kind != RootKind::Commands;
        for file in std::iter::once(&origin.file).chain(origin.also.iter().map(|(_, file)| file)) {
            self.files.entry(file.clone()).or_insert(at);
            if owns_folder && let Some(folder) = file.parent() {
                self.folders.entry(folder.to_path_buf()).or_insert(at);
            }
        }
        if owns_folder {
            self.folders.entry(origin.real.clone()).or_insert(at);
            if let Some(name) = origin.file.file_name() {
                self.files.entry(origin.real.join(name)).or_insert(at);
            }
        } else {
            self.files.entry(origin.real.clone()).or_insert(at);
        }
        if let Some(over) = &entry.overridden {
            self.files.entry(over.body.clone()).or_insert(at);
        }
    }

    /// The skills that a command run in `cwd` uses, in order, each once.
    pub fn find(&self, command: Command<'_>, cwd: &Path) -> Vec<Use> {
        let mut search = Search { found: Vec::new(), left: MOST_WORDS };
        let mut place = Place::new(cwd, &self.asker.environment.home);
        match command {
            Command::Shell(line) => self.line(line, Dialect::Posix, place, NESTING, &mut search),
            Command::Argv(words) => {
                let words = words.iter().map(String::as_str).collect::<Vec<_>>();
                self.step(&words, Dialect::Posix, &mut place, NESTING, &mut search);
            }
        }
        let mut found = search.found;
        let mut seen = BTreeSet::new();
        found.retain(|found| seen.insert(found.entry));
        found
    }

    fn line(&self, line: &str, dialect: Dialect, mut place: Place<'_>, depth: usize, search: &mut Search) {
        let mut outside = Vec::new();
        for step in words::steps(line, dialect) {
            match step {
                Step::Words(words) => {
                    let words = words.iter().map(String::as_str).collect::<Vec<_>>();
                    self.step(&words, dialect, &mut place, depth, search);
                }
                Step::Opened => outside.push(place.clone()),
                // What a subshell changed is forgotten with it.
                Step::Closed => place = outside.pop().unwrap_or(place),
            }
        }
    }

    /// One program with its arguments.
    fn step(
        &self,
        words: &[&str],
        dialect: Dialect,
        place: &mut Place<'_>,
        depth: usize,
        search: &mut Search,
    ) {
        let Some((first, arguments)) = program(words) else { return };
        search.left = search.left.saturating_sub(1);
        if search.left == 0 {
            return;
        }
        let name = base_name(first, dialect);
        if name == "cd" {
            place.change(arguments.iter().copied().find(|word| *word != "--"), dialect);
        } else if RUNNERS.contains(&name.as_str()) {
            self.runner(&name, arguments, dialect, place, depth, search);
        } else if READERS.contains(&name.as_str()) {
            let in_place = name == "sed" && arguments.iter().any(|word| is_in_place(word));
            let files = arguments.iter().filter(|word| !in_place && !word.starts_with('-'));
            for word in files.take(search.left) {
                search.left -= 1;
                search.found.extend(self.instructions(word, dialect, place));
            }
        } else if first.contains('/') {
            search.found.extend(self.script(first, dialect, place));
        }
    }

    fn runner(
        &self,
        name: &str,
        arguments: &[&str],
        dialect: Dialect,
        place: &mut Place<'_>,
        depth: usize,
        search: &mut Search,
    ) {
        let power_shell = matches!(name, "pwsh" | "powershell");
        let shell = matches!(name, "bash" | "zsh" | "sh");
        let mut arguments = arguments.iter();
        while let Some(word) = arguments.next() {
            let Some(flag) = word.strip_prefix('-') else {
                if name == "deno" && *word == "run" {
                    continue;
                }
                search.found.extend(self.script(word, dialect, place));
                return;
            };
            let inline = if power_shell {
                ["c", "command", "encodedcommand"].iter().any(|known| flag.eq_ignore_ascii_case(known))
            } else if shell {
                !flag.starts_with('-') && flag.contains('c')
            } else {
                matches!(flag, "c" | "e" | "m" | "p" | "-eval" | "-print")
            };
            if inline {
                // A line for a shell is looked into; code of other languages is not.
                if let Some(line) = arguments.next().filter(|_| (shell || power_shell) && depth > 0) {
                    let dialect = if power_shell { Dialect::PowerShell } else { Dialect::Posix };
                    self.line(line, dialect, place.clone(), depth - 1, search);
                }
                return;
            }
        }
    }

    /// The skill whose script a path is.
    fn script(&self, word: &str, dialect: Dialect, place: &Place<'_>) -> Option<Use> {
        let path = place.path(word, dialect)?;
        let entry = place::above_scripts(&path).find_map(|folder| self.folders.get(folder))?;
        self.is_enabled(*entry).then_some(Use { entry: *entry, how: How::Script })
    }

    /// The skill whose instructions a path is.
    fn instructions(&self, word: &str, dialect: Dialect, place: &Place<'_>) -> Option<Use> {
        let entry = self.files.get(&place.path(word, dialect)?)?;
        self.is_enabled(*entry).then_some(Use { entry: *entry, how: How::Read })
    }

    /// Whether nobody switched it off. One that models may not choose counts: it was used.
    fn is_enabled(&self, entry: usize) -> bool {
        let Asker { principal, environment, .. } = self.asker;
        let verdict = gate(self.catalog, &self.catalog.entries[entry], principal, environment, Door::Person);
        let off = |reason: &Reason| {
            matches!(reason, Reason::SwitchedOff { .. } | Reason::Untrusted | Reason::Invalid)
        };
        !verdict.reasons.iter().any(off)
    }
}

/// What a line has shown so far, and how much of it may still be looked at.
struct Search {
    found: Vec<Use>,
    left: usize,
}

/// What was already counted in a turn.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    files: BTreeSet<PathBuf>,
}

impl Counted {
    /// The uses that are new in this turn; they are counted from now on. Skills are told apart by
    /// their files, so that a reload in the middle of a turn changes nothing.
    pub fn fresh(&mut self, catalog: &Catalog, found: Vec<Use>) -> Vec<Use> {
        let file = |found: &Use| catalog.entries.get(found.entry).map(|entry| entry.origin.file.clone());
        found.into_iter().filter(|found| file(found).is_some_and(|file| self.files.insert(file))).collect()
    }
}

/// The program of a command and what follows it; assignments and words such as `sudo` stand before.
fn program<'w>(words: &'w [&'w str]) -> Option<(&'w str, &'w [&'w str])> {
    let at = words.iter().position(|word| !is_assignment(word) && !PREFIXES.contains(word))?;
    Some((words[at], &words[at + 1..]))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// The program's own name, lower-case, without a Windows ending.
fn base_name(word: &str, dialect: Dialect) -> String {
    let name = match dialect {
        Dialect::Posix => word.rsplit('/').next(),
        Dialect::PowerShell => word.rsplit(['/', '\\']).next(),
    };
    let name = name.unwrap_or(word).to_ascii_lowercase();
    name.strip_suffix(".exe").map_or(name.clone(), str::to_owned)
}

/// `sed -i`, `sed -ni`, `sed --in-place=x` write what they read.
fn is_in_place(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => long.starts_with("in-place"),
        None => word.strip_prefix('-').is_some_and(|short| short.contains('i')),
    }
}
