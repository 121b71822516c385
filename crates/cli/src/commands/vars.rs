//! `show --variables`: the variables a skill declares, where their values come from, and what is missing.

use super::{diagnostics_json, printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Outcome},
    output::{BAD, Cell, DIM, GOOD, Table},
    shape,
};
use serde_json::json;
use skillful_catalog::variables::{self, Resolved, SHARED_FILE, SKILL_FILE, Source, Store};
use skillful_format::manifest::Variable;

pub(crate) fn run(context: &mut Context, skill: &str) -> Outcome {
    let (catalog, at) = context.catalog_with(skill)?;
    let entry = &catalog.entries[at];
    let resolved = variables::resolve(
        entry,
        context.workspace.environment(),
        &Store::new(&context.workspace.config().settings),
    );
    let declared = &entry.loaded.manifest.vars;
    let exit = if resolved.missing.is_empty() { Exit::Clean } else { Exit::Findings };
    if context.output.json {
        let variables: Vec<_> =
            declared.iter().map(|(name, variable)| one_json(name, variable, &resolved)).collect();
        let value = json!({
            "schema": shape::SCHEMA,
            "skill": entry.address(),
            "variables": variables,
            "missing": resolved.missing,
            "diagnostics": diagnostics_json(&resolved.diagnostics),
        });
        printed(context.output.print_untyped(&value))?;
        return Ok(exit);
    }
    tell_diagnostics(context, &resolved.diagnostics);
    if declared.is_empty() {
        printed(context.output.print(&format!("{} declares no variables\n", entry.address())))?;
        return Ok(Exit::Clean);
    }
    let rows = declared.iter().map(|(name, variable)| row(name, variable, &resolved)).collect();
    let mut out = Table { heads: vec!["VARIABLE", "VALUE", "FROM", "FOR"], rows }.render(&context.output);
    if !resolved.missing.is_empty() {
        let file = context.workspace.paths().config.with_file_name(SHARED_FILE);
        out.push_str(&format!(
            "\n{} cannot be used until {} has a value: put it into {SKILL_FILE} beside the skill, into {} or into the environment\n",
            entry.address(),
            resolved.missing.join(" and "),
            context.named(&file),
        ));
    }
    printed(context.output.print(&out))?;
    Ok(exit)
}

fn row(name: &str, variable: &Variable, resolved: &Resolved) -> Vec<Cell> {
    let missing = resolved.missing.iter().any(|known| known == name);
    let (value, from) = match resolved.values.get(name) {
        _ if missing => (Cell::styled("missing", BAD), ""),
        Some(value) => (Cell::styled(value.to_string(), GOOD), source_words(value.source())),
        None => (Cell::styled("not set", DIM), ""),
    };
    let mut notes: Vec<&str> = Vec::new();
    notes.extend(variable.description.as_deref());
    notes.extend(variable.required.then_some("(required)"));
    notes.extend((variable.secret && variable.expose_to_model).then_some("(shown to the model)"));
    vec![Cell::plain(name), value, Cell::plain(from), Cell::styled(notes.join(" "), DIM)]
}

fn source_words(source: Source) -> &'static str {
    match source {
        Source::Skill => SKILL_FILE,
        Source::Section => "variables.json",
        Source::Global => "variables.json (_global)",
        Source::Environment => "environment",
        Source::Default => "default",
    }
}

fn one_json(name: &str, variable: &Variable, resolved: &Resolved) -> serde_json::Value {
    let value = resolved.values.get(name);
    json!({
        "name": name,
        "value": value,
        "from": value.map(skillful_catalog::variables::Value::source),
        "required": variable.required,
        "secret": variable.secret,
        "expose_to_model": variable.expose_to_model,
        "description": variable.description,
    })
}
