//! `exec`: a program of a skill, in its sandbox.

use super::{diagnostic_views, printed, secret, tell_catalog, tell_diagnostics};
use crate::{
    args::ExecArgs,
    consent,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output,
    work::not_held,
};
use skillful::{
    bindings::OnceAllowed,
    views::{
        SCHEMA,
        exec::{ExecView, ProxyExecView},
    },
};
use skillful_catalog::{Entry, access::NotAdmitted};
use skillful_credentials::{
    proxy::{
        ProgramVariables, Reply, Request, WAIT_TIME,
        client::{self, Route},
    },
    redaction::{Redactor, UnredactedReason, unredacted_diagnostics},
};
use skillful_runtime::{
    credential_proxy::CatalogGate,
    exec::{self, ExecError},
    room::Room,
};
use skillful_select::access::Way;
use std::{
    io::{IsTerminal, Read, Write},
    path::Path,
    time::Duration,
};

/// The largest standard input of a program, in bytes.
const INPUT_LIMIT: u64 = 8 << 20;

pub(crate) fn run(context: &mut Context, args: &ExecArgs) -> Outcome {
    // Inside a sandbox the proxy runs it.
    let route = client::route(&context.workspace.environment().variables)
        .map_err(|error| Failure::new(error.to_string()))?;
    if let Route::Proxy(socket) = route {
        return by_proxy(context, args, &socket);
    }
    context.for_user(args.user.as_deref());
    let proof = context.reach(&args.skill, Way::Execute)?;
    let catalog = context.workspace.catalog();
    let execution = context.execution(args.work);
    let changed = |error: NotAdmitted| Failure::new(error.to_string());
    let mut admitted = catalog.admitted(&proof).map_err(changed)?;
    let entry = admitted.entry();
    let skill = entry.address();
    exec::choose(&admitted, &args.words).map_err(|error| refused(&error))?;
    let gate = context.workspace.program_gate();
    let mut variables = allowed_variables(context, &gate, entry)?;
    if let Some(bound) = variables.bound(&skill) {
        admitted = admitted.bound(&bound).map_err(changed)?;
    }
    let (program, arguments) = exec::choose(&admitted, &args.words).map_err(|error| refused(&error))?;
    context.used(entry);
    let (redactor, unredacted) = Redactor::new(variables.secrets());
    for long in unredacted.iter().filter(|one| one.why == UnredactedReason::TooLong) {
        variables.withhold(&long.name);
    }
    let own = [variables.diagnostics().to_vec(), unredacted_diagnostics(&unredacted)].concat();
    let engine = context.workspace.engine(&catalog, None);
    let folder = admitted.folder().display().to_string();
    let places = exec::FOLDER_VARIABLES.map(|name| (name.to_owned(), folder.clone()));
    let room = Room::of(&engine, &admitted, &execution.grants, &places.into())
        .map_err(|error| Failure::new(error.to_string()))?;
    let call = exec::Call {
        skill: &admitted,
        program: &program,
        arguments,
        stdin: &input()?,
        environment: &variables.environment_of(&skill),
        has_secrets: variables.holds_secret(&skill),
        time: Duration::from_secs(args.timeout),
    };
    let mut ran = exec::run(&call, &room, &execution.sandbox).map_err(|error| refused(&error))?;
    (ran.stdout, ran.stderr) = (redactor.text(&ran.stdout), redactor.text(&ran.stderr));
    let exit = Exit::Program(u8::try_from(ran.exit_code).unwrap_or(1));
    if context.output.json {
        let diagnostics = diagnostic_views(context, &catalog, &own);
        let view = ExecView { schema: SCHEMA, ran, notes: room.notes, diagnostics };
        printed(context.output.print_json(&view))?;
        return Ok(exit);
    }
    tell_catalog(context, &catalog);
    tell_diagnostics(context, &own);
    for note in &room.notes {
        output::tell(&format!("note: {}\n", output::harmless(note)));
    }
    printed(std::io::stdout().write_all(ran.stdout.as_bytes()))?;
    printed(std::io::stderr().write_all(ran.stderr.as_bytes()))?;
    if ran.truncated {
        output::tell("note: the output is cut at its size limit\n");
    }
    if let Some(why) = &ran.ended {
        output::tell(&format!("{} was ended: {why}\n", output::harmless(&ran.program)));
    }
    Ok(exit)
}

/// The variables of a skill's programs, after the user answered about its secrets.
fn allowed_variables(
    context: &Context,
    gate: &CatalogGate,
    entry: &Entry,
) -> Result<ProgramVariables, Failure> {
    let (skill, mut once) = (entry.address(), OnceAllowed::new());
    let variables = |once: &OnceAllowed| -> Result<ProgramVariables, Failure> {
        let vault = secret::vault(context, false)?;
        Ok(context.workspace.variables_of(gate, &skill, vault, once))
    };
    let found = variables(&once)?;
    let unanswered: Vec<_> = found.unanswered(&skill).cloned().collect();
    if unanswered.is_empty() {
        return Ok(found);
    }
    consent::secrets(context, entry, &unanswered, &mut once)?;
    let found = variables(&once)?;
    let left: Vec<_> = found.unanswered(&skill).cloned().collect();
    match left.first() {
        None => Ok(found),
        Some(secret) => {
            Err(Failure::new(format!("`{}` is not run: {}", output::harmless(&skill), secret.why)))
        }
    }
}

/// Has the proxy run it, and prints what the proxy returns.
fn by_proxy(context: &Context, args: &ExecArgs, socket: &Path) -> Outcome {
    let stdin = String::from_utf8(input()?)
        .map_err(|_| Failure::usage("standard input is not text; the proxy takes text only"))?;
    let stdin = Some(stdin).filter(|text| !text.is_empty());
    let request = Request::Run { skill: args.skill.clone(), args: args.words.clone(), stdin, program: None };
    let reply = client::call(socket, &request, WAIT_TIME).map_err(|error| Failure::new(error.to_string()))?;
    let exit = Exit::Program(u8::try_from(reply.code()).unwrap_or(1));
    match &reply {
        Reply::Refused(refusal) => {
            let failure = Failure::new(&refusal.error);
            let known = refusal.authorized.iter().flatten().cloned().collect::<Vec<_>>();
            return Err(if known.is_empty() {
                failure
            } else {
                failure.cause(format!("skills of this run: {}", known.join(", ")))
            });
        }
        Reply::Value(_) => {
            return Err(Failure::new("the proxy returned a value of another kind than was asked for"));
        }
        Reply::Ran(ran) if context.output.json => {
            let view = ProxyExecView {
                schema: SCHEMA,
                skill: args.skill.clone(),
                stdout: ran.stdout.clone(),
                stderr: ran.stderr.clone(),
                exit_code: ran.returncode,
                truncated: ran.truncated,
            };
            printed(context.output.print_json(&view))?;
        }
        Reply::Ran(ran) => {
            printed(std::io::stdout().write_all(ran.stdout.as_bytes()))?;
            printed(std::io::stderr().write_all(ran.stderr.as_bytes()))?;
            if ran.truncated {
                output::tell("note: the output is cut at its size limit\n");
            }
        }
    }
    Ok(exit)
}

fn input() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(bytes);
    }
    let read = stdin.take(INPUT_LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(failed("read standard input"))?;
    if bytes.len() as u64 > INPUT_LIMIT {
        return Err(Failure::usage(format!("standard input is over {INPUT_LIMIT} bytes")));
    }
    Ok(bytes)
}

fn refused(error: &ExecError) -> Failure {
    match error {
        ExecError::Sandbox(inner) => not_held(error.to_string(), inner),
        _ => Failure::new(error.to_string()),
    }
}
