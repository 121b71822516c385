//! `agents`: the agents Skillful knows.

use super::{printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table},
};
use skillful::views::AgentList;

pub(crate) fn run(context: &mut Context) -> Outcome {
    let list = AgentList::of(&context.workspace);
    if context.output.json {
        printed(context.output.print_json(&list))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let rows = list.agents.iter().map(|agent| {
        vec![
            Cell::plain(&agent.id),
            Cell::plain(&agent.title),
            Cell::styled(&agent.evidence, DIM),
            Cell::styled(agent.folders.join("  "), DIM),
        ]
    });
    let table = Table { heads: vec!["AGENT", "NAME", "KNOWN FROM", "FOLDERS"], rows: rows.collect() };
    printed(context.output.page(&table.render(&context.output)))?;
    Ok(Exit::Clean)
}
