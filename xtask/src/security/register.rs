//! The list of the suite in `tests/attacks.toml`.

use crate::mutants::table::{Test, test_sources};
use serde::Deserialize;
use std::{collections::BTreeSet, fs, io, path::Path};

/// The list, below the root of the workspace.
pub(crate) const REGISTER: &str = "tests/attacks.toml";

/// The suite by families of attacks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Register {
    /// Attacks that succeeded against release 0.1.0.
    #[serde(rename = "attack")]
    pub(crate) attacks: Vec<Attack>,
    /// The families.
    #[serde(rename = "group")]
    pub(crate) groups: Vec<Group>,
}

/// One attack that succeeded once.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attack {
    pub(crate) number: usize,
    pub(crate) title: String,
}

/// One family of attacks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) tests: Vec<Entry>,
}

/// One test of the suite.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Entry {
    #[serde(flatten)]
    pub(crate) test: Test,
    /// The test is one attempt and reports no numbers.
    #[serde(default)]
    pub(crate) scene: bool,
    /// The attacks whose return it would notice.
    #[serde(default)]
    pub(crate) attacks: Vec<usize>,
}

impl Entry {
    /// The name of the function, by which the page lists the test.
    pub(crate) fn function(&self) -> &str {
        self.test.name.rsplit("::").next().unwrap_or(&self.test.name)
    }
}

/// Reads the list.
pub(crate) fn read(root: &Path) -> io::Result<Register> {
    let text = fs::read_to_string(root.join(REGISTER))?;
    toml::from_str(&text).map_err(|error| io::Error::other(format!("{REGISTER}: {error}")))
}

impl Register {
    /// The tests of every group, or of one.
    pub(crate) fn entries<'a>(&'a self, only: Option<&'a str>) -> impl Iterator<Item = &'a Entry> {
        let groups = self.groups.iter().filter(move |group| only.is_none_or(|id| group.id == id));
        groups.flat_map(|group| &group.tests)
    }

    /// What is wrong with the list: tests that do not exist, two of one name, attacks without a test.
    pub(crate) fn faults(&self, root: &Path) -> Vec<String> {
        let mut faults = Vec::new();
        let mut names = BTreeSet::new();
        for entry in self.entries(None) {
            if test_sources(root, &entry.test).is_empty() {
                faults.push(format!("{REGISTER}: there is no test {}", entry.test));
            }
            if !names.insert(entry.function()) {
                faults.push(format!("{REGISTER}: two tests are called {}", entry.function()));
            }
        }
        let tested: BTreeSet<usize> = self.entries(None).flat_map(|entry| entry.attacks.clone()).collect();
        let listed: BTreeSet<usize> = self.attacks.iter().map(|attack| attack.number).collect();
        let missing = listed.symmetric_difference(&tested);
        faults.extend(
            missing.map(|number| format!("{REGISTER}: attack {number} has no test, or is not listed")),
        );
        faults
    }
}
