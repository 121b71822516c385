//! `view --fix`: links what an agent misses, after a plan, and `view --undo` takes it back.

use super::{library, printed, view::named};
use crate::{
    args::ViewArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{columns, count, harmless, wrapped},
    prompt,
};
use skillful::agent_links::LinkPlan;
use skillful_catalog::AgentProfile;
use std::{collections::BTreeMap, path::Path};

pub(crate) fn run(context: &mut Context, args: &ViewArgs, agent: &AgentProfile) -> Outcome {
    let mut plan = library::user(context)?.plan_links(&agent.id, args.copy)?;
    if context.output.json {
        if args.yes && !plan.links().is_empty() {
            library::user(context)?.apply_links(&mut plan)?;
        }
        printed(context.output.print_json(&plan))?;
        let is_done = plan.links().is_empty() || plan.undo().is_some() || args.dry_run;
        return Ok(if is_done { Exit::Clean } else { Exit::Findings });
    }
    printed(context.output.print(&text(context, &plan)))?;
    if plan.links().is_empty() || args.dry_run {
        return Ok(Exit::Clean);
    }
    if !args.yes {
        if !prompt::is_possible() {
            let agent = plan.agent();
            return Err(Failure::new("confirmation required, but there is no terminal")
                .cause(format!("the plan links {}", count(plan.links().len(), "skill")))
                .hint(format!("read it above, then skillful view --agent {agent} --fix --yes")));
        }
        let question =
            if args.copy { "Apply? [y]es  [n]o" } else { "Apply? [y]es  [c]opy instead of link  [n]o" };
        let answer = prompt::line(question).map_err(failed("read the answer"))?.unwrap_or_default();
        match answer.trim() {
            "y" | "Y" | "yes" => {}
            "c" | "C" | "copy" if !args.copy => plan = library::user(context)?.plan_links(&agent.id, true)?,
            _ => return Err(Failure::new("nothing was linked")),
        }
    }
    library::user(context)?.apply_links(&mut plan)?;
    let verb = if plan.copies() { "Copied" } else { "Linked" };
    let now = context.workspace.reopened();
    let loads = now.agent(&agent.id).map_or(plan.loads(), |agent| now.view(agent).seen.len());
    let line = format!("{verb} {}. {} now loads {loads}.", count(plan.links().len(), "skill"), plan.title());
    let undo = plan.undo().unwrap_or_default();
    printed(context.output.print(&format!("{line:<40}   undo: skillful view --undo {undo}\n")))?;
    Ok(Exit::Clean)
}

pub(crate) fn undo(context: &Context, word: &str) -> Outcome {
    let undone = library::user(context)?.undo_links(word)?;
    if context.output.json {
        printed(context.output.print_json(&undone))?;
    } else {
        let mut out = format!("Removed {} for {}.\n", count(undone.removed.len(), "link"), undone.agent);
        for left in &undone.left {
            let line = format!("stays: {}: {}", context.short(&left.path), harmless(&left.why));
            out.push_str(&wrapped(&line, context.output.width, "  "));
        }
        printed(context.output.print(&out))?;
    }
    Ok(if undone.left.is_empty() { Exit::Clean } else { Exit::Findings })
}

/// What a plan links, by folder, and what it does not.
fn text(context: &Context, plan: &LinkPlan) -> String {
    let width = context.output.width;
    let mut out = String::new();
    if plan.links().is_empty() {
        out.push_str(&format!("Nothing to link for {}.\n", plan.title()));
    } else {
        let verb = if plan.copies() { "Copy" } else { "Link" };
        let (skills, them) =
            (count(plan.links().len(), "skill"), if plan.links().len() == 1 { "it" } else { "them" });
        out.push_str(&format!("{verb} {skills} so that {} loads {them}\n", plan.title()));
        let mut places: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for link in plan.links() {
            let parent = |path: &Path| context.short(path.parent().unwrap_or(path));
            let name = link.to.file_name().unwrap_or_default().to_string_lossy().into_owned();
            places.entry((parent(&link.to), parent(&link.from))).or_default().push(name);
        }
        let widest = places.keys().map(|(to, _)| columns(to)).max().unwrap_or(0);
        let mut before = String::new();
        for ((to, from), names) in &places {
            let label = if *to == before { "" } else { to.as_str() };
            before.clone_from(to);
            let gap = " ".repeat(widest.saturating_sub(columns(label)));
            let names = harmless(&names.join(", "));
            let line = format!("  {}{gap}  + {names}  -> {}", harmless(label), harmless(from));
            out.push_str(&wrapped(&line, width, &" ".repeat(widest + 6)));
        }
        if !plan.also_loaded_by().is_empty() {
            let line = format!("Also loaded from there: {}", harmless(&plan.also_loaded_by().join(", ")));
            out.push_str(&wrapped(&line, width, "  "));
        }
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in plan.not_linked() {
        reasons.entry(&one.why).or_default().push(&one.skill);
    }
    if !reasons.is_empty() {
        let parts: Vec<String> = reasons
            .iter()
            .map(|(why, names)| format!("{} ({})", named(names), context.short_paths(why)))
            .collect();
        out.push_str(&wrapped(&format!("Not linked: {}", harmless(&parts.join("; "))), width, "  "));
    }
    if !plan.links().is_empty() {
        out.push('\n');
    }
    out
}
