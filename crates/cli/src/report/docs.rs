//! The page `docs/diagnostics.md`, written from the table of codes so that it cannot fall behind.

use skillful_format::Code;
use std::fmt::Write as _;

const HEAD: &str = "\
# Diagnostics

Everything Skillful has to say about a skill, a package, a folder or a setting carries one of these
codes. A code is stable: it is the same in `check`, in JSON and in SARIF, and it is never used again
for something else. The severity is the usual one; a profile (`--profile`) may raise or lower it. An
*error* means that the skill, or a part of it, is refused; a *warning*, that it loads but not
everywhere or not as its author meant; a *note* is worth knowing, and nothing is lost.

This page is generated from `crates/format/src/diagnostic.rs`; a test holds the two together.

";

/// The page `docs/audit.md`, from the table of rules.
pub fn audit_markdown() -> String {
    skillful_audit::rule::markdown()
}

/// The whole page.
pub fn diagnostics_markdown() -> String {
    let mut page = String::from(HEAD);
    page.push_str("| code | severity | meaning |\n|---|---|---|\n");
    for code in Code::ALL {
        // A bar would end the cell, even between backquotes. Writing to a `String` cannot fail.
        let meaning = code.meaning().replace('|', "\\|");
        let _ = writeln!(page, "| `{code}` | {} | {meaning} |", code.severity());
    }
    page
}

#[cfg(test)]
mod tests;
