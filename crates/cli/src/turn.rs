//! From the command line to a turn: who says what, as which agent, in which conversation.

use crate::{
    args::{Counter, RoomArgs, TurnArgs},
    context::Context,
    error::{Failure, failed},
};
use skillful::turn::MenuRoom;
use skillful_render::Unit;
use skillful_runtime::past_turns::{FinishedTurn, past};
use skillful_select::turn::Turn;
use std::{
    io::Read,
    time::{SystemTime, UNIX_EPOCH},
};

/// A message larger than this is refused.
const MESSAGE_LIMIT: u64 = 16 << 20;

impl Context {
    /// The turn that the command line describes, and the turns of its conversation before it.
    pub(crate) fn turn(&mut self, args: &TurnArgs) -> Result<(Turn, Vec<FinishedTurn>), Failure> {
        let history = args.conversation.as_ref().map(|id| self.history(id)).unwrap_or_default();
        let turn = Turn {
            message: message(&args.message)?,
            folder: self.workspace.environment().cwd.clone(),
            attachments: args.attach.clone(),
            given: args.skill.clone(),
            touched: self
                .workspace
                .config()
                .settings
                .touched
                .iter()
                .map(|file| file.display().to_string())
                .collect(),
            // Whoever names a conversation talks, unless they say what else they do.
            source_type: args
                .source_type
                .clone()
                .or_else(|| args.conversation.as_ref().map(|_| "talk".to_owned())),
            past: past(&history, now()),
            ..Turn::default()
        };
        Ok((turn, history))
    }
}

/// The words of the command line as one message, or what comes in.
pub(crate) fn message(words: &[String]) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut text = String::new();
    let read = std::io::stdin().take(MESSAGE_LIMIT + 1).read_to_string(&mut text);
    read.map_err(failed("read the message from standard input"))?;
    if text.len() as u64 > MESSAGE_LIMIT {
        return Err(Failure::usage(format!("the message is over {MESSAGE_LIMIT} bytes")));
    }
    Ok(text)
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The room of the menu as the command line gives it.
pub(crate) fn room(args: RoomArgs) -> MenuRoom {
    MenuRoom { characters: args.budget, window: args.window, unit: Some(unit(args.counter)) }
}

/// What a counter counts in.
pub(crate) fn unit(counter: Counter) -> Unit {
    match counter {
        Counter::Estimate => Unit::EstimatedTokens,
        #[cfg(feature = "tokenizer")]
        Counter::O200k => Unit::Tokens,
    }
}
