//! One turn in a workspace: who asks, what activates skills, and how much room the menu has.

use crate::workspace::Workspace;
use skillful_catalog::{AgentProfile, Catalog, profile::ArgumentRule};
use skillful_render::{Budget, Unit, substitution::OWN_DIALECT};
use skillful_route::Router;
use skillful_runtime::{
    Engine,
    compose::Ranked,
    past_turns::{FinishedTurn, past},
};
use skillful_select::{access::Asker, turn::Turn};

impl Workspace {
    /// The user of this workspace, for the gate.
    pub fn asker(&self) -> Asker<'_> {
        Asker::new(self.principal(), self.environment())
    }

    /// The room of the menu here, as the agent that counts gives it.
    pub fn menu_budget(&self, room: MenuRoom) -> Budget {
        menu_budget(room, self.as_agent(), &|name| self.environment().variable(name))
    }

    /// What activates skills of a catalog.
    pub fn engine<'a>(&'a self, catalog: &'a Catalog, session: Option<&'a str>) -> Engine<'a> {
        let dialect: &ArgumentRule = self.as_agent().map_or(&OWN_DIALECT, |agent| &agent.arguments);
        let engine = Engine::new(catalog, self.asker(), self.settings(), &self.config().names);
        Engine { dialect, session, ..engine }
    }
}

/// What a user says in one turn.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// The text.
    pub message: String,
    /// Attached files.
    pub attachments: Vec<String>,
    /// Skills that the user names by their paths.
    pub given: Vec<String>,
    /// Kind of turn.
    pub source_type: Option<String>,
    /// Whether it is part of a session, which makes it `talk` unless the kind is given.
    pub in_session: bool,
}

impl Workspace {
    /// The turn in this folder, after the earlier turns of its session.
    pub fn turn_of(&self, said: &Said, history: &[FinishedTurn], now: u64) -> Turn {
        let touched = self.config().settings.touched.iter();
        let source_type = said.source_type.clone();
        Turn {
            message: said.message.clone(),
            folder: self.environment().cwd.clone(),
            attachments: said.attachments.clone(),
            given: said.given.clone(),
            touched: touched.map(|file| file.display().to_string()).collect(),
            source_type: source_type.or_else(|| said.in_session.then(|| "talk".to_owned())),
            past: past(history, now),
            ..Turn::default()
        }
    }
}

/// Skills in the order of their relevance to a message.
pub fn rank(index: &Router, message: &str, menu: &[usize]) -> Ranked {
    let (order, relevant) = index.rank(message, menu);
    Ranked { order, relevant }
}

/// How much room a caller gives the menu.
#[derive(Clone, Copy, Debug, Default)]
pub struct MenuRoom {
    /// At most so many characters.
    pub characters: Option<usize>,
    /// The model's context window in tokens; the menu gets a share of it.
    pub window: Option<usize>,
    /// What tokens are counted with.
    pub unit: Option<Unit>,
}

/// The room of the menu: what the caller says, else what a variable of the agent says, else the agent's rule, else ours.
pub fn menu_budget(
    room: MenuRoom,
    agent: Option<&AgentProfile>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Budget {
    let rule = agent.map(|agent| &agent.menu);
    let unit = room.unit.unwrap_or(Unit::EstimatedTokens);
    let set = rule.and_then(|rule| rule.characters_variable.as_deref()).and_then(variable);
    let set = set.and_then(|text| text.trim().parse().ok()).filter(|limit| *limit > 0);
    let mut budget = match (room.characters.or(set), room.window) {
        (Some(limit), _) => Budget { limit, unit: Unit::Characters, ..Budget::default() },
        (None, Some(window)) => match rule.and_then(|rule| rule.window_permille) {
            Some(permille) => {
                Budget { limit: (window * permille as usize / 1000).max(1), unit, ..Budget::default() }
            }
            None => Budget { unit, ..Budget::of_window(window) },
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
