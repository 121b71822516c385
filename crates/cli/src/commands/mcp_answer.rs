//! `mcp allow` and `mcp deny`: whether a skill may have its MCP server, on the network or with variables.

use super::{library, printed, tell_diagnostics};
use crate::{
    args::ServerArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::harmless,
};
use skillful::{
    bindings::{phrase, server_subject},
    views::{SCHEMA, ServerAnswer},
};
use skillful_catalog::variables::{self, SharedVariables};
use skillful_mcp::client::{ServerGrants, declared};
use skillful_registry::bindings::AnsweredBy;
use skillful_select::access::Way;
use std::collections::BTreeSet;

pub(crate) fn run(context: &mut Context, args: &ServerArgs, allowed: bool) -> Outcome {
    let proof = context.reach(&args.skill, Way::Execute)?;
    let catalog = context.workspace.catalog();
    let admitted = catalog.admitted(&proof).map_err(|error| Failure::new(error.to_string()))?;
    let entry = admitted.entry();
    let settings = &context.workspace.config().settings;
    let environment = context.workspace.environment();
    let values = variables::resolve(entry, environment, &SharedVariables::new(settings)).values;
    let grants = ServerGrants::of(entry, settings, BTreeSet::new());
    let found = declared(&admitted, &values, environment, &grants);
    let skill = entry.address();
    let Some(server) = found.unanswered else {
        tell_diagnostics(context, &found.diagnostics);
        return Err(Failure::new(format!("`{}` has no MCP server that needs an answer", harmless(&skill))));
    };
    let subject = server_subject(&server);
    library::user(context)?.answer(subject.clone(), entry, allowed, AnsweredBy::Command)?;
    if context.output.json {
        let variables = server.variables.into_iter().collect();
        let answer = ServerAnswer { schema: SCHEMA, skill, address: server.address, variables, allowed };
        printed(context.output.print_json(&answer))?;
    } else {
        let verb = if allowed { "allowed" } else { "denied" };
        let text = format!("{verb} {} {}\n", harmless(&skill), harmless(&phrase(&subject)));
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}
