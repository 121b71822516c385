//! `mcp tools`: the tools of a skill's MCP server, and a call of one.

use super::{diagnostic_views, printed, tell_catalog, tell_diagnostics};
use crate::{
    args::ToolsArgs,
    consent,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{self, Cell, DIM, Table},
    turn::now,
};
use serde_json::{Map, Value};
use skillful::{
    bindings::OnceAllowed,
    views::{
        DiagnosticView, SCHEMA,
        tool::{LeftOutPart, ToolList, ToolResult, ToolView},
    },
};
use skillful_catalog::{
    asked_server::AskedServer,
    variables::{self, SharedVariables},
};
use skillful_format::Diagnostic;
use skillful_mcp::client::{
    CallOutcome, Held, Launch, Options, PlainProcess, ServerGrants, Servers, Tool, declared,
    sign_in::SignInStore,
};
use skillful_select::access::Way;
use std::{collections::BTreeSet, sync::Arc};
use tokio::runtime;

pub(crate) fn run(context: &mut Context, args: &ToolsArgs) -> Outcome {
    context.for_user(args.user.as_deref());
    let arguments = arguments(args.arguments.as_deref())?;
    let catalog = context.workspace.catalog();
    let proof = context.reach(&args.skill, Way::Execute)?;
    let changed = |error| Failure::new(format!("`{}` cannot be used: {error}", args.skill));
    let admitted = catalog.admitted(&proof).map_err(changed)?;
    let entry = admitted.entry();
    let execution = context.execution(args.work);
    let resolved = variables::resolve(
        entry,
        context.workspace.environment(),
        &SharedVariables::new(&context.workspace.config().settings),
    );
    let settings = &context.workspace.config().settings;
    let mut allowed = context.workspace.allowed_servers(entry);
    let with = |allowed: &BTreeSet<AskedServer>| {
        let grants = ServerGrants::of(entry, settings, allowed.clone());
        declared(&admitted, &resolved.values, context.workspace.environment(), &grants)
    };
    let mut found = with(&allowed);
    if let Some(server) = found.unanswered.take() {
        if !consent::server(context, entry, &server, &mut OnceAllowed::new())? {
            return Err(Failure::new("nothing was connected to"));
        }
        allowed.insert(server);
        found = with(&allowed);
    }
    let mut own = [resolved.diagnostics, found.diagnostics].concat();
    let Some(mut declaration) = found.declaration else {
        tell_diagnostics(context, &own);
        let what = match entry.loaded.manifest.mcp {
            Some(_) => format!("the MCP server of `{}` cannot be started", args.skill),
            None => format!("`{}` has no MCP server", args.skill),
        };
        return Err(Failure::new(what));
    };
    let copies = context.workspace.config().settings.copies.clone();
    let launch: Arc<dyn Launch> = if args.work.allow_unsandboxed {
        Arc::new(PlainProcess)
    } else {
        Arc::new(Held::new(Arc::new(execution.sandbox), execution.grants, copies))
    };
    let runtime =
        runtime::Builder::new_current_thread().enable_all().build().map_err(failed("start the client"))?;
    let skill = entry.address();
    let (tools, diagnostics, called) = runtime.block_on(async {
        let servers = Servers::new(launch, Options::default());
        SignInStore::new(&context.workspace).authorize(&mut declaration, now()).await;
        servers.declare(declaration).await;
        let (tools, diagnostics) = servers.tools(&skill).await;
        let wanted = args.tool.as_ref().map(|name| (name, named(&tools, name)));
        let called = match wanted {
            None => None,
            Some((name, None)) => Some(Err(Failure::new(format!("no tool named `{name}`"))
                .hint(format!("skillful mcp tools {skill} lists the tools")))),
            Some((_, Some(tool))) => {
                let called = servers.call(&tool.name, arguments).await;
                Some(called.map_err(|error| Failure::new(error.to_string())))
            }
        };
        servers.stop_all().await;
        (tools, diagnostics, called)
    });
    own.extend(diagnostics);
    match called.transpose() {
        Err(failure) => {
            tell_diagnostics(context, &own);
            Err(failure)
        }
        Ok(Some(outcome)) => show_outcome(context, &own, &outcome),
        Ok(None) => {
            let tools = tools.iter().map(view).collect();
            let diagnostics = diagnostic_views(context, &catalog, &own);
            let list = ToolList { schema: SCHEMA, skill, tools, diagnostics };
            if context.output.json {
                printed(context.output.print_json(&list))?;
            } else {
                tell_catalog(context, &catalog);
                tell_diagnostics(context, &own);
                printed(context.output.print(&table(context, &list)))?;
            }
            Ok(if list.tools.is_empty() { Exit::Findings } else { Exit::Clean })
        }
    }
}

/// The arguments of a call.
fn arguments(text: Option<&str>) -> Result<Map<String, Value>, Failure> {
    let Some(text) = text else { return Ok(Map::new()) };
    match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => {
            Err(Failure::usage("the arguments must be a JSON object").hint("such as '{\"path\": \"a.txt\"}'"))
        }
        Err(error) => Err(Failure::usage(format!("the arguments are not JSON: {error}"))),
    }
}

/// A tool by the name that a model calls, or by the name that its server uses.
fn named<'a>(tools: &'a [Tool], name: &str) -> Option<&'a Tool> {
    tools.iter().find(|tool| tool.name == name).or_else(|| tools.iter().find(|tool| tool.raw == name))
}

fn view(tool: &Tool) -> ToolView {
    ToolView {
        name: tool.name.clone(),
        raw: tool.raw.clone(),
        description: tool.description.clone(),
        schema: tool.schema.clone(),
    }
}

fn table(context: &Context, list: &ToolList) -> String {
    if list.tools.is_empty() {
        return format!("the MCP server of {} has no tools\n", output::harmless(&list.skill));
    }
    let rows = list.tools.iter().map(|tool| {
        let words = tool.description.as_deref().unwrap_or_default();
        vec![Cell::plain(&tool.name), Cell::styled(words.lines().next().unwrap_or_default(), DIM)]
    });
    Table { heads: vec!["TOOL", "DESCRIPTION"], rows: rows.collect() }.render(&context.output)
}

fn show_outcome(context: &Context, own: &[Diagnostic], outcome: &CallOutcome) -> Outcome {
    let result = ToolResult {
        schema: SCHEMA,
        text: outcome.text.clone(),
        failed: outcome.failed,
        left_out: outcome
            .left_out
            .iter()
            .map(|part| LeftOutPart {
                kind: part.kind.to_owned(),
                mime_type: part.mime_type.clone(),
                bytes: part.bytes,
            })
            .collect(),
        cut_bytes: outcome.cut_bytes,
        diagnostics: DiagnosticView::all(own),
    };
    if context.output.json {
        printed(context.output.print_json(&result))?;
    } else {
        tell_diagnostics(context, own);
        printed(context.output.print(&format!("{}\n", output::harmless(result.text.trim_end()))))?;
        for part in &result.left_out {
            output::tell(&format!("note: a part of type {} is not shown\n", output::harmless(&part.kind)));
        }
        if result.cut_bytes > 0 {
            output::tell(&format!("note: {} more bytes are not shown\n", result.cut_bytes));
        }
    }
    Ok(if result.failed { Exit::Findings } else { Exit::Clean })
}
