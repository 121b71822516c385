//! The attack suite: each of its tests reports how many attempts it made and what became of them.
//!
//! `docs/security.md` has these numbers, so that a test fails when it makes other attempts than the page says.
//! `cargo xtask security` sets `SKILLFUL_ATTEMPTS` to a folder; the numbers are written there instead, one file per
//! test, and the command writes the page from them.

use std::{env, fs, path::Path};

/// Names the folder that gets the numbers.
const FOLDER: &str = "SKILLFUL_ATTEMPTS";
/// The page, from the folder of this crate.
const PAGE: &str = "../../docs/security.md";

/// What a test of the attack suite tried.
#[derive(Clone, Copy, Debug)]
#[must_use = "the numbers count when they are reported"]
pub struct Attempts<'a> {
    test: &'a str,
    refused: usize,
    passed: usize,
    honest: usize,
}

impl<'a> Attempts<'a> {
    /// The attempts of a test, by the name of its function.
    pub const fn of(test: &'a str) -> Self {
        Self { test, refused: 0, passed: 0, honest: 0 }
    }

    /// Attempts that were refused or had no effect.
    pub const fn refused(mut self, count: usize) -> Self {
        self.refused = count;
        self
    }

    /// Attempts that are known to succeed.
    pub const fn passed(mut self, count: usize) -> Self {
        self.passed = count;
        self
    }

    /// Honest uses beside the attempts, which worked.
    pub const fn honest(mut self, count: usize) -> Self {
        self.honest = count;
        self
    }

    /// Compares the numbers with the page, or writes them for it.
    ///
    /// # Panics
    /// When the page has other numbers.
    pub fn report(self) {
        if let Some(folder) = env::var_os(FOLDER) {
            let file = Path::new(&folder).join(self.test);
            let numbers = format!("{} {} {}\n", self.refused, self.passed, self.honest);
            fs::write(file, numbers).expect("the folder of attempts");
            return;
        }
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
        let page = fs::read_to_string(page).expect("docs/security.md");
        let row = self.row();
        assert!(
            page.lines().any(|line| line == row),
            "docs/security.md has another row; run `cargo xtask security`: {row}"
        );
    }

    /// The row of the page.
    fn row(&self) -> String {
        let Self { test, refused, passed, honest } = self;
        format!("| `{test}` | {} | {refused} | {passed} | {honest} |", refused + passed)
    }
}
