#![expect(clippy::print_stderr, reason = "the test reports when this machine has no cgroups")]

use super::{owner::NAME, *};
use std::os::unix::fs::MetadataExt;

#[test]
fn a_cgroup_is_removed_only_if_its_owner_has_ended() {
    let Some(place) = CgroupParents::find().processes else {
        eprintln!("no cgroup can be created here: nothing to test");
        return;
    };
    let space = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let stale = place.folder.join(format!("{NAME}{space}-{}-1-0", u32::MAX));
    let unsupported = place.folder.join(format!("{NAME}{}-{}-1-0", space + 1, u32::MAX));
    let living = place.folder.join(owner::name().unwrap());
    for folder in [&stale, &unsupported, &living] {
        fs::create_dir(folder).unwrap();
    }
    let _found = CgroupParents::find();
    let left = [&stale, &unsupported, &living].map(|folder| folder.exists());
    for folder in [&unsupported, &living] {
        fs::remove_dir(folder).unwrap();
    }
    assert_eq!(left, [false, true, true]);
}

#[test]
fn an_event_is_parsed_from_the_kernel_s_file() {
    let folder = tempfile::tempdir().unwrap();
    let happened = |text: &str| {
        fs::write(folder.path().join("events"), text).unwrap();
        Event { file: file(folder.path(), "events").unwrap(), word: b"oom_kill" }.happened()
    };
    assert!(happened("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"));
    assert!(!happened("oom_kill_disable 1\nunder_oom 1\noom_kill 0\n"));
    assert!(!happened("oom 7\noom_group_kill 3\n") && !happened(""));
}
