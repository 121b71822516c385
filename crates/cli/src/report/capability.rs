//! Capabilities as text, from their views.

use crate::output::{columns, harmless, wrapped};
use skillful::views::CapabilityView;

/// The column of what a skill can do, and the column of the notes.
const WHAT: usize = 26;

/// One line: kind, what, when, where. `label` is the column of the kinds.
pub(crate) fn line(one: &CapabilityView, label: usize, width: usize) -> String {
    let kind = format!("  {:<label$}", one.kind);
    let note = one.note.iter().chain(&one.place).map(|part| harmless(part)).collect::<Vec<_>>().join("  ");
    let what = harmless(&one.what);
    let gap = " ".repeat(WHAT.saturating_sub(columns(&what)).max(2));
    let line = if note.is_empty() { format!("{kind}{what}") } else { format!("{kind}{what}{gap}{note}") };
    wrapped(&line, width, &" ".repeat(label + 2))
}

/// Everything that a skill can do, one line each.
pub(crate) fn lines(can: &[CapabilityView], label: usize, width: usize) -> String {
    can.iter().map(|one| line(one, label, width)).collect()
}

/// Everything that a skill can do, in one line: `every tool; hook scripts/guard.sh`.
pub(crate) fn words(can: &[CapabilityView]) -> String {
    if can.is_empty() {
        return "nothing beyond its instructions".to_owned();
    }
    can.iter().map(|one| harmless(&one.phrase())).collect::<Vec<_>>().join("; ")
}
