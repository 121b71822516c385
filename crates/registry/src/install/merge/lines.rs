//! Three versions of a text become one, line by line.
//!
//! Changes that touch each other are one region. A region that only one side changed is that side's; one that
//! both changed must be the same on both. Anything else is a conflict. Installed files get no marks: there a conflict is one of
//! the whole file. A draft gets them, since its author reads it before it counts.

use super::Conflict;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::ops::Range;

/// Bytes of a text that is compared by lines.
pub(crate) const TEXT_LIMIT: usize = 1 << 20;
/// Lines of one.
pub(crate) const LINES_LIMIT: usize = 10_000;

/// The text of a file, when it is one and can be compared by lines.
pub fn comparable(bytes: &[u8]) -> Option<&str> {
    text(bytes).ok()
}

/// A text, when it is one and can be compared.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Conflict> {
    if bytes.contains(&0) {
        return Err(Conflict::NotText);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Conflict::NotText)?;
    if text.len() > TEXT_LIMIT || text.split_inclusive('\n').count() > LINES_LIMIT {
        return Err(Conflict::TooLarge);
    }
    Ok(text)
}

pub(super) fn merge(base: &[u8], mine: &[u8], theirs: &[u8]) -> Result<Vec<u8>, Conflict> {
    let (base, mine, theirs) = (text(base)?, text(mine)?, text(theirs)?);
    let (out, conflicts) = walked(base, mine, theirs);
    if conflicts > 0 { Err(Conflict::Lines) } else { Ok(out.concat().into_bytes()) }
}

/// One text of three for an author who sees it before it counts: where both sides changed the same lines, both stand there
/// between marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedText {
    /// The text.
    pub text: String,
    /// Places with marks.
    pub conflicts: usize,
}

/// The line before the lines of the first side.
pub const MARK_MINE: &str = "<<<<<<< your text\n";
/// The line between the two sides.
pub const MARK_BETWEEN: &str = "=======\n";
/// The line after the lines of the second side.
pub const MARK_THEIRS: &str = ">>>>>>> saved elsewhere\n";

/// Merges three texts and marks what both sides changed differently.
pub fn merge_marked(base: &str, mine: &str, theirs: &str) -> Result<MarkedText, Conflict> {
    for one in [base, mine, theirs] {
        text(one.as_bytes())?;
    }
    let (out, conflicts) = walked(base, mine, theirs);
    Ok(MarkedText { text: out.concat(), conflicts })
}

/// The lines of the merged text, with marks around conflicts, and how many conflicts there are.
fn walked<'a>(base: &'a str, mine: &'a str, theirs: &'a str) -> (Vec<&'a str>, usize) {
    let base: Vec<&str> = base.split_inclusive('\n').collect();
    let mut mine = Version::of(&base, mine);
    let mut theirs = Version::of(&base, theirs);
    let mut out: Vec<&str> = Vec::new();
    let (mut at, mut conflicts) = (0, 0);
    while let Some(start) = [mine.next_change(), theirs.next_change()].into_iter().flatten().min() {
        let mut end = start;
        while mine.reaches(&mut end) || theirs.reaches(&mut end) {}
        out.extend(&base[at..start]);
        let old = &base[start..end];
        let (ours, new) = (mine.take(at, start, end), theirs.take(at, start, end));
        if ours == new || new == old {
            out.extend(ours);
        } else if ours == old {
            out.extend(new);
        } else {
            conflicts += 1;
            for (mark, lines) in [(MARK_MINE, ours), (MARK_BETWEEN, new)] {
                out.push(mark);
                out.extend(lines);
                // The last line of a text may lack its end.
                if lines.last().is_some_and(|line| !line.ends_with('\n')) {
                    out.push("\n");
                }
            }
            out.push(MARK_THEIRS);
        }
        at = end;
    }
    out.extend(&base[at..]);
    (out, conflicts)
}

/// One side's lines, and how far they were walked.
struct Version<'a> {
    lines: Vec<&'a str>,
    changes: Vec<Change>,
    /// The first change that no region reached.
    next: usize,
    /// The line that stands for the base's line up to which was written.
    at: usize,
}

struct Change {
    base: Range<usize>,
    own: Range<usize>,
}

impl<'a> Version<'a> {
    fn of(base: &[&'a str], text: &'a str) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // Only equal lines are certain; what lies between is what changed.
        let ops = capture_diff_slices(Algorithm::Myers, base, &lines);
        let equal = ops.iter().filter(|op| op.tag() == DiffTag::Equal);
        let ends = (base.len()..base.len(), lines.len()..lines.len());
        let mut changes = Vec::new();
        let (mut old, mut own) = (0, 0);
        for (in_base, in_own) in equal.map(|op| (op.old_range(), op.new_range())).chain([ends]) {
            if in_base.start > old || in_own.start > own {
                changes.push(Change { base: old..in_base.start, own: own..in_own.start });
            }
            (old, own) = (in_base.end, in_own.end);
        }
        Self { lines, changes, next: 0, at: 0 }
    }

    fn next_change(&self) -> Option<usize> {
        self.changes.get(self.next).map(|change| change.base.start)
    }

    /// Takes the next change into a region that touches it; returns whether it did.
    fn reaches(&mut self, end: &mut usize) -> bool {
        match self.changes.get(self.next) {
            Some(change) if change.base.start <= *end => {
                *end = change.base.end.max(*end);
                self.next += 1;
                true
            }
            _ => false,
        }
    }

    /// The own lines of the region `start..end` of the base, after everything up to `at` was taken.
    fn take(&mut self, at: usize, start: usize, end: usize) -> &[&'a str] {
        let from = self.at + (start - at);
        // A change of an earlier region ended before this one began.
        let last = self.next.checked_sub(1).map(|last| &self.changes[last]);
        self.at = match last.filter(|last| last.base.end >= start) {
            Some(last) => last.own.end + (end - last.base.end),
            None => from + (end - start),
        };
        &self.lines[from..self.at]
    }
}
