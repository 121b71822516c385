//! `show --variables`: the variables of a skill, where their values come from, and which are missing.

use super::{printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Outcome},
    output::{BAD, Cell, DIM, GOOD, Table, harmless},
};
use skillful::views::{EnvView, VariableList, VariableView};
use skillful_catalog::variables::{self, SHARED_FILE, SKILL_FILE, SharedVariables};
use std::collections::BTreeSet;

pub(crate) fn run(context: &mut Context, skill: &str) -> Outcome {
    let (catalog, at) = context.catalog_with(skill)?;
    let entry = &catalog.entries[at];
    let shared = SharedVariables::new(&context.workspace.config().settings);
    let resolved = variables::resolve(entry, context.workspace.environment(), &shared);
    let unset = context.workspace.unset_variables(entry);
    let list = VariableList::of(entry, &resolved, &unset);
    if context.output.json {
        printed(context.output.print_json(&list))?;
    } else {
        tell_diagnostics(context, &resolved.diagnostics);
        printed(context.output.print(&text(context, &list)))?;
    }
    let is_whole = list.missing.is_empty() && list.env.iter().all(|one| one.problem.is_none());
    Ok(if is_whole { Exit::Clean } else { Exit::Findings })
}

fn text(context: &Context, list: &VariableList) -> String {
    if list.variables.is_empty() && list.env.is_empty() {
        return format!("{} declares no variables\n", list.skill);
    }
    let mut out = String::new();
    if !list.variables.is_empty() {
        let rows = list.variables.iter().map(|variable| row(variable, &list.missing)).collect();
        out = Table { heads: vec!["VARIABLE", "VALUE", "FROM", "FOR"], rows }.render(&context.output);
    }
    if !list.env.is_empty() {
        if !out.is_empty() {
            out.push('\n');
        }
        let row = |one: &EnvView| {
            let state = match &one.problem {
                Some(why) => Cell::styled(format!("MISSING: {why}"), BAD),
                None => Cell::styled("set", GOOD),
            };
            vec![Cell::plain(&one.name), Cell::plain(&one.from), state]
        };
        let rows = list.env.iter().map(row).collect();
        out.push_str(&Table { heads: vec!["FOR PROGRAMS", "FROM", "VALUE"], rows }.render(&context.output));
        let fixes: BTreeSet<&str> = list.env.iter().filter_map(|one| one.fix.as_deref()).collect();
        out.extend(fixes.iter().map(|fix| format!("fix: {}\n", harmless(fix))));
    }
    if !list.missing.is_empty() {
        let file = context.workspace.paths().config.with_file_name(SHARED_FILE);
        out.push_str(&format!(
            "\n{} is unavailable: {} not set\nfix: set it in {SKILL_FILE} beside the skill, in {}, or in the environment\n",
            list.skill,
            list.missing.join(", "),
            context.named(&file),
        ));
    }
    out
}

fn row(variable: &VariableView, missing: &[String]) -> Vec<Cell> {
    let value = match &variable.value {
        _ if missing.contains(&variable.name) => Cell::styled("missing", BAD),
        Some(value) => Cell::styled(value, GOOD),
        None => Cell::styled("not set", DIM),
    };
    let from = variable.from.as_deref().filter(|_| !missing.contains(&variable.name));
    let mut notes: Vec<&str> = Vec::new();
    notes.extend(variable.description.as_deref());
    notes.extend(variable.required.then_some("(required)"));
    notes.extend((variable.secret && variable.expose_to_model).then_some("(shown to the model)"));
    vec![
        Cell::plain(&variable.name),
        value,
        Cell::plain(from.unwrap_or_default()),
        Cell::styled(notes.join(" "), DIM),
    ]
}
