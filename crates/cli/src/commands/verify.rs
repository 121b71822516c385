//! `verify`: every installed file against the lock.

use super::{
    keys::{allowed, seconds, signed_json},
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
use serde_json::{Value, json};
use skillful_registry::{
    install::verify,
    sign::{Rechecked, Signed, recheck},
};

pub(crate) fn run(context: &mut Context, args: &VerifyArgs) -> Outcome {
    let desk = Desk::open(context, args.global)?;
    let drifts = verify(&desk.lock, &desk.site, &desk.contents).map_err(refused)?;
    let allowed = allowed(context)?;
    let signatures = recheck(&desk.lock, &desk.contents, &allowed, seconds()).map_err(refused)?;
    let bad: Vec<(&Rechecked, String)> =
        signatures.iter().filter_map(|one| Some((one, bad_signature(one)?))).collect();
    let is_clean = drifts.is_empty() && bad.is_empty();
    let exit = if is_clean { Exit::Clean } else { Exit::Findings };
    let held = desk.lock.skills.values().filter(|locked| locked.pending).count();
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
            "signatures": signatures.iter().map(signature_json).collect::<Vec<_>>(),
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
    for (one, why) in &bad {
        out.push_str(&format!("{}: {}\n", harmless(one.name.as_str()), harmless(why)));
    }
    let skills = desk.lock.skills.len();
    let count = if skills == 1 { "1 skill".to_owned() } else { format!("{skills} skills") };
    let held = if held == 0 { String::new() } else { format!(", {held} of them held back") };
    let verdict = if is_clean { "as locked" } else { "not all as locked" };
    out.push_str(&format!("{count}{held}: {verdict}\n"));
    let kept = signatures.iter().filter(|one| one.found.is_some()).count();
    if kept > bad.len() {
        out.push_str(&format!("signatures that hold: {}\n", kept - bad.len()));
    }
    if kept < signatures.len() {
        let missing = signatures.len() - kept;
        out.push_str(&format!("signatures that are not kept on this machine: {missing}\n"));
    }
    printed(context.output.print(&out))?;
    Ok(exit)
}

/// What is wrong with the signature of an installed skill.
fn bad_signature(one: &Rechecked) -> Option<String> {
    match &one.found {
        Some(Signed::Bad(fault)) => Some(format!("its signature by {} {fault}", one.signer)),
        // A key that somebody else knows is no fault of the skill; one that counts no longer is worth a word.
        Some(Signed::Unknown { unfit, .. }) if !unfit.is_empty() => Some(format!(
            "its signature by {} is of a key that does not count: {}",
            one.signer,
            unfit.join("; ")
        )),
        _ => None,
    }
}

fn signature_json(one: &Rechecked) -> Value {
    let mut value = match &one.found {
        Some(signed) => signed_json(signed),
        None => json!({ "state": "not kept" }),
    };
    value["skill"] = json!(one.name.as_str());
    value["locked"] = json!(one.signer.to_string());
    value
}
