//! Decides what happens when several skills of an agent have the same name.

use super::{
    UnseenCode,
    skill::{Cause, Loss, Skill},
};
use skillful_profiles::{AgentProfile, Collision};
use std::collections::HashMap;

/// Decides for each name which skills stay. `skills` come in the order in which the agent finds
/// them, highest precedence first.
pub(super) fn apply(agent: &AgentProfile, skills: Vec<Skill>) -> (Vec<Skill>, Vec<Loss>) {
    if agent.collision == Collision::All {
        return (skills, Vec::new());
    }
    let mut groups: Vec<Vec<Skill>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for skill in skills {
        let key = if agent.name.any_case { skill.name.to_lowercase() } else { skill.name.clone() };
        let at = *known.entry(key).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(skill);
    }
    let (mut standing, mut losses) = (Vec::new(), Vec::new());
    for mut group in groups {
        match agent.collision {
            Collision::Any => group.sort_by(|a, b| a.found.file.cmp(&b.found.file)),
            Collision::FirstBelow => group.sort_by_key(|skill| (skill.found.root, skill.found.at_root)),
            Collision::First | Collision::All => {}
        }
        let mut group = group.into_iter();
        let Some(mut winner) = group.next() else { continue };
        // A second path to the same folder is the same skill.
        let others: Vec<Skill> = group.filter(|other| other.found.key != winner.found.key).collect();
        if !others.is_empty() {
            winner.warnings.push(warning(agent, &others));
        }
        losses.extend(others.into_iter().map(|other| loss(agent, &winner, other)));
        standing.push(winner);
    }
    (standing, losses)
}

fn warning(agent: &AgentProfile, others: &[Skill]) -> String {
    let paths: Vec<String> = others.iter().map(|other| format!("`{}`", other.found.file.display())).collect();
    let paths = paths.join(", ");
    match agent.collision {
        Collision::Any => {
            format!("{} loads either this one or {paths}, and which one changes from run to run", agent.title)
        }
        _ => format!("{} loads this one instead of {paths}", agent.title),
    }
}

fn loss(agent: &AgentProfile, winner: &Skill, other: Skill) -> Loss {
    let by = winner.found.file.display();
    let reason = match agent.collision {
        Collision::Any => {
            format!("{} loads one skill of this name at random; this view shows `{by}`", agent.title)
        }
        _ => format!("{} loads `{by}`, which has the same name", agent.title),
    };
    let cause = Cause::new(UnseenCode::Collision, reason).fix("rename one of the two");
    cause.lose(&other.found, Some(other.name))
}
