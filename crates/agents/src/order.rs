//! Sorts an agent's list of skills.

use super::skill::Skill;
use skillful_profiles::{AgentProfile, ListOrder};

/// Sorts the skills in the agent's order. They come in the order in which they were found.
pub(super) fn apply(agent: &AgentProfile, skills: &mut [Skill]) {
    let rank = |skill: &Skill| {
        let scopes = &agent.list.scopes;
        scopes.iter().position(|scope| *scope == skill.found.scope).unwrap_or(scopes.len())
    };
    match agent.list.order {
        ListOrder::Found => skills.sort_by_key(rank),
        ListOrder::Name => skills.sort_by(|a, b| {
            rank(a)
                .cmp(&rank(b))
                .then_with(|| a.name.cmp(&b.name))
                .then_with(|| a.found.shown(agent).cmp(b.found.shown(agent)))
        }),
        ListOrder::Dictionary => skills.sort_by_cached_key(|skill| (rank(skill), dictionary(&skill.name))),
    }
}

/// A sort key for dictionary order; exact for ASCII, by code point for other scripts.
fn dictionary(name: &str) -> (Vec<(u8, char)>, Vec<bool>) {
    let class = |c: char| if c.is_alphabetic() { 2 } else { u8::from(c.is_numeric()) };
    let letters = name.chars().map(|c| (class(c), c.to_lowercase().next().unwrap_or(c))).collect();
    (letters, name.chars().map(char::is_uppercase).collect())
}
