use super::*;

const V1: &str = "\
30 1 0:26 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
31 1 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
32 1 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
33 1 0:29 / /proc rw - proc proc rw";
const V2: &str = "24 1 0:22 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate";
const PART: &str = "24 1 0:22 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw";

fn folder(mounts: &str, own: &str, controller: &str) -> Option<(String, Version)> {
    find(mounts, own, controller)
        .map(|place| (place.folder.to_string_lossy().trim_end_matches('/').to_owned(), place.version))
}

#[test]
fn a_controller_of_version_1_has_its_own_hierarchy() {
    let own = "8:pids:/\n4:memory:/api/c0\n0::/";
    assert_eq!(folder(V1, own, "pids"), Some(("/sys/fs/cgroup/pids".into(), Version::V1)));
    assert_eq!(folder(V1, own, "memory"), Some(("/sys/fs/cgroup/memory/api/c0".into(), Version::V1)));
}

#[test]
fn version_2_has_one_hierarchy_for_all_controllers() {
    let own = "0::/user.slice/user-1000.slice/app.scope";
    let expected = ("/sys/fs/cgroup/user.slice/user-1000.slice/app.scope".into(), Version::V2);
    assert_eq!(folder(V2, own, "pids"), Some(expected));
}

#[test]
fn a_partial_mount_shows_only_the_cgroups_in_it() {
    assert_eq!(folder(PART, "0::/docker/abc/x", "pids"), Some(("/sys/fs/cgroup/x".into(), Version::V2)));
    assert_eq!(folder(PART, "0::/docker/other", "pids"), None);
    assert_eq!(folder(V2, "0::/../outside", "pids"), None);
}

#[test]
fn other_mount_lines_are_ignored() {
    assert_eq!(folder("", "", "pids"), None);
    assert_eq!(folder("no mount at all\n1 2 3 - cgroup", "::\n0", "pids"), None);
}
