//! The last line of a check: how much was checked, and how much was found.

use skillful::views::check::CheckSummary;
use std::path::Path;

/// `14 skills checked in 3 folders: 3 errors, 2 warnings in 2 skills`. `short` gives a folder as the user writes it.
pub fn summary(summary: &CheckSummary, short: impl Fn(&Path) -> String) -> String {
    let found: Vec<String> =
        [(summary.errors, "error"), (summary.warnings, "warning"), (summary.notes, "note")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| counted(count, name))
            .collect();
    let place = match summary.folders.as_slice() {
        [folder] => match short(folder).as_str() {
            "." => "this folder".to_owned(),
            folder => folder.to_owned(),
        },
        folders => counted(folders.len(), "folder"),
    };
    let checked = format!("{} checked in {place}", counted(summary.skills, "skill"));
    if found.is_empty() {
        return format!("{checked}, no problems.");
    }
    format!("{checked}: {} in {}", found.join(", "), counted(summary.found_in, "skill"))
}

fn counted(count: usize, name: &str) -> String {
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
