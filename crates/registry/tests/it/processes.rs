//! Real processes: sixteen at once, and some that are killed with no chance to clean.

use crate::fixture::skill;
use skillful_registry::{
    Contents, Hand,
    hand::{Faults, Step},
};
use std::{
    io,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

const ROOT: &str = "SKILLFUL_TEST_REGISTRY_ROOT";
const KILL_AT: &str = "SKILLFUL_TEST_REGISTRY_KILL_AT";
const SKILLS: usize = 6;

/// Ends its own process, as nothing can be caught.
struct KillSelf(usize, AtomicUsize);

impl Faults for KillSelf {
    fn reach(&self, _: Step) -> io::Result<()> {
        if self.1.fetch_add(1, Ordering::SeqCst) == self.0 {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)?;
        }
        Ok(())
    }
}

fn put_all(root: &Path, hand: Hand) {
    let contents = Contents::open(root, hand).unwrap();
    let trees: Vec<_> = (0..SKILLS).map(|n| skill(&format!("s{n}"), &format!("w{n}"))).collect();
    for tree in &trees {
        contents.lease().unwrap().put(&[tree]).unwrap();
        assert_eq!(&contents.read(&tree.digest()).unwrap(), tree);
    }
}

/// Does nothing by itself; the tests below start this binary again with a folder to work in.
#[test]
fn worker() {
    let Ok(root) = std::env::var(ROOT) else { return };
    let hand = match std::env::var(KILL_AT) {
        Ok(at) => Hand::with_faults(Arc::new(KillSelf(at.parse().unwrap(), AtomicUsize::new(0)))),
        Err(_) => Hand::default(),
    };
    put_all(&PathBuf::from(root), hand);
}

fn start(root: &Path, kill_at: Option<usize>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "processes::worker"]).env(ROOT, root).env_remove(KILL_AT);
    if let Some(at) = kill_at {
        command.env(KILL_AT, at.to_string());
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn assert_whole(root: &Path) {
    let contents = Contents::open(root, Hand::default()).unwrap();
    for digest in contents.list().unwrap() {
        contents.read(&digest).unwrap();
    }
}

#[test]
fn sixteen_processes_may_add_the_same_skills_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<Child> = (0..16).map(|_| start(folder.path(), None)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_whole(folder.path());
    let names = std::fs::read_dir(folder.path().join("packs")).unwrap().count();
    assert_eq!(names, SKILLS, "something staged was left");
}

#[test]
fn a_killed_process_leaves_whole_trees_and_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    for at in (0..120).step_by(5) {
        let status = start(folder.path(), Some(at)).wait().unwrap();
        assert_whole(folder.path());
        // The system dropped the lock with the process.
        let contents = Contents::open(folder.path(), Hand::default()).unwrap();
        contents.collect(&std::collections::BTreeSet::new()).unwrap();
        assert!(!status.success(), "step {at} was never reached");
    }
}
