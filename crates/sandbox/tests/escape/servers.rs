//! Long-running jobs: their streams, their end, and the end of their caller.

use super::{Surroundings, benign::in_every_sandbox};
use skillful_sandbox::{Job, Limits, Require, Running, Status, probe, spawn};
use skillful_testkit::{alone, skip};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// For a machine with other things to do.
const PATIENCE: Duration = Duration::from_mins(1);

/// Answers each line until its input ends.
const ECHO: &str = "while read -r line; do echo \"heard $line\"; done; echo bye >&2";

fn server(surroundings: &Surroundings, line: &str) -> Job {
    let job = surroundings.job("/bin/sh", &["-c", line]);
    Job { limits: Limits { time: None, ..job.limits }, ..job }
}

fn say(running: &mut Running, line: &str) -> String {
    writeln!(running.stdin.as_mut().unwrap(), "{line}").unwrap();
    let mut answer = String::new();
    BufReader::new(running.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
    answer
}

#[test]
fn a_running_job_can_be_moved_to_another_thread() {
    fn sent<T: Send + Sync + 'static>() {}
    sent::<Running>();
}

#[test]
fn a_server_answers_and_ends_with_its_input() {
    in_every_sandbox(|tier, report| {
        let surroundings = Surroundings::new();
        let mut running = spawn(&server(&surroundings, ECHO), Require::Exactly(tier), report).unwrap();
        assert_eq!(running.tier(), tier);
        assert_eq!(say(&mut running, "one"), "heard one\n", "{tier}");
        assert_eq!(running.try_wait().unwrap(), None, "{tier}");
        assert_eq!(say(&mut running, "two"), "heard two\n", "{tier}");
        running.stdin = None;
        let ended = running.wait().unwrap();
        assert_eq!((ended.status, ended.survivors), (Status::Exited(0), 0), "{tier}");
        assert_eq!(running.try_wait().unwrap(), Some(ended), "{tier}: the same result again");
        assert_eq!(running.stop().unwrap(), ended, "{tier}: it had ended by itself");
        let mut said = String::new();
        running.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "bye\n", "{tier}");
    });
}

#[test]
fn stopping_a_server_kills_its_whole_tree() {
    in_every_sandbox(|tier, report| {
        let mut surroundings = Surroundings::new();
        let line = "trap '' TERM INT HUP; setsid sleep 6.0$MARK & sleep 6.0$MARK & echo up; sleep 6.0$MARK";
        let mut running = spawn(&server(&surroundings, line), Require::Exactly(tier), report).unwrap();
        let mut up = [0; 3];
        running.stdout.as_mut().unwrap().read_exact(&mut up).unwrap();
        let ended = running.stop().unwrap();
        assert_eq!((ended.status, ended.survivors), (Status::Stopped, 0), "{tier}");
        assert_eq!(surroundings.damage(), Vec::<String>::new(), "{tier}");
    });
}

#[test]
fn a_dropped_server_is_stopped() {
    in_every_sandbox(|tier, report| {
        let mut surroundings = Surroundings::new();
        let line = "sleep 6.0$MARK & echo up; sleep 6.0$MARK";
        let mut running = spawn(&server(&surroundings, line), Require::Exactly(tier), report).unwrap();
        let mut up = [0; 3];
        running.stdout.as_mut().unwrap().read_exact(&mut up).unwrap();
        drop(running);
        assert_eq!(surroundings.damage(), Vec::<String>::new(), "{tier}");
    });
}

#[test]
fn a_server_has_its_limits() {
    in_every_sandbox(|tier, report| {
        let surroundings = Surroundings::new();
        let mut job = server(&surroundings, "sleep 10");
        job.limits.time = Some(Duration::from_millis(300));
        let mut running = spawn(&job, Require::Exactly(tier), report).unwrap();
        assert_eq!(running.wait().unwrap().status, Status::TimedOut, "{tier}");
        let crowd = "for i in 1 2 3 4 5 6 7 8 9; do sleep 4 & done; sleep 4";
        let mut job = server(&surroundings, crowd);
        job.limits.processes = 4;
        let mut running = spawn(&job, Require::Exactly(tier), report).unwrap();
        let status = running.wait_for(PATIENCE).unwrap().unwrap().status;
        assert_eq!(status, Status::TooManyProcesses, "{tier}");
    });
}

/// The caller that is killed: a copy of this program that starts a server in each tier and waits.
#[test]
fn a_killed_caller_leaves_neither_process_nor_cgroup() {
    const MARK: &str = "SANDBOX_TEST_MARK";
    if let Ok(mark) = std::env::var(MARK) {
        let report = probe();
        let mut kept = Vec::new();
        for tier in report.tiers().iter().filter(|finding| finding.usable).map(|finding| finding.tier) {
            let mut job = Job::new("/bin/sh", "/");
            let line = format!("setsid sleep 600.0{mark} & echo up; sleep 600.0{mark}");
            job.arguments = vec!["-c".into(), line.into()];
            let mut running = spawn(&job, Require::Exactly(tier), &report).unwrap();
            let mut up = [0; 3];
            running.stdout.as_mut().unwrap().read_exact(&mut up).unwrap();
            kept.push(running);
        }
        std::io::stderr().write_all(b"READY\n").unwrap();
        // Until it is killed, or its caller is gone.
        let _end = std::io::stdin().read(&mut [0]);
        return;
    }
    if probe().best().is_none() {
        skip("no tier holds here");
        return;
    }
    let mark = std::process::id().to_string();
    let mut caller = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "servers::a_killed_caller_leaves_neither_process_nor_cgroup", "--nocapture"])
        .env(MARK, &mark)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ready =
        BufReader::new(caller.stderr.take().unwrap()).lines().map_while(Result::ok).any(|l| l == "READY");
    caller.kill().unwrap();
    caller.wait().unwrap();
    assert!(ready);
    let word = format!("600.0{mark}");
    let group = format!("-{}-", caller.id());
    let until = Instant::now() + PATIENCE;
    while (sleeps(&word) || grouped(Path::new("/sys/fs/cgroup"), &group, 6)) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!sleeps(&word), "a process was left behind");
    assert!(!grouped(Path::new("/sys/fs/cgroup"), &group, 6), "a group was left behind");
}

fn sleeps(word: &str) -> bool {
    let mut lines =
        fs::read_dir("/proc").unwrap().flatten().filter_map(|e| fs::read(e.path().join("cmdline")).ok());
    lines.any(|line| {
        line.split(|byte| *byte == 0).next_back() == Some(word.as_bytes())
            || line.ends_with(format!("{word}\0").as_bytes())
    })
}

/// Whether one of our cgroups with this text in its name exists below the folder.
fn grouped(folder: &Path, part: &str, depth: usize) -> bool {
    let below = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    below.into_iter().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name.starts_with("skillful-job-") && name.contains(part))
            || (depth > 0 && grouped(&entry.path(), part, depth - 1))
    })
}

#[test]
fn no_zombie_and_no_descriptor_is_left_in_the_caller() {
    if !alone() {
        return;
    }
    let count = || fs::read_dir("/proc/self/fd").unwrap().count();
    in_every_sandbox(|tier, report| {
        let job = Job::new("/bin/true", "/");
        let require = Require::Exactly(tier);
        skillful_sandbox::run(&job, require, report).unwrap();
        let before = count();
        for _ in 0..3 {
            assert!(skillful_sandbox::run(&job, require, report).unwrap().status.success());
            spawn(&job, require, report).unwrap().stop().unwrap();
        }
        assert_eq!(count(), before, "{tier}");
        let none = rustix::process::wait(rustix::process::WaitOptions::NOHANG);
        assert!(none.is_err(), "{tier}: a child is left: {none:?}");
    });
}
