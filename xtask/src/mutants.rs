//! `cargo xtask mutants`: breaks the code on purpose, one break at a time, and expects a named test to fail.
//!
//! `tests/mutations.toml` lists the breaks. A scratch copy of the tree, with a target folder of its own, takes them one
//! after the other, so that neither the working tree nor its build is touched. A full run writes `docs/mutations.md`.

mod cargo;
mod page;
mod scratch;
mod table;

use cargo::Verdict;
use scratch::Scratch;
use std::{collections::BTreeSet, fs, io, path::Path, time::Instant};
use table::{Mutation, Test};

/// Runs every mutation, or those of one contract with `--only ID`.
pub(crate) fn run(root: &Path, arguments: &[String]) -> io::Result<()> {
    let only = match arguments {
        [] => None,
        [option, id] if option == "--only" => Some(id.as_str()),
        _ => return Err(io::Error::other("usage: cargo xtask mutants [--only ID]")),
    };
    let all = table::read(root)?;
    let faults = table::faults(root, &all);
    if !faults.is_empty() {
        return Err(io::Error::other(faults.join("\n")));
    }
    let chosen: Vec<&Mutation> = all.iter().filter(|one| only.is_none_or(|id| one.contract == id)).collect();
    if chosen.is_empty() {
        return Err(io::Error::other(format!("no mutation for {}", only.unwrap_or_default())));
    }
    let scratch = Scratch::copy(root)?;
    let failing = failing_before(&scratch, &chosen)?;
    let mut verdicts = Vec::new();
    for (number, mutation) in chosen.iter().enumerate() {
        let start = Instant::now();
        let is_usable = !failing.contains(&mutation.test);
        let verdict = if is_usable { broken(&scratch, mutation)? } else { Verdict::NotRun };
        eprintln!(
            "{}/{} {} {:?} in {} s: {}",
            number + 1,
            chosen.len(),
            mutation.contract,
            verdict,
            start.elapsed().as_secs(),
            mutation.breaks
        );
        verdicts.push(verdict);
    }
    let survived = chosen.iter().zip(&verdicts).filter(|(_, verdict)| **verdict != Verdict::Failed);
    let survived: Vec<String> =
        survived.map(|(one, verdict)| format!("{verdict:?}: {}: {}", one.contract, one.breaks)).collect();
    if only.is_none() {
        fs::write(root.join(page::PAGE), page::markdown(&chosen, &verdicts))?;
    }
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
    let tests: BTreeSet<&Test> = chosen.iter().map(|mutation| &mutation.test).collect();
    let mut failing = BTreeSet::new();
    for test in tests {
        let verdict = cargo::run(scratch, test)?;
        eprintln!("unbroken: {verdict:?}: {test}");
        if verdict != Verdict::Passed {
            failing.insert(test);
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
