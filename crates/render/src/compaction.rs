//! Decides which skill instructions stay when a session is compacted: those used last, within a
//! budget. The menu is not affected, because it is rendered anew for each turn.

use crate::budget::Unit;
use serde::Serialize;

/// Maximum number of tokens that one skill keeps.
pub const TOKENS_PER_SKILL: usize = 5_000;
/// Maximum number of tokens that all skills keep together.
pub const TOKENS_IN_ALL: usize = 25_000;

/// A skill whose instructions are in the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active {
    /// Its qualified name.
    pub name: String,
    /// Its rendered instructions.
    pub text: String,
}

/// A skill that stays in the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Its qualified name.
    pub name: String,
    /// The part of its instructions that stays.
    pub text: String,
    /// Whether the instructions were cut.
    pub cut: bool,
}

/// The skills that stay and those that are removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compacted {
    /// The skills that stay, in the order of their last use, oldest first.
    pub kept: Vec<Kept>,
    /// The qualified names of the skills that did not fit.
    pub lost: Vec<String>,
}

/// Keeps the instructions used last. `active` is in the order of use, newest last; of a skill that
/// was used twice, the latest use counts.
pub fn compact(active: &[Active], unit: Unit) -> Compacted {
    let mut result = Compacted::default();
    let mut room = TOKENS_IN_ALL;
    let mut seen: Vec<&str> = Vec::new();
    for skill in active.iter().rev() {
        if seen.contains(&skill.name.as_str()) {
            continue;
        }
        seen.push(&skill.name);
        let text = first_part(&skill.text, TOKENS_PER_SKILL.min(room), unit);
        if text.is_empty() {
            result.lost.push(skill.name.clone());
            continue;
        }
        room -= unit.cost(text);
        let cut = text.len() < skill.text.len();
        result.kept.push(Kept { name: skill.name.clone(), text: text.to_owned(), cut });
    }
    result.kept.reverse();
    result
}

/// As many complete lines as fit.
fn first_part(text: &str, room: usize, unit: Unit) -> &str {
    if unit.cost(text) <= room {
        return text;
    }
    let (mut end, mut used) = (0, 0);
    for line in text.split_inclusive('\n') {
        used += unit.cost(line);
        if used > room {
            break;
        }
        end += line.len();
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn active(name: &str, tokens: usize) -> Active {
        Active { name: name.to_owned(), text: "abc\n".repeat(tokens) }
    }

    #[test]
    fn instructions_survive_newest_first_within_the_budget() {
        let used: Vec<Active> = (0..7).map(|number| active(&format!("s{number}"), 4_500)).collect();
        let after = compact(&used, Unit::EstimatedTokens);
        let names: Vec<(&str, bool)> = after.kept.iter().map(|kept| (kept.name.as_str(), kept.cut)).collect();
        assert_eq!(
            names,
            [("s1", true), ("s2", false), ("s3", false), ("s4", false), ("s5", false), ("s6", false)]
        );
        assert_eq!(after.lost, ["s0"]);
        let all: usize = after.kept.iter().map(|kept| Unit::EstimatedTokens.cost(&kept.text)).sum();
        assert!(all <= TOKENS_IN_ALL);
    }

    #[test]
    fn one_skill_keeps_its_first_part_and_its_latest_use() {
        let after = compact(&[active("x", 10), active("y", 1), active("x", 9_000)], Unit::EstimatedTokens);
        assert_eq!(after.kept.len(), 2);
        let last = after.kept.last().unwrap();
        assert_eq!((last.name.as_str(), last.cut), ("x", true));
        assert_eq!(Unit::EstimatedTokens.cost(&last.text), TOKENS_PER_SKILL);
    }
}
