//! `ask`: which skills apply to a message, and exactly what a model would read.

mod answer;

use super::{explain, printed, tell_diagnostics};
use crate::{
    args::AskArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output, routing,
    turn::{self, budget, now, unit},
};
use answer::Answer;
use skillful_catalog::{Catalog, Host};
use skillful_router::{Evidence, Judged, Router};
use skillful_runtime::{
    compose::{Composition, Manner, compose, visible},
    conversation::{self, Conversation, Record},
    transcribe::{self, Transcript},
};
use skillful_select::{
    access::{Way, admit},
    turn::Turn,
};
use std::cell::OnceCell;

/// Skills that are named as near to a message.
const NEAREST: usize = 3;
/// Whose memory counts when nobody is named.
const NOBODY: &str = "";

pub(crate) fn run(context: &mut Context, args: &AskArgs) -> Outcome {
    context.principal.user.clone_from(&args.turn.user);
    let catalog = context.catalog();
    let host = context.host(args.turn.host.as_deref())?;
    let mut turn = context.turn(&args.turn)?;
    let transcripts = transcripts(context, &turn);
    turn.message = transcribe::joined(&turn.message, &transcripts);
    let router = OnceCell::new();
    let router = || router.get_or_init(|| context.router(&catalog));
    let asker = context.asker(host);
    let decision = context.decides().then(|| {
        let open = |at| admit(&catalog, at, asker, Way::Route).reasons.is_empty();
        let allowed = router().restrict(&open);
        let history =
            args.turn.conversation.as_ref().map(|id| Conversation::open(&context.paths.data, id).turns);
        context.decide(&catalog, router(), &allowed, &turn.message, &history.unwrap_or_default())
    });
    if let Some((decision, diagnostics)) = &decision {
        tell_diagnostics(context, diagnostics);
        turn.routed = routing::chosen(&catalog, decision);
    }
    let decision = decision.map(|(decision, _)| decision);
    let rank = |menu: &[usize]| turn::rank(router(), &turn.message, menu);
    let person = args.turn.user.as_deref().unwrap_or(NOBODY);
    let data = &context.paths.data;
    let seen = args.turn.conversation.as_ref().and_then(|_| conversation::last_seen(data, person));
    let manner = Manner {
        host,
        budget: budget(args.room, host),
        unit: unit(args.room.counter),
        rank: &rank,
        seen: seen.as_ref(),
        loaded: &[],
    };
    let engine = context.engine(&catalog, host, args.turn.conversation.as_deref());
    let composed = compose(&engine, &turn, &manner);
    if args.raw {
        printed(context.output.print(&composed.text()))?;
    } else {
        let judged = nearest(context, &catalog, router(), &turn, host);
        let answer = Answer {
            catalog: &catalog,
            composed: &composed,
            judged: &judged,
            decision: decision.as_ref(),
            transcripts: &transcripts,
        };
        if context.output.json {
            let mut value = explain::as_json(&catalog, engine.asker, &composed.selection);
            answer.add_to(&mut value, &turn);
            printed(context.output.print_json(&value))?;
        } else {
            tell_diagnostics(context, &context.diagnostics);
            tell_diagnostics(context, router().diagnostics());
            printed(context.output.print(&answer.text(context)))?;
        }
    }
    if let Some(id) = &args.turn.conversation {
        keep(context, id, person, &turn.message, &catalog, &composed)?;
    }
    Ok(Exit::Clean)
}

/// Writes down the recordings, when somebody configured how.
fn transcripts(context: &Context, turn: &Turn) -> Vec<Transcript> {
    let command = &context.config.transcribe;
    if command.is_empty() || !turn.attachments.iter().any(|file| transcribe::is_recording(file)) {
        return Vec::new();
    }
    output::tell("writing the recordings down …\n");
    transcribe::transcribe(command, &turn.attachments, &turn.folder, transcribe::BUDGET)
}

/// The skills that the message is about, among those a model may choose.
fn nearest(
    context: &Context,
    catalog: &Catalog,
    router: &Router,
    turn: &Turn,
    host: Option<&Host>,
) -> Judged {
    let asker = context.asker(host);
    let open = |at| admit(catalog, at, asker, Way::Menu).reasons.is_empty();
    router.judge(
        &turn.message,
        NEAREST,
        &Evidence { within: Some(&router.restrict(&open)), ..Evidence::default() },
    )
}

/// Remembers a turn of a conversation, now that it came to its end.
fn keep(
    context: &Context,
    id: &str,
    person: &str,
    message: &str,
    catalog: &Catalog,
    composed: &Composition,
) -> Result<(), Failure> {
    let data = &context.paths.data;
    let record = Record::new(now(), message, composed.selection.roots(catalog));
    Conversation::open(data, id)
        .keep(data, record)
        .and_then(|()| conversation::keep_seen(data, person, &visible(catalog, &composed.selection)))
        .map_err(failed(format!("remember the conversation in `{}`", data.display())))
}
