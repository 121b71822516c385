//! `trust` and `untrust`: the user's answer about a repository, after seeing what its skills can do.

use super::{library, printed};
use crate::{
    args::{TrustArgs, UntrustArgs},
    consent,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{BAD, HEAD, count, harmless, tell, wrapped},
    prompt,
};
use skillful::{
    library::{TrustPlan, TrustedSkill},
    views::{SCHEMA, TrustedFolders, UntrustedFolder},
};

/// Widest column of names; longer names push their line.
const NAMES: usize = 24;

pub(crate) fn run(context: &mut Context, args: &TrustArgs) -> Outcome {
    if args.list {
        return list(context);
    }
    let library = library::user(context)?;
    let folder = library.trust_folder(args.folder.as_deref())?;
    let mut plan = library.plan_trust(&folder)?;
    if !context.output.json {
        printed(context.output.print(&question(context, &plan)))?;
    }
    if plan.skills.is_empty() && !context.output.json && !args.yes {
        return Ok(Exit::Clean);
    }
    if !args.yes {
        if context.output.json {
            printed(context.output.print_json(&plan))?;
            return Ok(Exit::Findings);
        }
        if !prompt::is_possible() {
            return Err(Failure::new("confirmation required, but there is no terminal; nothing was trusted")
                .hint("read the list above, then skillful trust --yes; for one call: --trust-project"));
        }
        tell(&consent::allowed_by_yes(&plan.asked()));
        if !agrees(&plan)? {
            return Err(Failure::new("nothing was trusted"));
        }
    }
    library.apply_trust(&mut plan, args.own)?;
    if !args.yes {
        library.bind_trusted(&plan)?;
    }
    let left: Vec<String> = plan.left_out().map(|skill| harmless(&skill.skill)).collect();
    if context.output.json {
        printed(context.output.print_json(&plan))?;
    } else {
        let skills = count(plan.trusted().count(), "skill");
        let mut text = format!("Trusted {skills} of {}.", context.named(&plan.folder));
        if !left.is_empty() {
            let verb = if left.len() == 1 { "stays" } else { "stay" };
            text.push_str(&format!(" {} {verb} untrusted.", left.join(", ")));
        }
        printed(context.output.print(&format!("{text}\nUndo: skillful untrust\n")))?;
    }
    Ok(if left.is_empty() { Exit::Clean } else { Exit::Findings })
}

pub(crate) fn undo(context: &mut Context, args: &UntrustArgs) -> Outcome {
    let library = library::user(context)?;
    let folder = library.trust_folder(args.folder.as_deref())?;
    let untrusted = library.untrust(&folder)?;
    if context.output.json {
        printed(
            context.output.print_json(&UntrustedFolder { schema: SCHEMA, untrusted: (&untrusted).into() }),
        )?;
    } else {
        printed(context.output.print(&format!("Untrusted {}.\n", context.named(&untrusted))))?;
    }
    Ok(Exit::Clean)
}

fn list(context: &Context) -> Outcome {
    let trusted = context.workspace.trust().folders.keys().map(Into::into).collect();
    let list = TrustedFolders { schema: SCHEMA, trusted };
    if context.output.json {
        printed(context.output.print_json(&list))?;
    } else if list.trusted.is_empty() {
        printed(context.output.print("no trusted folders\n"))?;
    } else {
        let lines: String = list.trusted.iter().map(|folder| context.named(folder) + "\n").collect();
        printed(context.output.print(&lines))?;
    }
    Ok(Exit::Clean)
}

/// Everything that trust would enable, by skill, with every capability and every blocking finding.
fn question(context: &Context, plan: &TrustPlan) -> String {
    let output = &context.output;
    let folder = context.named(&plan.folder);
    if plan.skills.is_empty() {
        return format!("{folder} has no skills; nothing to trust.\n");
    }
    let skills = count(plan.skills.len(), "skill");
    let mut out = format!("Trust {}? It has {skills}.\n\n", output.paint(HEAD, &folder));
    let names: Vec<String> = plan.skills.iter().map(|skill| harmless(&skill.skill)).collect();
    let column = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(NAMES) + 2;
    for (skill, name) in plan.skills.iter().zip(&names) {
        let mut parts = Vec::new();
        if !skill.blocking.is_empty() {
            let found = count(skill.blocking.len(), "blocking finding");
            parts.push(output.paint(BAD, &format!("BLOCKED: {found}")));
            parts.push(harmless(&skill.blocking.join(", ")));
        }
        parts.push(capabilities(skill));
        for (at, part) in parts.iter().enumerate() {
            let name = if at == 0 { name.as_str() } else { "" };
            let gap = " ".repeat(column.saturating_sub(name.chars().count()).max(2));
            let line = format!("  {}{gap}{part}", output.paint(HEAD, name));
            out.push_str(&wrapped(&line, output.width, &" ".repeat(column + 2)));
        }
    }
    out.push_str(
        "\nTrusting means: Skillful offers these skills to you and to models. It does not\nchange what other agents \
         load by themselves. New or changed skills ask again.\n\n",
    );
    out
}

fn capabilities(skill: &TrustedSkill) -> String {
    if skill.capabilities.is_empty() {
        return "no capabilities (instructions only)".to_owned();
    }
    let all: Vec<String> = skill.capabilities.iter().map(|capability| harmless(capability)).collect();
    all.join("; ")
}

fn agrees(plan: &TrustPlan) -> Result<bool, Failure> {
    let left: Vec<String> = plan.left_out().map(|skill| harmless(&skill.skill)).collect();
    let left = match left.as_slice() {
        [] => String::new(),
        few if few.len() <= 3 => format!(", leave {} out", few.join(", ")),
        many => format!(", leave {} out", many.len()),
    };
    let question = format!("[t]rust {}{left}   [n]o", plan.trusted().count());
    let answer = prompt::line(&question).map_err(failed("read the answer"))?;
    Ok(matches!(answer.unwrap_or_default().trim(), "t" | "T" | "trust" | "y" | "yes"))
}
