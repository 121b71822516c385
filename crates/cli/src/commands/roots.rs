//! `agents --folders`: where skills are looked for, in order of precedence.

use super::{printed, tell_diagnostics};
use crate::{
    args::AgentsArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table},
    shape,
};
use serde_json::json;

pub(crate) fn run(context: &mut Context, args: &AgentsArgs) -> Outcome {
    let catalog = context.workspace.catalog();
    let count = |at: usize| catalog.entries.iter().filter(|entry| entry.origin.root == at).count();
    let shown: Vec<_> =
        catalog.roots.iter().enumerate().filter(|(_, root)| args.all || root.present).collect();
    if context.output.json {
        let roots: Vec<_> = shown
            .iter()
            .map(|(at, root)| {
                json!({
                    "path": root.path,
                    "scope": root.scope,
                    "kind": root.kind,
                    "present": root.present,
                    "agents": root.agents,
                    "qualifier": root.qualifier,
                    "needs_trust": root.needs_trust,
                    "skills": count(*at),
                })
            })
            .collect();
        printed(context.output.print_untyped(&json!({
            "schema": shape::SCHEMA,
            "folder": context.workspace.environment().cwd,
            "project": catalog.project,
            "roots": roots,
        })))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let rows = shown
        .iter()
        .map(|(at, root)| {
            let style = if root.present { anstyle::Style::new() } else { DIM };
            let skills = if root.present { count(*at).to_string() } else { "–".to_owned() };
            vec![
                Cell::styled(root.scope.word(), style),
                Cell::styled(context.short(&root.path), style),
                Cell::styled(skills, style),
                Cell::styled(root.agents.join(", "), DIM),
            ]
        })
        .collect();
    let table = Table { heads: vec!["SCOPE", "FOLDER", "SKILLS", "READ BY"], rows };
    let hidden = catalog.roots.len() - shown.len();
    let mut out = table.render(&context.output);
    if hidden > 0 {
        let line = format!("\n{hidden} more places would be read if they existed; --all shows them");
        out.push_str(&context.output.paint(DIM, &line));
        out.push('\n');
    }
    printed(context.output.print(&out))?;
    Ok(Exit::Clean)
}
