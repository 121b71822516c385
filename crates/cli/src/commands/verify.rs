//! `verify`: every installed file against the lock.

use super::{
    library::{open, warn},
    printed,
};
use crate::{
    args::VerifyArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{count, harmless},
    progress::Bar,
};
use skillful::views::status::VerifyView;

pub(crate) fn run(context: &mut Context, args: &VerifyArgs) -> Outcome {
    let view = open(context, args.global, &Bar::new(context))?.verify()?;
    if context.output.json {
        printed(context.output.print_json(&view))?;
    } else {
        warn(&view.warnings);
        printed(context.output.print(&text(context, &view)))?;
    }
    Ok(if view.is_clean() { Exit::Clean } else { Exit::Findings })
}

fn text(context: &Context, view: &VerifyView) -> String {
    let mut out = String::new();
    for drift in &view.drift {
        let place = harmless(&context.short(&drift.path));
        out.extend(drift.changes.iter().map(|change| format!("{place}: {}\n", harmless(change))));
    }
    for one in &view.signatures {
        if let Some(why) = &one.why {
            out.push_str(&format!("{}: {}\n", harmless(&one.skill), harmless(why)));
        }
    }
    let count = count(view.skills, "skill");
    let edited = match view.edited {
        0 => String::new(),
        edited => format!(", {edited} with approved edits"),
    };
    let verdict = if view.is_as_locked() { "as locked" } else { "not all as locked" };
    out.push_str(&match view.pending {
        0 => format!("{count}{edited}: {verdict}\n"),
        pending => format!(
            "{count}{edited}: {} installed, {verdict}; {pending} pending review: skillful review\n",
            view.skills - pending
        ),
    });
    if !view.drift.is_empty() {
        out.push_str("changed files: skillful diff, then skillful review; missing files: skillful sync\n");
    }
    let kept = view.signatures.iter().filter(|one| one.state != "not kept").count();
    let bad = view.signatures.iter().filter(|one| one.why.is_some()).count();
    if kept > bad {
        out.push_str(&format!("signatures that hold: {}\n", kept - bad));
    }
    if kept < view.signatures.len() {
        let missing = view.signatures.len() - kept;
        out.push_str(&format!("signatures that are not kept on this machine: {missing}\n"));
    }
    out
}
