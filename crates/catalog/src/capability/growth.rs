//! Whether one set of capabilities allows more than another.

use std::collections::BTreeSet;

/// What a skill without a list of tools uses.
pub(super) const EVERY_TOOL: &str = "uses every tool";
/// How a sentence about one tool begins.
pub(super) const TOOL: &str = "uses tool ";
/// How a sentence about a limit begins: a skill without it can do more.
pub(super) const LIMIT: &str = "bans ";
/// Permissions of a sidecar narrow, and another agent may grant what they name: any change of them counts.
pub(super) const PERMISSIONS: &str = "asks for permissions ";

/// What is possible after a change and was not before, as sentences.
pub fn gained(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<String> {
    let new = after.iter().filter(|one| !is_limit(one) && !is_covered(one, before)).cloned();
    let lifted = before.difference(after).filter(|one| is_limit(one));
    let narrowed = before.difference(after).filter(|one| one.starts_with(PERMISSIONS));
    new.chain(lifted.chain(narrowed).map(|one| format!("no longer {one}"))).collect()
}

/// What was possible before a change and is not any more.
pub fn dropped(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<String> {
    before.iter().filter(|one| !is_limit(one) && !is_covered(one, after)).cloned().collect()
}

/// Whether a change lets more happen.
pub fn grew(before: &BTreeSet<String>, after: &BTreeSet<String>) -> bool {
    !gained(before, after).is_empty()
}

/// Whether a sentence says what a skill cannot do.
pub fn is_limit(sentence: &str) -> bool {
    sentence.starts_with(LIMIT)
}

/// Whether a set allows what a sentence says. A tool without a pattern covers the same tool with one.
fn is_covered(sentence: &str, set: &BTreeSet<String>) -> bool {
    if set.contains(sentence) {
        return true;
    }
    let Some(tool) = sentence.strip_prefix(TOOL) else { return false };
    let whole = tool.split_once('(').map(|(name, _)| format!("{TOOL}{name}"));
    set.contains(EVERY_TOOL) || whole.is_some_and(|whole| set.contains(&whole))
}
