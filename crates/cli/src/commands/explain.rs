//! `explain`: which skills a message selects, which a model is offered, and why not the others.

use super::{printed, tell_catalog};
use crate::{
    args::ExplainArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{DIM, HEAD, WARN, harmless, wrapped},
};
use skillful::views::{MentionView, SelectionView};

/// Skills of a group that are shown without `--all`.
const SHOWN: usize = 8;

pub(crate) fn run(context: &mut Context, args: &ExplainArgs) -> Outcome {
    context.for_user(args.turn.user.as_deref());
    context.for_agent(args.turn.agent.as_deref())?;
    let (turn, _) = context.turn(&args.turn)?;
    let selection = context.workspace.select(&turn);
    let view = SelectionView::of(&context.workspace, &selection);
    if context.output.json {
        printed(context.output.print_json(&view))?;
        return Ok(Exit::Clean);
    }
    tell_catalog(context, &context.workspace.catalog());
    printed(context.output.print(&text(context, &view, args.all)))?;
    Ok(Exit::Clean)
}

fn text(context: &Context, view: &SelectionView, all: bool) -> String {
    let output = &context.output;
    let mut out = String::new();
    let widths = view.selected.iter().map(|one| &one.name).chain(&view.menu);
    let widths = widths.chain(view.not_offered.iter().map(|one| &one.name));
    let width = widths.map(|name| name.chars().count()).max().unwrap_or(0).clamp(12, 32);
    let line = |name: &str, word: &str, why: &str| {
        let text = format!("  {:<width$}  {word:<11}  {why}", harmless(name));
        wrapped(text.trim_end(), output.width, &" ".repeat(width + 4))
    };
    let more = |hidden: usize| match hidden {
        0 => String::new(),
        hidden => format!("  {}\n", output.paint(DIM, &format!("… {hidden} more: --all"))),
    };
    let limit = if all { usize::MAX } else { SHOWN };
    out.push_str(&output.paint(HEAD, &format!("SELECTED ({})\n", view.selected.len())));
    for one in &view.selected {
        out.push_str(&line(&one.name, "selected", &harmless(&one.why.join("; "))));
    }
    for mention in view.mentions.iter().filter(|mention| mention.means.is_none()) {
        out.push_str(&output.paint(WARN, line(&mention.name, "not found", &problem(mention)).trim_end()));
        out.push('\n');
    }
    for missing in &view.missing_companions {
        let why = format!("companion of {}: {}", missing.of, missing.reason);
        out.push_str(&line(&missing.name, "missing", &harmless(&why)));
    }
    for one in &view.excluded {
        out.push_str(&line(&one.name, "excluded", &harmless(&format!("by {}", one.by))));
    }
    out.push_str(&output.paint(HEAD, &format!("IN THE MENU ({})\n", view.menu.len())));
    for name in view.menu.iter().take(limit) {
        out.push_str(&line(name, "", ""));
    }
    out.push_str(&more(view.menu.len().saturating_sub(limit)));
    let asked = view.not_offered.iter().filter(|one| !one.asked_by.is_empty());
    let others = view.not_offered.iter().filter(|one| one.asked_by.is_empty());
    out.push_str(&output.paint(HEAD, &format!("NOT OFFERED ({})\n", view.not_offered.len())));
    for one in asked.chain(others).take(limit) {
        let asked =
            if one.asked_by.is_empty() { String::new() } else { format!(" ({})", one.asked_by.join("; ")) };
        let fix = one.fix.as_ref().map_or_else(String::new, |fix| format!("   {fix}"));
        let why = harmless(&format!("{}{asked}{fix}", context.short_paths(&one.reasons.join("; "))));
        out.push_str(&line(&one.name, &one.state, &why));
    }
    out.push_str(&more(view.not_offered.len().saturating_sub(limit)));
    out.push('\n');
    for line in view.log.lines() {
        out.push_str(&format!("{}\n", harmless(line)));
    }
    out
}

/// Why a mention selects nothing.
pub(crate) fn problem(mention: &MentionView) -> String {
    harmless(mention.problem.as_deref().unwrap_or("it selects nothing"))
}
