//! The page with what every break came to.

use super::table::Mutation;
use std::fmt::Write as _;

/// The page, below the root of the workspace.
pub(crate) const PAGE: &str = "docs/mutations.md";

const INTRODUCTION: &str = "\
# Mutations

Each line is a deliberate break of one contract, made by `cargo xtask mutants` in a copy of the code. The test must pass
before the break and fail after it. `tests/mutations.toml` has the exact text of every break; this page is written by the
command, and a test fails when the two differ. The ids are those of [features.md](features.md).

| contract | broken on purpose | result |
|---|---|---|
";

/// The page for mutations, of which some were caught.
pub(crate) fn markdown(mutations: &[&Mutation], is_caught: &dyn Fn(&Mutation) -> bool) -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut anchored = None;
    for mutation in mutations {
        let id = &mutation.contract;
        let anchor = if anchored.replace(id) == Some(id) {
            String::new()
        } else {
            format!("<a id=\"{}\"></a>", id.to_lowercase())
        };
        let _never = writeln!(page, "| {anchor}{id}{}", rest(mutation, is_caught(mutation)));
    }
    page
}

/// Whether a page says that a break was caught.
pub(crate) fn has_caught(page: &str, mutation: &Mutation) -> bool {
    let rest = format!("{}{}", mutation.contract, rest(mutation, true));
    page.lines().any(|line| line.ends_with(&rest))
}

/// A line behind the contract.
fn rest(mutation: &Mutation, is_caught: bool) -> String {
    let reason = mutation.reason.as_ref().map_or_else(String::new, |reason| format!("`{reason}`: "));
    let caught = if is_caught { "caught by" } else { "NOT caught by" };
    format!(" | {reason}{} | {caught} `{}` |", mutation.breaks, mutation.test.name)
}
