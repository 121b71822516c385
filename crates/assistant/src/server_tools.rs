//! The tools of the MCP servers of an active skill: what the user is asked before they are there.

use crate::{
    approval::{ApprovalAnswer, ApprovalRequest},
    servers::{ServedTools, WantedSignIn},
    tool::{Preview, Reach},
    turn_loop::TurnLoop,
};
use skillful_catalog::{Entry, asked_server::AskedServer};
use skillful_format::{Code, Diagnostic};
use skillful_runtime::requirements::{NeededVariable, missing_variables};
use skillful_select::access::Admitted;

/// Starts the servers of a skill and offers their tools. The user is asked about connections and sign-ins. When a
/// server gives no tools, the user reads why, and the model reads that they are missing: what a server wrote before
/// it ended may hold a secret.
pub(crate) fn serve(turn_loop: &mut TurnLoop<'_, '_, '_, '_>, proof: &Admitted) {
    let name = turn_loop.setup.engine.catalog.entries[proof.entry()].address();
    let unset = unset_variables(turn_loop, proof);
    turn_loop.report(unset);
    let diagnostics = start(turn_loop, proof);
    if diagnostics.iter().any(|one| one.code == Code::McpStartFailed) {
        turn_loop.notes.push(format!(
            "An MCP server of the skill `{name}` could not be started, so its tools are missing. The user can read why. \
             Work without these tools, and name in your answer what you could not do."
        ));
    }
    turn_loop.report(diagnostics);
}

/// The variables that the sidecar of a skill depends on and that have no value: where the user could be asked for one,
/// that was before the turn.
fn unset_variables(turn_loop: &TurnLoop<'_, '_, '_, '_>, proof: &Admitted) -> Vec<Diagnostic> {
    let engine = &turn_loop.setup.engine;
    let entry = &engine.catalog.entries[proof.entry()];
    let unset = missing_variables(entry, engine.asker.environment);
    let report = |variable: NeededVariable| {
        let about = variable.about.map_or_else(String::new, |about| format!(" ({about})"));
        let message = format!(
            "`{}` depends on the variable `{}`{about}, which has no value",
            entry.address(),
            variable.name
        );
        let help =
            format!("export {}=… before the call, or answer the question at a terminal", variable.name);
        Diagnostic::new(Code::EnvNotSet, message).help(help)
    };
    unset.into_iter().map(report).collect()
}

/// Starts the servers; returns what went wrong.
fn start(turn_loop: &mut TurnLoop<'_, '_, '_, '_>, proof: &Admitted) -> Vec<Diagnostic> {
    let entry = &turn_loop.setup.engine.catalog.entries[proof.entry()];
    let name = entry.address();
    let mut failed = Vec::new();
    let (further, missing) = turn_loop.setup.answers.dependencies(entry);
    for server in missing {
        let message = format!("`{name}` depends on the MCP server `{server}`, which is not configured");
        let help = format!("add it to your configuration as [mcp.{server}] with `command` or `url`");
        failed.push(Diagnostic::new(Code::McpStartFailed, message).help(help));
    }
    if entry.loaded.manifest.mcp.is_none() && further.is_empty() {
        return failed;
    }
    let Some(bridge) = turn_loop.setup.servers else {
        let message = format!("the MCP server of `{name}` is not started: commands are off (`run.commands`)");
        failed.push(Diagnostic::new(Code::McpStartFailed, message));
        return failed;
    };
    let engine = &turn_loop.setup.engine;
    let setup = turn_loop.setup;
    let start = || match engine.catalog.admitted(proof) {
        Ok(skill) => {
            let allowed = setup.answers.servers(skill.entry());
            bridge.tools(&skill, engine.asker.environment, engine.settings, allowed, &further)
        }
        Err(error) => {
            let message = format!("the MCP server of `{name}` is not started: {error}");
            let diagnostics = vec![Diagnostic::new(Code::McpStartFailed, message)];
            ServedTools { diagnostics, ..ServedTools::default() }
        }
    };
    let mut served = start();
    // The server of a turn that was stopped is not asked about.
    while let Some(server) = served.unanswered.take().filter(|_| turn_loop.stopped.is_none()) {
        if !connect(turn_loop, entry, &server) {
            break;
        }
        bridge.allow_once(entry, server);
        served = start();
    }
    for _ in 0..=further.len() {
        let Some(wanted) = served.sign_in.take().filter(|_| turn_loop.stopped.is_none()) else { break };
        match sign_in(turn_loop, entry, &wanted) {
            Ok(()) => served = start(),
            Err(why) => {
                let message = format!(
                    "`{name}` is not signed in at {}: {why}; `skillful mcp sign-in {name}` signs you in",
                    wanted.url
                );
                served.diagnostics.push(Diagnostic::new(Code::McpStartFailed, message));
                break;
            }
        }
    }
    let ServedTools { tools, diagnostics, .. } = served;
    failed.extend(diagnostics);
    turn_loop.session.served.retain(|tool| tool.skill != name);
    turn_loop.session.served.extend(tools);
    turn_loop.rebuild_tools();
    failed
}

/// What a question calls connecting to a server on the network, and starting one with variables.
const CONNECT: &str = "connect";
const START: &str = "start";
/// What a question calls signing in.
const SIGN_IN: &str = "sign in";

/// Lets the user sign in to a server, in every mode, when they want to.
fn sign_in(
    turn_loop: &mut TurnLoop<'_, '_, '_, '_>,
    entry: &Entry,
    wanted: &WantedSignIn,
) -> Result<(), String> {
    let setup = turn_loop.setup;
    let skill = entry.address();
    let question = ApprovalRequest {
        tool: SIGN_IN.to_owned(),
        summary: format!("{skill} signs you in at {}", wanted.url),
        reach: Reach::Guarded,
        why: "its MCP server asks you to sign in; a page opens in your browser".to_owned(),
        preview: None,
        skill: Some(skill),
    };
    match setup.approver.ask(&question) {
        ApprovalAnswer::Once | ApprovalAnswer::Always => {}
        ApprovalAnswer::No(words) => return Err(words.unwrap_or_else(|| "you did not want to".to_owned())),
        ApprovalAnswer::Stop => {
            turn_loop.stopped = Some("the user stopped the turn".to_owned());
            return Err("the user stopped the turn".to_owned());
        }
    }
    let bridge = setup.servers.ok_or("MCP servers are off")?;
    bridge.sign_in(wanted, &setup.cancel)
}

/// Asks the user whether a skill may have its server, in every mode; the yes counts for this run.
/// What the user denied before is not asked again.
fn connect(turn_loop: &mut TurnLoop<'_, '_, '_, '_>, entry: &Entry, server: &AskedServer) -> bool {
    let setup = turn_loop.setup;
    if setup.answers.answer(entry, server).is_some() {
        return false;
    }
    let skill = entry.address();
    let names: Vec<&str> = server.variables.iter().map(String::as_str).collect();
    let sends = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let (tool, what, why, head) = if server.is_process {
        (START, "starts", format!("you have not allowed {skill} variables for its MCP server"), "command")
    } else {
        (
            CONNECT,
            "connects to",
            format!("you have not allowed {skill} to connect to its MCP server"),
            "address",
        )
    };
    let question = ApprovalRequest {
        tool: tool.to_owned(),
        summary: format!("{skill} {what} {}", server.address),
        reach: Reach::Guarded,
        why,
        preview: Some(Preview::Text(format!("{head}: {}\nvariables it receives: {sends}", server.address))),
        skill: Some(skill),
    };
    match setup.approver.ask(&question) {
        ApprovalAnswer::Once | ApprovalAnswer::Always => true,
        ApprovalAnswer::No(_) => false,
        ApprovalAnswer::Stop => {
            turn_loop.stopped = Some("the user stopped the turn".to_owned());
            false
        }
    }
}
