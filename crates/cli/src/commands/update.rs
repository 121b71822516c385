//! `update`: newer versions of installed skills, merged with what a person changed in them.

mod ask;
mod show;

use super::{
    keys::{allowed, signing},
    outdated::chosen,
    printed,
    registry::{Desk, refused},
    tell_diagnostics,
};
use crate::{
    args::{KeepWord, UpdateArgs},
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{harmless, tell},
    progress::Bar,
    prompt, shape,
};
use serde_json::json;
use skillful_registry::{
    fetch::fetch,
    install::{Answers, Newest, Side, State, Update, Upstream, look_upstream, plan_update},
    lock::{LOCK_FILE, SkillKey},
    sign::Signing,
};
use std::collections::BTreeSet;

pub(crate) fn run(context: &mut Context, args: &UpdateArgs) -> Outcome {
    let desk = Desk::open(context, args.place.global)?;
    let names = chosen(&desk.lock, &args.names)?;
    let mut answers = Answers { agreed: agreed(&desk, &args.agree)?, ..Answers::default() };
    if let Some(word) = args.keep {
        let side = match word {
            KeepWord::Mine => Side::Mine,
            KeepWord::Theirs => Side::Theirs,
        };
        answers.keep = names.iter().map(|name| (name.clone(), side)).collect();
    }
    if args.signer.is_some() && args.names.len() != 1 {
        return Err(Failure::usage("--signer is about one skill; name it"));
    }
    let bar = Bar::new(context);
    let outside = bar.shown(desk.outside(context));
    let upstream =
        look_upstream(&desk.lock, &names, &desk.contents, |source, pinned| fetch(source, pinned, &outside));
    drop(bar);
    let allowed = allowed(context)?;
    let signing = Signing { agreed: args.signer.as_deref(), ..signing(&allowed) };
    let plan = |answers: &Answers| -> Result<Update, Failure> {
        plan_update(&desk.lock, &desk.site, &desk.contents, &upstream, answers, signing).map_err(refused)
    };
    let mut update = plan(&answers)?;
    tell_left_out(context, &upstream);
    if context.output.json {
        return perform_json(context, &desk, args, &update);
    }
    printed(context.output.print(&show::text(context, &desk, &update)))?;
    if !args.place.dry_run && prompt::is_possible() && ask::all(context, &desk, &update, &mut answers)? {
        update = plan(&answers)?;
    }
    for skill in &update.skills {
        for block in &skill.blocks {
            let (name, why) = (harmless(skill.name.as_str()), harmless(&block.to_string()));
            tell(&format!("warning: {name} stays as it is: {why}\n"));
        }
        if !skill.blocks.is_empty()
            && let Some(way) = show::way_on(skill)
        {
            tell(&format!("hint: {way}\n"));
        }
    }
    let exit = exit_of(&update);
    if update.plan.steps.is_empty() && update.plan.before == update.plan.after {
        let told = if exit == Exit::Clean { "nothing to do\n" } else { "nothing was changed\n" };
        printed(context.output.print(told))?;
        return Ok(exit);
    }
    let done = desk.perform_after(context, &args.place, &update.plan, &|| save(context, &desk, &update))?;
    if !args.place.dry_run {
        printed(context.output.print(&show::next(context, &desk, &update)?))?;
    }
    Ok(if exit == Exit::Clean { done } else { exit })
}

/// A name that nothing can be agreed about is a mistake, not a wish.
fn agreed(desk: &Desk, names: &[String]) -> Result<BTreeSet<SkillKey>, Failure> {
    if names.is_empty() { Ok(BTreeSet::new()) } else { chosen(&desk.lock, names) }
}

/// What a source gave and could not be taken over.
fn tell_left_out(context: &Context, upstream: &Upstream) {
    for newest in upstream.newest.values() {
        if let Newest::Found(fresh) = newest {
            tell_diagnostics(context, &fresh.found.diagnostics);
        }
    }
}

/// Saves what gives way, and says where it is.
fn save(context: &Context, desk: &Desk, update: &Update) -> Result<(), Failure> {
    let saved = update
        .save_backups(&context.workspace.paths().data.join("backups"), &desk.writer)
        .map_err(refused)?;
    for path in saved {
        tell(&format!("saved your version to {}\n", context.short(&path)));
    }
    Ok(())
}

fn exit_of(update: &Update) -> Exit {
    let left = update.skills.iter().any(|skill| !skill.blocks.is_empty());
    let gone = update.skills.iter().any(|skill| matches!(skill.state, State::Gone(_)));
    let unreachable = update.skills.iter().any(|skill| matches!(skill.state, State::Unreachable(_)));
    match () {
        () if left || gone => Exit::Findings,
        () if unreachable => Exit::Incomplete,
        () => Exit::Clean,
    }
}

fn perform_json(context: &Context, desk: &Desk, args: &UpdateArgs, update: &Update) -> Outcome {
    let acts = args.place.yes && !update.plan.is_done();
    let left = if acts {
        save(context, desk, update)?;
        desk.apply(context, &update.plan)?.left
    } else {
        Vec::new()
    };
    let backups = context.workspace.paths().data.join("backups");
    printed(context.output.print_json(&json!({
        "schema": shape::SCHEMA,
        "lock": desk.site.lock.join(LOCK_FILE),
        "skills": update.skills.iter().map(|skill| show::json(desk, skill)).collect::<Vec<_>>(),
        "steps": update.plan.steps.iter().map(|step| desk.step_json(step, &update.plan)).collect::<Vec<_>>(),
        "backups": update.backups.iter().map(|backup| backups.join(backup.folder())).collect::<Vec<_>>(),
        "done": acts,
        "left": left,
    })))?;
    Ok(exit_of(update))
}
