//! Concurrent use: threads, processes, and runtimes that must not be blocked.

use crate::{begin, entry, journal};
use skillful_database::{Database, NewSession};
use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Stdio},
};

/// Passes the data folder and the writer's name to a child process.
pub(crate) const FOLDER: &str = "SKILLFUL_DATABASE_TEST_FOLDER";
const WRITER: &str = "SKILLFUL_DATABASE_TEST_WRITER";
const PROCESSES: u64 = 8;
const THREADS: u64 = 16;
const EACH: u64 = 25;

/// Starts this program again to run one of its tests.
pub(crate) fn again(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--ignored"]).env(FOLDER, folder);
    command
}

fn check(database: &Database, writers: u64) {
    let all = journal(database, "shared");
    assert_eq!(all.len() as u64, writers * EACH);
    let different: BTreeSet<_> = all.iter().map(|entry| &entry.json).collect();
    assert_eq!(different.len(), all.len(), "no duplicates");
    for writer in 0..writers {
        let own: Vec<_> =
            all.iter().filter(|one| one.json.starts_with(&format!("{{\"{writer}\":"))).cloned().collect();
        let wanted: Vec<_> = (0..EACH).map(|number| entry(&writer.to_string(), number)).collect();
        assert_eq!(own, wanted, "the entries of each writer are in order");
    }
    database.verify().unwrap().unwrap();
}

#[test]
fn sixteen_threads_append_without_loss() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    begin(&database, "shared");
    std::thread::scope(|scope| {
        for writer in 0..THREADS {
            let (database, folder) = (&database, folder.path());
            scope.spawn(move || {
                // Half of the writers use a connection of their own.
                let own = (writer % 2 == 0).then(|| Database::open(folder).unwrap());
                for number in 0..EACH {
                    let entry = entry(&writer.to_string(), number);
                    own.as_ref().unwrap_or(database).append("shared", &entry).unwrap();
                }
            });
        }
    });
    check(&database, THREADS);
}

#[test]
fn eight_processes_create_the_file_and_append_without_loss() {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..PROCESSES)
        .map(|writer| {
            again("concurrency::child_process_that_appends", folder.path())
                .env(WRITER, writer.to_string())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    check(&Database::open(folder.path()).unwrap(), PROCESSES);
}

#[test]
#[ignore = "the other process of the test above"]
fn child_process_that_appends() {
    let (folder, writer) = (std::env::var(FOLDER).unwrap(), std::env::var(WRITER).unwrap());
    let database = Database::open(Path::new(&folder)).unwrap();
    let new = NewSession { id: "shared", folder: Path::new("/"), title: "", at: 1, parent: None };
    database.create(new).unwrap();
    for number in 0..EACH {
        database.append("shared", &entry(&writer, number)).unwrap();
    }
}

#[test]
fn a_database_works_and_is_dropped_inside_any_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let one = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let many = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for (runtime, id) in [(one, "one"), (many, "many")] {
        runtime.block_on(async {
            let database = Database::open(folder.path()).unwrap();
            begin(&database, id);
            assert_eq!(database.append(id, &entry("x", 1)), Ok(1));
            drop(database);
        });
    }
}

#[test]
fn a_database_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Database>();
}
