//! Two processes that open the same cache folder at the same time both get right results and leave a complete
//! file.

use crate::fixture::{TestWorkspace, answers};
use skillful_catalog::Placement;
use skillful_route::{Freshness, Router};
use std::{env, fs, path::PathBuf, process::Command, thread};

const WORKSPACE: &str = "SKILLFUL_ROUTE_TEST_WORKSPACE";
const ROUNDS: usize = 12;

#[test]
fn two_processes_can_open_the_index_at_once() {
    let workspace = TestWorkspace::new();
    let child = || {
        Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "concurrency::child_process_opens_and_changes_the_index",
                "--ignored",
                "--nocapture",
            ])
            .env(WORKSPACE, workspace.path(""))
            .spawn()
            .unwrap()
    };
    let children = [child(), child()];
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    // Whichever process wrote last, the file is complete and the results are right.
    let (catalog, router, _) = workspace.open();
    assert_eq!(answers(&catalog, &router), workspace.expected());
    assert_eq!(workspace.open().2, Freshness::Reopened);
    assert_eq!(fs::read_dir(workspace.cache()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
#[ignore = "child process of two_processes_can_open_the_index_at_once"]
fn child_process_opens_and_changes_the_index() {
    let folder = PathBuf::from(env::var_os(WORKSPACE).unwrap());
    let workspace = TestWorkspace::at(&folder);
    for round in 0..ROUNDS {
        let mut catalog = workspace.catalog();
        // A different set of skills in each round, so that each process finds and changes the file of the
        // other.
        let off = round % catalog.entries.len();
        catalog.entries[off].placement = Placement::Invalid;
        let (router, _) = Router::open(&catalog, Some(&workspace.cache()));
        let (expected, _) = Router::open(&catalog, None);
        assert_eq!(answers(&catalog, &router), answers(&catalog, &expected));
    }
}

#[test]
fn many_threads_can_open_the_index_at_once() {
    let workspace = TestWorkspace::new();
    let expected = workspace.expected();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let (catalog, router, _) = workspace.open();
                assert_eq!(answers(&catalog, &router), expected);
            });
        }
    });
    assert_eq!(workspace.open().2, Freshness::Reopened);
}
