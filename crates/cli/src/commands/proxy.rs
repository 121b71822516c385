//! `proxy`: runs programs of skills with their secrets, for an agent that does not get them.

mod command;
mod confined;
mod pins;

use super::{printed, secret, tell_diagnostics};
use crate::{
    args::{ProxyArgs, WorkArgs},
    consent,
    context::Context,
    error::{Exit, Failure, Outcome},
    output,
    work::not_held,
};
use skillful::{
    bindings::OnceAllowed,
    programs::ProgramRequest,
    views::{ProxyRefusal, ProxyView, SCHEMA},
};
use skillful_credentials::{
    proxy::{
        Gate as _, ProgramVariables, Proxy, ProxyPolicy, RefusalLog, RefusalRecord, RequestHandler,
        RequestKind, SocketError, SocketOptions,
    },
    redaction::unredacted_diagnostics,
};
use skillful_runtime::credential_proxy::{CatalogGate, SandboxRunner};
use std::{path::PathBuf, sync::Arc, time::Duration};

pub(crate) fn run(context: &mut Context, args: &ProxyArgs) -> Outcome {
    hide();
    if let Some(key) = args.lend.iter().find(|name| context.workspace.is_provider_key(name)) {
        return Err(Failure::usage(format!("`{key}` is a key of a model provider and cannot be lent"))
            .hint("give the skill a key of its own: skillful secret set SERVICE KEY --skill NAME"));
    }
    context.for_user(args.user.as_deref());
    context.for_agent(args.agent.as_deref())?;
    let context = &*context;
    let work = WorkArgs { allow_unsandboxed: args.allow_unsandboxed, grant: false };
    let execution = context.execution(work);
    let sandbox = &execution.sandbox;
    if let Err(error) = sandbox.report().choose(sandbox.require()) {
        return Err(not_held(error.to_string(), &error));
    }
    let gate = context.workspace.program_gate();
    let request = ProgramRequest {
        skills: args.skill.clone(),
        message: args.message.clone(),
        readable: args.readable.clone(),
    };
    let policy = context.workspace.program_policy(&gate, &request)?;
    let confine = || {
        let (grants, change) = (&execution.grants, args.change_guarded);
        confined::prepare(context, grants, &execution.sandbox, &gate, &policy, change)
    };
    let confined = args.sandboxed.then(confine).transpose()?;
    let settings = &context.workspace.config().settings;
    let variables = allowed_variables(context, args, &gate, &policy)?;
    tell_diagnostics(context, &context.diagnostics());
    tell_diagnostics(context, variables.diagnostics());
    let runner = SandboxRunner::new(&gate, settings, &execution.grants, Box::new(execution.sandbox));
    let run = std::process::id().to_string();
    let handler = RequestHandler::new(run, Box::new(gate), variables, Box::new(runner), refusal_log(context));
    let handler = handler.timeout(Duration::from_secs(args.timeout));
    tell_diagnostics(context, &unredacted_diagnostics(handler.unredacted()));
    let options = SocketOptions {
        path: args.socket.as_ref().map(|path| context.workspace.environment().cwd.join(path)),
        ..SocketOptions::below(socket_folder(context))
    };
    let mut proxy = Proxy::start(&options, handler)
        .map_err(|error: SocketError| Failure::usage(error.to_string()).hint(error.help()))?;
    let exit = match confined {
        _ if args.command.is_empty() => serve(context, &proxy),
        Some(confined) => confined.run(context, &proxy, &args.pass, &args.command),
        None => command::run(context, &proxy, &args.pass, &args.command),
    };
    proxy.stop();
    exit
}

/// The variables of programs. On a terminal the user is asked about the secrets of the skills of this run, before the
/// agent has the terminal; programs of a skill without an answer are refused.
fn allowed_variables(
    context: &Context,
    args: &ProxyArgs,
    gate: &CatalogGate,
    policy: &ProxyPolicy,
) -> Result<ProgramVariables, Failure> {
    let mut once = OnceAllowed::new();
    let variables = |once: &OnceAllowed| -> Result<ProgramVariables, Failure> {
        let vault = secret::vault(context, args.keyring)?;
        Ok(context.workspace.program_variables(gate, policy.clone(), vault, &args.lend, once))
    };
    let mut found = variables(&once)?;
    if consent::is_possible(context) {
        for skill in &policy.selected {
            let unanswered: Vec<_> = found.unanswered(skill).cloned().collect();
            let entry = gate.reach(skill).ok().map(|reached| &gate.catalog.entries[reached.id]);
            let Some(entry) = entry.filter(|_| !unanswered.is_empty()) else { continue };
            if let Err(failure) = consent::secrets(context, entry, &unanswered, &mut once) {
                output::tell(&format!("{}\n", failure.message));
            }
        }
        found = variables(&once)?;
    }
    for secret in policy.selected.iter().flat_map(|skill| found.unanswered(skill)) {
        let (skill, why) = (output::harmless(&secret.skill), output::harmless(&secret.why));
        let fix = output::harmless(&secret.fix);
        output::tell(&format!("note: programs of {skill} are refused: {why}\n  fix:   {fix}\n"));
    }
    Ok(found)
}

/// Keeps other processes from reading the memory of this one, which holds secrets, and the system from writing
/// it to a core file. Best effort: root can read everything anyway.
fn hide() {
    use rustix::process::{self, Resource, Rlimit};
    let limit = Rlimit { current: Some(0), maximum: process::getrlimit(Resource::Core).maximum };
    let _best_effort = process::setrlimit(Resource::Core, limit);
    #[cfg(target_os = "linux")]
    let _best_effort = process::set_dumpable_behavior(process::DumpableBehavior::NotDumpable);
}

/// Prints each refusal as one line to standard error.
fn refusal_log(context: &Context) -> RefusalLog {
    let json = context.output.json;
    Arc::new(move |refused: &RefusalRecord| {
        if json {
            output::tell_json(&refusal(refused));
        } else {
            output::tell(&format!("warning: {}\n", output::harmless(&refused.to_string())));
        }
    })
}

fn refusal(refused: &RefusalRecord) -> ProxyRefusal {
    let kind = match refused.kind {
        RequestKind::Run => "run",
        RequestKind::Credential => "credential",
        RequestKind::Connection => "connection",
    };
    ProxyRefusal {
        schema: SCHEMA,
        run: refused.run.clone(),
        kind: kind.to_owned(),
        name: refused.name.clone(),
        reason: refused.reason.word().to_owned(),
        detail: refused.detail.clone(),
    }
}

/// The folder that the folder of the socket is created in: the runtime folder of the system, if there is one.
pub(crate) fn socket_folder(context: &Context) -> PathBuf {
    let named = context.workspace.environment().variable("XDG_RUNTIME_DIR").map(PathBuf::from);
    named.filter(|path| path.is_absolute() && path.is_dir()).unwrap_or_else(std::env::temp_dir)
}

/// Serves until a signal ends it.
fn serve(context: &Context, proxy: &Proxy) -> Outcome {
    let mut signals = command::signals()?;
    let skills = proxy.handler().authorized();
    if context.output.json {
        let view = ProxyView { schema: SCHEMA, socket: proxy.path().into(), skills };
        printed(context.output.print_json(&view))?;
    } else {
        printed(context.output.print(&format!("{}\n", proxy.path().display())))?;
    }
    signals.forever().next();
    Ok(Exit::Clean)
}
