//! Turns the command line into a turn.

use crate::{
    args::{Counter, RoomArgs, TurnArgs},
    context::Context,
    error::{Failure, failed},
};
use skillful::turn::{MenuRoom, Said};
use skillful_render::Unit;
use skillful_runtime::past_turns::FinishedTurn;
use skillful_select::turn::Turn;
use std::{
    io::Read,
    time::{SystemTime, UNIX_EPOCH},
};

/// Most bytes of a message.
const MESSAGE_LIMIT: u64 = 16 << 20;

impl Context {
    /// The turn of the command line, and the earlier turns of its session.
    pub(crate) fn turn(&mut self, args: &TurnArgs) -> Result<(Turn, Vec<FinishedTurn>), Failure> {
        let history = args.session.as_ref().map(|id| self.history(id)).unwrap_or_default();
        let said = Said {
            message: message(&args.message)?,
            attachments: args.attach.clone(),
            given: args.skill.clone(),
            source_type: args.source_type.clone(),
            in_session: args.session.is_some(),
        };
        let turn = self.workspace.turn_of(&said, &history, now());
        Ok((turn, history))
    }
}

/// The words of the command line as one message, or standard input.
pub(crate) fn message(words: &[String]) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut text = String::new();
    let read = std::io::stdin().take(MESSAGE_LIMIT + 1).read_to_string(&mut text);
    read.map_err(failed("read the message from standard input"))?;
    if text.len() as u64 > MESSAGE_LIMIT {
        return Err(Failure::usage(format!("the message has more than {MESSAGE_LIMIT} bytes")));
    }
    Ok(text)
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The budget of the menu on the command line.
pub(crate) fn room(args: RoomArgs) -> MenuRoom {
    MenuRoom { characters: args.budget, window: args.window, unit: Some(unit(args.counter)) }
}

/// The unit of a counter.
pub(crate) fn unit(counter: Counter) -> Unit {
    match counter {
        Counter::Estimate => Unit::EstimatedTokens,
        #[cfg(feature = "tokenizer")]
        Counter::O200k => Unit::Tokens,
    }
}
