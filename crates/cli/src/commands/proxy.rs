//! `proxy`: programs of skills with their secrets, for an agent that has none.

mod command;
mod confined;
mod person;
mod pins;

use super::{printed, secret, tell_diagnostics};
use crate::{
    args::{ProxyArgs, WorkArgs},
    context::Context,
    error::{Exit, Failure, Outcome},
    output, shape,
    work::not_held,
};
use person::Person;
use serde_json::json;
use skillful_credentials::{
    proxy::{
        Gate as _, ProgramVariables, Proxy, ProxyPolicy, RefusalLog, RefusalRecord, RequestHandler,
        SocketError, SocketOptions,
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

/// What every program gets of the person's environment, besides locales.
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
        approvals: execution.approvals,
    };
    let policy = policy(context, args, &gate)?;
    let confine = || confined::prepare(context, &execution.grants, &execution.sandbox, &gate, &policy);
    let confined = args.sandboxed.then(confine).transpose()?;
    let settings = &context.workspace.config().settings;
    let variables = program_variables(&gate, settings, &person(context, args)?, policy);
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

/// Keeps others from reading the memory of this process, which holds secrets, and the system from
/// writing it to a file. Best effort: root may read everything anyway.
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
            return Err(Failure::usage(format!("--readable `{pair}` names no variable"))
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

/// What every program gets of the person's environment.
fn base_of(context: &Context) -> BTreeMap<String, String> {
    let variables = context.workspace.environment().variables.iter();
    let common = variables.filter(|(name, _)| COMMON.contains(&name.as_str()) || name.starts_with("LC_"));
    common.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// What the programs of one skill get when a person runs one: the same as through the proxy.
pub(crate) fn variables_of(
    context: &Context,
    gate: &CatalogGate,
    skill: &str,
) -> Result<ProgramVariables, Failure> {
    let only = BTreeSet::from([skill.to_owned()]);
    let base = base_of(context);
    let policy = ProxyPolicy { skills: Some(only.clone()), selected: only, base, ..ProxyPolicy::default() };
    let variable = |name: &str| context.workspace.environment().variables.get(name).map(String::as_str);
    let person = Person {
        vault: secret::vault(context, false)?,
        config: json!({ "names": context.workspace.config().names }),
        user: context.workspace.principal().user.as_deref().or_else(|| variable("USER")),
        variables: &context.workspace.environment().variables,
        lent: &[],
    };
    Ok(program_variables(gate, &context.workspace.config().settings, &person, policy))
}

/// The address of a skill whose programs may be run.
fn address(gate: &CatalogGate, word: &str) -> Result<String, Failure> {
    let skill = gate.reach(word).map_err(|unreachable| {
        Failure::usage(format!("programs of `{word}` cannot be run: {}", unreachable.detail))
            .hint("`skillful list` shows every skill and its state")
    })?;
    Ok(skill.address)
}

fn person<'a>(context: &'a Context, args: &'a ProxyArgs) -> Result<Person<'a>, Failure> {
    let variable = |name: &str| context.workspace.environment().variables.get(name).map(String::as_str);
    Ok(Person {
        vault: secret::vault(context, args.keyring)?,
        config: json!({ "names": context.workspace.config().names }),
        user: args.user.as_deref().or_else(|| variable("USER")),
        variables: &context.workspace.environment().variables,
        lent: &args.lend,
    })
}

/// Each refusal is one line, in the person's sight.
fn refusal_log(context: &Context) -> RefusalLog {
    let json = context.output.json;
    Arc::new(move |refused: &RefusalRecord| {
        let line = if json {
            json!({ "schema": shape::SCHEMA, "refused": refused }).to_string()
        } else {
            format!("warning: {}", output::harmless(&refused.to_string()))
        };
        output::tell(&(line + "\n"));
    })
}

/// Where the socket's folder is made: where the system keeps such things, if it does.
fn base(context: &Context) -> PathBuf {
    let named = context.workspace.environment().variable("XDG_RUNTIME_DIR").map(PathBuf::from);
    named.filter(|path| path.is_absolute() && path.is_dir()).unwrap_or_else(std::env::temp_dir)
}

/// Serves until somebody says that it is enough.
fn serve(context: &Context, proxy: &Proxy) -> Outcome {
    let mut signals = command::signals()?;
    let skills = proxy.handler().authorized();
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "socket": proxy.path(), "skills": skills });
        printed(context.output.print_untyped(&value))?;
    } else {
        printed(context.output.print(&format!("{}\n", proxy.path().display())))?;
    }
    signals.forever().next();
    Ok(Exit::Clean)
}
