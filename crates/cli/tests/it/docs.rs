//! The pages are true: what they name exists.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One row of `docs/features.md`.
struct Feature {
    state: String,
    tests: Vec<String>,
}

/// The features page by the id of the contract.
fn features() -> BTreeMap<String, Feature> {
    let text = fs::read_to_string(root().join("docs/features.md")).unwrap();
    let mut features = BTreeMap::new();
    for row in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| id |")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, id, state, _, shown_by, _] = cells.as_slice() else { panic!("not four cells: {row}") };
        let feature = Feature {
            state: (*state).to_owned(),
            tests: shown_by.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
        };
        assert!(features.insert((*id).to_owned(), feature).is_none(), "a second row: {row}");
    }
    features
}

#[test]
fn files_for_ci_services_are_yaml_and_name_what_is_there() {
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    for file in ["action.yml", ".pre-commit-hooks.yaml", ".github/workflows/release.yml"] {
        // A list cannot be frontmatter, so that it becomes the value of a key.
        let text = read(file);
        let yaml = if text.starts_with('-') {
            format!("hooks:\n{}", text.lines().map(|line| format!("  {line}\n")).collect::<String>())
        } else {
            text
        };
        let text = format!("---\n{yaml}---\n");
        let document = skillful_format::Document::read_text(&text, &skillful_format::Sidecars::default());
        assert_eq!(
            document.soundness,
            skillful_format::Soundness::Sound,
            "{file}: {:?}",
            document.diagnostics
        );
    }
    let (action, script, page) = (read("action.yml"), read("packaging/action.sh"), read("docs/ci.md"));
    for input in ["path", "command", "version", "fail-on", "upload"] {
        assert!(action.contains(&format!("\n  {input}:\n")), "{input}");
        assert!(page.contains(&format!("{input}:")) || page.contains(&format!("`{input}`")), "{input}");
    }
    for variable in
        ["SKILLFUL_PATH", "SKILLFUL_COMMANDS", "SKILLFUL_VERSION", "SKILLFUL_FAIL_ON", "SKILLFUL_SARIF"]
    {
        assert!(action.contains(variable) && script.contains(variable), "{variable}");
    }
    let hooks = read(".pre-commit-hooks.yaml");
    for hook in ["skillful-check", "skillful-audit"] {
        assert!(
            hooks.contains(&format!("- id: {hook}\n")) && page.contains(&format!("- id: {hook}")),
            "{hook}"
        );
    }
}

#[test]
fn every_test_of_the_features_page_exists() {
    let mut tests = BTreeSet::new();
    collect(&root().join("crates"), &mut tests);
    collect(&root().join("xtask/src"), &mut tests);
    let features = features();
    assert!(features.len() > 150, "{}", features.len());
    // What runs tests that are programs of their own.
    let runners: String = [".ci/run", ".github/workflows/release.yml", "CONTRIBUTING.md"]
        .map(|file| fs::read_to_string(root().join(file)).unwrap())
        .concat();
    for (id, feature) in features {
        for name in &feature.tests {
            let is_run = || root().join(name).is_file() && runners.contains(name.as_str());
            assert!(
                tests.contains(name) || name.contains('/') && is_run(),
                "{id}: there is no test `{name}`"
            );
        }
        match feature.state.as_str() {
            "✓" | "part" => assert!(!feature.tests.is_empty(), "{id}: no test shows it"),
            "no" => assert!(feature.tests.is_empty(), "{id}: a test shows what is not there"),
            state => panic!("{id}: `{state}` is not a state"),
        }
    }
}

/// The names of all tests below a folder that run by default.
fn collect(folder: &Path, tests: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, tests);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            tests.extend(test_names(&fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The functions of a source file that an attribute makes a test, unless another one ignores it, and those that the macro
/// `on_both` makes a test for each database.
fn test_names(source: &str) -> Vec<String> {
    let (mut is_test, mut is_ignored) = (false, false);
    let mut names = Vec::new();
    if let Some((_, list)) = source.split_once("\non_both!(") {
        let list = list.split(");").next().unwrap_or_default();
        names.extend(list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
    }
    for line in source.lines().map(str::trim) {
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            (is_test, is_ignored) = (true, false);
        } else if line.starts_with("#[ignore") {
            is_ignored = true;
        } else if let Some((_, rest)) = line.split_once("fn ").filter(|_| is_test) {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            names.extend((!is_ignored).then(|| name.to_owned()));
            is_test = false;
        }
    }
    names
}

#[test]
fn a_test_is_a_function_with_the_attribute_that_is_not_ignored() {
    let source = "#[test]\nfn a() {}\nfn b() {}\n#[tokio::test]\nasync fn c() {}\n#[test]\n#[ignore = \"x\"]\nfn d() {}\n\
                  proptest! {\n    #[test]\n    fn e(x in 0..1) {}\n}\n";
    assert_eq!(test_names(source), ["a", "c", "e"]);
}

#[test]
fn the_shipped_skills_pass_the_specification() {
    let machine = crate::machine();
    let skills = root().join("crates/catalog/skills");
    let output = machine.command(["check", "--profile", "spec"]).arg(skills).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
}
