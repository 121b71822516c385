//! The difference of two texts as edits of lines.

use similar::{Algorithm, DiffOp, TextDiff};
use skillful_format::TextEdit;
use std::time::Duration;

/// Longest time for a small difference; after it the difference is larger, but right.
const PATIENCE: Duration = Duration::from_millis(100);

/// The edits that turn one text into the other, in the order of the text.
pub(crate) fn between(old: &str, new: &str) -> Vec<TextEdit> {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(PATIENCE).diff_lines(old, new);
    let starts = |lines: &[&str]| {
        let mut starts = vec![0];
        for line in lines {
            starts.push(starts.last().copied().unwrap_or(0) + line.len());
        }
        starts
    };
    let (olds, news) = (starts(diff.old_slices()), starts(diff.new_slices()));
    let changed = diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    changed
        .map(|op| {
            let (from, to) = (op.old_range(), op.new_range());
            TextEdit {
                range: olds[from.start]..olds[from.end],
                text: new[news[to.start]..news[to.end]].to_owned(),
            }
        })
        .collect()
}
