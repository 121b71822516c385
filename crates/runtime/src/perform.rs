//! Running the commands of a body: each judged by the skill's own rules, held by the sandbox, its
//! output put in its place. One pass: output is never read for commands.

use crate::{
    activation::Activation,
    policy::{Decision, Ground, Policy, ToolCall, ToolLists},
    room::{Room, Run},
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_credentials::redaction::Redactor;
use skillful_sandbox::{SandboxError, Status};
use skillful_shell::{Literal, script::Command, strict};

/// Characters of one command's output that a model reads; a note marks the cut.
pub const OUTPUT_SHOWN: usize = 30_000;
/// Commands of one body.
pub const COMMANDS: usize = 50;
/// Programs whose exit code 1 is an answer, not a failure.
const ANSWERS_WITH_ONE: [&str; 8] = ["grep", "egrep", "fgrep", "rg", "diff", "cmp", "test", "["];

/// What became of one command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Performed {
    /// As the shell got it.
    pub command: String,
    /// The tier that held it.
    pub tier: String,
    /// Bytes of its output.
    pub bytes: usize,
    /// Whether a model reads only the beginning.
    pub cut: bool,
}

/// Why an activation stopped: the command and the reason.
#[derive(Debug, thiserror::Error)]
#[error("the command `{command}` of the skill `{skill}` {why}")]
pub struct Stopped {
    /// The skill.
    pub skill: String,
    /// The command.
    pub command: String,
    /// What happened.
    pub why: StopReason,
}

/// What happened to a command.
#[derive(Debug, thiserror::Error)]
pub enum StopReason {
    /// The skill's own rules, or a place where an argument could become code.
    #[error("is not allowed: {0}")]
    NotAllowed(String),
    /// It came into the file after the skill was loaded.
    #[error("was not run: it was not in the file when the skill was loaded; load the skills again")]
    NotRecorded,
    /// The configuration disables commands of skills.
    #[error("was not run: `run.commands` is off in the configuration")]
    Disabled,
    /// There are too many.
    #[error("was not run: there are more than {COMMANDS} in one body")]
    TooMany,
    /// No sandbox could hold it, so it was not run.
    #[error("was not run: {0}")]
    Sandbox(#[from] SandboxError),
    /// It ran and did not succeed.
    #[error("{how}{said}")]
    Failed {
        /// How it ended.
        how: String,
        /// The last lines of its output.
        said: String,
    },
}

/// Runs the commands of an activation, in order, and puts their output in. At the first that is not
/// allowed or fails it stops: half a text misleads.
pub fn perform(
    activation: &mut Activation,
    lists: &ToolLists,
    ground: &Ground,
    room: &Room,
    redactor: &Redactor,
    run: &dyn Run,
) -> Result<Vec<Performed>, Stopped> {
    let policy = Policy::of(lists, ground);
    let stopped = |command: &str, why: StopReason| Stopped {
        skill: activation.name.clone(),
        command: command.to_owned(),
        why,
    };
    // All are judged before the first one runs.
    for (at, pending) in activation.commands.iter().enumerate() {
        let text = &pending.shell.text;
        if at >= COMMANDS {
            return Err(stopped(text, StopReason::TooMany));
        }
        if let Some(refused) = &pending.shell.refused {
            return Err(stopped(text, StopReason::NotAllowed(refused.clone())));
        }
        let decision = policy.decide(&ToolCall::command("Bash", pending.shell.spelled.as_str()));
        if let Decision::Denied(reason) | Decision::NeedsApproval(reason) = decision {
            return Err(stopped(text, StopReason::NotAllowed(reason.to_string())));
        }
    }
    let mut performed = Vec::new();
    let (mut text, mut at) = (String::with_capacity(activation.instructions.len()), 0);
    for pending in &activation.commands {
        let shell = &pending.shell;
        let command = room
            .with_whole_paths(&shell.text)
            .map_err(|unclear| stopped(&shell.text, StopReason::NotAllowed(unclear.to_string())))?;
        // Standard output and standard error are one text, as on a terminal.
        let merged = format!("exec 2>&1\n{command}");
        let job = room.shell(&merged, &shell.environment);
        let outcome = run.run(&job).map_err(|error| stopped(&shell.text, error.into()))?;
        let said = redactor.whole(&outcome.stdout.bytes, outcome.stdout.truncated);
        let said = String::from_utf8_lossy(&said).into_owned();
        let output =
            succeeded(&shell.spelled, outcome.status, said).map_err(|why| stopped(&shell.text, why))?;
        let cut = outcome.stdout.truncated || output.chars().nth(OUTPUT_SHOWN).is_some();
        text.push_str(&activation.instructions[at..pending.range.start]);
        text.extend(output.trim_end().chars().take(OUTPUT_SHOWN));
        if cut {
            text.push_str("\n(the rest of the output is not shown)");
        }
        // A block ends with its line, an inline command does not.
        if activation.instructions[pending.range.clone()].ends_with('\n') {
            text.push('\n');
        }
        at = pending.range.end;
        performed.push(Performed {
            command: shell.text.clone(),
            tier: outcome.tier.to_string(),
            bytes: outcome.stdout.bytes.len(),
            cut,
        });
    }
    text.push_str(&activation.instructions[at..]);
    activation.instructions = text;
    activation.commands.clear();
    Ok(performed)
}

/// The program of a command line that is one simple command.
fn sole_program(command: &str) -> Option<String> {
    let list = strict::read(command.as_bytes()).ok()?;
    let [chain] = list.chains.as_slice() else { return None };
    let [pipeline] = chain.pipelines.as_slice() else { return None };
    let [Command::Simple(simple)] = pipeline.commands.as_slice() else { return None };
    let plain = !chain.background && !pipeline.negated && !pipeline.timed;
    Literal::of(simple.program.as_ref()?).ok().filter(|_| plain).map(|program| program.text)
}

/// The output of a command, if it succeeded.
fn succeeded(command: &str, status: Status, output: String) -> Result<String, StopReason> {
    let answers = sole_program(command).is_some_and(|name| ANSWERS_WITH_ONE.contains(&name.as_str()));
    let how = match status {
        Status::Exited(0) => return Ok(output),
        Status::Exited(1) if answers => return Ok(output),
        Status::Exited(code) => format!("failed with code {code}"),
        Status::Signalled(signal) => format!("was ended by signal {signal}"),
        Status::TimedOut => "took too long and was ended".to_owned(),
        Status::TooManyProcesses => "started too many processes and was ended".to_owned(),
        Status::OutOfMemory => "used too much memory and was ended".to_owned(),
        _ => "was ended".to_owned(),
    };
    let last: Vec<&str> = output.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
    let said: String = last.into_iter().rev().collect::<Vec<_>>().join(" / ").chars().take(400).collect();
    Err(StopReason::Failed { how, said: if said.is_empty() { said } else { format!(": {said}") } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_one_is_an_answer_of_one_program_that_searches_and_of_nothing_else() {
        let answer = |command: &str| succeeded(command, Status::Exited(1), String::new()).is_ok();
        for command in ["grep 'a|b' x", "diff a b 2>&1", "LANG=C grep a \"$(ls)\""] {
            assert!(answer(command), "{command}");
        }
        for command in
            ["ls", "grep a x; ls", "ls | grep a", "grep a x &", "! grep a x", "\\grep a # x", "grep a\nls"]
        {
            assert!(!answer(command), "{command}");
        }
    }
}
