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
use skillful_runtime::{
    proxy::{
        CatalogGate, Desk, Gate as _, Holdings, Options, Plan, Proxy, Refused, Rooms, Sink, SocketError,
    },
    redact::not_taken_out,
};
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
    let plan = plan(context, args, &gate)?;
    let confine = || confined::prepare(context, &execution.grants, &execution.sandbox, &gate, &plan);
    let confined = args.sandboxed.then(confine).transpose()?;
    let settings = &context.workspace.config().settings;
    let holdings = Holdings::gather(&gate, settings, &person(context, args)?, plan);
    tell_diagnostics(context, &context.diagnostics());
    tell_diagnostics(context, holdings.diagnostics());
    let rooms = Rooms::new(&gate, settings, &execution.grants, Box::new(execution.sandbox));
    let run = std::process::id().to_string();
    let desk = Desk::new(run, Box::new(gate), holdings, Box::new(rooms), sink(context));
    let desk = desk.timeout(Duration::from_secs(args.timeout));
    tell_diagnostics(context, &not_taken_out(desk.overlooked()));
    let options = Options {
        path: args.socket.as_ref().map(|path| context.workspace.environment().cwd.join(path)),
        ..Options::below(base(context))
    };
    let mut proxy = Proxy::start(&options, desk)
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

fn plan(context: &Context, args: &ProxyArgs, gate: &CatalogGate) -> Result<Plan, Failure> {
    let mut selected =
        args.skill.iter().map(|word| address(gate, word)).collect::<Result<BTreeSet<_>, _>>()?;
    if let Some(message) = &args.message {
        let turn = Turn {
            message: message.clone(),
            folder: context.workspace.environment().cwd.clone(),
            ..Turn::default()
        };
        let chosen = select(&gate.catalog, &turn, gate.asker()).selected;
        let open = gate.open();
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
    Ok(Plan {
        skills: (!all).then(|| selected.clone()),
        selected,
        readable,
        base: base_of(context),
        ..Plan::default()
    })
}

/// What every program gets of the person's environment.
fn base_of(context: &Context) -> BTreeMap<String, String> {
    let variables = context.workspace.environment().variables.iter();
    let common = variables.filter(|(name, _)| COMMON.contains(&name.as_str()) || name.starts_with("LC_"));
    common.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// What the programs of one skill get when a person runs one: the same as through the proxy.
pub(crate) fn holdings_of(context: &Context, gate: &CatalogGate, skill: &str) -> Result<Holdings, Failure> {
    let only = BTreeSet::from([skill.to_owned()]);
    let plan = Plan { skills: Some(only.clone()), selected: only, base: base_of(context), ..Plan::default() };
    let variable = |name: &str| context.workspace.environment().variables.get(name).map(String::as_str);
    let person = Person {
        store: secret::store(context, false)?,
        config: json!({ "names": context.workspace.config().names }),
        user: context.workspace.principal().user.as_deref().or_else(|| variable("USER")),
        variables: &context.workspace.environment().variables,
        lent: &[],
    };
    Ok(Holdings::gather(gate, &context.workspace.config().settings, &person, plan))
}

/// The address of a skill whose programs may be run.
fn address(gate: &CatalogGate, word: &str) -> Result<String, Failure> {
    let open = gate.reach(word).map_err(|shut| {
        Failure::usage(format!("programs of `{word}` cannot be run: {}", shut.detail))
            .hint("`skillful list` shows every skill and its state")
    })?;
    Ok(open.skill)
}

fn person<'a>(context: &'a Context, args: &'a ProxyArgs) -> Result<Person<'a>, Failure> {
    let variable = |name: &str| context.workspace.environment().variables.get(name).map(String::as_str);
    Ok(Person {
        store: secret::store(context, args.keyring)?,
        config: json!({ "names": context.workspace.config().names }),
        user: args.user.as_deref().or_else(|| variable("USER")),
        variables: &context.workspace.environment().variables,
        lent: &args.lend,
    })
}

/// Each refusal is one line, in the person's sight.
fn sink(context: &Context) -> Sink {
    let json = context.output.json;
    Arc::new(move |refused: &Refused| {
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
    let skills = proxy.desk().authorized();
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "socket": proxy.path(), "skills": skills });
        printed(context.output.print_json(&value))?;
    } else {
        printed(context.output.print(&format!("{}\n", proxy.path().display())))?;
    }
    signals.forever().next();
    Ok(Exit::Clean)
}
