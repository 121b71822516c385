//! `mcp sign-in` and `mcp sign-out`: the user's sign-in to the MCP server of a skill.

use super::{printed, tell_diagnostics};
use crate::{
    args::ServerArgs,
    browser, consent,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::harmless,
};
use skillful::{
    bindings::OnceAllowed,
    views::{SCHEMA, SignInView},
};
use skillful_assistant::servers::SkillServers;
use skillful_llm::Cancel;
use skillful_mcp::client::{PlainProcess, sign_in::SignInStore};
use skillful_select::access::Way;
use std::sync::Arc;

pub(crate) fn sign_in(context: &mut Context, args: &ServerArgs) -> Outcome {
    let proof = context.reach(&args.skill, Way::Execute)?;
    let catalog = context.workspace.catalog();
    let admitted = catalog.admitted(&proof).map_err(|error| Failure::new(error.to_string()))?;
    let entry = admitted.entry();
    let (further, _) = context.workspace.server_dependencies(entry);
    let skill = entry.address();
    let remote = entry.loaded.manifest.mcp.iter().chain(&further).find_map(|server| server.url.clone());
    let Some(address) = remote else {
        return Err(Failure::new(format!("`{}` has no MCP server on the network", harmless(&skill))));
    };
    // Processes are not signed in to, so that none is started here.
    let further: Vec<_> = further.into_iter().filter(|server| server.url.is_some()).collect();
    let store = SignInStore::new(&context.workspace);
    let servers = SkillServers::new(Arc::new(PlainProcess), store, browser::opener(context));
    let settings = &context.workspace.config().settings;
    let environment = context.workspace.environment();
    let mut allowed = context.workspace.allowed_servers(entry);
    loop {
        let served = servers.tools(&admitted, environment, settings, allowed.clone(), &further);
        if let Some(server) = served.unanswered {
            if !consent::server(context, entry, &server, &mut OnceAllowed::new())? {
                return Err(Failure::new("nothing was connected to"));
            }
            allowed.insert(server);
            continue;
        }
        let Some(wanted) = served.sign_in else {
            tell_diagnostics(context, &served.diagnostics);
            if served.tools.is_empty() && !served.diagnostics.is_empty() {
                return Err(Failure::new(format!("`{}` could not be asked", harmless(&address))));
            }
            return report(context, skill, address, true);
        };
        servers.sign_in(&wanted, &Cancel::default()).map_err(Failure::new)?;
    }
}

pub(crate) fn sign_out(context: &mut Context, args: &ServerArgs) -> Outcome {
    let (catalog, at) = context.catalog_with(&args.skill)?;
    let entry = &catalog.entries[at];
    let (further, _) = context.workspace.server_dependencies(entry);
    let store = SignInStore::new(&context.workspace);
    let mut forgotten = None;
    for url in entry.loaded.manifest.mcp.iter().chain(&further).filter_map(|server| server.url.clone()) {
        if store.forget(&url).map_err(|error| Failure::new(error.to_string()).hint(error.help()))? {
            forgotten = Some(url);
        }
    }
    let skill = entry.address();
    match forgotten {
        Some(address) => report(context, skill, address, false),
        None => Err(Failure::new(format!("you are not signed in to a server of `{}`", harmless(&skill)))),
    }
}

fn report(context: &Context, skill: String, address: String, signed_in: bool) -> Outcome {
    if context.output.json {
        printed(context.output.print_json(&SignInView { schema: SCHEMA, skill, address, signed_in }))?;
        return Ok(Exit::Clean);
    }
    let (verb, place) = if signed_in { ("signed in to", "") } else { ("signed out of", ", for every skill") };
    let text = format!("{verb} {}, a server of {}{place}\n", harmless(&address), harmless(&skill));
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}
