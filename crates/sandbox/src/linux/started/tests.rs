//! The last line: what holds where no group can be made. Each greedy program is bounded by itself.

use super::*;
use crate::{
    Job, Report,
    linux::{probe::probe, run::run},
};
use std::sync::LazyLock;

static REPORT: LazyLock<Report> = LazyLock::new(|| probe(true));

/// 126 processes, each gone after four seconds.
const BOMB: &str = "b(){ [ $1 -gt 0 ] || { exec sleep 4; }; b $(($1-1)) & b $(($1-1)) & wait; }; b 6";

fn tiers() -> impl Iterator<Item = Tier> {
    let usable = REPORT.findings().iter().filter(|finding| finding.usable).map(|finding| finding.tier);
    usable.chain([Tier::None])
}

fn shell(line: &str) -> Job {
    let mut job = Job::new("/bin/sh", "/");
    job.arguments = vec!["-c".into(), line.into()];
    job.limits.time = Some(Duration::from_secs(20));
    job
}

#[test]
fn without_groups_the_count_ends_a_crowd() {
    for tier in tiers() {
        let mut job = shell(BOMB);
        job.limits.processes = 24;
        let outcome = run(&job, tier, &Places::default()).unwrap();
        assert_eq!((outcome.status, outcome.survivors), (Status::TooManyProcesses, 0), "{tier}");
    }
}

#[test]
fn without_groups_the_count_ends_a_tree_that_fills_memory() {
    // 200 MB in a shell's variable are at most 400 MB while it is copied.
    for tier in tiers() {
        let mut job =
            shell("head -c 200000000 /dev/zero | tail -c 200000000 | tail -c 1 >/dev/null; echo all");
        job.limits.memory = 64 << 20;
        let outcome = run(&job, tier, &Places::default()).unwrap();
        // The kernel's limit on one process may be faster than the count.
        let ended = outcome.status == Status::OutOfMemory || outcome.stderr.text().contains("memory");
        assert!(ended, "{tier}: {outcome:?}");
    }
}

#[test]
fn no_group_is_left_behind() {
    for tier in tiers() {
        let (mut started, _ends) = start(
            crate::linux::ready::ready(&shell("sleep 20"), tier).unwrap(),
            &Limits::default(),
            REPORT.places(),
            None,
        )
        .unwrap();
        let folders = started.group.as_ref().unwrap().folders().to_vec();
        assert!(folders.iter().all(|folder| folder.exists()), "{tier}: {folders:?}");
        started.let_go();
        assert_eq!(started.finish().unwrap().status, Status::Stopped, "{tier}");
        assert!(folders.iter().all(|folder| !folder.exists()), "{tier}: {folders:?}");
    }
}

/// The program itself everywhere; its children where there are groups, or a namespace that ends with it.
#[test]
fn a_killed_supervisor_takes_its_program_along() {
    for tier in tiers() {
        let (mut started, ends) = start(
            crate::linux::ready::ready(&shell("echo up; exec sleep 20"), tier).unwrap(),
            &Limits::default(),
            REPORT.places(),
            None,
        )
        .unwrap();
        let (mut up, mut stdout) = ([0; 3], ends.stdout.unwrap());
        stdout.read_exact(&mut up).unwrap();
        started.supervisor.kill().unwrap();
        assert!(matches!(started.finish(), Err(SandboxError::Lost)), "{tier}");
        // The stream ends when the last process that could write is gone.
        let mut said = String::new();
        stdout.read_to_string(&mut said).unwrap();
        assert_eq!(said, "");
        assert!(started.since.elapsed() < Duration::from_secs(15), "{tier}");
    }
}

/// One process at a time, which forks and is gone before it is looked at; for three seconds at most.
const FLEEING: &str =
    "import os,time\nt=time.time()\nwhile time.time()-t<3:\n  if os.fork(): os._exit(0)\n  os.setsid()";

#[test]
fn without_groups_who_forks_and_leaves_is_caught() {
    if !std::path::Path::new("/usr/bin/python3").exists() {
        return;
    }
    for tier in tiers() {
        let mut job = Job::new("/usr/bin/python3", "/");
        job.arguments = vec!["-S".into(), "-c".into(), FLEEING.into()];
        job.limits.time = Some(Duration::from_millis(300));
        let outcome = run(&job, tier, &Places::default()).unwrap();
        assert_eq!(outcome.survivors, 0, "{tier}");
        assert!(outcome.took < Duration::from_secs(15), "{tier}: {outcome:?}");
    }
}
