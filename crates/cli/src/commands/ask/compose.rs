//! A turn without a model: which skills apply to a message, and exactly what a model would read.

use super::answer;
use crate::{
    args::AskArgs,
    assistant::transcripts,
    commands::{diagnostic_views, printed, tell_catalog, tell_diagnostics},
    context::Context,
    error::{Exit, Outcome},
    memory::lost,
    output,
    turn::{room, unit},
};
use skillful::{
    decide::Routed,
    views::ask::{AskView, Asked},
};
use skillful_route::{Evidence, Judged, Router};
use skillful_runtime::{
    compose::{Composition, Manner, compose, visible},
    transcribe::{self, Transcript},
};
use skillful_select::turn::Turn;
use std::time::SystemTime;

/// Matching skills that are named.
const NEAREST: usize = 3;
/// The user in the database when no user is named.
const DEFAULT_USER: &str = "";

pub(crate) fn run(context: &mut Context, args: &AskArgs) -> Outcome {
    context.for_user(args.turn.user.as_deref());
    context.for_agent(args.turn.agent.as_deref())?;
    let catalog = context.workspace.catalog();
    if args.turn.session.is_some() {
        // Opened before the turn, so that its problems are among the diagnostics.
        context.store();
    }
    let (mut turn, history) = context.turn(&args.turn)?;
    let user = args.turn.user.as_deref().unwrap_or(DEFAULT_USER);
    // A scheduled turn has no reader for news.
    let follows = args.turn.session.is_some() && turn.is_interactive();
    let seen = if follows { context.last_seen(user) } else { None };
    let context = &*context;
    let agent = context.workspace.as_agent();
    let transcripts = transcripts(context, &turn);
    turn.message = transcribe::joined(&turn.message, &transcripts);
    let router = || context.workspace.index();
    let Routed { decision, diagnostics: mut own } =
        context.workspace.route(&mut turn, &history, SystemTime::now());
    if !args.raw {
        // It is asked for the nearest skills in any case. Made here, it is not made while the parts of a menu are in memory.
        router();
    }
    let rank = |menu: &[usize]| skillful::turn::rank(&router(), &turn.message, menu);
    let manner = Manner {
        unit: unit(args.room.counter),
        rank: &rank,
        seen: seen.as_ref(),
        ..Manner::plain(agent, context.workspace.menu_budget(room(args.room)))
    };
    let engine = context.workspace.engine(&catalog, args.turn.session.as_deref());
    let composed = compose(&engine, &turn, &manner);
    own.extend(composed.activations.iter().flat_map(|one| one.diagnostics.clone()));
    if args.raw {
        tell_catalog(context, &catalog);
        tell_diagnostics(context, &own);
        tell_lost(&composed, &transcripts);
        printed(context.output.print(&composed.text()))?;
    } else {
        let judged = nearest(&router(), &turn);
        own.extend_from_slice(router().diagnostics());
        let asked = Asked {
            turn: &turn,
            composed: &composed,
            judged: &judged,
            decision: decision.as_ref(),
            transcripts: &transcripts,
        };
        let view = AskView::of(&context.workspace, asked, diagnostic_views(context, &catalog, &own));
        if context.output.json {
            printed(context.output.print_json(&view))?;
        } else {
            tell_catalog(context, &catalog);
            tell_diagnostics(context, &own);
            printed(context.output.print(&answer::text(context, &view)))?;
        }
    }
    // `--compose` only shows a turn; the next one must find the session as it was.
    if let Some(id) = args.turn.session.as_ref().filter(|_| !args.compose) {
        let given: Vec<_> =
            composed.selection.selected.iter().map(|one| &catalog.entries[one.entry()]).collect();
        let roots = composed.selection.roots(&catalog);
        let mut kept = context.keep_turn(id, &turn.message, &roots, &given);
        if follows {
            let seen = visible(&catalog, &composed);
            kept = kept.and_then(|()| context.keep_seen(user, &seen));
        }
        if let Err(error) = kept {
            tell_diagnostics(context, &[lost(&error)]);
        }
    }
    Ok(Exit::Clean)
}

/// Prints what is missing in a raw text, which is for a model.
fn tell_lost(composed: &Composition, transcripts: &[Transcript]) {
    for transcript in transcripts {
        if let Err(reason) = &transcript.text {
            output::tell(&format!("{} was not transcribed: {reason}\n", output::harmless(&transcript.file)));
        }
    }
    for unread in &composed.unread {
        let (name, reason) = (output::harmless(&unread.name), output::harmless(&unread.reason));
        output::tell(&format!("{name} cannot be read: {reason}\n"));
    }
    for (name, placeholder) in unfilled(composed) {
        output::tell(&format!("{name} has no value for {placeholder}\n"));
    }
}

/// Placeholders without a value, each with its skill.
fn unfilled(composed: &Composition) -> impl Iterator<Item = (String, String)> {
    let all = composed.activations.iter().flat_map(|one| one.unfilled.iter().map(move |word| (one, word)));
    all.map(|(one, word)| (output::harmless(&one.name), output::harmless(word)))
}

/// The skills that match the message, available or not, so that the text can name the state of each.
fn nearest(router: &Router, turn: &Turn) -> Judged {
    router.judge(&turn.message, NEAREST, &Evidence::default())
}
