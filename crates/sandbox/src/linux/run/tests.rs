use super::*;
use crate::linux::{filter::Needs, landlock, prepared::ruled, view::View};
use skillful_testkit::skip;

/// Like on a kernel that does not confine signals: then all signals to other processes are denied.
#[test]
fn without_scopes_signals_are_denied_and_programs_still_run() {
    if !landlock::version().is_ok_and(|version| version >= landlock::LEAST) {
        skip("the kernel has no Landlock that is new enough");
        return;
    }
    let mut victim = std::process::Command::new("/bin/sleep").arg("30").spawn().unwrap();
    let mut job = Job::new("/bin/sh", "/");
    let line = format!("kill -9 {} 2>/dev/null || echo refused", victim.id());
    job.arguments = vec!["-c".into(), line.into()];
    let view = View::of(&job, Tier::Bubblewrap).unwrap();
    let needs = Needs { network: job.network, hidden: false, sockets: false, signals_kept: false };
    let outcome = execute(&job, ruled(&job, &view, needs).unwrap(), &CgroupParents::default(), None).unwrap();
    let alive = victim.try_wait().unwrap().is_none();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert_eq!(outcome.stdout.text(), "refused\n");
    assert!(alive);
}

#[test]
fn a_stopped_job_is_killed_and_its_output_returned() {
    use std::cell::Cell;
    let mut job = Job::new("/bin/sh", "/");
    job.arguments = vec!["-c".into(), "echo begun; sleep 300".into()];
    job.limits.time = Some(Duration::from_mins(5));
    let asked = Cell::new(0);
    // Late enough for a slow machine to have printed something.
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 20
    };
    let outcome = run_until(&job, Tier::None, &CgroupParents::default(), &stop).unwrap();
    assert_eq!(outcome.status, Status::Stopped);
    assert!(outcome.took < Duration::from_mins(4));
    assert!(matches!(&*outcome.stdout.text(), "begun\n" | ""));
}
