use super::{owner::NAME, *};
use skillful_testkit::skip;
use std::os::unix::fs::MetadataExt;

#[test]
fn a_cgroup_is_removed_only_if_its_owner_has_ended() {
    let Some(place) = CgroupParents::find().processes else {
        skip("no cgroup can be created here");
        return;
    };
    let space = fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let own = std::process::id();
    let stale = place.folder.join(format!("{NAME}{space}-{}-{own}-0", u32::MAX));
    let elsewhere = place.folder.join(format!("{NAME}{}-{}-{own}-0", space + 1, u32::MAX));
    let living = place.folder.join(owner::name().unwrap());
    for folder in [&stale, &elsewhere, &living] {
        fs::create_dir(folder).unwrap();
    }
    let _found = CgroupParents::find();
    let left = [&stale, &elsewhere, &living].map(|folder| folder.exists());
    for folder in [&elsewhere, &living] {
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
