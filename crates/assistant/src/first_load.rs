//! Which skills the model loads first for a message. It is asked as in a turn, and nothing that it calls is run: for
//! measuring.

use crate::{
    history::{Item, ItemKind},
    session::ChatSession,
    setup::TurnSetup,
    turn::TurnError,
    turn_loop::{TurnLoop, calls, system},
};
use skillful_llm::{Arguments, StreamLimits, Usage};
use skillful_mcp::names::tool;
use skillful_runtime::compose::{Manner, MenuFor, PartKind, compose};
use skillful_select::turn::Turn;
use std::thread;

/// What the model loads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstLoad {
    /// Addresses of the skills: those that rules select without the model, then those that it loads.
    pub skills: Vec<String>,
    /// Tokens of the request and the answer.
    pub usage: Usage,
    /// The cost, when prices are known.
    pub cost: Option<f64>,
}

/// Asks the model once about a message in a new session.
pub fn first_load(
    setup: &TurnSetup<'_>,
    session: &mut ChatSession,
    turn: &Turn,
) -> Result<FirstLoad, TurnError> {
    thread::scope(|scope| {
        let mut turn_loop = TurnLoop::new(setup, session, scope, String::new());
        let rank = |menu: &[usize]| setup.finder.rank(&turn.message, menu);
        let manner = Manner {
            agent: Some(setup.agent),
            budget: setup.budget,
            unit: setup.unit,
            menu: MenuFor::Session,
            rank: &rank,
            seen: None,
            is_loaded: &|_, _| false,
            holds: &|_| false,
            written: None,
        };
        let composed = compose(&setup.engine(), turn, &manner);
        turn_loop.system = system(setup, &composed.disclosure.text);
        for part in composed.parts.iter().filter(|part| part.kind != PartKind::Menu) {
            let kind = match (part.kind, &part.name) {
                (PartKind::Message, _) => ItemKind::Message,
                (PartKind::Skill | PartKind::LoadedSkill, Some(name)) => {
                    ItemKind::Skill { name: name.clone() }
                }
                _ => ItemKind::Note,
            };
            turn_loop.session.items.push(Item::user(kind, part.text.clone()));
        }
        let choice = turn_loop.choice();
        let request = turn_loop.request(&choice);
        let client = &setup.models.client;
        let limits = StreamLimits::default();
        let reply = client.stream(&choice.line.provider, &request, limits, &setup.cancel, &mut |_| {})?;
        let selected = composed.selection.selected.iter();
        let entries = &setup.engine.catalog.entries;
        let mut skills: Vec<String> = selected.map(|chosen| entries[chosen.entry()].address()).collect();
        for call in calls(&reply).iter().filter(|call| call.name == tool::USE_SKILL) {
            let Arguments::Read(given) = &call.arguments else { continue };
            let name = given.get("name").and_then(|name| name.as_str()).map(str::to_owned);
            skills.extend(name.filter(|name| !skills.contains(name)));
        }
        let cost = choice.line.price.map(|price| price.of(reply.usage));
        Ok(FirstLoad { skills, usage: reply.usage, cost })
    })
}
