//! `config`: every setting in effect and where it comes from.

use super::{printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table},
    shape,
};
use serde_json::json;
use skillful::{Workspace, config::InEffect};
use skillful_assistant::models::Models;

pub(crate) fn run(context: &mut Context) -> Outcome {
    let paths = context.workspace.paths();
    let values = in_effect(&context.workspace);
    if context.output.json {
        let values: Vec<_> = values
            .iter()
            .map(|value| json!({ "key": value.key, "value": value.value, "origin": value.origin }))
            .collect();
        printed(context.output.print_untyped(&json!({
            "schema": shape::SCHEMA,
            "values": values,
            "paths": {
                "config": paths.config,
                "agents": paths.agents,
                "trust": paths.trust,
                "data": paths.data,
                "cache": paths.cache,
                "origin": paths.origin,
            },
        })))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let rows = values
        .iter()
        .map(|value| {
            let origin = value
                .origin
                .strip_prefix('/')
                .map_or_else(|| value.origin.clone(), |_| context.short(std::path::Path::new(&value.origin)));
            vec![Cell::plain(&value.key), Cell::plain(&value.value), Cell::styled(origin, DIM)]
        })
        .collect();
    let table = Table { heads: vec!["KEY", "VALUE", "FROM"], rows };
    let mut out = table.render(&context.output);
    out.push('\n');
    for (name, path) in [
        ("configuration", &paths.config),
        ("own agents", &paths.agents),
        ("trust", &paths.trust),
        ("data", &paths.data),
        ("cache", &paths.cache),
    ] {
        out.push_str(&format!("{name:<14} {}\n", context.short(path)));
    }
    printed(context.output.print(&out))?;
    Ok(Exit::Clean)
}

/// Every value in effect; a model that a variable names is above the configuration's.
fn in_effect(workspace: &Workspace) -> Vec<InEffect> {
    let mut values = workspace.config().values.clone();
    if let Some((word, origin)) = Models::of(workspace).named_by_variables() {
        let key = "assistant.model".to_owned();
        values.retain(|value| value.key != key);
        values.push(InEffect { key, value: format!("{word:?}"), origin: origin.to_owned() });
        values.sort_by(|a, b| a.key.cmp(&b.key));
    }
    values
}
