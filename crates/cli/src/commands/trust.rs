//! `trust` and `untrust`: the user's answer about a repository, after seeing what its skills can do.

use super::{library, printed};
use crate::{
    args::{TrustArgs, UntrustArgs},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{BAD, DIM, HEAD, harmless},
    prompt,
};
use serde::Serialize;
use skillful::{library::TrustPlan, views::SCHEMA};
use std::path::PathBuf;

#[derive(Serialize)]
struct Untrusted {
    schema: u32,
    untrusted: PathBuf,
}

#[derive(Serialize)]
struct Folders<'a> {
    schema: u32,
    trusted: Vec<&'a PathBuf>,
}

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
            printed(context.output.print_untyped(&plan))?;
            return Ok(Exit::Findings);
        }
        if !prompt::is_possible() {
            return Err(Failure::new("confirmation required, but there is no terminal; nothing was trusted")
                .hint("read the list above, then skillful trust --yes; for one call: --trust-project"));
        }
        if !agrees(&plan)? {
            return Err(Failure::new("nothing was trusted"));
        }
    }
    library.apply_trust(&mut plan)?;
    let left: Vec<String> = plan.left_out().map(|skill| harmless(&skill.skill)).collect();
    if context.output.json {
        printed(context.output.print_untyped(&plan))?;
    } else {
        let count = plan.trusted().count();
        let skills = if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") };
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
        printed(context.output.print_untyped(&Untrusted { schema: SCHEMA, untrusted }))?;
    } else {
        printed(context.output.print(&format!("no longer trusted: {}\n", context.named(&untrusted))))?;
    }
    Ok(Exit::Clean)
}

fn list(context: &Context) -> Outcome {
    let trusted: Vec<&PathBuf> = context.workspace.trust().folders.keys().collect();
    if context.output.json {
        printed(context.output.print_untyped(&Folders { schema: SCHEMA, trusted }))?;
    } else if trusted.is_empty() {
        printed(context.output.print("no folder is trusted\n"))?;
    } else {
        let lines: String = trusted.iter().map(|folder| context.named(folder) + "\n").collect();
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
    let count = plan.skills.len();
    let skills = if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") };
    let mut out = format!("Trust {}? It has {skills}.\n\n", output.paint(HEAD, &folder));
    for skill in &plan.skills {
        let (name, place) = (harmless(&skill.skill), context.short(&skill.path));
        out.push_str(&format!("  {}  {}\n", output.paint(HEAD, &name), output.paint(DIM, &place)));
        if skill.capabilities.is_empty() {
            out.push_str("      capabilities: none (instructions only)\n");
        }
        for capability in &skill.capabilities {
            out.push_str(&format!("      {}\n", harmless(capability)));
        }
        if !skill.blocking.is_empty() {
            let count = skill.blocking.len();
            let findings = if count == 1 {
                "1 blocking finding".to_owned()
            } else {
                format!("{count} blocking findings")
            };
            out.push_str(&format!("      {}\n", output.paint(BAD, &format!("BLOCKED: {findings}"))));
            out.push_str(&format!("      {}\n", harmless(&skill.blocking.join(", "))));
        }
    }
    out.push_str(
        "\nTrusting means: Skillful offers these skills to you and to models. It does not\nchange what other agents \
         load by themselves. New or changed skills ask again.\n\n",
    );
    out
}

fn agrees(plan: &TrustPlan) -> Result<bool, Failure> {
    let (open, left) = (plan.trusted().count(), plan.left_out().count());
    let left = if left == 0 { String::new() } else { format!(", leave {left} out") };
    let answer = prompt::line(&format!("[t]rust {open}{left}   [n]o")).map_err(failed("read the answer"))?;
    Ok(matches!(answer.unwrap_or_default().trim(), "t" | "T" | "trust" | "y" | "yes"))
}
