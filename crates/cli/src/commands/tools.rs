//! `tools`: what the MCP server of a skill can do, and one of its tools at work.

use super::{all_diagnostics, printed, tell_catalog, tell_diagnostics};
use crate::{
    args::ToolsArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{self, Cell, DIM, Table},
    shape,
};
use serde_json::{Map, Value, json};
use skillful_catalog::variables::{self, Store};
use skillful_format::Diagnostic;
use skillful_mcp::client::{CallOutcome, Held, Launch, Options, PlainProcess, Servers, Tool, declared};
use skillful_select::access::Way;
use std::sync::Arc;
use tokio::runtime;

pub(crate) fn run(context: &mut Context, args: &ToolsArgs) -> Outcome {
    context.for_user(args.user.as_deref());
    let arguments = arguments(args.arguments.as_deref())?;
    let catalog = context.workspace.catalog();
    let at = context.reach(&args.skill, Way::Execute)?.entry();
    let entry = &catalog.entries[at];
    let execution = context.execution(args.work);
    let changed = |error| Failure::new(format!("the skill `{}` cannot be used: {error}", args.skill));
    execution.approvals.check(entry.folder()).map_err(changed)?;
    let resolved = variables::resolve(
        entry,
        context.workspace.environment(),
        &Store::new(&context.workspace.config().settings),
    );
    let found = declared(entry, &resolved.values, context.workspace.environment());
    let mut own = [resolved.diagnostics, found.diagnostics].concat();
    let Some(declaration) = found.declaration else {
        tell_diagnostics(context, &own);
        return Err(Failure::new(format!("the skill `{}` brings no MCP server", args.skill)));
    };
    let launch: Arc<dyn Launch> = if args.work.allow_unsandboxed {
        Arc::new(PlainProcess)
    } else {
        Arc::new(Held::new(Arc::new(execution.sandbox), execution.grants))
    };
    let runtime =
        runtime::Builder::new_current_thread().enable_all().build().map_err(failed("start the client"))?;
    let skill = entry.address();
    let (tools, told, called) = runtime.block_on(async {
        let servers = Servers::new(launch, Options::default());
        servers.declare(declaration).await;
        let (tools, told) = servers.tools(&skill).await;
        let wanted = args.tool.as_ref().map(|name| (name, named(&tools, name)));
        let called = match wanted {
            None => None,
            Some((name, None)) => Some(Err(Failure::new(format!("there is no tool `{name}`"))
                .hint(format!("`skillful tools {skill}` lists them")))),
            Some((_, Some(tool))) => {
                let called = servers.call(&tool.name, arguments).await;
                Some(called.map_err(|error| Failure::new(error.to_string())))
            }
        };
        servers.stop_all().await;
        (tools, told, called)
    });
    own.extend(told);
    match called.transpose() {
        Err(failure) => {
            tell_diagnostics(context, &own);
            Err(failure)
        }
        Ok(Some(outcome)) => show_outcome(context, &own, &outcome),
        Ok(None) if context.output.json => {
            let list: Vec<Value> = tools.iter().map(as_json).collect();
            let told = all_diagnostics(context, &catalog, &own);
            let value =
                json!({ "schema": shape::SCHEMA, "skill": skill, "tools": list, "diagnostics": told });
            printed(context.output.print_untyped(&value))?;
            Ok(if tools.is_empty() { Exit::Findings } else { Exit::Clean })
        }
        Ok(None) => {
            tell_catalog(context, &catalog);
            tell_diagnostics(context, &own);
            printed(context.output.print(&table(context, &tools)))?;
            Ok(if tools.is_empty() { Exit::Findings } else { Exit::Clean })
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
        Err(error) => Err(Failure::usage(format!("the arguments are no JSON: {error}"))),
    }
}

/// A tool by its own name, or by that of its server.
fn named<'a>(tools: &'a [Tool], name: &str) -> Option<&'a Tool> {
    tools.iter().find(|tool| tool.name == name).or_else(|| tools.iter().find(|tool| tool.raw == name))
}

fn as_json(tool: &Tool) -> Value {
    json!({ "name": tool.name, "raw": tool.raw, "description": tool.description, "schema": tool.schema })
}

fn table(context: &Context, tools: &[Tool]) -> String {
    if tools.is_empty() {
        return "its server offers no tools\n".to_owned();
    }
    let rows = tools.iter().map(|tool| {
        let words = tool.description.as_deref().unwrap_or_default();
        vec![Cell::plain(&tool.name), Cell::styled(words.lines().next().unwrap_or_default(), DIM)]
    });
    Table { heads: vec!["TOOL", "WHAT IT DOES"], rows: rows.collect() }.render(&context.output)
}

fn show_outcome(context: &Context, own: &[Diagnostic], outcome: &CallOutcome) -> Outcome {
    if context.output.json {
        let mut value = json!(outcome);
        value["schema"] = json!(shape::SCHEMA);
        value["diagnostics"] = super::diagnostics_json(own);
        printed(context.output.print_untyped(&value))?;
    } else {
        tell_diagnostics(context, own);
        printed(context.output.print(&format!("{}\n", output::harmless(outcome.text.trim_end()))))?;
        for part in &outcome.left_out {
            output::tell(&format!("note: a part of the kind {} is not shown\n", output::harmless(part.kind)));
        }
        if outcome.cut_bytes > 0 {
            output::tell(&format!("note: {} bytes more are not shown\n", outcome.cut_bytes));
        }
    }
    Ok(if outcome.failed { Exit::Findings } else { Exit::Clean })
}
