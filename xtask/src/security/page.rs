//! The tables of `docs/security.md`, which stand between two marks.

use super::{
    numbers::{Count, Numbers},
    register::{Group, Register},
};
use std::{fmt::Write as _, io};

/// The page, below the root of the workspace.
pub(crate) const PAGE: &str = "docs/security.md";
const START: &str = "<!-- written by `cargo xtask security` -->\n";
const END: &str = "<!-- end of what `cargo xtask security` writes -->\n";

/// The page with other tables.
pub(crate) fn replaced(page: &str, tables: &str) -> io::Result<String> {
    let marks = || io::Error::other(format!("{PAGE} lacks the marks of its tables"));
    let (before, rest) = page.split_once(START).ok_or_else(marks)?;
    let (_, after) = rest.split_once(END).ok_or_else(marks)?;
    Ok(format!("{before}{START}{tables}{END}{after}"))
}

/// The three tables: families, the attacks that succeeded once, tests.
pub(crate) fn tables(register: &Register, numbers: &Numbers) -> io::Result<String> {
    let of_group = |group: &Group| {
        let counts: io::Result<Vec<Count>> = group
            .tests
            .iter()
            .map(|entry| {
                let count = numbers.get(entry.function()).copied();
                count.ok_or_else(|| io::Error::other(format!("no numbers of {}", entry.test)))
            })
            .collect();
        counts.map(|counts| Count::sum(counts.into_iter()))
    };
    let groups = register.groups.iter().map(|group| Ok((group, of_group(group)?)));
    let groups: Vec<(&Group, Count)> = groups.collect::<io::Result<_>>()?;
    let all = Count::sum(groups.iter().map(|(_, count)| *count));
    let tests = register.entries(None).count();
    let mut text = format!(
        "\n{} attempts in {tests} tests: {} were refused or had no effect, {} pass and are known. {} honest uses beside them \
         work.\n\n| family | attempts | refused | pass | honest uses |\n|---|---|---|---|---|\n",
        thousands(all.attempts()),
        thousands(all.refused),
        all.passed,
        thousands(all.honest),
    );
    for (group, count) in &groups {
        let Count { refused, passed, honest } = count;
        let _never = writeln!(
            text,
            "| [{}](#{}) | {} | {refused} | {passed} | {honest} |",
            group.title,
            group.id,
            count.attempts()
        );
    }
    text += "\n### The attacks that succeeded against release 0.1.0\n\n| # | attack | tests that would notice it |\n|---|---|---|\n";
    for attack in &register.attacks {
        let tests: Vec<String> = register
            .groups
            .iter()
            .filter_map(|group| {
                let tests = group.tests.iter().filter(|entry| entry.attacks.contains(&attack.number));
                let names: Vec<String> = tests.map(|entry| format!("`{}`", entry.function())).collect();
                (!names.is_empty()).then(|| format!("[{}](#{}): {}", group.id, group.id, names.join(", ")))
            })
            .collect();
        let _never = writeln!(text, "| {} | {} | {} |", attack.number, attack.title, tests.join("; "));
    }
    text += "\n### Tests\n\nA test without a table of attempts counts as one.\n";
    for (group, _) in &groups {
        let _never = writeln!(
            text,
            "\n<a id=\"{}\"></a>{}\n\n| test | attempts | refused | pass | honest uses |\n|---|---|---|---|---|",
            group.id, group.title
        );
        for entry in &group.tests {
            let count = numbers.get(entry.function()).copied().unwrap_or_default();
            let Count { refused, passed, honest } = count;
            let _never = writeln!(
                text,
                "| `{}` | {} | {refused} | {passed} | {honest} |",
                entry.function(),
                count.attempts()
            );
        }
    }
    text.push('\n');
    Ok(text)
}

/// A number with a comma before its last three digits.
fn thousands(number: usize) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}
