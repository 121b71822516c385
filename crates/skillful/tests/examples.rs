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

/// The text of every source of the library, but for comments and tests beside the code.
fn sources(folder: &std::path::Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") && name != "tests.rs" {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            found.push((path.display().to_string(), lines.collect::<Vec<_>>().join("\n")));
        }
    }
}

#[test]
fn the_library_knows_no_terminal_no_environment_of_the_process_and_no_clock() {
    let mut found = Vec::new();
    sources(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 50, "{}", found.len());
    for (path, code) in found {
        for word in [
            "SystemTime::now",
            "env::var",
            "env::home_dir",
            "env::current_dir",
            "println!",
            "stdin()",
            "stdout()",
            "IsTerminal",
            "clap",
        ] {
            assert!(!code.contains(word), "{path} has `{word}`");
        }
    }
}
