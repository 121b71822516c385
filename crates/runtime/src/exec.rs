//! The programs of a skill: what lies in `scripts/`, and the program that a skill with `cli: true` is.
//!
//! A program is named, never written: the name is looked up below the skill's folder through a
//! handle, its arguments are words, and it runs in the skill's room.

use crate::room::{Room, Run};
use schemars::JsonSchema;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use skillful_catalog::{AdmittedSkill, bounded, disk};
use skillful_credentials::proxy::TIMED_OUT;
use skillful_format::TreeFile;
use skillful_sandbox::{SandboxError, Status};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

/// Variables that name the folder of the skill to its programs.
pub const FOLDER_VARIABLES: [&str; 2] = ["SKILLFUL_SKILL_DIR", "CLAUDE_SKILL_DIR"];

/// Programs of one folder that are listed.
const LISTED: usize = 200;

/// Interpreters by the ending of a file that has no `#!` line.
const INTERPRETERS: [(&str, &str); 8] = [
    ("py", "python3"),
    ("sh", "sh"),
    ("bash", "bash"),
    ("js", "node"),
    ("mjs", "node"),
    ("rb", "ruby"),
    ("pl", "perl"),
    ("lua", "lua"),
];

/// Where the program of a skill with `cli: true` may be, in this order; `{}` is the skill's name.
const OWN: [&str; 6] = ["scripts/{}", "scripts/{}.py", "scripts/cli.py", "cli.py", "__main__.py", "cli.sh"];

/// Why a program was not run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// There is none of this name.
    #[error("the skill `{skill}` has no program `{name}`{near}")]
    Unknown {
        /// The skill.
        skill: String,
        /// What was asked for.
        name: String,
        /// What there is.
        near: String,
    },
    /// The name leads out of the skill.
    #[error("`{0}` is not the name of a program; name a file of the skill's `scripts` folder")]
    BadName(String),
    /// Neither a first line nor the ending names an interpreter.
    #[error("`{0}` does not name its interpreter; give it a `#!` line or an ending such as .py or .sh")]
    NoInterpreter(String),
    /// It cannot be read.
    #[error("the programs of the skill cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The program is not one of the skill that was admitted.
    #[error("`{program}` is not a program of the skill `{skill}`")]
    OtherSkill {
        /// The skill that the gate let through.
        skill: String,
        /// The program.
        program: String,
    },
    /// No sandbox could hold it, so it was not run.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// A program of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// Its name: the path below `scripts/`.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// What starts it: the interpreter with its options. Empty when the file starts itself.
    pub interpreter: Vec<String>,
}

impl Program {
    /// The command line that starts it with arguments.
    pub fn command(&self, arguments: &[String]) -> Vec<OsString> {
        let starter = self.interpreter.iter().map(OsString::from);
        let file = std::iter::once(OsString::from(&self.path));
        starter.chain(file).chain(arguments.iter().map(OsString::from)).collect()
    }
}

/// The result of a program: the envelope that a model or a script reads.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ran {
    /// `ok` when it ended with code 0.
    pub status: &'static str,
    /// The skill.
    pub skill: String,
    /// The program.
    pub program: String,
    /// Its exit code; 124 when it took too long, 128 and the signal when it was killed.
    pub exit_code: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Whether one of the two is only the beginning.
    pub truncated: bool,
    /// Why it was ended, when it was.
    pub ended: Option<String>,
    /// The tier that held it.
    pub tier: String,
    /// How long it took.
    pub milliseconds: u64,
}

/// The programs of a skill, by name.
pub fn programs(skill: &AdmittedSkill<'_>) -> io::Result<Vec<String>> {
    if let Some(files) = skill.approved_files() {
        let names = files.iter().filter_map(|(path, _)| path.as_str().strip_prefix("scripts/"));
        return Ok(names.filter(|name| !name.contains('/')).take(LISTED).map(str::to_owned).collect());
    }
    let folder = skill.entry().open_folder()?;
    let scripts = match folder.open_dir("scripts") {
        Ok(scripts) => scripts,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for file in scripts.entries()?.take(LISTED) {
        let file = file?;
        if file.file_type()?.is_file() && !file.file_name().to_str().is_some_and(disk::is_noise) {
            names.extend(file.file_name().into_string());
        }
    }
    names.sort();
    Ok(names)
}

/// The program that a name means: a file of `scripts/`, with or without its ending; for a skill with
/// `cli: true`, no name or the skill's own means its program.
pub fn find(skill: &AdmittedSkill<'_>, name: Option<&str>) -> Result<Program, ExecError> {
    let entry = skill.entry();
    let own = entry.loaded.manifest.cli && name.is_none_or(|name| name == entry.name);
    let wanted: Vec<String> = match name {
        _ if own => OWN.iter().map(|pattern| pattern.replace("{}", &entry.name)).collect(),
        Some(name) => {
            let plain = |part: &str| {
                !part.is_empty()
                    && !part.starts_with('.')
                    && !part.contains(['\\', '\0'])
                    && !disk::is_noise(part)
            };
            if !name.split('/').all(plain) {
                return Err(ExecError::BadName(name.to_owned()));
            }
            let name = name.strip_prefix("scripts/").unwrap_or(name);
            let endings = INTERPRETERS.iter().map(|(ending, _)| format!("scripts/{name}.{ending}"));
            [format!("scripts/{name}")].into_iter().chain(endings).collect()
        }
        None => Vec::new(),
    };
    for path in wanted {
        let Some((head, executable)) = start_of(skill, &path)? else { continue };
        let name = path.strip_prefix("scripts/").unwrap_or(&path).to_owned();
        let interpreter =
            interpreter(&path, &head, executable).ok_or_else(|| ExecError::NoInterpreter(path.clone()))?;
        return Ok(Program { name, path: skill.folder().join(path), interpreter });
    }
    let known = programs(skill)?;
    let near = if known.is_empty() { String::new() } else { format!("; it has {}", known.join(", ")) };
    Err(ExecError::Unknown { skill: entry.address(), name: name.unwrap_or("").to_owned(), near })
}

/// The first bytes of a file of the skill, and whether it is executable; none when there is no such file.
fn start_of(skill: &AdmittedSkill<'_>, path: &str) -> io::Result<Option<(Vec<u8>, bool)>> {
    use cap_std::fs::PermissionsExt as _;
    const HEAD: usize = 256;
    if skill.approved_files().is_some() {
        let start = |file: &TreeFile| file.bytes[..file.bytes.len().min(HEAD)].to_vec();
        return Ok(skill.approved_file(path).map(|file| (start(file), file.executable)));
    }
    // The handle refuses to leave the folder, also by a link.
    let Ok(file) = bounded::open_regular(&skill.entry().open_folder()?, path) else { return Ok(None) };
    let executable = file.metadata()?.permissions().mode() & 0o111 != 0;
    let mut head = Vec::with_capacity(HEAD);
    file.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(Some((head, executable)))
}

/// The program that the words after a skill's name mean, and what is left for it: the first word names
/// a program, and a skill that is a program takes every other word itself.
pub fn choose<'a>(
    skill: &AdmittedSkill<'_>,
    words: &'a [String],
) -> Result<(Program, &'a [String]), ExecError> {
    match words.split_first() {
        Some((first, rest)) => match find(skill, Some(first)) {
            Ok(program) => Ok((program, rest)),
            Err(ExecError::Unknown { .. } | ExecError::BadName(_)) if skill.entry().loaded.manifest.cli => {
                Ok((find(skill, None)?, words))
            }
            Err(error) => Err(error),
        },
        None => Ok((find(skill, None)?, words)),
    }
}

/// What starts a file.
fn interpreter(path: &str, head: &[u8], executable: bool) -> Option<Vec<String>> {
    let line = head.strip_prefix(b"#!").map(|rest| rest.split(|byte| *byte == b'\n').next().unwrap_or(rest));
    if executable && (line.is_some() || head.starts_with(b"\x7fELF")) {
        return Some(Vec::new());
    }
    if let Some(words) = line.and_then(|line| std::str::from_utf8(line).ok()) {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        return (!words.is_empty()).then_some(words);
    }
    let ending = Path::new(path).extension()?.to_str()?;
    let (_, program) = INTERPRETERS.iter().find(|(known, _)| *known == ending)?;
    Some(vec![(*program).to_owned()])
}

/// Everything about one run of a program.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The skill, which the gate admitted.
    pub skill: &'a AdmittedSkill<'a>,
    /// A program of that skill.
    pub program: &'a Program,
    /// Its arguments, each one word.
    pub arguments: &'a [String],
    /// What it reads.
    pub stdin: &'a [u8],
    /// Variables that only this run gets; secrets may be among them.
    pub environment: &'a BTreeMap<String, SecretString>,
    /// Whether a secret is among them; such a program starts in the skill's folder.
    pub has_secrets: bool,
    /// How long it may take.
    pub time: Duration,
}

/// Runs a program of a skill that the gate let through, in its room.
pub fn run(call: &Call<'_>, room: &Room, runner: &dyn Run) -> Result<Ran, ExecError> {
    let skill = call.skill.entry().address();
    if !call.program.path.starts_with(call.skill.folder()) || room.folder() != call.skill.folder() {
        return Err(ExecError::OtherSkill { skill, program: call.program.name.clone() });
    }
    let mut command = call.program.command(call.arguments).into_iter();
    let program = command.next().unwrap_or_default();
    let mut job = if call.has_secrets { room.program(program, command) } else { room.job(program, command) };
    job.stdin = call.stdin.to_vec();
    job.environment
        .extend(call.environment.iter().map(|(name, value)| (name.into(), value.expose_secret().into())));
    job.limits.time = Some(call.time);
    let outcome = runner.run(&job)?;
    let (exit_code, ended) = match outcome.status {
        Status::Exited(code) => (code, None),
        Status::Signalled(signal) => (128 + signal, Some(format!("signal {signal}"))),
        Status::TimedOut => (TIMED_OUT, Some(format!("it took more than {} s", call.time.as_secs()))),
        Status::TooManyProcesses => (137, Some("it started too many processes".to_owned())),
        Status::OutOfMemory => (137, Some("it used too much memory".to_owned())),
        status => (137, Some(format!("{status:?}"))),
    };
    Ok(Ran {
        status: if exit_code == 0 { "ok" } else { "error" },
        skill,
        program: call.program.name.clone(),
        exit_code,
        stdout: outcome.stdout.text().into_owned(),
        stderr: outcome.stderr.text().into_owned(),
        truncated: outcome.stdout.truncated || outcome.stderr.truncated,
        ended,
        tier: outcome.tier.to_string(),
        milliseconds: u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
    })
}
