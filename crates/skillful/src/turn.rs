//! One turn in a workspace: who asks, what activates skills, and how much room the menu has.

use crate::workspace::Workspace;
use skillful_catalog::{AgentProfile, Catalog, profile::ArgumentRule};
use skillful_render::{Budget, Unit, substitution::OWN_DIALECT};
use skillful_route::Router;
use skillful_runtime::{Engine, compose::Ranked};
use skillful_select::access::Asker;

impl Workspace {
    /// The user of this workspace, for the gate.
    pub fn asker(&self) -> Asker<'_> {
        Asker::new(self.principal(), self.environment())
    }

    /// What activates skills of a catalog.
    pub fn engine<'a>(&'a self, catalog: &'a Catalog, session: Option<&'a str>) -> Engine<'a> {
        let dialect: &ArgumentRule = self.as_agent().map_or(&OWN_DIALECT, |agent| &agent.arguments);
        let engine = Engine::new(catalog, self.asker(), self.settings(), &self.config().names);
        Engine { dialect, session, ..engine }
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

/// The room of the menu: what the caller says, else the agent's rule, else ours.
pub fn menu_budget(room: MenuRoom, agent: Option<&AgentProfile>) -> Budget {
    let rule = agent.map(|agent| &agent.menu);
    let unit = room.unit.unwrap_or(Unit::EstimatedTokens);
    let mut budget = match (room.characters, room.window) {
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
