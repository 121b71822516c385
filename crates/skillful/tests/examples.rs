//! The examples of the README run on a machine with nothing configured.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{path::PathBuf, process::Command};

/// The built example; `cargo test` builds examples before it runs tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples").join(name)
}

fn run(name: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(example(name))
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn embed_prints_the_menu_activates_a_skill_and_reports_a_missing_one() {
    let text = run("embed");
    assert!(text.contains("skill-creator") && text.contains("<available_skills>"), "{text}");
    assert!(text.contains("ARGUMENTS: release notes"), "{text}");
    assert!(text.contains("no skill named `no-such-skill`"), "{text}");
}

#[test]
fn embed_is_at_most_twenty_lines_of_code() {
    let source = include_str!("../examples/embed.rs");
    let code = source.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//"));
    assert!(code.count() <= 20);
    let readme = include_str!("../../../README.md");
    let program = source.split_once("\n\n").unwrap().1;
    assert!(readme.contains(program.trim_end()), "the README shows examples/embed.rs");
}

#[test]
fn a_loop_of_ones_own_loads_skills_by_name() {
    let text = run("own_loop");
    assert_eq!(text, "I read 2 texts.\nI read 2 texts.\n");
}
