//! The numbers of the suite: of each test, what became of its attempts.

use std::collections::BTreeMap;

/// What became of the attempts of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// They were refused or had no effect.
    pub(crate) refused: usize,
    /// They are known to succeed.
    pub(crate) passed: usize,
    /// Honest uses beside them, which worked.
    pub(crate) honest: usize,
}

impl Count {
    /// All attempts.
    pub(crate) fn attempts(self) -> usize {
        self.refused + self.passed
    }

    /// The sum of counts.
    pub(crate) fn sum(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            refused: sum.refused + one.refused,
            passed: sum.passed + one.passed,
            honest: sum.honest + one.honest,
        })
    }
}

/// Counts by the name of the test function.
pub(crate) type Numbers = BTreeMap<String, Count>;

/// Reads what a test wrote: refused, passed, honest.
pub(crate) fn of_file(text: &str) -> Option<Count> {
    let numbers: Result<Vec<usize>, _> = text.split_whitespace().map(str::parse).collect();
    match numbers.as_deref() {
        Ok([refused, passed, honest]) => Some(Count { refused: *refused, passed: *passed, honest: *honest }),
        _ => None,
    }
}

/// Reads the rows of tests of a page.
pub(crate) fn of_page(page: &str) -> Numbers {
    page.lines()
        .filter_map(|line| {
            let (test, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
            let cells: Vec<&str> = rest.trim_end_matches(" |").split(" | ").collect();
            let [_, refused, passed, honest] = cells[..] else { return None };
            Some((test.to_owned(), of_file(&format!("{refused} {passed} {honest}"))?))
        })
        .collect()
}
