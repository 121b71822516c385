//! The limits on a machine without cgroups. Each test program limits itself, in case the sandbox fails.

use super::*;
use crate::{
    Job, Report,
    linux::{probe::probe, run::run},
};
use skillful_testkit::{require_tool, skip};
use std::sync::LazyLock;

static REPORT: LazyLock<Report> = LazyLock::new(|| probe(true));

/// 126 processes, each gone after fifteen seconds.
const BOMB: &str = "b(){ [ $1 -gt 0 ] || { exec sleep 15; }; b $(($1-1)) & b $(($1-1)) & wait; }; b 6";

/// The tiers that hold here, and none at all.
fn tiers() -> impl Iterator<Item = Tier> {
    let (usable, missing): (Vec<_>, Vec<_>) = REPORT.tiers().iter().partition(|finding| finding.usable);
    for finding in missing {
        skip(&format!("{} is not usable here: {finding:?}", finding.tier));
    }
    usable.into_iter().map(|finding| finding.tier).chain([Tier::None])
}

fn shell(line: &str) -> Job {
    let mut job = Job::new("/bin/sh", "/");
    job.arguments = vec!["-c".into(), line.into()];
    job.limits.time = Some(Duration::from_secs(20));
    job
}

#[test]
fn without_cgroups_the_count_limits_processes() {
    for tier in tiers() {
        let mut job = shell(BOMB);
        job.limits.processes = 24;
        let outcome = run(&job, tier, &CgroupParents::default()).unwrap();
        assert_eq!((outcome.status, outcome.survivors), (Status::TooManyProcesses, 0), "{tier}");
    }
}

#[test]
fn without_cgroups_the_count_limits_memory() {
    // 200 MB in a shell variable take at most 400 MB while it is copied.
    for tier in tiers() {
        let mut job =
            shell("head -c 200000000 /dev/zero | tail -c 200000000 | tail -c 1 >/dev/null; echo all");
        job.limits.memory = 64 << 20;
        let outcome = run(&job, tier, &CgroupParents::default()).unwrap();
        // The kernel's limit on one process may act before the count does.
        let ended = outcome.status == Status::OutOfMemory || outcome.stderr.text().contains("memory");
        assert!(ended, "{tier}: {outcome:?}");
    }
}

#[test]
fn no_cgroup_is_left_behind() {
    for tier in tiers() {
        let (mut started, _ends) = start(
            crate::linux::prepared::prepare(&shell("sleep 20"), tier).unwrap(),
            &Limits::default(),
            REPORT.parents(),
            None,
        )
        .unwrap();
        let folders = started.group.as_ref().map_or_else(Vec::new, |group| group.folders().to_vec());
        if folders.is_empty() {
            skip("no cgroup can be created here");
            return;
        }
        assert!(folders.iter().all(|folder| folder.exists()), "{tier}: {folders:?}");
        started.stop_tree();
        assert_eq!(started.finish().unwrap().status, Status::Stopped, "{tier}");
        assert!(folders.iter().all(|folder| !folder.exists()), "{tier}: {folders:?}");
    }
}

/// The program itself in every case; its children where a cgroup or a PID namespace contains them.
#[test]
fn a_killed_supervisor_kills_its_program() {
    for tier in tiers() {
        let (mut started, ends) = start(
            crate::linux::prepared::prepare(&shell("echo up; exec sleep 120"), tier).unwrap(),
            &Limits::default(),
            REPORT.parents(),
            None,
        )
        .unwrap();
        let (mut up, mut stdout) = ([0; 3], ends.stdout.unwrap());
        stdout.read_exact(&mut up).unwrap();
        started.supervisor.kill().unwrap();
        assert!(matches!(started.finish(), Err(SandboxError::Lost)), "{tier}");
        // The stream ends when the last process that could write has ended.
        let mut said = String::new();
        stdout.read_to_string(&mut said).unwrap();
        assert_eq!(said, "");
        assert!(started.since.elapsed() < Duration::from_secs(100), "{tier}");
    }
}

/// Forks and exits at once, over and over, for at most three seconds, so that each process is gone before it
/// is counted.
const FLEEING: &str =
    "import os,time\nt=time.time()\nwhile time.time()-t<3:\n  if os.fork(): os._exit(0)\n  os.setsid()";

#[test]
fn without_cgroups_a_process_that_forks_and_exits_is_killed() {
    require_tool!("/usr/bin/python3");
    for tier in tiers() {
        let mut job = Job::new("/usr/bin/python3", "/");
        job.arguments = vec!["-S".into(), "-c".into(), FLEEING.into()];
        job.limits.time = Some(Duration::from_millis(300));
        let outcome = run(&job, tier, &CgroupParents::default()).unwrap();
        assert_eq!(outcome.survivors, 0, "{tier}");
        assert!(outcome.took < Duration::from_mins(1), "{tier}: {outcome:?}");
    }
}
