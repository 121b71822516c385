//! `sync`: everything in its place that the lock names, byte for byte, or the reason why not.

use super::{
    library::{open, settle, warn},
    printed,
};
use crate::{
    args::SyncArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::count,
    progress::Bar,
};
use skillful::{
    Library,
    library::{Answers, InstallPlan, LibraryError},
    views::install::{ActionView, InstallView},
    workspace::APPROVE_LOCKED,
};
use skillful_registry::{install::Refusal, lock::LOCK_FILE};
use std::collections::BTreeSet;

pub(crate) fn run(context: &mut Context, args: &SyncArgs) -> Outcome {
    if args.send_usage {
        crate::team_usage::send_now(context);
        return Ok(Exit::Clean);
    }
    if let Some(server) = &args.team {
        return super::sync_team::run(
            context,
            args,
            Some(server.as_str()).filter(|server| !server.is_empty()),
        );
    }
    let bar = Bar::new(context);
    let library = open(context, args.place.global, &bar)?;
    if args.import {
        let (_, missed) = library.plan_import_npm(&Answers::default())?;
        drop(bar);
        let exit =
            settle(context, &library, &args.place, &|answers| Ok(library.plan_import_npm(answers)?.0))?;
        return Ok(if missed == 0 { exit } else { Exit::Findings });
    }
    let plan = |answers: &Answers| -> Result<InstallPlan, LibraryError> {
        let answers = Answers { despite_all_findings: args.despite_findings, ..answers.clone() };
        library.plan_sync(args.frozen, &answers)
    };
    if args.frozen && !args.place.dry_run {
        return frozen(context, &library, &plan);
    }
    settle(context, &library, &args.place, &plan)
}

/// All of it or nothing, without a question: the lock says what is wanted.
fn frozen(
    context: &Context,
    library: &Library<'_>,
    plan: &dyn Fn(&Answers) -> Result<InstallPlan, LibraryError>,
) -> Outcome {
    let first = plan(&Answers::default())?;
    let mut refused: Vec<(String, String)> = Vec::new();
    let mut fixes: Vec<String> = Vec::new();
    for (step, why) in first.refused() {
        let place = context.short(&library.site().path(&step.place));
        let fix = why.fix(step.name.as_str());
        let why = if why.is_about_place() { format!("{place}: {why}") } else { why.to_string() };
        if !fixes.contains(&fix) {
            fixes.push(fix);
        }
        let item = (step.name.to_string(), why);
        if !refused.contains(&item) {
            refused.push(item);
        }
    }
    if !refused.is_empty() {
        if context.output.json {
            printed(context.output.print_json(&first.view(None)))?;
            return Ok(Exit::Findings);
        }
        warn(&first.warnings);
        let named: BTreeSet<&str> = first.steps().iter().map(|step| step.name.as_str()).collect();
        let is_open = first.refused().any(|(_, why)| matches!(why, Refusal::NotApproved));
        return Err(not_reproduced(refused, fixes, named.len(), is_open));
    }
    let (planned, applied) = if first.is_done() {
        (first, None)
    } else {
        let (planned, applied) = library.apply_planned(|| plan(&Answers::default()))?;
        (planned, Some(applied))
    };
    let view = planned.view(applied.as_ref());
    if context.output.json {
        printed(context.output.print_json(&view))?;
        return Ok(Exit::Clean);
    }
    warn(&view.warnings);
    printed(context.output.print(&summary(&view)))?;
    Ok(Exit::Clean)
}

/// `is_open`: an approval of this user is missing.
fn not_reproduced(
    refused: Vec<(String, String)>,
    fixes: Vec<String>,
    named: usize,
    is_open: bool,
) -> Failure {
    let skills: BTreeSet<&str> = refused.iter().map(|(name, _)| name.as_str()).collect();
    let all = count(named, "skill");
    let failure = Failure::new(format!("{LOCK_FILE} cannot be reproduced; nothing was changed"))
        .cause(format!("{} of {all} failed", skills.len()));
    let failure = refused.into_iter().fold(failure, |failure, (name, why)| failure.item(name, why));
    let failure = fixes.into_iter().fold(failure, Failure::hint);
    if !is_open {
        return failure;
    }
    failure
        .hint(format!("in CI: set {APPROVE_LOCKED}=1, or approve_locked = true in /etc/skillful/config.toml"))
}

fn summary(view: &InstallView) -> String {
    let named = |actions: &[ActionView]| -> BTreeSet<&str> {
        let steps = view.steps.iter().filter(|step| actions.contains(&step.action));
        steps.map(|step| step.skill.as_str()).collect()
    };
    let installed = named(&[ActionView::Create]);
    let changed: BTreeSet<&str> = named(&[ActionView::Replace, ActionView::Merge]);
    let all: BTreeSet<&str> = view.steps.iter().map(|step| step.skill.as_str()).collect();
    let is_match = |name: &&&str| ![&installed, &changed].iter().any(|set| set.contains(**name));
    let matching = all.iter().filter(is_match).count();
    let verb = if matching == 1 { "skill matches" } else { "skills match" };
    format!(
        "{matching} {verb} {LOCK_FILE}, {} installed, {} changed, {} removed\n",
        installed.len(),
        changed.len(),
        named(&[ActionView::Remove]).len()
    )
}
