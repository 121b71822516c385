//! Decides which skills show a second name in an agent's list.

use super::skill::Skill;
use skillful_profiles::AgentProfile;
use std::collections::HashSet;

/// Removes the labels that the agent does not show: those that are not a word, and those that are already a name.
pub(super) fn apply(agent: &AgentProfile, skills: &mut [Skill]) {
    let mut taken: HashSet<String> = skills.iter().map(|skill| skill.name.clone()).collect();
    taken.extend(agent.built_in.iter().chain(&agent.name.reserved).cloned());
    for skill in skills {
        if let Some(label) = skill.label.take_if(|label| !is_word(label) || !taken.insert(label.clone())) {
            skill.warnings.push(format!(
                "{} does not show its name `{}`: it has a character that is not allowed there, or it is taken",
                agent.title,
                label.escape_debug()
            ));
        }
    }
}

fn is_word(label: &str) -> bool {
    label.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | ':' | '_' | '-'))
}
