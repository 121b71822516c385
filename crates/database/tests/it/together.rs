//! Many at once: threads, processes, and runtimes that may not be blocked.

use crate::{begin, entry, journal};
use skillful_database::{NewSession, Store};
use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Stdio},
};

/// Names the data folder and the writer when this program was started to write.
pub(crate) const FOLDER: &str = "SKILLFUL_STORE_TEST_FOLDER";
const WRITER: &str = "SKILLFUL_STORE_TEST_WRITER";
const PROCESSES: u64 = 8;
const THREADS: u64 = 16;
const EACH: u64 = 25;

/// This program again, doing one of its tests.
pub(crate) fn again(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    command
}

fn check(store: &Store, writers: u64) {
    let all = journal(store, "shared");
    assert_eq!(all.len() as u64, writers * EACH);
    let different: BTreeSet<_> = all.iter().map(|entry| &entry.json).collect();
    assert_eq!(different.len(), all.len(), "nothing twice");
    for writer in 0..writers {
        let own: Vec<_> =
            all.iter().filter(|one| one.json.starts_with(&format!("{{\"{writer}\":"))).cloned().collect();
        let wanted: Vec<_> = (0..EACH).map(|number| entry(&writer.to_string(), number)).collect();
        assert_eq!(own, wanted, "each in its order");
    }
    store.verify().unwrap().unwrap();
}

#[test]
fn sixteen_threads_append_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    begin(&store, "shared");
    std::thread::scope(|scope| {
        for writer in 0..THREADS {
            let (store, folder) = (&store, folder.path());
            scope.spawn(move || {
                // Half of them with a connection of their own.
                let own = (writer % 2 == 0).then(|| Store::open(folder).unwrap());
                for number in 0..EACH {
                    let entry = entry(&writer.to_string(), number);
                    own.as_ref().unwrap_or(store).append("shared", &entry).unwrap();
                }
            });
        }
    });
    check(&store, THREADS);
}

#[test]
fn eight_processes_make_the_file_and_append_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..PROCESSES)
        .map(|writer| {
            again("together::a_process_that_appends", folder.path())
                .env(WRITER, writer.to_string())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    check(&Store::open(folder.path()).unwrap(), PROCESSES);
}

/// Does nothing unless it was started by the test above.
#[test]
fn a_process_that_appends() {
    let (Ok(folder), Ok(writer)) = (std::env::var(FOLDER), std::env::var(WRITER)) else { return };
    let store = Store::open(Path::new(&folder)).unwrap();
    let new = NewSession { id: "shared", folder: Path::new("/"), title: "", at: 1, parent: None };
    store.create(new).unwrap();
    for number in 0..EACH {
        store.append("shared", &entry(&writer, number)).unwrap();
    }
}

#[test]
fn a_store_works_within_any_runtime_and_is_dropped_there() {
    let folder = tempfile::tempdir().unwrap();
    let one = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let many = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for (runtime, id) in [(one, "one"), (many, "many")] {
        runtime.block_on(async {
            let store = Store::open(folder.path()).unwrap();
            begin(&store, id);
            assert_eq!(store.append(id, &entry("x", 1)), Ok(1));
            drop(store);
        });
    }
}

#[test]
fn a_store_can_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<Store>();
}
