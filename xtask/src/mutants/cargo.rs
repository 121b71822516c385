//! Running one test in the scratch copy.

use super::{scratch::Scratch, table::Test};
use std::{
    fs::File,
    io,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A break may make a test run for ever. Building what it needs takes most of this.
const TIME: Duration = Duration::from_mins(20);

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It failed.
    Failed,
    /// It passed.
    Passed,
    /// It did not end in time.
    Late,
    /// The code does not compile, or the test does not exist.
    NotRun,
}

/// Runs one test.
pub(crate) fn run(scratch: &Scratch, test: &Test) -> io::Result<Verdict> {
    let found = run_all(scratch, &test.package, test.target.as_deref(), &[&test.name])?;
    Ok(found.first().copied().unwrap_or(Verdict::NotRun))
}

/// Runs tests of one target of a package, which is built once. The verdicts are in the order of the names.
pub(crate) fn run_all(
    scratch: &Scratch,
    package: &str,
    target: Option<&str>,
    names: &[&str],
) -> io::Result<Vec<Verdict>> {
    let log = scratch.target().with_extension("log");
    let mut command = Command::new("cargo");
    command.args(["test", "--package", package]);
    match target {
        Some(target) => command.args(["--test", target]),
        None => command.arg("--lib"),
    };
    command
        .args(["--", "--exact"])
        .args(names)
        .current_dir(scratch.tree())
        .env("CARGO_TARGET_DIR", scratch.target())
        .env("CARGO_INCREMENTAL", "1")
        .env("CARGO_TERM_COLOR", "never")
        .env("INSTA_UPDATE", "no")
        .stdin(Stdio::null())
        .stdout(File::create(&log)?)
        .stderr(File::options().append(true).open(&log)?);
    let mut child = command.spawn()?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > TIME {
            child.kill()?;
            child.wait()?;
            return Ok(vec![Verdict::Late; names.len()]);
        }
        thread::sleep(Duration::from_millis(50));
    }
    let printed = std::fs::read(&log)?;
    let printed = String::from_utf8_lossy(&printed);
    Ok(names.iter().map(|name| verdict(&printed, name)).collect())
}

/// Reads what the harness printed about one test. A line of the test itself may come between its name and its result.
pub(crate) fn verdict(printed: &str, name: &str) -> Verdict {
    let start = format!("test {name} ... ");
    let failed = format!("---- {name} stdout ----");
    let mut lines = printed.lines();
    if lines.clone().any(|line| line == failed) {
        Verdict::Failed
    } else if lines.any(|line| line.starts_with(&start)) && printed.contains("\ntest result: ") {
        Verdict::Passed
    } else {
        Verdict::NotRun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_about_a_test_that_ran() {
        let printed = "running 2 tests\ntest a::one ... ok\ntest a::two ... FAILED\n\nfailures:\n\n\
                       ---- a::two stdout ----\npanicked\n\ntest result: FAILED. 1 passed; 1 failed;\n";
        let of = |name| verdict(printed, name);
        assert_eq!(
            [of("a::one"), of("a::two"), of("a::three"), of("one")],
            [Verdict::Passed, Verdict::Failed, Verdict::NotRun, Verdict::NotRun]
        );
        assert_eq!(verdict("error: could not compile\n", "a::one"), Verdict::NotRun);
        assert_eq!(verdict("test a::one ... \nsignal: 6\n", "a::one"), Verdict::NotRun);
    }
}
