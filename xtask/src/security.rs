//! `cargo xtask security`: runs the attack suite and writes its numbers into `docs/security.md`.
//!
//! `tests/attacks.toml` lists the tests by families of attacks. A test with a table of attempts reports its numbers to a
//! folder (`skillful_testkit::Attempts`); the others are one attempt each. A test that fails or is skipped ends the
//! command, and the page stays as it was.

mod numbers;
mod page;
mod register;

use crate::mutants::{cargo::Verdict, cargo::verdict};
use numbers::{Count, Numbers};
use register::Entry;
use std::{
    collections::BTreeMap,
    fs, io,
    path::Path,
    process::{Command, Stdio},
};

const USAGE: &str = "usage: cargo xtask security [GROUP]";

/// Runs every group, or one; the numbers of the others stay as the page has them.
pub(crate) fn run(root: &Path, arguments: &[String]) -> io::Result<()> {
    let only = match arguments {
        [] => None,
        [group] => Some(group.as_str()),
        _ => return Err(io::Error::other(USAGE)),
    };
    let register = register::read(root)?;
    let faults = register.faults(root);
    if !faults.is_empty() {
        return Err(io::Error::other(faults.join("\n")));
    }
    let chosen: Vec<&Entry> = register.entries(only).collect();
    if chosen.is_empty() {
        return Err(io::Error::other(format!("no group {}", only.unwrap_or_default())));
    }
    let file = root.join(page::PAGE);
    let mut numbers =
        if only.is_some() { numbers::of_page(&fs::read_to_string(&file)?) } else { Numbers::new() };
    attempt(root, &chosen, &mut numbers)?;
    let page = fs::read_to_string(&file)?;
    fs::write(file, page::replaced(&page, &page::tables(&register, &numbers)?)?)
}

/// Runs tests, each target of a package once, and takes their numbers.
fn attempt(root: &Path, chosen: &[&Entry], numbers: &mut Numbers) -> io::Result<()> {
    let folder = root.join("target/attempts");
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let mut targets: BTreeMap<(&str, Option<&str>), Vec<&Entry>> = BTreeMap::new();
    for entry in chosen {
        targets.entry((&entry.test.package, entry.test.target.as_deref())).or_default().push(entry);
    }
    let mut failed = Vec::new();
    for ((package, target), entries) in targets {
        let names: Vec<&str> = entries.iter().map(|entry| entry.test.name.as_str()).collect();
        let printed = printed(root, &folder, package, target, &names)?;
        for entry in entries {
            let found = verdict(&printed, &entry.test.name);
            eprintln!("{found:?}: {}", entry.test);
            let count = (found == Verdict::Passed).then(|| count(&folder, entry)).flatten();
            match count {
                Some(count) => drop(numbers.insert(entry.function().to_owned(), count)),
                None => failed.push(format!("{found:?}, or without numbers: {}", entry.test)),
            }
        }
        if !failed.is_empty() {
            eprintln!("{printed}");
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(io::Error::other(failed.join("\n"))) }
}

/// What the harness printed.
fn printed(
    root: &Path,
    folder: &Path,
    package: &str,
    target: Option<&str>,
    names: &[&str],
) -> io::Result<String> {
    let mut command = Command::new("cargo");
    command.args(["test", "--package", package]);
    match target {
        Some(target) => command.args(["--test", target]),
        None => command.arg("--lib"),
    };
    let output = command
        .args(["--", "--exact"])
        .args(names)
        .current_dir(root)
        .env("SKILLFUL_ATTEMPTS", folder)
        .env("SKILLFUL_NO_SKIP", "1")
        .env("CARGO_TERM_COLOR", "never")
        .env("INSTA_UPDATE", "no")
        .stdin(Stdio::null())
        .output()?;
    Ok(format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

/// What a test that passed reported; one attempt for a test without a table.
fn count(folder: &Path, entry: &Entry) -> Option<Count> {
    if entry.scene {
        return Some(Count { refused: 1, ..Count::default() });
    }
    numbers::of_file(&fs::read_to_string(folder.join(entry.function())).ok()?)
}

#[cfg(test)]
mod tests;
