//! `run_command`: a line for a shell, in the sandbox or not at all.

use super::{
    arguments::Arguments,
    confine::Confined,
    content::{head, size},
    ground::Ground,
    place::{real, shown, told},
    spec,
};
use crate::{
    scene::Scene,
    tool::{Effect, Output, Plan, Preview, Reach, Tool},
};
use serde_json::{Map, Value, json};
use skillful_llm::ToolSpec;
use skillful_runtime::room::Run;
use skillful_sandbox::{Outcome, SandboxError, Status};
use std::time::Duration;

/// Seconds of a command when nothing else is said, and at most.
const TIME: (usize, usize) = (120, 900);
/// Bytes of a command; the kernel takes no longer word.
const LENGTH: usize = 100 << 10;
/// Bytes of output that are shown of its beginning and of its end.
const SHOWN: (usize, usize) = (14 << 10, 30 << 10);
/// Characters of a command in a summary.
const SUMMARY: usize = 100;

/// What is told when a sandbox cannot keep a part of the project as it is.
const NARROWED: &str = "(Landlock cannot keep skills and git's settings as they are inside a writable project: only \
     folders and files that hold none could be written, and none made right in the project; bubblewrap can)\n";

/// Runs a command.
pub(super) struct RunCommand;

impl Tool for RunCommand {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "command": { "type": "string" },
            "timeout_seconds": { "type": "integer", "minimum": 1, "maximum": TIME.1, "description": "120 if left out." },
            "network": { "type": "boolean", "description": "Ask for the network." },
            "folder": { "type": "string", "description": "Where it starts." },
        });
        let words = "Runs a shell command in a sandbox: the project is writable, skills are readable, /tmp and HOME are private, \
                     no input, no network unless asked for.";
        spec("run_command", words, &schema, &["command"])
    }

    fn plan<'a>(&'a self, arguments: &Map<String, Value>, scene: &'a Scene<'a>) -> Result<Plan<'a>, String> {
        let arguments = Arguments::new(arguments, &["command", "timeout_seconds", "network", "folder"])?;
        let command = arguments.text("command")?;
        if command.trim().is_empty() || command.len() > LENGTH || command.contains('\0') {
            return Err(format!(
                "the argument `command` must have from 1 to {LENGTH} bytes and no NUL; put long text into a file"
            ));
        }
        let seconds = arguments.number("timeout_seconds", 1..=TIME.1, TIME.0)?;
        let asked = arguments.flag("network")?;
        let folder = real(scene, arguments.maybe_text("folder")?.unwrap_or("."))?;
        let run = scene.run.ok_or("commands are switched off: `run.commands` is off in the configuration")?;
        if arguments.maybe_text("folder")?.is_some() {
            let name = told(scene, &folder);
            if Ground::of(scene).reading(&folder).reach > Reach::Nothing {
                return Err(format!(
                    "the argument `folder` must be a folder that commands see, and `{name}` is outside of the project and of what is granted"
                ));
            }
            if !folder.is_dir() {
                return Err(format!("the argument `folder` must be a folder, and `{name}` is none"));
            }
        }
        let network = asked || scene.network;
        let line: String =
            shown(command.trim().lines().next().unwrap_or_default()).chars().take(SUMMARY).collect();
        let more = if line.len() < command.trim().len() { "…" } else { "" };
        let with = if network { " with the network" } else { "" };
        let work = {
            let command = command.to_owned();
            move || {
                let time = Duration::from_secs(seconds as u64);
                perform(scene, run, &Confined::new(scene, &command, &folder, network, time), seconds)
            }
        };
        Ok(Plan {
            summary: format!("run{with}: {line}{more}"),
            effects: vec![Effect::Command { text: command.to_owned(), network }],
            // A network that the person gave to all commands is within what they agreed to.
            reach: if asked && !scene.network { Reach::Beyond } else { Reach::Project },
            preview: Some(Preview::Text(command.to_owned())),
            parallel: false,
            work: Box::new(work),
        })
    }
}

fn perform(scene: &Scene<'_>, run: &dyn Run, room: &Confined, seconds: usize) -> Output {
    let stop = || scene.cancel.is_cancelled();
    let mut narrowed = false;
    let outcome = match run.run_until(&room.job, &stop) {
        Err(SandboxError::ReadOnlyInsideWritable(_)) => {
            narrowed = true;
            run.run_until(&room.narrowed(), &stop)
        }
        outcome => outcome,
    };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Output::failed(format!("the command was not run: {error}")),
    };
    let (mut text, cut) = output(&outcome);
    let how = match outcome.status {
        Status::Exited(code) => format!("exit code {code}"),
        Status::Signalled(signal) => format!("ended by signal {signal}"),
        Status::TimedOut => format!(
            "ended after {seconds} s, the longest it may take; `timeout_seconds` can be up to {}",
            TIME.1
        ),
        Status::TooManyProcesses => "ended for starting too many processes".to_owned(),
        Status::OutOfMemory => "ended for using too much memory".to_owned(),
        Status::Stopped => "stopped, since the person cancelled".to_owned(),
        _ => "it did not come to an end of its own".to_owned(),
    };
    text.push_str(&format!("({how}; {:.1} s)\n", outcome.took.as_secs_f64()));
    if narrowed {
        text.push_str(NARROWED);
    }
    for path in room.made() {
        text.push_str(&format!(
            "(the command made or moved `{}`, which tells agents or git what to do: say so to the person)\n",
            told(scene, path)
        ));
    }
    // Notes matter when something went wrong; else they would be said with every command.
    if !outcome.status.success() {
        for note in &room.notes {
            text.push_str(&format!("(note: {note})\n"));
        }
    }
    Output { text, failed: !outcome.status.success(), cut, untrusted: false }
}

/// What a command said, its beginning and its end.
fn output(outcome: &Outcome) -> (String, usize) {
    let mut said = plain(&outcome.stdout.text());
    // What the shell says before it joins its streams.
    let early = plain(&outcome.stderr.text());
    if !early.is_empty() {
        said.push_str(&early);
    }
    if !said.is_empty() && !said.ends_with('\n') {
        said.push('\n');
    }
    let mut cut = 0;
    if said.len() > SHOWN.0 + SHOWN.1 {
        let start = head(&said, SHOWN.0);
        let start = &start[..start.rfind('\n').map_or(start.len(), |end| end + 1)];
        let end = &said[said.ceil_char_boundary(said.len() - SHOWN.1)..];
        let end = &end[end.find('\n').map_or(0, |line| line + 1).min(end.len().saturating_sub(1))..];
        cut = said.len() - start.len() - end.len();
        said = format!("{start}\n… ({} are left out here) …\n\n{end}", size(cut as u64));
    }
    if outcome.stdout.truncated {
        said.push_str("(it said more, which was not kept; write it to a file and read that)\n");
    }
    (said, cut)
}

/// Text without what only a terminal understands: colours, and what a line said before it was overwritten.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\r', '\n']);
        let mut characters = body.rsplit('\r').next().unwrap_or(body).chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\u{1b}' if characters.next_if_eq(&'[').is_some() => {
                    while characters.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
                }
                '\t' => out.push('\t'),
                c if c.is_control() => {}
                c => out.push(c),
            }
        }
        if line.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}
