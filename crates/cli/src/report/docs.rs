//! The page `docs/diagnostics.md`, generated from the table of codes.

use skillful_format::Code;
use std::fmt::Write as _;

const HEAD: &str = "\
# Diagnostics

Every message of Skillful about a skill, a package, a folder or a setting has one of these codes. A
code is stable: it is the same in `check`, in JSON and in SARIF, and it is never reused. The table
shows the default severity; a profile may raise or lower it. *Error*: the skill, or a part of it, is
refused. *Warning*: the skill loads, but not in every agent or not as its author intended. *Note*:
information; nothing is lost.

How often each code is right on real skills is measured in [diagnostics-precision.md](diagnostics-precision.md).

This page is generated from `crates/format/src/diagnostic.rs`; a test checks that it is current.

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
