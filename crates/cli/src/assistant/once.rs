//! One message and its answer, for commands that end with it.

use super::{Assistant, Done, Said, Who, session};
use crate::{
    args::AssistantArgs,
    commands::{all_diagnostics, printed},
    context::Context,
    error::{Exit, Outcome},
    output::{self, DIM, harmless},
    shape,
    terminal::status,
};
use serde_json::{Value, json};
use skillful_assistant::models::Connected;
use skillful_assistant::turn::TurnEnd;
use std::io::{IsTerminal, stderr};

/// Asks and prints the answer.
pub(crate) fn run(
    context: &mut Context,
    connected: Connected,
    args: &AssistantArgs,
    who: Who<'_>,
    conversation: Option<&str>,
    said: &Said,
) -> Outcome {
    let kept = session::open(context, args.no_session, conversation)?;
    let mut assistant = Assistant::new(context, connected, args, who, kept)?;
    let done = assistant.say(context, said)?;
    if context.output.json {
        let value = as_json(context, &assistant, &done);
        printed(context.output.print_untyped(&value))?;
    } else {
        tell_end(&done.turned.end);
        tell_status(context, &assistant);
    }
    Ok(exit(&done.turned.end))
}

/// A turn as a value.
pub(crate) fn as_json(context: &Context, assistant: &Assistant, done: &Done) -> Value {
    let (word, why) = words(&done.turned.end);
    json!({
        "schema": shape::SCHEMA,
        "answer": done.turned.text,
        "end": { "kind": word, "why": why },
        "skills": done.account.skills,
        "tools": done.account.tools,
        "notes": done.account.notes,
        "model": assistant.face().status().model,
        "usage": done.turned.usage,
        "cost": done.turned.cost,
        "session": assistant.keeper.id(),
        "diagnostics": all_diagnostics(context, &context.workspace.catalog(), &done.account.told),
    })
}

/// What a script goes by.
pub(crate) fn exit(end: &TurnEnd) -> Exit {
    if *end == TurnEnd::Answered { Exit::Clean } else { Exit::Findings }
}

fn words(end: &TurnEnd) -> (&'static str, Option<&str>) {
    match end {
        TurnEnd::Answered => ("answered", None),
        TurnEnd::Refused => ("refused", Some("the model did not want to answer")),
        TurnEnd::Cut => {
            ("cut", Some("the answer was cut at its longest length; `assistant.max_tokens` sets it"))
        }
        TurnEnd::Bound(why) => ("bound", Some(why)),
        TurnEnd::Stopped(why) => ("stopped", Some(why)),
    }
}

/// Why a turn ended, when not with an answer.
pub(crate) fn tell_end(end: &TurnEnd) {
    if let (_, Some(why)) = words(end) {
        output::tell(&format!("note: {}\n", harmless(why)));
    }
}

/// Where the conversation stands, for a person at a terminal.
pub(crate) fn tell_status(context: &Context, assistant: &Assistant) {
    if stderr().is_terminal() {
        let line = status::line(&assistant.face().status(), context.output.width);
        output::tell(&format!("{}\n", context.output.paint(DIM, &line)));
    }
}
