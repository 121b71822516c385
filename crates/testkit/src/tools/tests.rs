use super::*;
use std::{
    fs,
    process::{Command, Output},
};

const ABSENT: &str = "no-such-tool-of-this-test";
const SKIPS: &str = "tools::tests::needs_a_tool_that_is_not_there";

#[test]
#[ignore = "the other process of the tests below"]
fn needs_a_tool_that_is_not_there() {
    require_tool!("sh", ABSENT);
    panic!("the test went on without its tool");
}

/// Runs the test above in a process of its own.
fn child(variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", SKIPS, "--ignored"]).env_remove(SKIPPED).env_remove(NO_SKIP);
    command.envs(variables.iter().copied()).output().expect("this program runs")
}

#[test]
fn a_test_without_its_tool_says_so_on_standard_error_and_in_the_file() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let file = folder.path().join("skipped");
    let line = format!("SKIPPED {SKIPS}: {ABSENT} not found\n");
    for times in 1..=2 {
        let output = child(&[(SKIPPED, file.to_str().expect("UTF-8"))]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), line);
        assert_eq!(fs::read_to_string(&file).expect("the file"), line.repeat(times));
    }
}

#[test]
fn where_no_test_may_be_skipped_a_missing_tool_is_a_failure() {
    let output = child(&[(NO_SKIP, "1")]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains(&format!("{ABSENT} not found")), "{said}");
}

#[test]
fn a_tool_is_a_program_that_can_be_run() {
    let path = OsStr::new("/bin:/usr/bin");
    assert!(is_installed("sh", path) && is_installed("/bin/sh", OsStr::new("")));
    assert!(!is_installed("sh", OsStr::new("/nowhere")) && !is_installed(ABSENT, path));
    // A folder and a file that is not executable are not programs.
    assert!(!is_installed("bin", OsStr::new("/")) && !is_installed("/etc/passwd", path));
}
