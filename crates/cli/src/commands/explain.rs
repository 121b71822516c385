//! `explain`: which skills a message selects, which a model is offered, and why not the others.

use super::{printed, tell_catalog, tell_diagnostics};
use crate::{
    args::ExplainArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{DIM, HEAD, WARN, harmless, thousands, wrapped},
};
use skillful::views::{ExplainView, MentionView};
use std::time::SystemTime;

/// Skills of a group that are shown without `--all`.
const SHOWN: usize = 8;

pub(crate) fn run(context: &mut Context, args: &ExplainArgs) -> Outcome {
    context.for_user(args.turn.user.as_deref());
    context.for_agent(args.turn.agent.as_deref())?;
    let (mut turn, history) = context.turn(&args.turn)?;
    let routed = context.workspace.route(&mut turn, &history, SystemTime::now());
    tell_diagnostics(context, &routed.diagnostics);
    let view = context.workspace.explain(&turn);
    if context.output.json {
        printed(context.output.print_json(&view))?;
        return Ok(Exit::Clean);
    }
    tell_catalog(context, &context.workspace.catalog());
    printed(context.output.page(&text(context, &view, args.all)))?;
    Ok(Exit::Clean)
}

fn text(context: &Context, explained: &ExplainView, all: bool) -> String {
    let output = &context.output;
    let view = &explained.selection;
    let mut out = String::new();
    let widths = view.selected.iter().map(|one| &one.name).chain(&view.menu);
    let widths = widths.chain(view.not_offered.iter().map(|one| &one.name));
    let width = widths.map(|name| name.chars().count()).max().unwrap_or(0).clamp(12, 32);
    let line = |name: &str, word: &str, why: &str| {
        let text = format!("  {:<width$}  {word:<11}  {why}", harmless(name));
        wrapped(text.trim_end(), output.width, &" ".repeat(width + 17))
    };
    let more = |hidden: usize| match hidden {
        0 => String::new(),
        hidden => format!("  {}\n", output.paint(DIM, &format!("… {hidden} more: --all"))),
    };
    let limit = if all { usize::MAX } else { SHOWN };
    out.push_str(&output.paint(HEAD, &format!("SELECTED ({})\n", view.selected.len())));
    for one in &view.selected {
        let (first, rest) =
            one.why.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        // The kind of the rule is a column of its own; what it is about follows.
        let (kind, about) = first.split_once(['=', ' ']).unwrap_or((first, ""));
        let why: Vec<&str> = [about]
            .into_iter()
            .filter(|about| !about.is_empty())
            .chain(rest.iter().map(String::as_str))
            .collect();
        out.push_str(&line(&one.name, &harmless(kind), &harmless(&why.join("; "))));
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
    if !view.omit.is_empty() {
        out.push_str(&format!("The prompt is without {}.\n", view.omit.join(", ")));
    }
    out.push_str(&output.paint(HEAD, &format!("IN THE MENU ({})\n", view.menu.len())));
    for one in view.likely.iter().take(limit) {
        out.push_str(&line(&one.name, &format!("{} %", one.percent), &harmless(&one.words.join(", "))));
    }
    let is_likely = |name: &&String| view.likely.iter().any(|one| one.name == **name);
    let others: Vec<&String> = view.menu.iter().filter(|name| !is_likely(name)).collect();
    let room = limit.saturating_sub(view.likely.len());
    for name in others.iter().take(room) {
        out.push_str(&line(name, "below 1 %", ""));
    }
    out.push_str(&more(
        (view.menu.len()).saturating_sub(view.likely.len().min(limit) + others.len().min(room)),
    ));
    let asked = view.not_offered.iter().filter(|one| !one.asked_by.is_empty());
    let others = view.not_offered.iter().filter(|one| one.asked_by.is_empty());
    out.push_str(&output.paint(HEAD, &format!("NOT OFFERED ({})\n", view.not_offered.len())));
    for one in asked.chain(others).take(limit) {
        let asked =
            if one.asked_by.is_empty() { String::new() } else { format!(" ({})", one.asked_by.join("; ")) };
        let why = harmless(&format!("{}{asked}", context.short_paths(&one.reasons.join("; "))));
        out.push_str(&line(&one.name, &one.state, &why));
        // The fix of what the message asked for; of the others `--all` shows it.
        if let Some(fix) = one.fix.as_ref().filter(|_| all || !one.asked_by.is_empty()) {
            let fix = format!("{}fix: {}", " ".repeat(width + 17), harmless(&context.short_paths(fix)));
            out.push_str(&wrapped(&fix, output.width, &" ".repeat(width + 17)));
        }
    }
    out.push_str(&more(view.not_offered.len().saturating_sub(limit)));
    out.push_str("\nOrder: mentions, rules, session, companions, menu.\n");
    out.push_str(&wrapped(&budget(explained), output.width, "  "));
    // The log lines of another agent, for those who compare with it.
    for line in view.log.lines().filter(|_| all) {
        out.push_str(&format!("{}\n", harmless(line)));
    }
    out
}

/// The size of the menu, its limit, and what the limit cost.
fn budget(explained: &ExplainView) -> String {
    let menu = &explained.menu_report;
    let lost = if menu.losses.is_empty() {
        "no description shortened".to_owned()
    } else {
        format!("{} (skillful menu --report)", menu.losses_text())
    };
    let (limit, used) = (thousands(menu.budget.limit), thousands(menu.used));
    format!("Budget: {limit} {}; used {used}; {lost}.", menu.budget.unit.words())
}

/// Why a mention selects nothing.
pub(crate) fn problem(mention: &MentionView) -> String {
    harmless(mention.problem.as_deref().unwrap_or("it selects nothing"))
}
