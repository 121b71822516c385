//! Problems of skills, with their places.

use super::{DiagnosticView, PathText, SCHEMA};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::inspect::Checked;
use skillful_format::Severity;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckReport {
    /// The version of this object.
    pub schema: u32,
    /// What was checked against: `lenient` or `spec`.
    pub profile: String,
    /// By path.
    pub skills: Vec<CheckedSkill>,
    /// The problems by their code: errors first, then by code.
    pub codes: Vec<CodeCount>,
    /// How much was found.
    pub summary: CheckSummary,
}

/// One checked skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckedSkill {
    /// Its folder.
    pub path: PathText,
    /// Its file.
    pub file: PathText,
    /// Whether it has no error.
    pub ok: bool,
    /// Its problems, by place.
    pub diagnostics: Vec<DiagnosticView>,
}

/// The problems of one code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CodeCount {
    /// The code.
    pub code: String,
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
    /// Skills that have one of them.
    pub skills: usize,
}

/// How much a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckSummary {
    /// Skills that were checked.
    pub skills: usize,
    /// The folders that hold the skills, by path.
    pub folders: Vec<PathText>,
    /// Skills without an error.
    pub accepted: usize,
    /// Skills with an error, a warning or a note.
    pub found_in: usize,
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
}

impl CheckReport {
    /// The report of some skills, each with the views of its diagnostics.
    pub fn new(profile: &str, checked: Vec<(Checked, Vec<DiagnosticView>)>) -> Self {
        let (checked, views): (Vec<Checked>, Vec<Vec<DiagnosticView>>) = checked.into_iter().unzip();
        let text = |path: &Path| PathText::from(path);
        let skill = |(one, diagnostics): (&Checked, Vec<DiagnosticView>)| CheckedSkill {
            path: text(one.file.parent().unwrap_or(&one.file)),
            file: text(&one.file),
            ok: one.is_accepted(),
            diagnostics,
        };
        Self {
            schema: SCHEMA,
            profile: profile.to_owned(),
            skills: checked.iter().zip(views).map(skill).collect(),
            codes: codes(&checked),
            summary: CheckSummary::of(&checked),
        }
    }
}

/// How often each code was reported: errors first, then by code.
pub fn codes(checked: &[Checked]) -> Vec<CodeCount> {
    let mut codes: BTreeMap<&str, CodeCount> = BTreeMap::new();
    for skill in checked {
        let mut seen = BTreeSet::new();
        for one in &skill.diagnostics {
            let code = one.code.as_str();
            let count = codes.entry(code).or_insert_with(|| CodeCount {
                code: code.to_owned(),
                errors: 0,
                warnings: 0,
                notes: 0,
                skills: 0,
            });
            match one.severity {
                Severity::Error => count.errors += 1,
                Severity::Warning => count.warnings += 1,
                Severity::Note => count.notes += 1,
            }
            if seen.insert(code) {
                count.skills += 1;
            }
        }
    }
    let mut codes: Vec<CodeCount> = codes.into_values().collect();
    codes.sort_by_key(|one| std::cmp::Reverse((one.errors > 0, one.warnings > 0)));
    codes
}

impl CheckSummary {
    /// How much was found in some skills.
    pub fn of(checked: &[Checked]) -> Self {
        let count = |severity| {
            let all = checked.iter().flat_map(|one| &one.diagnostics);
            all.filter(|one| one.severity == severity).count()
        };
        let folders: BTreeSet<&Path> =
            checked.iter().filter_map(|one| one.file.parent()?.parent().or(one.file.parent())).collect();
        Self {
            skills: checked.len(),
            folders: folders.into_iter().map(PathText::from).collect(),
            accepted: checked.iter().filter(|one| one.is_accepted()).count(),
            found_in: checked.iter().filter(|one| !one.diagnostics.is_empty()).count(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Note),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillful_format::{Code, Diagnostic};

    #[test]
    fn a_report_counts_the_severity_here_and_not_the_usual_one() {
        let skill =
            |name: &str, diagnostics| Checked { file: format!("/s/{name}/SKILL.md").into(), diagnostics };
        let found = |code| Diagnostic::new(code, "x");
        let checked = [
            skill("a", vec![found(Code::YamlSyntax), found(Code::YamlSyntax).with_severity(Severity::Note)]),
            skill("b", vec![found(Code::NameReserved)]),
        ];
        let report = CheckReport::new("spec", checked.map(|one| (one, Vec::new())).into());
        let summary = &report.summary;
        assert_eq!((summary.errors, summary.warnings, summary.notes), (1, 1, 1));
        assert_eq!((summary.accepted, summary.found_in, summary.folders.len()), (1, 2, 1));
        let codes: Vec<_> = report.codes.iter().map(|one| (one.code.as_str(), one.skills)).collect();
        assert_eq!(codes, [("yaml-syntax", 1), ("name-reserved", 1)]);
    }
}
