//! `review --unused`: approved skills of the assistant that are not used are archived, and can come back.

use super::{printed, tell_diagnostics};
use crate::{
    args::CurateArgs,
    context::Context,
    curator::known,
    error::{Exit, Failure, Outcome},
    memory::not_read,
    output::{Cell, DIM, GOOD, Table, WARN, harmless},
    turn::now,
};
use skillful::views::{
    DiagnosticView, SCHEMA,
    unused::{AuthoredSkill, CuratedSkill, PinView, RestoreView, UnusedReport},
};
use skillful_database::{Authored, Database};
use skillful_runtime::curate::{EVERY, UsageState};

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
    let report = UnusedReport {
        schema: SCHEMA,
        dry_run: args.dry_run,
        done,
        skills: skills.iter().map(|skill| authored(skill, now)).collect(),
        diagnostics: DiagnosticView::all(&context.diagnostics()),
    };
    if context.output.json {
        printed(context.output.print_json(&report))?;
    } else {
        tell_diagnostics(context, &context.diagnostics());
        printed(
            context.output.print(&(changes(&report.done, args.dry_run) + &table(context, &report.skills))),
        )?;
    }
    let failed = report.done.iter().any(|one| one.failed.is_some());
    Ok(if failed { Exit::Findings } else { Exit::Clean })
}

/// One line for each skill whose state changed.
pub(crate) fn changes(done: &[CuratedSkill], dry_run: bool) -> String {
    let line = |one: &CuratedSkill| {
        let name = harmless(&one.name);
        if let Some(why) = &one.failed {
            return format!("{name} was not archived: {}\n", harmless(why));
        }
        let idle = days(one.idle_days);
        let back = format!("; skillful review --unused --restore {name} brings it back");
        match (one.to, dry_run) {
            (Some(UsageState::Active), false) => format!("{name} is active again\n"),
            (Some(UsageState::Active), true) => format!("{name} would be active again\n"),
            (Some(UsageState::Stale), false) => format!("{name} is stale: not used for {idle}\n"),
            (Some(UsageState::Stale), true) => format!("{name} would be stale: not used for {idle}\n"),
            (Some(UsageState::Archived), false) => format!("{name} is archived: not used for {idle}{back}\n"),
            (Some(UsageState::Archived), true) => format!("{name} would be archived: not used for {idle}\n"),
            (None, false) => format!("{name} is gone and no longer followed\n"),
            (None, true) => format!("{name} is gone and would no longer be followed\n"),
        }
    };
    let lines: String = done.iter().map(line).collect();
    if lines.is_empty() { lines } else { lines + "\n" }
}

fn table(context: &Context, skills: &[AuthoredSkill]) -> String {
    if skills.is_empty() {
        return "no skill of the assistant was approved; `skillful review` lists proposed skills\n"
            .to_owned();
    }
    let row = |skill: &AuthoredSkill| {
        let style = match skill.state {
            UsageState::Active => GOOD,
            UsageState::Stale => WARN,
            UsageState::Archived => DIM,
        };
        let pinned = if skill.pinned { "pinned" } else { "" };
        let event = if skill.last_used.is_some() { "used" } else { "approved" };
        vec![
            Cell::plain(&skill.name),
            Cell::styled(skill.state.word(), style),
            Cell::plain(pinned),
            Cell::plain(format!("{event} {} ago", days(skill.idle_days))),
        ]
    };
    let heads = vec!["SKILL", "STATE", "PINNED", "IDLE"];
    Table { heads, rows: skills.iter().map(row).collect() }.render(&context.output)
}

fn days(days: u64) -> String {
    if days == 1 { "1 day".to_owned() } else { format!("{days} days") }
}

fn authored(skill: &Authored, now: u64) -> AuthoredSkill {
    let known = known(skill);
    AuthoredSkill {
        name: skill.name.clone(),
        state: known.state,
        pinned: known.pinned,
        approved: known.accepted,
        last_used: known.last_used,
        idle_days: known.idle(now) / EVERY,
    }
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
        printed(context.output.print_json(&PinView { schema: SCHEMA, name: name.to_owned(), pinned }))?;
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
    // A skill that is not in the database is restored as well.
    if let Some(store) = context.known() {
        store.reactivate(name, now).map_err(|error| not_read(&error))?;
    }
    if context.output.json {
        printed(context.output.print_json(&RestoreView {
            schema: SCHEMA,
            name: name.to_owned(),
            folder: (&folder).into(),
        }))?;
    } else {
        tell_diagnostics(context, &context.diagnostics());
        let text = format!("{} is back in {}\n", harmless(name), context.named(&folder));
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}

fn unknown(name: &str) -> Failure {
    Failure::new(format!("`{name}` is not an approved skill of the assistant"))
        .hint("skillful review --unused lists the approved skills")
}
