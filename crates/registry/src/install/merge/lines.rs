//! Three versions of a text become one, line by line.
//!
//! Changes that touch each other are one region. A region that only one side changed is that side's; one that
//! both changed must be the same on both. Anything else is a conflict of the whole file: no marks are left in it.

use super::Conflict;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::ops::Range;

/// Bytes of a text that is compared by lines.
pub(crate) const TEXT_LIMIT: usize = 1 << 20;
/// Lines of one.
pub(crate) const LINES_LIMIT: usize = 10_000;

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
    let base: Vec<&str> = base.split_inclusive('\n').collect();
    let mut mine = Version::of(&base, mine);
    let mut theirs = Version::of(&base, theirs);
    let mut out: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(start) = [mine.next_change(), theirs.next_change()].into_iter().flatten().min() {
        let mut end = start;
        while mine.reaches(&mut end) || theirs.reaches(&mut end) {}
        out.extend(&base[at..start]);
        let old = &base[start..end];
        let (ours, new) = (mine.take(at, start, end), theirs.take(at, start, end));
        out.extend(match () {
            () if ours == new || new == old => ours,
            () if ours == old => new,
            () => return Err(Conflict::Lines),
        });
        at = end;
    }
    out.extend(&base[at..]);
    Ok(out.concat().into_bytes())
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
