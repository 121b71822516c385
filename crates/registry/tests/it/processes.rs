//! Real processes: sixteen at once, and some that are killed with no chance to clean.

use crate::{
    fixture::{skill, small},
    install::{AGENTS, CLAUDE, World, approver},
};
use skillful_format::{Limits, Tree};
use skillful_registry::{
    AtomicWriter, ContentStore,
    atomic_write::{Faults, Step},
    install::{InstallError, Mode, apply, verify},
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
/// What a worker does: put trees into a store, or install the skill of that number.
const INSTALL: &str = "SKILLFUL_TEST_REGISTRY_INSTALL";
const SKILLS: usize = 6;
const PROCESSES: usize = 16;
/// Steps that a process comes further than the one before, until it is killed.
const STRIDE: usize = 2;
/// Plans that a worker makes when others change the lock in between.
const ATTEMPTS: usize = 1_000;

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

fn put_all(root: &Path, writer: AtomicWriter) {
    let contents = ContentStore::open(root, writer).unwrap();
    let trees: Vec<_> = (0..SKILLS).map(|n| skill(&format!("s{n}"), &format!("w{n}"))).collect();
    for tree in &trees {
        contents.lease().unwrap().put(&[tree]).unwrap();
        assert_eq!(&contents.read(&tree.digest()).unwrap(), tree);
    }
}

/// The skills that a process installs: one of its own, and one that all of them install.
fn skills_of(number: usize) -> [(String, Tree); 2] {
    let own = format!("own-{number}");
    [(own.clone(), small(&own, &own)), ("shared".to_owned(), small("shared", "all"))]
}

fn install(root: &Path, number: usize, writer: &AtomicWriter) {
    let world = World::at(root);
    let contents = ContentStore::open(&root.join("contents"), writer.clone()).unwrap();
    let skills = skills_of(number);
    let skills: Vec<(&str, &Tree)> = skills.iter().map(|(name, tree)| (name.as_str(), tree)).collect();
    for (folder, mode) in [(AGENTS, Mode::Copy), (CLAUDE, Mode::Link)] {
        let is_done = (0..ATTEMPTS).any(|_| {
            let plan = world.plan("./lib", &skills, &[folder], mode);
            match apply(&plan, &world.site, &contents, approver(&world.data()), writer) {
                Ok(_) => true,
                // Somebody else was faster; the plan is made again.
                Err(InstallError::LockChanged | InstallError::Refused(_) | InstallError::Edited(_)) => false,
                Err(error) => panic!("{error}"),
            }
        });
        assert!(is_done);
    }
}

/// The tests below start this binary again with a folder to work in.
#[test]
#[ignore = "the other process of the tests below"]
fn worker() {
    let root = PathBuf::from(std::env::var(ROOT).unwrap());
    let writer = match std::env::var(KILL_AT) {
        Ok(at) => AtomicWriter::with_faults(Arc::new(KillSelf(at.parse().unwrap(), AtomicUsize::new(0)))),
        Err(_) => AtomicWriter::default(),
    };
    match std::env::var(INSTALL) {
        Ok(number) => install(&root, number.parse().unwrap(), &writer),
        Err(_) => put_all(&root, writer),
    }
}

fn start(root: &Path, kill_at: Option<usize>, installs: Option<usize>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "processes::worker", "--ignored"])
        .env(ROOT, root)
        .env_remove(KILL_AT)
        .env_remove(INSTALL);
    for (name, value) in [(KILL_AT, kill_at), (INSTALL, installs)] {
        command.envs(value.map(|value| (name, value.to_string())));
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn assert_whole(root: &Path) {
    let contents = ContentStore::open(root, AtomicWriter::default()).unwrap();
    for digest in contents.list().unwrap() {
        contents.read(&digest).unwrap();
    }
}

#[test]
fn sixteen_processes_may_add_the_same_skills_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<Child> = (0..PROCESSES).map(|_| start(folder.path(), None, None)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_whole(folder.path());
    let names = std::fs::read_dir(folder.path().join("packs")).unwrap().count();
    assert_eq!(names, SKILLS, "something staged was left");
}

#[test]
fn sixteen_processes_may_install_into_one_project_at_once_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<Child> =
        (0..PROCESSES).map(|number| start(folder.path(), None, Some(number))).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let world = World::at(folder.path());
    let lock = world.lock();
    assert_eq!(lock.skills.len(), PROCESSES + 1);
    assert!(lock.skills.values().all(|locked| locked.copied.len() == 1 && locked.linked.len() == 1));
    assert_eq!(verify(&lock, &world.site, &world.contents).unwrap(), []);
    assert_whole(&folder.path().join("contents"));
    for (above, skills) in [(".agents", AGENTS), (".claude", CLAUDE)] {
        assert_eq!(std::fs::read_dir(world.path(above)).unwrap().count(), 1, "something staged was left");
        assert_eq!(std::fs::read_dir(world.path(skills)).unwrap().count(), PROCESSES + 1);
    }
}

/// Kills the process at a step further on each time, until one comes to its end; says how many were killed.
fn kill_until_one_ends(stride: usize, run: impl Fn(usize) -> Child) -> usize {
    let killed = (0..).step_by(stride).take_while(|at| !run(*at).wait().unwrap().success());
    killed.count()
}

#[test]
fn a_killed_process_leaves_whole_trees_and_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let clean = || {
        assert_whole(folder.path());
        // The system dropped the lock with the process.
        let contents = ContentStore::open(folder.path(), AtomicWriter::default()).unwrap();
        contents.collect(&std::collections::BTreeSet::new()).unwrap();
    };
    let killed = kill_until_one_ends(STRIDE, |at| {
        clean();
        start(folder.path(), Some(at), None)
    });
    clean();
    assert!(killed >= 10, "only {killed} processes were killed");
}

#[test]
fn an_install_that_is_killed_leaves_old_or_new_and_the_next_one_finishes_it() {
    let folder = tempfile::tempdir().unwrap();
    // Each takes over what the one before left.
    let killed = kill_until_one_ends(STRIDE, |at| start(folder.path(), Some(at), Some(at)));
    assert!(killed >= 20, "only {killed} processes were killed");
    let world = World::at(folder.path());
    for number in (0..killed).map(|n| n * STRIDE) {
        for (name, tree) in skills_of(number) {
            for place in [AGENTS, CLAUDE] {
                let path = world.path(place).join(&name);
                if path.symlink_metadata().is_ok() {
                    let (now, left_out) =
                        skillful_catalog::disk::read_folder(&path, &Limits::default()).unwrap();
                    assert_eq!((now.digest(), left_out), (tree.digest(), Vec::new()), "{}", path.display());
                }
            }
        }
    }
    assert_eq!(verify(&world.lock(), &world.site, &world.contents).unwrap(), []);
    for above in [".agents", ".claude"] {
        assert_eq!(std::fs::read_dir(world.path(above)).unwrap().count(), 1, "something staged was left");
    }
}
