//! Two processes that open one cache folder at once both answer rightly and leave a whole file.

use crate::fixture::{World, answers};
use skillful_catalog::Placement;
use skillful_route::{Freshness, Router};
use std::{env, fs, path::PathBuf, process::Command, thread};

const WORLD: &str = "SKILLFUL_ROUTER_TEST_WORLD";
const ROUNDS: usize = 12;

#[test]
fn two_processes_may_open_at_once() {
    let world = World::new();
    let child = || {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "processes::opens_and_changes_for_another_process", "--ignored", "--nocapture"])
            .env(WORLD, world.path(""))
            .spawn()
            .unwrap()
    };
    let children = [child(), child()];
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    // Whoever came last, the file is whole and the answers are right.
    let (catalog, router, _) = world.open();
    assert_eq!(answers(&catalog, &router), world.expected());
    assert_eq!(world.open().2, Freshness::Reopened);
    assert_eq!(fs::read_dir(world.cache()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
#[ignore = "is the other process of the test above"]
fn opens_and_changes_for_another_process() {
    let Some(folder) = env::var_os(WORLD).map(PathBuf::from) else { return };
    let world = World::at(&folder);
    for round in 0..ROUNDS {
        let mut catalog = world.catalog();
        // Another view of the same library, so that each finds the other's file and changes it.
        let off = round % catalog.entries.len();
        catalog.entries[off].placement = Placement::Invalid;
        let (router, _) = Router::open(&catalog, Some(&world.cache()));
        let (expected, _) = Router::open(&catalog, None);
        assert_eq!(answers(&catalog, &router), answers(&catalog, &expected));
    }
}

#[test]
fn many_threads_may_open_at_once() {
    let world = World::new();
    let expected = world.expected();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let (catalog, router, _) = world.open();
                assert_eq!(answers(&catalog, &router), expected);
            });
        }
    });
    assert_eq!(world.open().2, Freshness::Reopened);
}
