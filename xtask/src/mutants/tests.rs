use super::*;
use std::path::PathBuf;

fn root() -> PathBuf {
    crate::root()
}

#[test]
fn every_mutation_still_fits_the_code_and_names_a_test() {
    let faults = table::faults(&root(), &table::read(&root()).expect("the table"));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_mutation_that_does_not_fit_is_a_fault() {
    let fitting = table::read(&root()).expect("the table").remove(0);
    let faults = |change: &dyn Fn(&mut Mutation)| {
        let mut mutation = fitting.clone();
        change(&mut mutation);
        table::faults(&root(), &[mutation]).join("\n")
    };
    assert_eq!(faults(&|_| {}), "");
    assert!(faults(&|one| one.find = "no such text".to_owned()).contains("occurs 0 times"));
    assert!(faults(&|one| one.find = "\n".to_owned()).contains("times in"));
    assert!(faults(&|one| one.replace.clone_from(&one.find)).contains("changes nothing"));
    assert!(faults(&|one| one.file = "no/such/file.rs".to_owned()).contains("does not exist"));
    // A function that is not a test does not count.
    assert!(faults(&|one| one.test.name = "fixture::skill".to_owned()).contains("has no test"));
}

#[test]
fn every_reason_of_the_gate_is_broken_once() {
    let source = fs::read_to_string(root().join("crates/catalog/src/gate.rs")).expect("the gate");
    let declared = source.split_once("pub enum Reason {").expect("the reasons").1;
    let declared = declared.split_once("\n}\n").expect("their end").0;
    // Variants are indented by one level; their fields by two.
    let is_variant =
        |line: &&str| line.starts_with("    ") && line[4..].starts_with(|c: char| c.is_ascii_uppercase());
    let declared = declared.lines().filter(is_variant);
    let name = |line: &str| line.trim().chars().take_while(char::is_ascii_alphanumeric).collect::<String>();
    let declared: BTreeSet<String> = declared.map(name).collect();
    let broken = table::read(&root()).expect("the table").into_iter().filter_map(|one| one.reason).collect();
    assert!(declared.len() > 10, "{declared:?}");
    assert_eq!(declared, broken);
}

#[test]
fn the_page_has_every_mutation_and_each_was_caught() {
    let listed = table::read(&root()).expect("the table");
    let all: Vec<&Mutation> = listed.iter().collect();
    let page = fs::read_to_string(root().join(page::PAGE)).expect("the page");
    assert_eq!(page, page::markdown(&all, &|_| true), "run `cargo xtask mutants`");
}

#[test]
fn a_page_says_which_breaks_were_caught() {
    let listed = table::read(&root()).expect("the table");
    let [first, second, ..] = listed.as_slice() else { panic!("the table is too short") };
    let page = page::markdown(&[first, second], &|one| std::ptr::eq(one, first));
    assert!(page::has_caught(&page, first) && !page::has_caught(&page, second), "{page}");
    let changed = Mutation { breaks: "Something else.".to_owned(), ..first.clone() };
    assert!(!page::has_caught(&page, &changed));
}

#[test]
fn the_features_page_links_exactly_the_contracts_that_are_broken_on_purpose() {
    let listed = table::read(&root()).expect("the table");
    let broken: BTreeSet<String> = listed.into_iter().map(|one| one.contract).collect();
    let features = fs::read_to_string(root().join("docs/features.md")).expect("the page");
    let linked = features.lines().filter_map(|line| {
        let (id, anchor) = line.strip_prefix("| [")?.split_once("](mutations.md#")?;
        assert!(anchor.starts_with(&format!("{}) ", id.to_lowercase())), "{line}");
        Some(id.to_owned())
    });
    assert_eq!(linked.collect::<BTreeSet<_>>(), broken);
    for number in 1..=11 {
        assert!(broken.contains(&format!("S{number}")), "no break of S{number}");
    }
}
