//! `view --as HOST`: what one agent would load, and why not the rest.

use super::{printed, tell_diagnostics};
use crate::{
    args::ViewArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, GOOD, HEAD, Table, WARN, harmless},
    shape,
};
use serde_json::json;
use skillful_agents::{Listed, View, view};
use skillful_catalog::{AgentProfile, profile::Evidence};

pub(crate) fn run(context: &mut Context, args: &ViewArgs) -> Outcome {
    let catalog = context.workspace.catalog();
    let agent = context.known_agent(&args.agent)?.clone();
    let view = view(&agent, context.workspace.inputs(), &catalog);
    if context.output.json {
        let mut value = json!(view);
        value["schema"] = json!(shape::SCHEMA);
        value["folder"] = json!(context.workspace.environment().cwd);
        printed(context.output.print_json(&value))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    printed(context.output.print(&describe(context, &agent, &view, args.unseen)))?;
    Ok(Exit::Clean)
}

fn describe(context: &Context, agent: &AgentProfile, view: &View, unseen_only: bool) -> String {
    let output = &context.output;
    let known = match view.evidence {
        Evidence::Measured => "compared with the real program",
        Evidence::Source => "from its source",
        Evidence::Documented => "from its documentation",
        Evidence::Folders => "only its folders are known; the rest is assumed",
    };
    let mut out =
        format!("{} here  {}\n", output.paint(HEAD, &agent.title), output.paint(DIM, &format!("({known})")));
    if !unseen_only {
        out.push('\n');
        out.push_str(&seen(context, view));
    }
    let shipped = context.workspace.paths().data.join("system");
    let unseen: Vec<_> = view.unseen.iter().filter(|unseen| !unseen.file.starts_with(&shipped)).collect();
    if !unseen.is_empty() {
        let count = unseen.len();
        let files = if count == 1 { "1 skill" } else { &format!("{count} skills") };
        out.push_str(&format!(
            "\n{}\n",
            output.paint(WARN, &format!("{} does not see {files}:", agent.title))
        ));
        for unseen in unseen {
            out.push_str(&format!("  {}\n", harmless(&context.short(&unseen.file))));
            out.push_str(&format!("      {}\n", harmless(&unseen.reason)));
            if let Some(fix) = &unseen.fix {
                out.push_str(&format!("      {}\n", output.paint(DIM, &format!("fix: {}", harmless(fix)))));
            }
        }
    } else if unseen_only {
        out.push_str(&output.paint(GOOD, "it sees every skill\n"));
    }
    for note in &view.notes {
        out.push_str(&format!("\nnote: {}\n", harmless(note)));
    }
    out
}

fn seen(context: &Context, view: &View) -> String {
    if view.seen.is_empty() {
        let places: Vec<String> = view.roots.iter().take(6).map(|root| context.short(&root.path)).collect();
        return format!("no skills; it looks in {}\n", places.join(", "));
    }
    let rows = view
        .seen
        .iter()
        .map(|seen| {
            let words = match (&seen.listed, seen.warnings.first()) {
                (_, Some(warning)) => Cell::styled(warning, WARN),
                (Listed::Nobody(why), None) => Cell::styled(format!("not told to the model: {why}"), WARN),
                (Listed::Model, None) => Cell::plain(seen.description.as_deref().unwrap_or_default()),
            };
            let folder = seen.file.parent().unwrap_or(&seen.file);
            vec![Cell::plain(&seen.name), Cell::styled(context.short(folder), DIM), words]
        })
        .collect();
    Table { heads: vec!["NAME", "FOLDER", "DESCRIPTION"], rows }.render(&context.output)
}
