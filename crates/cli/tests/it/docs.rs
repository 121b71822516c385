//! The pages tell the truth.

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn every_test_named_in_the_table_of_features_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut tests = BTreeSet::new();
    collect(&root.join("crates"), &mut tests);
    assert!(named(&root, "docs/features.md", 4, &tests) > 80);
}

#[test]
fn every_test_named_in_the_table_of_contracts_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut tests = BTreeSet::new();
    collect(&root.join("crates"), &mut tests);
    assert!(named(&root, "docs/contracts.md", 3, &tests) > 80);
}

/// How many tests a column of a page names; each of them exists.
fn named(root: &Path, page: &str, column: usize, tests: &BTreeSet<String>) -> usize {
    let text = fs::read_to_string(root.join(page)).unwrap();
    let mut named = 0;
    for row in text.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        let shown_by = row.split('|').nth(column).unwrap_or_default();
        for name in shown_by.split('`').skip(1).step_by(2) {
            assert!(tests.contains(name), "there is no test `{name}`: {row}");
            named += 1;
        }
    }
    named
}

/// The names of all test functions below a folder.
fn collect(folder: &Path, tests: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, tests);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let names = text.split("fn ").skip(1).filter_map(|rest| rest.split_once('('));
            tests.extend(names.map(|(name, _)| name.to_owned()));
        }
    }
}

#[test]
fn the_shipped_skills_pass_the_specification() {
    let machine = crate::machine();
    let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalog/skills");
    let output = machine.command(["check", "--profile", "spec"]).arg(skills).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
}
