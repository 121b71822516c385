//! `config`: every setting in effect and where it comes from.

use super::{printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table},
};
use skillful::{Workspace, config::InEffect, views::config::ConfigView};
use skillful_assistant::models::Models;
use std::path::Path;

pub(crate) fn run(context: &mut Context) -> Outcome {
    let view = ConfigView::of(&in_effect(&context.workspace), context.workspace.paths());
    if context.output.json {
        printed(context.output.print_json(&view))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let rows = view
        .values
        .iter()
        .map(|value| {
            let origin = value
                .origin
                .strip_prefix('/')
                .map_or_else(|| value.origin.clone(), |_| context.short(Path::new(&value.origin)));
            vec![Cell::plain(&value.key), Cell::plain(&value.value), Cell::styled(origin, DIM)]
        })
        .collect();
    let table = Table { heads: vec!["KEY", "VALUE", "FROM"], rows };
    let mut out = table.render(&context.output);
    out.push('\n');
    for (name, path) in [
        ("configuration", &view.paths.config),
        ("own agents", &view.paths.agents),
        ("trust", &view.paths.trust),
        ("data", &view.paths.data),
        ("cache", &view.paths.cache),
    ] {
        out.push_str(&format!("{name:<14} {}\n", context.short(Path::new(path))));
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
