//! Which tiers hold here. A canary is run in each: that a program is there, or a kernel new enough, proves
//! nothing where a container or a policy forbids the rest.

use super::{bubblewrap, group::Places, landlock, run, scratch};
use crate::{Finding, Job, Keeper, Keepers, Limits, Report, SandboxError, Status, Tier};
use rustix::process::getuid;
use std::{fs, io, path::Path, time::Duration};

/// A machine where this takes longer is not usable either.
const TIME: Duration = Duration::from_secs(10);

const SECRET: &str = "canary";

/// Why a tier does not hold, and what to do.
struct Lack {
    why: String,
    fix: String,
}

impl Lack {
    fn new(why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { why: why.into(), fix: fix.into() }
    }
}

/// Tries one tier: what holds there, or what it lacks.
type Try = fn(&Places) -> Result<String, Lack>;

/// Tries all tiers, or the strongest ones until one holds.
pub(crate) fn probe(all: bool) -> Report {
    let proc = fs::read_link("/proc/self").ok();
    let tree = proc.is_some_and(|own| own == Path::new(&std::process::id().to_string()));
    scratch::sweep();
    let places = if tree { holding(Places::find()) } else { Places::default() };
    let tiers: [(Tier, Try); 2] = [(Tier::Bubblewrap, with_bubblewrap), (Tier::Landlock, with_landlock)];
    let mut findings: Vec<Finding> = Vec::new();
    for (tier, try_it) in tiers {
        let enough = !all && findings.iter().any(|finding| finding.usable);
        let found = match () {
            () if enough => Err(Lack::new("not tried, since a stronger one holds", "probe all tiers")),
            () if tree => try_it(&places),
            () => Err(Lack::new("/proc does not show this process", "mount proc")),
        };
        findings.push(match found {
            Ok(reason) => Finding::usable(tier, reason),
            Err(lack) => Finding::unusable(tier, lack.why, lack.fix),
        });
    }
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let landlock = landlock::version().ok();
    Report::new(findings, keepers(&places), format!("Linux {}", kernel.trim()), landlock, places)
}

fn keepers(places: &Places) -> Keepers {
    let without = if getuid().is_root() { Keeper::Count } else { Keeper::UserLimit };
    Keepers {
        processes: places.processes().map_or(without, Keeper::Group),
        memory: places.memory().map_or(Keeper::Count, Keeper::Group),
    }
}

/// The same places if a program that wants one process too many is really stopped by them; else none.
fn holding(places: Places) -> Places {
    if places.processes().is_none() && places.memory().is_none() {
        return places;
    }
    let mut job = Job::new("/bin/sh", "/");
    job.arguments = ["-c", "(:) & (:) & wait"].map(Into::into).to_vec();
    job.limits = Limits { time: Some(TIME), processes: 1, ..Limits::default() };
    let stopped = match run(&job, Tier::None, &places) {
        Ok(outcome) => places.processes().is_none() || outcome.status == Status::TooManyProcesses,
        Err(_) => false,
    };
    if stopped { places } else { Places::default() }
}

fn with_bubblewrap(places: &Places) -> Result<String, Lack> {
    let Some(bwrap) = bubblewrap::program() else {
        return Err(Lack::new("bwrap is not installed", "install the package `bubblewrap`, 0.8 or newer"));
    };
    match canary(Tier::Bubblewrap, places) {
        Ok(()) => Ok(format!("{} holds a canary", bwrap.display())),
        Err(why) => Err(Lack::new(format!("{} does not hold: {why}", bwrap.display()), advice(&why))),
    }
}

/// What to do about what bubblewrap said.
fn advice(why: &str) -> &'static str {
    const APPARMOR: &str = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
    match () {
        () if why.contains("Unknown option") => "update `bubblewrap` to 0.8 or newer",
        () if fs::read_to_string(APPARMOR).is_ok_and(|value| value.trim() == "1") => {
            "AppArmor forbids user namespaces: install its profile for bwrap, or set the sysctl kernel.apparmor_restrict_unprivileged_userns to 0"
        }
        () if why.contains("namespace") || why.contains("Operation not permitted") => {
            "user namespaces are forbidden here: allow them (sysctl user.max_user_namespaces above 0; in a container, a seccomp profile that allows unshare and mount)"
        }
        () => "run it by hand to see more",
    }
}

fn with_landlock(places: &Places) -> Result<String, Lack> {
    let version = landlock::version().map_err(|error| match error.raw_os_error() {
        Some(libc::EOPNOTSUPP) => {
            Lack::new("Landlock is switched off", "add `landlock` to `lsm=` on the kernel's command line")
        }
        Some(libc::ENOSYS) => Lack::new("the kernel has no Landlock", "use Linux 6.7 or newer"),
        _ => Lack::new(
            "something here forbids Landlock",
            "in a container, use a seccomp profile that allows it",
        ),
    })?;
    if version < landlock::LEAST {
        let why = format!("Landlock here is version {version}, {} is needed", landlock::LEAST);
        return Err(Lack::new(why, "use Linux 6.7 or newer"));
    }
    canary(Tier::Landlock, places)
        .map_err(|why| Lack::new(format!("Landlock {version} does not hold: {why}"), "use bubblewrap"))?;
    let signals = if version < landlock::SCOPES {
        "; signals are refused, Linux 6.12 would keep them inside"
    } else {
        ""
    };
    Ok(format!("Landlock {version} with seccomp holds a canary{signals}"))
}

/// Runs a program that tries to read a file it was not given.
fn canary(tier: Tier, places: &Places) -> Result<(), String> {
    let failed = |error: io::Error| format!("cannot make a canary: {error}");
    let folder = tempfile::tempdir().map_err(failed)?;
    let secret = folder.path().join("secret");
    fs::write(&secret, SECRET).map_err(failed)?;
    let mut job = Job::new("/bin/sh", "/");
    job.limits = Limits { time: Some(TIME), ..Limits::default() };
    job.arguments = ["-c", "read line < \"$0\"; echo \"ran $line\""].map(Into::into).to_vec();
    job.arguments.push(secret.into());
    let outcome = run(&job, tier, places).map_err(|error| match error {
        SandboxError::Setup { doing, source: Some(source) } => format!("{doing}: {source}"),
        SandboxError::Setup { doing, source: None } => doing,
        other => other.to_string(),
    })?;
    match outcome.stdout.text().trim() {
        "ran" if outcome.status.success() => Ok(()),
        said if said.contains(SECRET) => Err("the canary could read a file outside".to_owned()),
        _ => Err(format!("the canary did not run: {:?} {}", outcome.status, outcome.stderr.text().trim())),
    }
}
