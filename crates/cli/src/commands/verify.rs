//! `verify`: every installed file against the lock.

use super::{
    printed,
    registry::{Desk, refused},
};
use crate::{
    args::VerifyArgs,
    context::Context,
    error::{Exit, Outcome},
    output::harmless,
    shape,
};
use serde_json::json;
use skillful_registry::install::verify;

pub(crate) fn run(context: &mut Context, args: &VerifyArgs) -> Outcome {
    let desk = Desk::open(context, args.global)?;
    let drifts = verify(&desk.lock, &desk.site, &desk.contents).map_err(refused)?;
    let exit = if drifts.is_empty() { Exit::Clean } else { Exit::Findings };
    let held = desk.lock.skills.values().filter(|locked| locked.quarantined).count();
    if context.output.json {
        let drift = drifts.iter().map(|drift| {
            json!({
                "skill": drift.name.as_str(),
                "path": desk.site.path(&drift.place),
                "changes": drift.changes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            })
        });
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "skills": desk.lock.skills.len(),
            "held": held,
            "drift": drift.collect::<Vec<_>>(),
        })))?;
        return Ok(exit);
    }
    let mut out = String::new();
    for drift in &drifts {
        for change in &drift.changes {
            let place = context.short(&desk.site.path(&drift.place));
            out.push_str(&format!("{}: {}\n", harmless(&place), harmless(&change.to_string())));
        }
    }
    let skills = desk.lock.skills.len();
    let count = if skills == 1 { "1 skill".to_owned() } else { format!("{skills} skills") };
    let held = if held == 0 { String::new() } else { format!(", {held} of them held back") };
    let verdict = if drifts.is_empty() { "as locked" } else { "not all as locked" };
    out.push_str(&format!("{count}{held}: {verdict}\n"));
    printed(context.output.print(&out))?;
    Ok(exit)
}
