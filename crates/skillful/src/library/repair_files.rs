//! Repairs of skill files that a check can make: a plan with every difference, and its writing.

use super::{Library, LibraryError};
use crate::views::{PathText, SCHEMA};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{
    bounded,
    inspect::{Checked, Read, check_text, folder_name, is_skill_file},
};
use skillful_format::{Code, Diagnostic, Profile, TextEdit, fix, source::FILE_LIMIT};
use std::path::{Path, PathBuf};

/// Rounds in which fixes of fixes are looked for.
const ROUNDS: usize = 4;

/// What a check can repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepairPlan {
    /// The version of this object.
    pub schema: u32,
    /// The files that change.
    pub files: Vec<RepairedFile>,
    /// Whether they were written.
    pub applied: bool,
}

/// One file that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepairedFile {
    /// The file.
    pub path: PathText,
    /// The findings that are repaired, by code.
    pub codes: Vec<String>,
    /// The lines that change, each with its number before the change or after it: `-` removed, `+` added.
    pub difference: Vec<String>,
    #[serde(skip)]
    before: String,
    #[serde(skip)]
    after: String,
}

/// The codes of the findings of a file that have a repair that keeps what the skill means.
pub fn repairable(checked: &Checked, read: Read<'_>) -> Vec<Code> {
    let folder = folder_name(&checked.file).filter(|_| is_skill_file(&checked.file));
    let own = checked.diagnostics.iter().filter(|found| found.path.as_deref() == Some(&checked.file));
    let own: Vec<Diagnostic> = own.map(|found| Diagnostic { path: None, ..found.clone() }).collect();
    let fixes = fix::fixes(read.text, read.document, folder.as_deref(), &own);
    fixes.into_iter().filter(|one| one.automatic).map(|one| one.code).collect()
}

impl Library<'_> {
    /// Plans the repairs of some files. Without `all` only those that keep what a skill means to Skillful; with it also
    /// those that change a name or a text.
    pub fn plan_repairs(files: &[PathBuf], profile: &Profile, all: bool) -> RepairPlan {
        let files = files.iter().filter_map(|file| repaired(file, profile, all));
        RepairPlan { schema: SCHEMA, files: files.collect(), applied: false }
    }

    /// Writes the files of a plan that are still as they were read; all of them or none.
    pub fn apply_repairs(plan: &mut RepairPlan) -> Result<(), LibraryError> {
        for file in &plan.files {
            if read(&file.path).ok().as_ref() != Some(&file.before) {
                let message = format!("`{}` changed while it was planned; nothing was written", file.path);
                return Err(LibraryError::new(message).fix("run the command again"));
            }
        }
        for file in &plan.files {
            bounded::replace(&file.path, file.after.as_bytes(), 0o644, bounded::around(&file.path).as_ref())
                .map_err(LibraryError::io(format!("write `{}`", file.path.display())))?;
        }
        plan.applied = true;
        Ok(())
    }
}

impl RepairPlan {
    /// The plan that writes the files as they were before.
    pub(super) fn reversed(self) -> Self {
        let reverse = |file: RepairedFile| RepairedFile {
            difference: difference(&file.after, &file.before),
            before: file.after,
            after: file.before,
            ..file
        };
        Self { files: self.files.into_iter().map(reverse).collect(), applied: false, ..self }
    }
}

fn read(file: &Path) -> Result<String, bounded::ReadError> {
    bounded::read_text(file, FILE_LIMIT, bounded::around(file).as_ref())
}

fn repaired(file: &Path, profile: &Profile, all: bool) -> Option<RepairedFile> {
    let before = read(file).ok()?;
    let folder = folder_name(file).filter(|_| is_skill_file(file));
    let (mut text, mut codes) = (before.clone(), Vec::new());
    for _ in 0..ROUNDS {
        let (document, found) = check_text(file, &text, profile);
        let mut edits: Vec<TextEdit> = Vec::new();
        let fixes = fix::fixes(&text, &document, folder.as_deref(), &found);
        for one in fixes.into_iter().filter(|one| all || one.automatic) {
            let is_free = |edit: &TextEdit| {
                edits
                    .iter()
                    .all(|other| edit.range.end < other.range.start || other.range.end < edit.range.start)
            };
            if one.edits.iter().all(is_free) {
                codes.push(one.code.as_str().to_owned());
                edits.extend(one.edits);
            }
        }
        match fix::apply(&text, &edits) {
            Some(next) if next != text => text = next,
            _ => break,
        }
    }
    (text != before).then(|| {
        codes.sort();
        codes.dedup();
        RepairedFile { path: file.into(), codes, difference: difference(&before, &text), before, after: text }
    })
}

/// The lines that two texts do not share, by the longest part that they have in common.
fn difference(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let most = old.len().min(new.len()) - start;
    let end =
        old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let mut lines = Vec::new();
    let (mut at, mut to) = (0, 0);
    while at < old.len() || to < new.len() {
        match (old.get(at), new.get(to)) {
            (Some(one), Some(other)) if one == other => (at, to) = (at + 1, to + 1),
            (Some(one), _) if !new[to..].contains(one) => {
                lines.push(format!("{:>4} - {one}", start + at + 1));
                at += 1;
            }
            (_, Some(other)) => {
                lines.push(format!("{:>4} + {other}", start + to + 1));
                to += 1;
            }
            (Some(one), None) => {
                lines.push(format!("{:>4} - {one}", start + at + 1));
                at += 1;
            }
            (None, None) => break,
        }
    }
    lines
}
