//! Speech before selection.

use skillful_runtime::transcribe::{BUDGET, joined, transcribe};
use std::{path::Path, time::Duration};

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script, "sh", "{file}"].map(str::to_owned).to_vec()
}

fn files(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

const PLENTY: Duration = Duration::from_mins(1);

#[test]
fn a_recording_is_written_down_behind_what_was_typed() {
    let found = transcribe(&shell("echo \"heard $1\""), &files(&["a.OGG", "b.txt"]), Path::new("/"), PLENTY);
    assert_eq!(found.len(), 1);
    assert_eq!(joined("Please do ", &found), "Please do\n\nheard a.OGG");
    assert_eq!(joined("  ", &found), "heard a.OGG");
}

#[test]
fn whatever_fails_leaves_the_message_as_it_was() {
    for command in [shell("exit 3"), vec!["/no/such/program".to_owned()], Vec::new(), shell("true")] {
        let found = transcribe(&command, &files(&["a.wav"]), Path::new("/"), PLENTY);
        assert_eq!(joined("Do it ", &found), "Do it ", "{command:?}");
    }
}

#[test]
fn all_recordings_share_one_budget_and_what_exists_is_kept() {
    let script = "case $1 in fast*) echo quick;; *) exec sleep 600;; esac";
    let names = files(&["fast.mp3", "slow.mp3", "late.mp3"]);
    let found = transcribe(&shell(script), &names, Path::new("/"), Duration::from_secs(3));
    assert_eq!(joined("Hi", &found), "Hi\n\nquick");
    assert_eq!(found[1].text, Err("it took too long".to_owned()));
    assert_eq!(found[2].text, Err("there was no time left".to_owned()));
}

#[test]
fn all_recordings_of_a_message_have_900_seconds() {
    assert_eq!(BUDGET.as_secs(), 900);
}

#[test]
fn the_output_of_a_command_that_failed_is_not_used() {
    let found = transcribe(&shell("echo half of it; exit 3"), &files(&["a.wav"]), Path::new("/"), PLENTY);
    assert!(found[0].text.is_err(), "{found:?}");
    assert_eq!(joined("Do it", &found), "Do it");
}
