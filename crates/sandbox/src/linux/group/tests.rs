#![expect(clippy::print_stderr, reason = "a machine without groups must be told from one that holds")]

use super::{owner::NAME, *};
use std::os::unix::fs::MetadataExt;

#[test]
fn a_group_of_somebody_gone_is_swept_and_one_of_the_living_is_kept() {
    let Some(place) = Places::find().processes else {
        eprintln!("no group can be made here: nothing to test");
        return;
    };
    let space = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let stale = place.folder.join(format!("{NAME}{space}-{}-1-0", u32::MAX));
    let elsewhere = place.folder.join(format!("{NAME}{}-{}-1-0", space + 1, u32::MAX));
    let living = place.folder.join(owner::name().unwrap());
    for folder in [&stale, &elsewhere, &living] {
        fs::create_dir(folder).unwrap();
    }
    let _found = Places::find();
    let left = [&stale, &elsewhere, &living].map(|folder| folder.exists());
    for folder in [&elsewhere, &living] {
        fs::remove_dir(folder).unwrap();
    }
    assert_eq!(left, [false, true, true]);
}

#[test]
fn an_event_is_read_from_the_kernels_words() {
    let folder = tempfile::tempdir().unwrap();
    let happened = |text: &str| {
        fs::write(folder.path().join("events"), text).unwrap();
        Event { file: file(folder.path(), "events").unwrap(), word: b"oom_kill" }.happened()
    };
    assert!(happened("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"));
    assert!(!happened("oom_kill_disable 1\nunder_oom 1\noom_kill 0\n"));
    assert!(!happened("oom 7\noom_group_kill 3\n") && !happened(""));
}
