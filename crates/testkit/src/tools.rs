//! Programs and features of the machine that a test needs. A test without them says that it is skipped.
//!
//! The test harness of Rust cannot report a test as skipped while it runs: a test that returns early counts as passed.
//! [`skip`] therefore writes to the real standard error, which the harness does not capture. `SKILLFUL_SKIPPED` names a
//! file that gets one line per skipped test. With `SKILLFUL_NO_SKIP=1`, which CI sets, a skipped test fails.

use std::{
    env,
    ffi::OsStr,
    fs::OpenOptions,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    thread,
};

/// A file that every skipped test adds a line to.
const SKIPPED: &str = "SKILLFUL_SKIPPED";
/// Set to `1` where every test must run.
const NO_SKIP: &str = "SKILLFUL_NO_SKIP";

/// Ends the test as skipped unless all of these programs are installed. A name is looked up in `PATH`.
///
/// ```text
/// #[test]
/// fn ssh_keygen_verifies_our_signatures() {
///     require_tool!("ssh-keygen");
///     …
/// }
/// ```
#[macro_export]
macro_rules! require_tool {
    ($($tool:expr),+ $(,)?) => {
        $(if !$crate::has_tool($tool) {
            return;
        })+
    };
}

/// Whether a program is installed. If it is not, the running test is reported as skipped.
#[must_use = "a test goes on only with the program"]
pub fn has_tool(tool: &str) -> bool {
    let found = is_installed(tool, &env::var_os("PATH").unwrap_or_default());
    if !found {
        skip(&format!("{tool} not found"));
    }
    found
}

/// Reports the running test, or a part of it, as skipped.
///
/// # Panics
/// With `SKILLFUL_NO_SKIP=1`.
pub fn skip(reason: &str) {
    let line = line(thread::current().name(), reason);
    assert!(
        env::var_os(NO_SKIP).is_none_or(|value| value != "1"),
        "{line}, and {NO_SKIP}=1 allows no skipped test"
    );
    io::stderr().write_all(line.as_bytes()).expect("standard error");
    if let Some(file) = env::var_os(SKIPPED) {
        let mut file =
            OpenOptions::new().create(true).append(true).open(file).expect("the file of skipped tests");
        file.write_all(line.as_bytes()).expect("the file of skipped tests");
    }
}

/// The harness runs each test in a thread that has the name of the test.
fn line(test: Option<&str>, reason: &str) -> String {
    format!("SKIPPED {}: {reason}\n", test.unwrap_or("(a thread of a test)"))
}

fn is_installed(tool: &str, path: &OsStr) -> bool {
    let is_program = |file: &Path| {
        file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if tool.contains('/') {
        return is_program(Path::new(tool));
    }
    env::split_paths(path).any(|folder| is_program(&folder.join(tool)))
}

#[cfg(test)]
mod tests;
