//! The escape suite: a table of attempts, each run in every usable tier. None may succeed. A control test
//! shows that the attempts marked `real` succeed without a sandbox.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod attempts;
mod benign;
mod hidden;
mod replaced;
mod servers;
mod sockets;
mod surroundings;

use attempts::{ATTEMPTS, Attempt, End, Language};
use skillful_sandbox::{Enforcement, Outcome, Report, Require, SandboxError, Status, Tier, probe, run};
use skillful_testkit::{Attempts, has_tool, skip};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};
use surroundings::{OUTPUT, SECRET, Surroundings};

const PYTHON: &str = "/usr/bin/python3";
const ESCAPED: &str = "ESCAPED";
const TRIED: &str = "TRIED";
const WORKERS: usize = 2;
const LATE: Duration = Duration::from_millis(700);
/// Limit on processes for a job that starts about 150.
const CROWD: usize = 24;
/// Limit on memory for a job that uses about 500 MB.
const FILL: u64 = 128 << 20;
/// For a machine with other things to do.
const SLACK: Duration = Duration::from_secs(45);

const SHELL_FRAME: &str = "esc() { echo ESCAPED; }; (eval \"$0\") 2>&1; echo TRIED";
const PYTHON_FRAME: &str = r"
import os, sys, ctypes, errno, socket, platform, struct, signal, resource, stat, time
libc = ctypes.CDLL(None, use_errno=True)
X = platform.machine() == 'x86_64'
E = os.environ
def sysc(x86, arm, *words):
    return libc.syscall(ctypes.c_long(x86 if X else arm), *words)
def esc(*why): print('ESCAPED', *why, flush=True)
def stop(): raise OSError('not here')
def ok(f, *words):
    try: f(*words); return True
    except (OSError, ValueError): return False
try: exec(sys.argv[1])
except (OSError, MemoryError) as e: print(e)
print('TRIED')
";

fn try_out(
    surroundings: &Surroundings,
    attempt: &Attempt,
    tier: Tier,
    report: &Report,
) -> Result<Outcome, SandboxError> {
    let mut job = match attempt.language {
        Language::Shell => surroundings.job("/bin/sh", &["-c", SHELL_FRAME, attempt.code]),
        Language::Python => surroundings.job(PYTHON, &["-S", "-B", "-c", PYTHON_FRAME, attempt.code]),
    };
    match attempt.end {
        End::Late => job.limits.time = Some(LATE),
        End::Crowded => job.limits.processes = CROWD,
        End::Hungry => job.limits.memory = FILL,
        End::Tried | End::Any => {}
    }
    run(&job, Require::Exactly(tier), report)
}

/// Why this attempt counts as an escape, if it does.
fn escapes(outcome: &Outcome, surroundings: &mut Surroundings) -> Vec<String> {
    let said = format!("{}{}", outcome.stdout.text(), outcome.stderr.text());
    let mut why = surroundings.damage();
    why.extend(said.contains(ESCAPED).then(|| said.trim().to_owned()));
    why.extend(said.contains(SECRET).then(|| "the job printed the secret".to_owned()));
    why.extend((outcome.survivors > 0).then(|| "a process survived".to_owned()));
    let long = outcome.stdout.bytes.len() > OUTPUT || outcome.stderr.bytes.len() > OUTPUT;
    why.extend(long.then(|| "too much output was captured".to_owned()));
    why
}

/// Whether the attempt ended as expected; otherwise it proved nothing.
fn ended(attempt: &Attempt, outcome: &Outcome, report: &Report) -> bool {
    let tried = outcome.stdout.text().contains(TRIED);
    match attempt.end {
        End::Tried => tried && outcome.status == Status::Exited(0),
        End::Late => outcome.status == Status::TimedOut && outcome.took < LATE + SLACK,
        End::Crowded => {
            // `RLIMIT_NPROC` makes the fork fail, and the supervisor does not report that.
            let is_reported = report.enforcement().processes != Enforcement::UserLimit;
            (outcome.status == Status::TooManyProcesses || !is_reported) && outcome.took < SLACK
        }
        End::Hungry => outcome.status == Status::OutOfMemory && outcome.took < SLACK,
        End::Any => true,
    }
}

fn judge(attempt: &Attempt, tier: Tier, report: &Report) -> Vec<String> {
    let mut surroundings = Surroundings::new();
    let outcome = match try_out(&surroundings, attempt, tier, report) {
        Ok(outcome) => outcome,
        Err(error) => return vec![format!("{tier}: {}: did not run: {error}", attempt.name)],
    };
    let mut why = escapes(&outcome, &mut surroundings);
    if tier == Tier::None {
        let harmless = why.is_empty().then(|| format!("{outcome:?}"));
        return harmless
            .map(|o| format!("{}: harmless without a sandbox: {o}", attempt.name))
            .into_iter()
            .collect();
    }
    if !ended(attempt, &outcome, report) {
        let (status, took) = (outcome.status, outcome.took);
        why.push(format!(
            "ended by {status:?} after {took:?}: {} {}",
            outcome.stdout.text().trim(),
            outcome.stderr.text().trim()
        ));
    }
    why.into_iter().map(|why| format!("{tier}: {}: {why}", attempt.name)).collect()
}

/// Makes the chosen attempts, and reports those of a test that is named.
fn all(tier: Tier, test: Option<&str>, chosen: impl Fn(&Attempt) -> bool) {
    let report = probe();
    if tier != Tier::None && report.choose(Require::Exactly(tier)).is_err() {
        refuses(tier, &report);
        return;
    }
    // Without Python the attempts written in it are left out.
    let python = has_tool(PYTHON);
    let chosen: Vec<_> =
        ATTEMPTS.iter().filter(|a| chosen(a) && (python || a.language == Language::Shell)).collect();
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(attempt) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = judge(attempt, tier, &report);
                    failures.lock().unwrap().extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), chosen.len(), failures.join("\n"));
    if let Some(test) = test.filter(|_| python) {
        Attempts::of(test).refused(chosen.len()).report();
    }
}

/// Reports that a test is skipped in a tier.
fn lacks(tier: Tier, report: &Report) {
    skip(&format!("{tier} is not usable here: {:?}", report.tiers()));
}

/// On a machine without the tier, checks that the job is not run.
fn refuses(tier: Tier, report: &Report) {
    lacks(tier, report);
    let surroundings = Surroundings::new();
    let job = surroundings.job("/bin/sh", &["-c", "echo x > ran"]);
    assert!(matches!(run(&job, Require::Exactly(tier), report), Err(SandboxError::Unavailable { .. })));
    assert!(!job.folder.join("ran").exists());
}

#[test]
fn the_table_is_long_and_its_names_are_unique() {
    let names: std::collections::BTreeSet<_> = ATTEMPTS.iter().map(|attempt| attempt.name).collect();
    assert_eq!(names.len(), ATTEMPTS.len());
    assert!(ATTEMPTS.len() >= 150, "{}", ATTEMPTS.len());
}

#[test]
fn no_attempt_escapes_from_bubblewrap() {
    all(Tier::Bubblewrap, Some("no_attempt_escapes_from_bubblewrap"), |attempt| {
        attempt.only != Some(Tier::Landlock)
    });
}

#[test]
fn no_attempt_escapes_from_landlock() {
    all(Tier::Landlock, Some("no_attempt_escapes_from_landlock"), |attempt| {
        attempt.only != Some(Tier::Bubblewrap)
    });
}

#[test]
fn the_attempts_marked_real_succeed_without_a_sandbox() {
    // In a container that forbids it no program can gain rights, with or without a sandbox.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let forbidden = !status.contains("NoNewPrivs:\t0");
    if forbidden {
        skip("no program can gain rights here");
    }
    all(Tier::None, None, |attempt| {
        attempt.control && !(forbidden && attempt.name == "a program that runs as root")
    });
}
