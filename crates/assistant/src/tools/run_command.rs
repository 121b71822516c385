//! `run_command`: runs a shell command in the sandbox, or not at all.

use super::{
    arguments::Arguments,
    confine::{Asked, Confined},
    content::{head, size},
    path_access::PathRules,
    put_aside::Watch,
    real_path::{display_path, printable, resolve_argument},
    spec,
};
use crate::{
    tool::{Effect, Output, Preview, Reach, Tool, ToolPlan},
    tool_environment::ToolEnvironment,
};
use serde_json::{Map, Value, json};
use skillful_llm::ToolSpec;
use skillful_runtime::room::Run;
use skillful_sandbox::{Job, Network, Outcome, SandboxError, Status};
use std::time::Duration;

/// Time limit of a command in seconds: default and maximum.
const TIME: (usize, usize) = (120, 900);
/// Most bytes of a command; the kernel accepts no longer argument.
const LENGTH: usize = 100 << 10;
/// Bytes of output that are shown: of the beginning and of the end.
const SHOWN: (usize, usize) = (14 << 10, 30 << 10);
/// Characters of a command in a summary.
const SUMMARY: usize = 100;

/// The note when the sandbox cannot keep a part of the project read-only.
const NARROWED: &str = "(Landlock cannot keep skills and git settings read-only inside a writable project, so only \
     existing folders and files without them were writable; install bubblewrap to write anywhere in the project)\n";

/// Runs a command.
pub(super) struct RunCommand;

impl Tool for RunCommand {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "command": { "type": "string" },
            "timeout_seconds": { "type": "integer", "minimum": 1, "maximum": TIME.1, "description": "120 by default." },
            "network": { "type": "boolean", "description": "Request the network." },
            "change_guarded": { "type": "boolean", "description": "Request to change files that instruct agents, git or editors (AGENTS.md, .git/config, a new .git, .vscode, …); the user is asked." },
            "read_keys": { "type": "boolean", "description": "Request to read files that may hold keys (.env, *.key, …), which commands cannot see; the user is asked." },
            "folder": { "type": "string", "description": "Where it starts." },
        });
        spec("run_command", include_str!("../../prompts/tools/run_command.md"), &schema, &["command"])
    }

    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String> {
        let arguments = Arguments::new(
            arguments,
            &["command", "timeout_seconds", "network", "change_guarded", "read_keys", "folder"],
        )?;
        let command = arguments.text("command")?;
        if command.trim().is_empty() || command.len() > LENGTH || command.contains('\0') {
            return Err(format!(
                "the argument `command` must have from 1 to {LENGTH} bytes and no NUL; put long text into a file"
            ));
        }
        let seconds = arguments.number("timeout_seconds", 1..=TIME.1, TIME.0)?;
        let asked_network = arguments.flag("network")?;
        let asked = Asked {
            network: asked_network || env.network,
            guarded: arguments.flag("change_guarded")?,
            keys: arguments.flag("read_keys")?,
        };
        let folder = resolve_argument(env, arguments.maybe_text("folder")?.unwrap_or("."))?;
        let run = env.run.ok_or("commands are off (`run.commands` in the configuration)")?;
        if arguments.maybe_text("folder")?.is_some() {
            let name = display_path(env, &folder);
            if PathRules::of(env).reading(&folder).reach > Reach::Nothing {
                return Err(format!(
                    "the argument `folder` must be a folder that commands can access; `{name}` is outside the project and the granted folders"
                ));
            }
            if !folder.is_dir() {
                return Err(format!("the argument `folder` must be a folder; `{name}` is not one"));
            }
        }
        let line: String =
            printable(command.trim().lines().next().unwrap_or_default()).chars().take(SUMMARY).collect();
        let more = if line.len() < command.trim().len() { "…" } else { "" };
        let mut with = String::new();
        for (is_asked, what) in [
            (asked.network, " with the network"),
            (asked.guarded, " with write access to guarded files"),
            (asked.keys, " with files that may hold keys"),
        ] {
            with.push_str(if is_asked { what } else { "" });
        }
        let work = {
            let command = command.to_owned();
            move || {
                let time = Duration::from_secs(seconds as u64);
                perform(env, run, Confined::new(env, &command, &folder, asked, time), seconds)
            }
        };
        Ok(ToolPlan {
            summary: format!("run{with}: {line}{more}"),
            effects: vec![Effect::Command { text: command.to_owned(), network: asked.network }],
            reach: match asked {
                Asked { guarded: true, .. } | Asked { keys: true, .. } => Reach::Guarded,
                // The sandbox cannot tell addresses apart. A network that the user allows for all commands needs no
                // further approval.
                Asked { network: true, .. } if !env.network => Reach::Machine,
                _ => Reach::Project,
            },
            preview: Some(Preview::Text(command.to_owned())),
            parallel: false,
            work: Box::new(work),
        })
    }
}

fn perform(env: &ToolEnvironment<'_>, run: &dyn Run, mut room: Confined, seconds: usize) -> Output {
    let mut outcome = started(env, run, &room, &room.job);
    if let Err(SandboxError::SocketsNeedBubblewrap(_)) = outcome {
        room.without_sockets();
        outcome = started(env, run, &room, &room.job);
    }
    let mut narrowed = false;
    if let Err(SandboxError::ReadOnlyInsideWritable(_)) = outcome {
        narrowed = true;
        outcome = started(env, run, &room, &room.narrowed());
    }
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Output::failed(format!("the command was not run: {error}")),
    };
    let (mut text, cut) = output(&outcome);
    let how = match outcome.status {
        Status::Exited(code) => format!("exit code {code}"),
        Status::Signalled(signal) => format!("ended by signal {signal}"),
        Status::TimedOut => {
            format!("stopped after its limit of {seconds} s; `timeout_seconds` can be up to {}", TIME.1)
        }
        Status::TooManyProcesses => "stopped: too many processes".to_owned(),
        Status::OutOfMemory => "stopped: too much memory".to_owned(),
        Status::Stopped => "stopped: the user cancelled".to_owned(),
        _ => "it did not end by itself".to_owned(),
    };
    text.push_str(&format!("({how}; {:.1} s)\n", outcome.took.as_secs_f64()));
    if narrowed {
        text.push_str(NARROWED);
    }
    for (path, aside) in room.watch.iter().flat_map(Watch::finish) {
        let name = display_path(env, &path);
        text.push_str(&match aside {
            Ok(to) => format!(
                "(the command created or redirected `{name}`, which instructs agents, git or other tools; it was renamed to `{}`. \
                 To create it use write_file, or run the command with `change_guarded`: the user is asked)\n",
                display_path(env, &to)
            ),
            Err(why) => format!(
                "(the command created or redirected `{name}`, which instructs agents, git or other tools, and it could not be \
                 renamed: {why}; tell the user)\n"
            ),
        });
    }
    // Notes explain failures; with every command they would be noise.
    if !outcome.status.success() {
        if room.hidden > 0 {
            text.push_str(
                "(note: files that may hold keys cannot be read by commands; `read_keys` asks the user)\n",
            );
        }
        for note in &room.notes {
            text.push_str(&format!("(note: {note})\n"));
        }
    }
    // What comes from the network is as untrusted as a page of the web.
    let untrusted = room.job.network == Network::Allowed;
    Output { text, failed: !outcome.status.success(), cut, untrusted, image: None }
}

/// Runs a job until it ends or the user cancels.
fn started(
    env: &ToolEnvironment<'_>,
    run: &dyn Run,
    room: &Confined,
    job: &Job,
) -> Result<Outcome, SandboxError> {
    let stop = || {
        if let Some(watch) = &room.watch {
            watch.glance();
        }
        env.cancel.is_cancelled()
    };
    run.run_until(job, &stop)
}

/// The output of a command: its beginning and its end.
fn output(outcome: &Outcome) -> (String, usize) {
    let mut text = plain(&outcome.stdout.text());
    // Messages of the shell before it joins its streams.
    let early = plain(&outcome.stderr.text());
    if !early.is_empty() {
        text.push_str(&early);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let mut cut = 0;
    if text.len() > SHOWN.0 + SHOWN.1 {
        let start = head(&text, SHOWN.0);
        let start = &start[..start.rfind('\n').map_or(start.len(), |end| end + 1)];
        let end = &text[text.ceil_char_boundary(text.len() - SHOWN.1)..];
        let end = &end[end.find('\n').map_or(0, |line| line + 1).min(end.len().saturating_sub(1))..];
        cut = text.len() - start.len() - end.len();
        text = format!("{start}\n… ({} removed) …\n\n{end}", size(cut as u64));
    }
    if outcome.stdout.truncated {
        text.push_str("(the output was longer and was not kept; write it to a file and read that)\n");
    }
    (text, cut)
}

/// Removes escape sequences, and text that was overwritten in its line.
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
