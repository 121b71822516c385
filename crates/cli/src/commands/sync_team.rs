//! `sync --team`: what a team requires or has enabled for the user, on this machine.

use super::library::{open, settle};
use crate::{
    args::{SyncArgs, WhereArgs},
    context::Context,
    error::{Exit, Outcome},
    output::{harmless, tell},
    progress::Bar,
};
use skillful::library::{Answers, TeamAnswer, TeamRequest};

pub(crate) fn run(context: &mut Context, args: &SyncArgs, server: Option<&str>) -> Outcome {
    let bar = Bar::new(context);
    let library = open(context, true, &bar)?;
    let request = TeamRequest { server: server.map(str::to_owned), agents: args.agent.clone() };
    let answer = library.ask_team(&request)?;
    drop(bar);
    tell_news(context, &answer);
    let place = WhereArgs { global: true, yes: args.place.yes, dry_run: args.place.dry_run || args.check };
    let plan = |answers: &Answers| {
        let answers = Answers { despite_all_findings: args.despite_findings, ..answers.clone() };
        library.plan_team(&answer, &answers)
    };
    let is_undone = args.check && !plan(&Answers::default())?.is_done();
    let exit = settle(context, &library, &place, &plan)?;
    if !place.dry_run && (place.yes || !context.output.json) {
        crate::team_usage::send_now(context);
    }
    let is_open = is_undone || !answer.missed.is_empty() || (args.check && !answer.revoked.is_empty());
    Ok(if exit == Exit::Clean && is_open { Exit::Findings } else { exit })
}

/// Why skills are here, and what was taken back.
fn tell_news(context: &Context, answer: &TeamAnswer) {
    for revoked in answer.revoked.values() {
        let why = if revoked.reason.is_empty() { "no reason was given" } else { &revoked.reason };
        let (skill, why) = (harmless(&revoked.skill), harmless(why));
        tell(&format!(
            "warning: {} withdrew {skill}, which is no longer used: {why}\n",
            harmless(&answer.address)
        ));
    }
    if context.output.json {
        return;
    }
    for one in &answer.wanted {
        let (name, reason) = (harmless(one.name.as_str()), harmless(&one.reason));
        tell(&format!("{name} version {}: {reason}\n", one.version));
    }
}
