//! `proxy`: runs programs of skills with their secrets, for an agent that does not get them.

mod command;
mod confined;
mod pins;
mod user_sources;

use super::{printed, secret, tell_diagnostics};
use crate::{
    args::{ProxyArgs, WorkArgs},
    context::Context,
    error::{Exit, Failure, Outcome},
    output,
    work::not_held,
};
use serde_json::json;
use skillful::views::{ProxyRefusal, ProxyView, SCHEMA};
use skillful_credentials::{
    proxy::{
        Gate as _, ProgramVariables, Proxy, ProxyPolicy, RefusalLog, RefusalRecord, RequestHandler,
        RequestKind, SocketError, SocketOptions,
    },
    redaction::unredacted_diagnostics,
};
use skillful_runtime::credential_proxy::{CatalogGate, SandboxRunner, program_variables};
use skillful_select::{selection::select, turn::Turn};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use user_sources::UserSources;

/// Variables of the user's environment that every program gets, besides locales.
const COMMON: [&str; 4] = ["USER", "LOGNAME", "LANG", "TZ"];

pub(crate) fn run(context: &mut Context, args: &ProxyArgs) -> Outcome {
    hide();
    context.for_user(args.user.as_deref());
    context.for_agent(args.agent.as_deref())?;
    let catalog = context.workspace.catalog();
    let context = &*context;
    let work = WorkArgs { allow_unsandboxed: args.allow_unsandboxed, grant: false };
    let execution = context.execution(work);
    let sandbox = &execution.sandbox;
    if let Err(error) = sandbox.report().choose(sandbox.require()) {
        return Err(not_held(error.to_string(), &error));
    }
    let gate = CatalogGate {
        catalog,
        principal: context.workspace.principal().clone(),
        environment: context.workspace.environment().clone(),
    };
    let policy = policy(context, args, &gate)?;
    let confine = || confined::prepare(context, &execution.grants, &execution.sandbox, &gate, &policy);
    let confined = args.sandboxed.then(confine).transpose()?;
    let settings = &context.workspace.config().settings;
    let variables = program_variables(&gate, settings, &user_sources(context, args)?, policy);
    tell_diagnostics(context, &context.diagnostics());
    tell_diagnostics(context, variables.diagnostics());
    let runner = SandboxRunner::new(&gate, settings, &execution.grants, Box::new(execution.sandbox));
    let run = std::process::id().to_string();
    let handler = RequestHandler::new(run, Box::new(gate), variables, Box::new(runner), refusal_log(context));
    let handler = handler.timeout(Duration::from_secs(args.timeout));
    tell_diagnostics(context, &unredacted_diagnostics(handler.unredacted()));
    let options = SocketOptions {
        path: args.socket.as_ref().map(|path| context.workspace.environment().cwd.join(path)),
        ..SocketOptions::below(base(context))
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

/// Keeps other processes from reading the memory of this one, which holds secrets, and the system from writing
/// it to a core file. Best effort: root can read everything anyway.
fn hide() {
    use rustix::process::{self, Resource, Rlimit};
    let limit = Rlimit { current: Some(0), maximum: process::getrlimit(Resource::Core).maximum };
    let _best_effort = process::setrlimit(Resource::Core, limit);
    #[cfg(target_os = "linux")]
    let _best_effort = process::set_dumpable_behavior(process::DumpableBehavior::NotDumpable);
}

fn policy(context: &Context, args: &ProxyArgs, gate: &CatalogGate) -> Result<ProxyPolicy, Failure> {
    let mut selected =
        args.skill.iter().map(|word| address(gate, word)).collect::<Result<BTreeSet<_>, _>>()?;
    if let Some(message) = &args.message {
        let turn = Turn {
            message: message.clone(),
            folder: context.workspace.environment().cwd.clone(),
            ..Turn::default()
        };
        let chosen = select(&gate.catalog, &turn, gate.asker()).selected;
        let open = gate.reachable();
        let chosen = chosen.iter().map(|chosen| gate.catalog.entries[chosen.entry()].address());
        selected.extend(chosen.filter(|skill| open.contains(skill)));
    }
    let all = args.skill.is_empty() && args.message.is_none();
    let mut readable = BTreeSet::new();
    for pair in &args.readable {
        let Some((skill, name)) = pair.split_once('=').filter(|(_, name)| !name.is_empty()) else {
            return Err(Failure::usage(format!("--readable `{pair}` does not name a variable"))
                .hint("write --readable SKILL=VARIABLE"));
        };
        readable.insert((address(gate, skill)?, name.to_owned()));
    }
    Ok(ProxyPolicy {
        skills: (!all).then(|| selected.clone()),
        selected,
        readable,
        base: base_of(context),
        ..ProxyPolicy::default()
    })
}

/// The variables of the user's environment that every program gets.
fn base_of(context: &Context) -> BTreeMap<String, String> {
    let variables = context.workspace.environment().variables.iter();
    let common = variables.filter(|(name, _)| COMMON.contains(&name.as_str()) || name.starts_with("LC_"));
    common.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The variables of the programs of one skill when the user runs one: the same as through the proxy.
pub(crate) fn variables_of(
    context: &Context,
    gate: &CatalogGate,
    skill: &str,
) -> Result<ProgramVariables, Failure> {
    let only = BTreeSet::from([skill.to_owned()]);
    let base = base_of(context);
    let policy = ProxyPolicy { skills: Some(only.clone()), selected: only, base, ..ProxyPolicy::default() };
    let variable = |name: &str| context.workspace.environment().variables.get(name).map(String::as_str);
    let sources = UserSources {
        vault: secret::vault(context, false)?,
        config: json!({ "names": context.workspace.config().names }),
        user: context.workspace.principal().user.as_deref().or_else(|| variable("USER")),
        variables: &context.workspace.environment().variables,
        lent: &[],
    };
    Ok(program_variables(gate, &context.workspace.config().settings, &sources, policy))
}

/// The address of a skill whose programs may be run.
fn address(gate: &CatalogGate, word: &str) -> Result<String, Failure> {
    let skill = gate.reach(word).map_err(|unreachable| {
        Failure::usage(format!("programs of `{word}` cannot be run: {}", unreachable.detail))
            .hint("`skillful list` shows every skill and its state")
    })?;
    Ok(skill.address)
}

fn user_sources<'a>(context: &'a Context, args: &'a ProxyArgs) -> Result<UserSources<'a>, Failure> {
    let variable = |name: &str| context.workspace.environment().variables.get(name).map(String::as_str);
    Ok(UserSources {
        vault: secret::vault(context, args.keyring)?,
        config: json!({ "names": context.workspace.config().names }),
        user: args.user.as_deref().or_else(|| variable("USER")),
        variables: &context.workspace.environment().variables,
        lent: &args.lend,
    })
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
fn base(context: &Context) -> PathBuf {
    let named = context.workspace.environment().variable("XDG_RUNTIME_DIR").map(PathBuf::from);
    named.filter(|path| path.is_absolute() && path.is_dir()).unwrap_or_else(std::env::temp_dir)
}

/// Serves until a signal ends it.
fn serve(context: &Context, proxy: &Proxy) -> Outcome {
    let mut signals = command::signals()?;
    let skills = proxy.handler().authorized();
    if context.output.json {
        let view = ProxyView { schema: SCHEMA, socket: proxy.path().to_owned(), skills };
        printed(context.output.print_json(&view))?;
    } else {
        printed(context.output.print(&format!("{}\n", proxy.path().display())))?;
    }
    signals.forever().next();
    Ok(Exit::Clean)
}
