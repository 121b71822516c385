//! The last line of a check: how much was found, and in how much.

use skillful_format::{Diagnostic, Severity};

/// How many findings of each severity there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes.
    pub notes: usize,
}

impl Tally {
    /// Counts findings.
    pub fn of<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Self {
        let mut tally = Self::default();
        for diagnostic in diagnostics {
            *match diagnostic.severity {
                Severity::Error => &mut tally.errors,
                Severity::Warning => &mut tally.warnings,
                Severity::Note => &mut tally.notes,
            } += 1;
        }
        tally
    }
}

/// `3 errors, 2 warnings in 2 of 14 skills`; `found_in` are the skills that have a finding.
///
/// Findings that concern no skill, such as one about a setting, leave `found_in` at 0.
pub fn summary(tally: Tally, found_in: usize, checked: usize) -> String {
    let parts: Vec<String> = [(tally.errors, "error"), (tally.warnings, "warning"), (tally.notes, "note")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| counted(count, name))
        .collect();
    let skills = counted(checked, "skill");
    match (parts.is_empty(), found_in) {
        (true, _) => format!("{skills} checked, nothing to report"),
        (false, 0) => format!("{}; {skills} checked", parts.join(", ")),
        (false, _) => format!("{} in {found_in} of {skills}", parts.join(", ")),
    }
}

fn counted(count: usize, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
