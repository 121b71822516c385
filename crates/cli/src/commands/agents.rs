//! `agents`: the agents Skillful knows.

use super::{printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table},
    shape,
};
use serde_json::json;
use skillful_catalog::profile::Evidence;

pub(crate) fn run(context: &mut Context) -> Outcome {
    if context.output.json {
        let agents: Vec<_> = context.workspace.agents().iter().collect();
        printed(context.output.print_json(&json!({ "schema": shape::SCHEMA, "agents": agents })))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let rows = context
        .workspace
        .agents()
        .iter()
        .map(|agent| {
            let known = match agent.evidence {
                Evidence::Measured => "measured",
                Evidence::Source => "source",
                Evidence::Documented => "documented",
                Evidence::Folders => "folders",
            };
            let mut folders: Vec<&str> = agent.roots.iter().map(|root| root.path.as_str()).collect();
            folders.dedup();
            vec![
                Cell::plain(&agent.id),
                Cell::plain(&agent.title),
                Cell::styled(known, DIM),
                Cell::styled(folders.join("  "), DIM),
            ]
        })
        .collect();
    let table = Table { heads: vec!["AGENT", "NAME", "KNOWN FROM", "FOLDERS"], rows };
    printed(context.output.print(&table.render(&context.output)))?;
    Ok(Exit::Clean)
}
