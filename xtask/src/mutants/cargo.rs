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

/// Runs exactly one test.
pub(crate) fn run(scratch: &Scratch, test: &Test) -> io::Result<Verdict> {
    let log = scratch.target().with_extension("log");
    let mut command = Command::new("cargo");
    command.args(["test", "--quiet", "--package", &test.package]);
    match &test.target {
        Some(target) => command.args(["--test", target]),
        None => command.arg("--lib"),
    };
    command
        .args(["--", "--exact", &test.name])
        .current_dir(scratch.tree())
        .env("CARGO_TARGET_DIR", scratch.target())
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
            return Ok(Verdict::Late);
        }
        thread::sleep(Duration::from_millis(50));
    }
    let said = std::fs::read(&log)?;
    Ok(verdict(&String::from_utf8_lossy(&said)))
}

/// Reads the summary of the harness: exactly one test ran, and how.
fn verdict(said: &str) -> Verdict {
    if said.contains("test result: FAILED. 0 passed; 1 failed;") {
        Verdict::Failed
    } else if said.contains("test result: ok. 1 passed; 0 failed;") {
        Verdict::Passed
    } else {
        Verdict::NotRun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_test_that_ran_is_a_verdict() {
        let of = |passed: u8, failed: u8| {
            let word = if failed == 0 { "ok" } else { "FAILED" };
            verdict(&format!("test result: {word}. {passed} passed; {failed} failed; 0 ignored\n"))
        };
        assert_eq!((of(0, 1), of(1, 0)), (Verdict::Failed, Verdict::Passed));
        assert_eq!((of(0, 0), of(2, 0), of(1, 1)), (Verdict::NotRun, Verdict::NotRun, Verdict::NotRun));
        assert_eq!(verdict("error: could not compile"), Verdict::NotRun);
    }
}
