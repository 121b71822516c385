//! One message and its answer, for commands with one turn.

use super::{Assistant, Done, Said, Who};
use crate::{
    args::AssistantArgs,
    commands::{diagnostic_views, printed},
    context::Context,
    error::{Exit, Outcome},
    output::{self, DIM, harmless},
    terminal::status,
};
use skillful::views::{AnswerView, SCHEMA, TurnEndView};
use skillful_assistant::models::Connected;
use skillful_assistant::turn::TurnEnd;
use std::io::{IsTerminal, stderr};

/// Asks and prints the answer.
pub(crate) fn run(
    context: &mut Context,
    connected: Connected,
    args: &AssistantArgs,
    who: Who<'_>,
    session: Option<&str>,
    said: &Said,
) -> Outcome {
    let kept = super::session::open(context, args.no_session, session)?;
    let mut assistant = Assistant::new(context, connected, args, who, kept)?;
    let done = assistant.say(context, said)?;
    if context.output.json {
        printed(context.output.print_json(&view(context, &assistant, &done)))?;
    } else {
        tell_end(&done.turned.end);
        tell_status(context, &assistant);
    }
    Ok(exit(&done.turned.end))
}

/// The view of a turn.
pub(crate) fn view(context: &Context, assistant: &Assistant, done: &Done) -> AnswerView {
    let (kind, why) = words(&done.turned.end);
    let catalog = context.workspace.catalog();
    AnswerView {
        schema: SCHEMA,
        answer: done.turned.text.clone(),
        end: TurnEndView { kind: kind.to_owned(), why: why.map(str::to_owned) },
        skills: done.account.skills.clone(),
        tools: done.account.tools.clone(),
        notes: done.account.notes.clone(),
        model: assistant.face().status().model,
        usage: done.turned.usage.into(),
        cost: done.turned.cost,
        session: assistant.recorder.id(),
        diagnostics: diagnostic_views(context, &catalog, &done.account.diagnostics),
    }
}

/// The exit code of a turn.
pub(crate) fn exit(end: &TurnEnd) -> Exit {
    if *end == TurnEnd::Answered { Exit::Clean } else { Exit::Findings }
}

fn words(end: &TurnEnd) -> (&'static str, Option<&str>) {
    match end {
        TurnEnd::Answered => ("answered", None),
        TurnEnd::Refused => ("refused", Some("the model refused to answer")),
        TurnEnd::Cut => ("cut", Some("the answer reached the length limit (`assistant.max_tokens`)")),
        TurnEnd::Joined => ("bound", Some("too many folders of skills joined in one turn")),
        TurnEnd::Bound(why) => ("bound", Some(why)),
        TurnEnd::Stopped(why) => ("stopped", Some(why)),
    }
}

/// Prints why a turn ended without an answer.
pub(crate) fn tell_end(end: &TurnEnd) {
    if let (_, Some(why)) = words(end) {
        output::tell(&format!("note: {}\n", harmless(why)));
    }
}

/// Prints the state of the session, on a terminal.
pub(crate) fn tell_status(context: &Context, assistant: &Assistant) {
    if stderr().is_terminal() {
        let line = status::line(&assistant.face().status(), context.output.width);
        output::tell(&format!("{}\n", context.output.paint(DIM, &line)));
    }
}
