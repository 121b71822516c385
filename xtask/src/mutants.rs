//! `cargo xtask mutants`: breaks the code on purpose, one break at a time, and expects a named test to fail.
//!
//! `tests/mutations.toml` lists the breaks. A scratch copy of the tree, with a target folder of its own, takes them one
//! after the other, so that neither the working tree nor its build is touched. A break that was caught is not made again
//! until its entry, the broken file or the file of its test changes; `--all` makes every one again. A run writes
//! `docs/mutations.md`; what it did not make stays there as it was.

pub(crate) mod cargo;
mod memory;
mod page;
mod scratch;
pub(crate) mod table;

use cargo::Verdict;
use memory::Memory;
use scratch::Scratch;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
    time::Instant,
};
use table::{Mutation, Test};

const USAGE: &str = "usage: cargo xtask mutants [--all] [--new] [--only ID]";

/// Makes every break, those of one contract with `--only ID`, or those that the page does not have with `--new`.
pub(crate) fn run(root: &Path, arguments: &[String]) -> io::Result<()> {
    let (mut only, mut again, mut is_new) = (None, false, false);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--all" => again = true,
            "--new" => is_new = true,
            "--only" => only = Some(arguments.next().ok_or_else(|| io::Error::other(USAGE))?.as_str()),
            _ => return Err(io::Error::other(USAGE)),
        }
    }
    let listed = table::read(root)?;
    let faults = table::faults(root, &listed);
    if !faults.is_empty() {
        return Err(io::Error::other(faults.join("\n")));
    }
    let page = fs::read_to_string(root.join(page::PAGE)).unwrap_or_default();
    let is_chosen = |one: &Mutation| {
        only.is_none_or(|id| one.contract == id) && !(is_new && page::has_caught(&page, one))
    };
    let chosen: Vec<&Mutation> = listed.iter().filter(|one| is_chosen(one)).collect();
    if chosen.is_empty() {
        return Err(io::Error::other(format!("no such mutation\n{USAGE}")));
    }
    let scratch = Scratch::copy(root)?;
    let mut memory = if again { Memory::empty(root) } else { Memory::load(root)? };
    let open: Vec<&Mutation> = chosen.iter().copied().filter(|one| !memory.has(one)).collect();
    let failing = failing_before(&scratch, &open)?;
    let mut survived = Vec::new();
    for (number, mutation) in open.iter().enumerate() {
        let start = Instant::now();
        let is_usable = !failing.contains(&mutation.test);
        let verdict = if is_usable { broken(&scratch, mutation)? } else { Verdict::NotRun };
        let (count, seconds) = (open.len(), start.elapsed().as_secs());
        let Mutation { contract, breaks, .. } = mutation;
        eprintln!("{}/{count} {contract} {verdict:?} in {seconds} s: {breaks}", number + 1);
        if verdict == Verdict::Failed {
            memory.keep(mutation)?;
        } else {
            survived.push(format!("{verdict:?}: {contract}: {breaks}"));
        }
    }
    let all: Vec<&Mutation> = listed.iter().collect();
    let is_caught = |one: &Mutation| {
        if is_chosen(one) { memory.has(one) } else { page::has_caught(&page, one) }
    };
    fs::write(root.join(page::PAGE), page::markdown(&all, &is_caught))?;
    if survived.is_empty() {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "{} of {} breaks were not caught:\n{}",
        survived.len(),
        chosen.len(),
        survived.join("\n")
    )))
}

/// The tests that fail though nothing is broken; their failure would say nothing.
fn failing_before<'a>(scratch: &Scratch, chosen: &[&'a Mutation]) -> io::Result<BTreeSet<&'a Test>> {
    let mut targets: BTreeMap<(&str, Option<&str>), BTreeSet<&Test>> = BTreeMap::new();
    for Mutation { test, .. } in chosen {
        targets.entry((&test.package, test.target.as_deref())).or_default().insert(test);
    }
    let mut failing = BTreeSet::new();
    for ((package, target), tests) in targets {
        let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
        let verdicts = cargo::run_all(scratch, package, target, &names)?;
        for (test, verdict) in tests.into_iter().zip(verdicts) {
            eprintln!("unbroken: {verdict:?}: {test}");
            if verdict != Verdict::Passed {
                failing.insert(test);
            }
        }
    }
    Ok(failing)
}

fn broken(scratch: &Scratch, mutation: &Mutation) -> io::Result<Verdict> {
    let unbroken = scratch.read(&mutation.file)?;
    scratch.write(&mutation.file, &unbroken.replacen(&mutation.find, &mutation.replace, 1))?;
    let verdict = cargo::run(scratch, &mutation.test);
    scratch.write(&mutation.file, &unbroken)?;
    verdict
}

#[cfg(test)]
mod tests;
