//! Two versions side by side: their files, and what each can do.

use super::{CapabilityRow, Change};
use crate::page::{markdown, marks::Markup, skill::KINDS};
use skillful::side_by_side::{FileComparison, compare, whole};
use skillful_format::Tree;
use skillful_team::judged::{Capability, explain};
use std::collections::BTreeSet;

/// What the engine says about both versions.
pub(super) struct Compared {
    pub(super) files: Vec<FileComparison>,
    pub(super) before: Vec<Capability>,
    pub(super) after: Vec<Capability>,
    /// How many files the new version has.
    pub(super) all: usize,
}

pub(super) fn compared(
    before: &Tree,
    after: &Tree,
    sentences: [&BTreeSet<String>; 2],
    lines: &BTreeSet<(String, usize)>,
    unfolded: &str,
    all_files: bool,
) -> Compared {
    let keep = |path: &str, line: usize| path == unfolded || lines.contains(&(path.to_owned(), line));
    let mut files = compare(before, after, &keep);
    if all_files {
        let known: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
        let same = after.iter().filter(|(path, _)| !known.contains(path.as_str()));
        files.extend(same.map(|(path, file)| whole(path.as_str(), file)));
    } else {
        // A file with a finding or a comment is shown, although it did not change.
        let known: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
        let told: BTreeSet<&String> =
            lines.iter().map(|(path, _)| path).filter(|path| !known.contains(*path)).collect();
        for path in told {
            if let Some(file) = after.get(path) {
                files.push(whole(path, file));
            }
        }
    }
    let [old, new] = sentences;
    Compared {
        files,
        before: if before.skill_file().is_some() { explain(old, Some(before)) } else { Vec::new() },
        after: explain(new, Some(after)),
        all: after.iter().count(),
    }
}

pub(super) fn capability_rows(before: &[Capability], after: &[Capability]) -> Vec<CapabilityRow> {
    let of = |all: &[Capability], kind: &str| -> Vec<String> {
        all.iter().filter(|one| one.kind == kind).map(|one| one.what.clone()).collect()
    };
    let shown = |all: &[String], known: &[String]| {
        if all.is_empty() {
            return Markup("<span class=\"mute\">none</span>".to_owned());
        }
        let one = |what: &String| {
            let text = format!("<code>{}</code>", markdown::visible(what));
            if known.contains(what) { text } else { format!("<mark>{text}</mark>") }
        };
        Markup(all.iter().map(one).collect::<Vec<_>>().join(" "))
    };
    let mut rows: Vec<CapabilityRow> = KINDS
        .iter()
        .filter_map(|(kind, icon, word)| {
            let (old, new) = (of(before, kind), of(after, kind));
            if old.is_empty() && new.is_empty() {
                return None;
            }
            let change = match () {
                () if new.iter().any(|what| !old.contains(what)) => Change::New,
                () if old.iter().any(|what| !new.contains(what)) => Change::Gone,
                () => Change::Same,
            };
            Some(CapabilityRow { icon, word, before: shown(&old, &old), after: shown(&new, &old), change })
        })
        .collect();
    rows.sort_by_key(|row| row.change == Change::Same);
    rows
}
