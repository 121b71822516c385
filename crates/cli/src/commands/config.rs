//! `config`: every setting in effect and where it comes from; `get`, `set`, `unset` and `edit`.

use super::{library, printed, tell_diagnostics};
use crate::{
    args::{ConfigArgs, ConfigCommand},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{Cell, DIM, Table, harmless, tell},
    prompt,
};
use skillful::{Workspace, config::InEffect, views::config::ConfigView};
use skillful_assistant::models::Models;
use std::{path::Path, process::Command};

pub(crate) fn run(context: &mut Context, args: &ConfigArgs) -> Outcome {
    match &args.command {
        None => all(context),
        Some(ConfigCommand::Get { key }) => get(context, key),
        Some(ConfigCommand::Set { key, value }) => change(context, key, Some(value)),
        Some(ConfigCommand::Unset { key }) => change(context, key, None),
        Some(ConfigCommand::Edit) => edit(context),
    }
}

/// The value alone when the key means one setting.
fn get(context: &Context, key: &str) -> Outcome {
    let found = match in_effect(&context.workspace).into_iter().find(|one| one.key == key) {
        Some(one) => vec![one],
        None => library::user(context)?.settings_at(key)?,
    };
    if context.output.json {
        printed(context.output.print_json(&ConfigView::of(&found, context.workspace.paths())))?;
        return Ok(Exit::Clean);
    }
    let text = match found.as_slice() {
        [one] if one.key == key => format!("{}\n", harmless(&one.value)),
        all => all.iter().map(|one| format!("{} = {}\n", harmless(&one.key), harmless(&one.value))).collect(),
    };
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

fn change(context: &Context, key: &str, value: Option<&str>) -> Outcome {
    let changed = library::user(context)?.change_setting(key, value)?;
    if context.output.json {
        printed(context.output.print_json(&changed))?;
        return Ok(Exit::Clean);
    }
    let file = context.short(&changed.file);
    let text = match &changed.value {
        Some(value) => format!("{} = {} in {file}\n", harmless(key), harmless(value)),
        None => format!("removed {} from {file}\n", harmless(key)),
    };
    printed(context.output.print(&text))?;
    let other = changed.origin.filter(|origin| Path::new(origin) != &*changed.file);
    if let (Some(origin), Some(value), true) = (other, changed.in_effect, changed.value.is_some()) {
        let origin = context.short(Path::new(&origin));
        tell(&format!("warning: {origin} decides: {} = {}\n", harmless(key), harmless(&value)));
        return Ok(Exit::Findings);
    }
    Ok(Exit::Clean)
}

/// Opens the file in the user's editor and reports what it made of it.
fn edit(context: &Context) -> Outcome {
    let file = context.workspace.paths().config.clone();
    if !prompt::is_possible() {
        return Err(Failure::new("there is no terminal for an editor")
            .hint("skillful config set KEY VALUE, or open the file yourself")
            .cause(format!("the file is {}", context.short(&file))));
    }
    let variable = |name| context.workspace.environment().variable(name).filter(|value| !value.is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed(format!("make `{}`", folder.display())))?;
    }
    // An editor may come with arguments, as the shell reads them.
    let status =
        Command::new("/bin/sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(&file).status();
    let status = status.map_err(failed(format!("start `{}`", harmless(&editor))))?;
    if !status.success() {
        return Err(Failure::new(format!("`{}` ended with an error", harmless(&editor))));
    }
    let next = context.workspace.reopened();
    let found = &next.config().diagnostics;
    tell_diagnostics(context, found);
    Ok(if found.is_empty() { Exit::Clean } else { Exit::Findings })
}

fn all(context: &Context) -> Outcome {
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
