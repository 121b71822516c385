//! Two versions of a skill side by side: file by file, row by row, with the words that changed and every character that cannot be
//! seen. Data, not text: pages and terminals draw it.

use crate::visible::{self, Piece};
use schemars::JsonSchema;
use serde::Serialize;
use similar::{Algorithm, ChangeTag, DiffOp, DiffTag, TextDiff};
use skillful_format::{Tree, TreeFile, TreePath};
use skillful_registry::install::{What, comparable};
use std::{collections::BTreeSet, time::Duration};

/// Unchanged lines around a change.
const AROUND: usize = 3;
/// Characters of a line in which changed words are marked.
const WORDS_LIMIT: usize = 2_000;
/// Characters of a line that are shown.
const LINE_LIMIT: usize = 4_000;
/// Longest time for a small difference of one file; after it the difference is larger, but right.
const PATIENCE: Duration = Duration::from_millis(200);

/// One file of two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileComparison {
    /// Its path in the skill.
    pub path: String,
    /// `added`, `removed` or `changed`.
    pub change: FileChange,
    /// Whether it may be executed now, when that changed.
    pub executable: Option<bool>,
    /// Bytes before.
    pub before: usize,
    /// Bytes after.
    pub after: usize,
    /// Lines that are new.
    pub added: usize,
    /// Lines that are gone.
    pub removed: usize,
    /// Characters of the new version that cannot be seen.
    pub invisible: usize,
    /// The rows; absent for files that are not text or too large to be compared by lines.
    pub rows: Option<Vec<DiffRow>>,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileChange {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is another.
    Changed,
}

/// One row of two versions side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiffRow {
    /// Lines that are the same in both and are not shown.
    Gap(usize),
    /// A line on one side or on both.
    Lines {
        /// The line of the old version.
        old: Option<DiffLine>,
        /// The line of the new version.
        new: Option<DiffLine>,
    },
}

/// A line of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffLine {
    /// Its number, from 1.
    pub number: usize,
    /// Whether the other side does not have it.
    pub changed: bool,
    /// What stands in it, in order.
    pub parts: Vec<DiffPart>,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffPart {
    /// What is shown: the text, or the name of a character that cannot be seen.
    pub text: String,
    /// Whether only this side has it.
    pub changed: bool,
    /// What kind of character it names; absent for text.
    pub invisible: Option<String>,
}

impl FileComparison {
    /// The line of the new version that a row shows.
    pub fn shows_line(&self, number: usize) -> bool {
        let is_it = |row: &DiffRow| match row {
            DiffRow::Lines { new: Some(new), .. } => new.number == number,
            _ => false,
        };
        self.rows.iter().flatten().any(is_it)
    }
}

/// Compares two trees; the order is that of the paths, the skill file first. `keep` names lines of the new version that are shown
/// although they are the same in both, such as lines with findings.
pub fn compare(before: &Tree, after: &Tree, keep: &dyn Fn(&str, usize) -> bool) -> Vec<FileComparison> {
    let paths: BTreeSet<&TreePath> = before.iter().chain(after.iter()).map(|(path, _)| path).collect();
    let skill_file = after.skill_file().or_else(|| before.skill_file()).map(|(path, _)| path.to_owned());
    let mut found: Vec<FileComparison> = paths
        .into_iter()
        .filter_map(|path| {
            let (old, new) = (before.get(path.as_str()), after.get(path.as_str()));
            (old != new).then(|| file(path.as_str(), old, new, &|line| keep(path.as_str(), line)))
        })
        .collect();
    found.sort_by_key(|file| Some(&file.path) != skill_file.as_ref());
    found
}

/// Every line of one file of a tree that is not compared: the same rows, nothing changed.
pub fn whole(path: &str, file: &TreeFile) -> FileComparison {
    self::file(path, Some(file), Some(file), &|_| true)
}

fn file(
    path: &str,
    old: Option<&TreeFile>,
    new: Option<&TreeFile>,
    keep: &dyn Fn(usize) -> bool,
) -> FileComparison {
    let what = match (old, new) {
        (None, _) => What::Added,
        (_, None) => What::Removed,
        _ => What::Changed,
    };
    let is = |file: Option<&TreeFile>| file.is_some_and(|file| file.executable);
    let bytes = |file: Option<&TreeFile>| file.map_or(0, |file| file.bytes.len());
    let text = |file: Option<&TreeFile>| match file {
        Some(file) => comparable(&file.bytes).map(str::to_owned),
        None => Some(String::new()),
    };
    let mut compared = FileComparison {
        path: path.to_owned(),
        change: match what {
            What::Added => FileChange::Added,
            What::Removed => FileChange::Removed,
            What::Changed => FileChange::Changed,
        },
        executable: new.is_some().then(|| is(new)).filter(|now| *now != is(old)),
        before: bytes(old),
        after: bytes(new),
        added: 0,
        removed: 0,
        invisible: 0,
        rows: None,
    };
    let (Some(old), Some(new)) = (text(old), text(new)) else { return compared };
    compared.invisible = visible::pieces(&new)
        .iter()
        .map(|piece| if let Piece::Hidden(c) = piece { c.len() } else { 0 })
        .sum();
    // A line ends with a line feed and nothing else, as the audit and the check count lines.
    let (olds, news): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(PATIENCE).diff_slices(&olds, &news);
    let mut rows = Vec::new();
    for op in diff.ops() {
        compared.added += if op.tag() == DiffTag::Equal { 0 } else { op.new_range().len() };
        compared.removed += if op.tag() == DiffTag::Equal { 0 } else { op.old_range().len() };
        put(&mut rows, op, &olds, &news);
    }
    compared.rows = Some(folded(rows, keep));
    compared
}

fn put(rows: &mut Vec<DiffRow>, op: &DiffOp, olds: &[&str], news: &[&str]) {
    let (old, new) = (op.old_range(), op.new_range());
    let is_same = op.tag() == DiffTag::Equal;
    for at in 0..old.len().max(new.len()) {
        let (from, to) = (old.clone().nth(at), new.clone().nth(at));
        let (left, right) = match (from, to) {
            (Some(from), Some(to)) if !is_same => changed_words(olds[from], news[to]),
            (from, to) => {
                let parts = |line: Option<&str>| line.map(|line| parts_of(line, false)).unwrap_or_default();
                (parts(from.map(|at| olds[at])), parts(to.map(|at| news[at])))
            }
        };
        let line = |number: Option<usize>, parts| {
            number.map(|at| DiffLine { number: at + 1, changed: !is_same, parts })
        };
        rows.push(DiffRow::Lines { old: line(from, left), new: line(to, right) });
    }
}

/// Hides unchanged lines that are far from a change.
fn folded(rows: Vec<DiffRow>, keep: &dyn Fn(usize) -> bool) -> Vec<DiffRow> {
    let matters = |row: &DiffRow| match row {
        DiffRow::Gap(_) => false,
        DiffRow::Lines { old, new } => {
            old.as_ref().is_some_and(|line| line.changed)
                || new.as_ref().is_some_and(|line| line.changed || keep(line.number))
        }
    };
    let mut shown = vec![false; rows.len()];
    for (at, row) in rows.iter().enumerate() {
        if matters(row) {
            let from = at.saturating_sub(AROUND);
            let to = (at + AROUND + 1).min(rows.len());
            shown[from..to].fill(true);
        }
    }
    let mut out = Vec::new();
    let mut hidden = 0;
    for (row, is_shown) in rows.into_iter().zip(shown) {
        if is_shown {
            if hidden > 0 {
                out.push(DiffRow::Gap(hidden));
                hidden = 0;
            }
            out.push(row);
        } else {
            hidden += 1;
        }
    }
    if hidden > 0 {
        out.push(DiffRow::Gap(hidden));
    }
    out
}

/// The parts of two lines, with the words that changed.
fn changed_words(old: &str, new: &str) -> (Vec<DiffPart>, Vec<DiffPart>) {
    if old.len() > WORDS_LIMIT || new.len() > WORDS_LIMIT {
        return (parts_of(old, false), parts_of(new, false));
    }
    let diff = TextDiff::configure().timeout(PATIENCE).diff_words(old, new);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => {
                left.extend(parts_of(change.value(), false));
                right.extend(parts_of(change.value(), false));
            }
            ChangeTag::Delete => left.extend(parts_of(change.value(), true)),
            ChangeTag::Insert => right.extend(parts_of(change.value(), true)),
        }
    }
    (joined(left), joined(right))
}

fn joined(parts: Vec<DiffPart>) -> Vec<DiffPart> {
    let mut out: Vec<DiffPart> = Vec::new();
    for part in parts {
        match out.last_mut() {
            Some(last)
                if last.invisible.is_none() && part.invisible.is_none() && last.changed == part.changed =>
            {
                last.text.push_str(&part.text);
            }
            _ => out.push(part),
        }
    }
    out
}

/// The parts of a text. The end of a line is shown only where it is not the usual one.
fn parts_of(line: &str, changed: bool) -> Vec<DiffPart> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let (shown, more) = match line.char_indices().nth(LINE_LIMIT) {
        Some((at, _)) => (&line[..at], line[at..].chars().count()),
        None => (line, 0),
    };
    let plain = |text: String| DiffPart { text, changed, invisible: None };
    let mut parts: Vec<DiffPart> = visible::pieces(shown)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => plain(text.to_owned()),
            Piece::Hidden(characters) => {
                let (text, what) = visible::named_run(&characters);
                DiffPart { text, changed, invisible: Some(what) }
            }
        })
        .collect();
    if more > 0 {
        parts.push(plain(format!(" … {more} more characters")));
    }
    parts
}

#[cfg(test)]
mod tests;
