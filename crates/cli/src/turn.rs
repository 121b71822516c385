//! From the command line to a turn: who says what, as which agent, in which conversation.

use crate::{
    args::{Counter, RoomArgs, TurnArgs},
    context::Context,
    error::{Failure, failed},
};
use skillful_catalog::{AgentProfile, Catalog, profile::ArgumentRule};
use skillful_render::{Budget, Unit, substitution::OWN_DIALECT};
use skillful_route::Router;
use skillful_runtime::{
    Engine,
    compose::Ranked,
    conversation::{Record, past},
};
use skillful_select::{access::Asker, turn::Turn};
use std::{
    io::Read,
    time::{SystemTime, UNIX_EPOCH},
};

/// A message larger than this is refused.
const MESSAGE_LIMIT: u64 = 16 << 20;

impl Context {
    /// The agent that a word names.
    pub(crate) fn agent(&self, name: Option<&str>) -> Result<Option<&AgentProfile>, Failure> {
        let Some(name) = name else { return Ok(None) };
        let agent = self.agents.get(name);
        agent.map(Some).ok_or_else(|| {
            Failure::usage(format!("there is no agent `{name}`")).hint("`skillful agents` lists the agents")
        })
    }

    /// Who asks, through which agent.
    pub(crate) fn asker<'a>(&'a self, agent: Option<&'a AgentProfile>) -> Asker<'a> {
        Asker {
            agent: agent.map(|agent| agent.id.as_str()),
            ..Asker::new(&self.principal, &self.environment)
        }
    }

    /// What activates skills.
    pub(crate) fn engine<'a>(
        &'a self,
        catalog: &'a Catalog,
        agent: Option<&'a AgentProfile>,
        session: Option<&'a str>,
    ) -> Engine<'a> {
        let dialect: &ArgumentRule = agent.map_or(&OWN_DIALECT, |agent| &agent.arguments);
        let engine = Engine::new(catalog, self.asker(agent), &self.config.settings, &self.config.names);
        Engine { dialect, session, ..engine }
    }

    /// The turn that the command line describes, and the turns of its conversation before it.
    pub(crate) fn turn(&mut self, args: &TurnArgs) -> Result<(Turn, Vec<Record>), Failure> {
        let history = args.conversation.as_ref().map(|id| self.history(id)).unwrap_or_default();
        let turn = Turn {
            message: message(&args.message)?,
            folder: self.environment.cwd.clone(),
            attachments: args.attach.clone(),
            given: args.skill.clone(),
            touched: self.config.settings.touched.iter().map(|file| file.display().to_string()).collect(),
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

    /// The search index of a catalogue.
    pub(crate) fn router(&self, catalog: &Catalog) -> Router {
        Router::open(catalog, self.config.settings.cache.as_deref()).0
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

/// Skills in the order of their worth for a message.
pub(crate) fn rank(router: &Router, message: &str, menu: &[usize]) -> Ranked {
    let (order, relevant) = router.rank(message, menu);
    Ranked { order, relevant }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The room of a catalogue: what the command line says, else the agent's, else ours.
pub(crate) fn budget(args: RoomArgs, agent: Option<&AgentProfile>) -> Budget {
    let rule = agent.map(|agent| &agent.catalogue);
    let mut budget = match (args.budget, args.window) {
        (Some(limit), _) => Budget { limit, unit: Unit::Characters, ..Budget::default() },
        (None, Some(window)) => match rule.and_then(|rule| rule.window_permille) {
            Some(permille) => Budget {
                limit: (window * permille as usize / 1000).max(1),
                unit: unit(args.counter),
                ..Budget::default()
            },
            None => Budget { unit: unit(args.counter), ..Budget::of_window(window) },
        },
        (None, None) => {
            let limit = rule.and_then(|rule| rule.characters).map(|limit| limit as usize);
            Budget { limit: limit.unwrap_or(Budget::default().limit), ..Budget::default() }
        }
    };
    if let Some(cap) = rule.and_then(|rule| rule.description) {
        budget.description = cap as usize;
    }
    budget
}

/// What a counter counts in.
pub(crate) fn unit(counter: Counter) -> Unit {
    match counter {
        Counter::Estimate => Unit::EstimatedTokens,
        #[cfg(feature = "tokenizer")]
        Counter::O200k => Unit::Tokens,
    }
}
