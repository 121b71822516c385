//! `update`: newer versions of installed skills, merged with the user's edits.

mod ask;
mod show;

use super::{
    library::{open, warn},
    outdated, printed,
};
use crate::{
    args::{KeepWord, UpdateArgs},
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{harmless, tell},
    progress::Bar,
    prompt,
};
use serde::Serialize;
use show::UpdateView;
use skillful::{
    Library,
    library::{Applied, UpdatePlan, UpdateRequest},
};
use skillful_registry::install::{Side, State, Upstream};

pub(crate) fn run(context: &mut Context, args: &UpdateArgs) -> Outcome {
    if args.check {
        return outdated::run(context, &args.names, args.place.global);
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
    printed(context.output.print(&show::text(context, &library, &lock, &update)))?;
    let asks = !args.place.dry_run && prompt::is_possible();
    if asks && ask::all(context, &library, &lock, &update, &mut request)? {
        update = library.plan_update(&request, &upstream, Vec::new())?;
    }
    tell_blocked(&update);
    let exit = exit_of(&update);
    if update.plan.is_done() {
        let text = if exit == Exit::Clean { "nothing to do\n" } else { "nothing was changed\n" };
        printed(context.output.print(text))?;
        return Ok(exit);
    }
    if args.place.dry_run {
        return Ok(exit);
    }
    if !args.place.yes {
        if !prompt::is_possible() {
            return Err(Failure::new("confirmation required, but there is no terminal")
                .hint("read the plan with --dry-run, then pass --yes"));
        }
        if !prompt::yes("Update now?").map_err(failed("ask"))? {
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
    let applied = library.apply(&update.plan)?;
    Ok((update, applied))
}

fn tell_blocked(update: &UpdatePlan) {
    for skill in update.skills.iter().filter(|skill| !skill.blocks.is_empty()) {
        let name = harmless(skill.name.as_str());
        for block in &skill.blocks {
            tell(&format!("warning: {name} stays as it is: {}\n", harmless(&block.to_string())));
        }
        if let Some(way) = show::way_on(skill) {
            tell(&format!("fix: {way}\n"));
        }
    }
}

fn exit_of(update: &UpdatePlan) -> Exit {
    let left = update.skills.iter().any(|skill| !skill.blocks.is_empty());
    let gone = update.skills.iter().any(|skill| matches!(skill.state, State::Gone(_)));
    let unreachable = update.skills.iter().any(|skill| matches!(skill.state, State::Unreachable(_)));
    match () {
        () if left || gone => Exit::Findings,
        () if unreachable => Exit::Incomplete,
        () => Exit::Clean,
    }
}

#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    plan: skillful::views::install::InstallView,
    skills: Vec<UpdateView>,
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
    let skills = update.skills.iter().map(|skill| UpdateView::new(library, &lock, skill)).collect();
    printed(context.output.print_untyped(&Printed { plan: update.plan.view(applied.as_ref()), skills }))?;
    let exit = exit_of(&update);
    let is_enough = is_done || args.place.dry_run || applied.is_some();
    Ok(if exit == Exit::Clean && !is_enough { Exit::Findings } else { exit })
}
