//! `review --unused`: approved skills of the assistant that are not used are archived, and can come back.

use super::{diagnostics_json, printed, tell_diagnostics};
use crate::{
    args::CurateArgs,
    context::Context,
    curator::{Curated, known},
    error::{Exit, Failure, Outcome},
    memory::not_read,
    output::{Cell, DIM, GOOD, Table, WARN, harmless},
    shape,
    turn::now,
};
use serde_json::{Value, json};
use skillful_database::{Authored, AuthoredState, Database};
use skillful_runtime::curate::{EVERY, Standing};

pub(crate) fn run(context: &mut Context, args: &CurateArgs) -> Outcome {
    let now = now();
    context.needed()?;
    if let Some(name) = args.pin.as_deref().or(args.unpin.as_deref()) {
        return pin(context, name, args.pin.is_some());
    }
    if let Some(name) = &args.restore {
        return restore(context, name, now);
    }
    let done = if args.daily {
        context.curate_daily(now)
    } else {
        context.curate(now, args.dry_run).map_err(|error| not_read(&error))?
    };
    let skills = context
        .known()
        .map_or(Ok(Vec::new()), Database::authored_skills)
        .map_err(|error| not_read(&error))?;
    if context.output.json {
        let skills: Vec<Value> = skills.iter().map(|skill| as_json(skill, now)).collect();
        printed(context.output.print_untyped(&json!({
            "schema": shape::SCHEMA,
            "dry_run": args.dry_run,
            "done": done,
            "skills": skills,
            "diagnostics": diagnostics_json(&context.diagnostics()),
        })))?;
    } else {
        tell_diagnostics(context, &context.diagnostics());
        printed(context.output.print(&(told(&done, args.dry_run) + &table(context, &skills, now))))?;
    }
    let failed = done.iter().any(|one| one.failed.is_some());
    Ok(if failed { Exit::Findings } else { Exit::Clean })
}

/// One line for each skill that is not where it was.
pub(crate) fn told(done: &[Curated], dry_run: bool) -> String {
    let line = |one: &Curated| {
        let name = harmless(&one.name);
        if let Some(why) = &one.failed {
            return format!("{name} was not archived: {}\n", harmless(why));
        }
        let idle = days(one.idle_days);
        let back = format!("; skillful review --unused --restore {name} brings it back");
        match (one.to, dry_run) {
            (Some(Standing::Active), false) => format!("{name} is active again\n"),
            (Some(Standing::Active), true) => format!("{name} would be active again\n"),
            (Some(Standing::Stale), false) => format!("{name} is stale: not used for {idle}\n"),
            (Some(Standing::Stale), true) => format!("{name} would be stale: not used for {idle}\n"),
            (Some(Standing::Archived), false) => format!("{name} is archived: not used for {idle}{back}\n"),
            (Some(Standing::Archived), true) => format!("{name} would be archived: not used for {idle}\n"),
            (None, false) => format!("{name} is not there, and no longer followed\n"),
            (None, true) => format!("{name} is not there, and would no longer be followed\n"),
        }
    };
    let lines: String = done.iter().map(line).collect();
    if lines.is_empty() { lines } else { lines + "\n" }
}

fn table(context: &Context, skills: &[Authored], now: u64) -> String {
    if skills.is_empty() {
        return "no skill of a model was accepted; `skillful review` shows what waits\n".to_owned();
    }
    let row = |skill: &Authored| {
        let style = match skill.state {
            AuthoredState::Active => GOOD,
            AuthoredState::Stale => WARN,
            AuthoredState::Archived => DIM,
        };
        let pinned = if skill.pinned { "pinned" } else { "" };
        let idle = days(known(skill).idle(now) / EVERY);
        let use_ = if skill.last_used.is_some() { "used" } else { "accepted" };
        vec![
            Cell::plain(&skill.name),
            Cell::styled(skill.state.name(), style),
            Cell::plain(pinned),
            Cell::plain(format!("{use_} {idle} ago")),
        ]
    };
    let heads = vec!["SKILL", "STATE", "PINNED", "IDLE"];
    Table { heads, rows: skills.iter().map(row).collect() }.render(&context.output)
}

fn days(days: u64) -> String {
    if days == 1 { "1 day".to_owned() } else { format!("{days} days") }
}

fn as_json(skill: &Authored, now: u64) -> Value {
    json!({
        "name": skill.name,
        "state": skill.state.name(),
        "pinned": skill.pinned,
        "accepted": skill.created,
        "last_used": skill.last_used,
        "idle_days": known(skill).idle(now) / EVERY,
    })
}

fn pin(context: &mut Context, name: &str, pinned: bool) -> Outcome {
    let is_known = context
        .known()
        .map_or(Ok(false), |store| store.pin(name, pinned))
        .map_err(|error| not_read(&error))?;
    if !is_known {
        return Err(unknown(name));
    }
    let word = if pinned { "pinned" } else { "no longer pinned" };
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "name": name, "pinned": pinned });
        printed(context.output.print_untyped(&value))?;
    } else {
        printed(context.output.print(&format!("{word}: {}\n", harmless(name))))?;
    }
    Ok(Exit::Clean)
}

fn restore(context: &mut Context, name: &str, now: u64) -> Outcome {
    let authored = context.workspace.paths().authored_skills();
    let folder = authored.restore(name).map_err(|error| {
        Failure::new(error.to_string()).hint("skillful review --unused lists the skills and their states")
    })?;
    // A skill that nobody followed comes back all the same.
    if let Some(store) = context.known() {
        store.reactivate(name, now).map_err(|error| not_read(&error))?;
    }
    if context.output.json {
        let value = json!({ "schema": shape::SCHEMA, "name": name, "folder": folder });
        printed(context.output.print_untyped(&value))?;
    } else {
        tell_diagnostics(context, &context.diagnostics());
        let text = format!("{} is back in {}\n", harmless(name), context.named(&folder));
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

fn unknown(name: &str) -> Failure {
    Failure::new(format!("`{name}` is no accepted skill of a model"))
        .hint("skillful review --unused lists those that are")
}
