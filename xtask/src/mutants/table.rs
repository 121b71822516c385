//! The list of breaks in `tests/mutations.toml`.

use serde::Deserialize;
use std::{fmt, fs, io, path::Path};

/// The list, below the root of the workspace.
pub(crate) const TABLE: &str = "tests/mutations.toml";

/// One deliberate break.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Mutation {
    /// The contract that it breaks, such as `S4`.
    pub(crate) contract: String,
    /// The reason of the gate that it takes away, such as `AdminOnly`.
    pub(crate) reason: Option<String>,
    /// What goes wrong then, in one sentence.
    pub(crate) breaks: String,
    /// The file, below the root of the workspace.
    pub(crate) file: String,
    /// A text that occurs in it exactly once.
    pub(crate) find: String,
    /// What takes its place.
    pub(crate) replace: String,
    /// The test that must fail.
    #[serde(flatten)]
    pub(crate) test: Test,
}

/// One test of the workspace.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Test {
    /// Its package.
    pub(crate) package: String,
    /// The test target; the library without one.
    pub(crate) target: Option<String>,
    /// Its path in the target, such as `gate::each_reason_alone`.
    #[serde(rename = "test")]
    pub(crate) name: String,
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.package, self.name)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    mutation: Vec<Mutation>,
}

/// Reads the list.
pub(crate) fn read(root: &Path) -> io::Result<Vec<Mutation>> {
    let text = fs::read_to_string(root.join(TABLE))?;
    let table: Table =
        toml::from_str(&text).map_err(|error| io::Error::other(format!("{TABLE}: {error}")))?;
    Ok(table.mutation)
}

/// What is wrong with a list: texts that do not occur exactly once, tests that do not exist.
pub(crate) fn faults(root: &Path, mutations: &[Mutation]) -> Vec<String> {
    mutations
        .iter()
        .filter_map(|mutation| {
            let why = fault(root, mutation)?;
            Some(format!("{TABLE}: {} ({}): {why}", mutation.contract, mutation.breaks))
        })
        .collect()
}

fn fault(root: &Path, mutation: &Mutation) -> Option<String> {
    let Ok(text) = fs::read_to_string(root.join(&mutation.file)) else {
        return Some(format!("`{}` does not exist", mutation.file));
    };
    match text.matches(&mutation.find).count() {
        1 if mutation.find == mutation.replace => return Some("`replace` changes nothing".to_owned()),
        1 => {}
        count => return Some(format!("`{}` occurs {count} times in {}", mutation.find, mutation.file)),
    }
    let Test { package, name, .. } = &mutation.test;
    test_sources(root, &mutation.test).is_empty().then(|| format!("{package} has no test `{name}`"))
}

/// The source files of a package that have a test function of this name, below `src` or `tests`.
pub(crate) fn test_sources(root: &Path, test: &Test) -> Vec<String> {
    let package = root.join("crates").join(test.package.trim_start_matches("skillful-"));
    let declared = format!("fn {}(", test.name.rsplit("::").next().unwrap_or(&test.name));
    let all = ["src", "tests"].iter().flat_map(|folder| files(&package.join(folder)));
    all.filter(|text| is_test(text, &declared)).collect()
}

/// Whether an attribute right before a function makes it a test.
fn is_test(text: &str, declared: &str) -> bool {
    let Some(line) = text.find(declared).map(|at| text[..at].rfind('\n').map_or(0, |end| end + 1)) else {
        return false;
    };
    let before = text[..line].lines().rev().map(str::trim);
    let mut attributes = before.take_while(|line| line.starts_with("#[") || line.starts_with("//"));
    attributes.any(|line| line == "#[test]" || line.starts_with("#[tokio::test"))
}

/// The text of every Rust file below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.extend(fs::read_to_string(&path));
        }
    }
    found
}
