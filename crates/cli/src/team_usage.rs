//! Reports uses of a team's skills where the user switched that on. No command waits for it.

use crate::{commands::library, context::Context, turn::now};
use skillful::team_usage;
use std::process::{Command, Stdio};

/// The agent that uses of this program are counted for.
const AGENT: &str = "skillful";

/// Notes a use of a skill.
pub(crate) fn note(context: &Context, name: &str) {
    if context.workspace.config().team_usage {
        team_usage::note(&context.workspace.paths().data, name, AGENT, false, now());
    }
}

/// Sends what was noted, by a command that talks to the server anyway.
pub(crate) fn send_now(context: &Context) {
    if context.workspace.config().team_usage
        && let Ok(library) = library::user(context)
    {
        team_usage::send(&library, &context.workspace.paths().data);
    }
}

/// Has another process send a batch that is due, so that this one ends at once.
pub(crate) fn send_later(context: &Context) {
    if !context.workspace.config().team_usage || !team_usage::is_due(&context.workspace.paths().data, now()) {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args(["sync", "--send-usage"]);
    // A process that cannot be started leaves the batch for the next command.
    let _later = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
