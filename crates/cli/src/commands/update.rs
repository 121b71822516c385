//! `update`: newer versions of installed skills, merged with the user's edits.

mod ask;
mod show;

use super::{
    library::{open, plan_text, warn},
    printed, update_check,
};
use crate::{
    args::{KeepWord, UpdateArgs},
    consent,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{harmless, tell},
    progress::Bar,
    prompt,
};
use skillful::{
    Library,
    library::{Applied, Cards, UpdateOutcome, UpdatePlan, UpdateRequest},
    views::update::{SkillUpdateView, UpdateView},
};
use skillful_registry::{
    Lock,
    install::{Side, Upstream},
};

impl From<UpdateOutcome> for Exit {
    fn from(outcome: UpdateOutcome) -> Self {
        match outcome {
            UpdateOutcome::Complete => Self::Clean,
            UpdateOutcome::Left => Self::Findings,
            UpdateOutcome::Unreachable => Self::Incomplete,
        }
    }
}

pub(crate) fn run(context: &mut Context, args: &UpdateArgs) -> Outcome {
    if args.check {
        return update_check::run(context, &args.names, args.place.global);
    }
    let bar = Bar::new(context);
    let library = open(context, args.place.global, &bar)?;
    let lock = library.lock()?;
    let mut request = UpdateRequest {
        names: args.names.clone(),
        approved: args.approve.iter().cloned().collect(),
        signer: args.signer.clone(),
        ..UpdateRequest::default()
    };
    if let Some(word) = args.keep {
        let side = match word {
            KeepWord::Mine => Side::Mine,
            KeepWord::Theirs => Side::Theirs,
        };
        let names = Library::chosen(&lock, &args.names)?;
        request.keep = names.iter().map(|name| (name.to_string(), side)).collect();
    }
    let mut warnings = Vec::new();
    let upstream = library.look_upstream(&args.names, &mut warnings)?;
    drop(bar);
    let mut update = library.plan_update(&request, &upstream, warnings.clone())?;
    if context.output.json {
        return json(context, &library, args, &request, &upstream, update);
    }
    warn(&update.plan.warnings);
    let asks = !args.place.dry_run && prompt::is_possible();
    let skills = views(&library, &lock, &update);
    // On a terminal the differences are one key away.
    printed(context.output.print(&show::text(context, &skills, !asks || args.place.yes)))?;
    if asks && ask::all(context, &library, &lock, &update, &mut request)? {
        update = library.plan_update(&request, &upstream, Vec::new())?;
    }
    let skills = views(&library, &lock, &update);
    tell_blocked(&skills);
    let exit = Exit::from(update.outcome());
    if update.plan.is_done() {
        let text = if exit == Exit::Clean { "nothing to update\n" } else { "nothing was changed\n" };
        printed(context.output.print(text))?;
        return Ok(exit);
    }
    if args.place.dry_run {
        printed(context.output.print(&plan_text(context, &update.plan.view(None))))?;
        return Ok(exit);
    }
    if !args.place.yes {
        if !prompt::is_possible() {
            return Err(Failure::new("confirmation required, but there is no terminal")
                .hint("read the plan with --dry-run, then pass --yes"));
        }
        tell(&consent::allowed_by_yes(&library.asked_by(&update.plan)));
        if !agrees(context, &skills)? {
            return Err(Failure::new("nothing was changed"));
        }
    }
    let (update, applied) = apply(&library, args, &request, &upstream, update)?;
    warn(&applied.warnings);
    printed(context.output.print(&show::done(context, &library, &update, &applied)))?;
    Ok(exit)
}

fn apply(
    library: &Library<'_>,
    args: &UpdateArgs,
    request: &UpdateRequest,
    upstream: &Upstream,
    update: UpdatePlan,
) -> Result<(UpdatePlan, Applied), Failure> {
    if args.place.yes {
        return Ok(library.apply_planned(|| library.plan_update(request, upstream, Vec::new()))?);
    }
    // The user agreed to what was shown, so that another plan would be another question.
    let applied = library.apply(&update.plan, Cards::Shown)?;
    Ok((update, applied))
}

fn views(library: &Library<'_>, lock: &Lock, update: &UpdatePlan) -> Vec<SkillUpdateView> {
    update.skills.iter().map(|skill| SkillUpdateView::new(library, lock, skill)).collect()
}

/// Asks once for everything that can be updated now. `d` prints the differences and asks again.
fn agrees(context: &Context, skills: &[SkillUpdateView]) -> Result<bool, Failure> {
    let is_blocked = |skill: &&&SkillUpdateView| !skill.blocks.is_empty();
    let outdated: Vec<&SkillUpdateView> = skills.iter().filter(|skill| skill.state == "update").collect();
    let names = |skills: Vec<&&SkillUpdateView>| -> String {
        skills.iter().map(|skill| harmless(&skill.skill)).collect::<Vec<_>>().join(", ")
    };
    let (stays, now): (Vec<_>, Vec<_>) = outdated.iter().partition(is_blocked);
    let stays = match stays.len() {
        0 => String::new(),
        1 => format!(" {} stays.", names(stays)),
        _ => format!(" {} stay.", names(stays)),
    };
    let question = format!("Update {} now?{stays} [y]es  [d]ifference  [n]o", names(now));
    loop {
        let answer = prompt::line(&question).map_err(failed("read the answer"))?.unwrap_or_default();
        match answer.trim() {
            "y" | "Y" | "yes" => return Ok(true),
            "d" | "difference" => printed(context.output.print(&show::text(context, skills, true)))?,
            _ => return Ok(false),
        }
    }
}

fn tell_blocked(skills: &[SkillUpdateView]) {
    for skill in skills {
        let name = harmless(&skill.skill);
        for block in &skill.blocks {
            tell(&format!("warning: {name} is not updated: {}\n", harmless(block)));
        }
        if let Some(fix) = &skill.fix {
            tell(&format!("  fix:   {}\n", harmless(fix)));
        }
    }
}

fn json(
    context: &Context,
    library: &Library<'_>,
    args: &UpdateArgs,
    request: &UpdateRequest,
    upstream: &Upstream,
    update: UpdatePlan,
) -> Outcome {
    let is_done = update.plan.is_done();
    let (update, applied) = if args.place.yes && !is_done {
        let (update, applied) = apply(library, args, request, upstream, update)?;
        (update, Some(applied))
    } else {
        (update, None)
    };
    let lock = library.lock()?;
    let skills = views(library, &lock, &update);
    printed(context.output.print_json(&UpdateView { plan: update.plan.view(applied.as_ref()), skills }))?;
    let exit = Exit::from(update.outcome());
    let is_enough = is_done || args.place.dry_run || applied.is_some();
    Ok(if exit == Exit::Clean && !is_enough { Exit::Findings } else { exit })
}
