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

/// How sentences about hooks begin. A hook may be a guard: without it more passes.
const HOOKS: [&str; 2] = ["runs hook ", "runs hooks "];
/// Tools that only read what the skill or the project has. A list that names others approves them without a question
/// in agents whose lists approve, where a skill without a list is asked about.
const READING: [&str; 6] = ["Read", "Grep", "Glob", "LS", "NotebookRead", "TodoWrite"];

/// What is possible after a change and was not before, as sentences.
pub fn gained(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<String> {
    let new = after.iter().filter(|one| !is_limit(one) && !is_covered(one, before)).cloned();
    let lifted = before.difference(after).filter(|one| is_limit(one));
    let gone =
        |one: &&String| one.starts_with(PERMISSIONS) || HOOKS.iter().any(|start| one.starts_with(start));
    let gone = before.difference(after).filter(gone);
    new.chain(lifted.chain(gone).map(|one| format!("no longer {one}"))).collect()
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
    let reads = READING.contains(&tool.split('(').next().unwrap_or(tool));
    set.contains(EVERY_TOOL) && reads || whole.is_some_and(|whole| set.contains(&whole))
}
