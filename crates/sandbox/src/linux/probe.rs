//! Finds the usable tiers by running a canary in each. The presence of a program or of a new kernel is not
//! enough, because a container or a policy may forbid the rest.

use super::{bubblewrap, cgroup::CgroupParents, landlock, run, scratch};
use crate::{Enforcement, Job, Limits, Report, SandboxError, Status, Tier, TierStatus, TreeEnforcement};
use rustix::process::getuid;
use std::{fs, io, path::Path, time::Duration};

/// A machine where the canary takes longer is not usable either.
const TIME: Duration = Duration::from_secs(10);

const SECRET: &str = "canary";

/// Why a tier is not usable, and what to do.
struct Unusable {
    why: String,
    fix: String,
}

impl Unusable {
    fn new(why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { why: why.into(), fix: fix.into() }
    }
}

/// Tries one tier: returns a description, or why it is not usable.
type Try = fn(&CgroupParents) -> Result<String, Unusable>;

/// Tries all tiers, or only until the first one that is usable.
pub(crate) fn probe(all: bool) -> Report {
    let proc = fs::read_link("/proc/self").ok();
    let tree = proc.is_some_and(|own| own == Path::new(&std::process::id().to_string()));
    scratch::sweep();
    let parents = if tree { effective(CgroupParents::find()) } else { CgroupParents::default() };
    let tries: [(Tier, Try); 2] = [(Tier::Bubblewrap, with_bubblewrap), (Tier::Landlock, with_landlock)];
    let mut tiers: Vec<TierStatus> = Vec::new();
    for (tier, try_it) in tries {
        let enough = !all && tiers.iter().any(|status| status.usable);
        let found = match () {
            () if enough => {
                Err(Unusable::new("not tried, because a stronger tier is usable", "probe all tiers"))
            }
            () if tree => try_it(&parents),
            () => Err(Unusable::new("/proc is not mounted or hides this process", "mount proc")),
        };
        tiers.push(match found {
            Ok(reason) => TierStatus::usable(tier, reason),
            Err(unusable) => TierStatus::unusable(tier, unusable.why, unusable.fix),
        });
    }
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let landlock = landlock::version().ok();
    Report::new(tiers, enforcement(&parents), format!("Linux {}", kernel.trim()), landlock, parents)
}

fn enforcement(parents: &CgroupParents) -> TreeEnforcement {
    let without = if getuid().is_root() { Enforcement::Count } else { Enforcement::UserLimit };
    TreeEnforcement {
        processes: parents.processes().map_or(without, Enforcement::Cgroup),
        memory: parents.memory().map_or(Enforcement::Count, Enforcement::Cgroup),
    }
}

/// Returns the cgroup parents if their limits really stop a program that starts too many processes, else none.
fn effective(parents: CgroupParents) -> CgroupParents {
    if parents.processes().is_none() && parents.memory().is_none() {
        return parents;
    }
    let mut job = Job::new("/bin/sh", "/");
    job.arguments = ["-c", "(:) & (:) & wait"].map(Into::into).to_vec();
    job.limits = Limits { time: Some(TIME), processes: 1, ..Limits::default() };
    let stopped = match run(&job, Tier::None, &parents) {
        Ok(outcome) => parents.processes().is_none() || outcome.status == Status::TooManyProcesses,
        Err(_) => false,
    };
    if stopped { parents } else { CgroupParents::default() }
}

fn with_bubblewrap(parents: &CgroupParents) -> Result<String, Unusable> {
    let Some(bwrap) = bubblewrap::program() else {
        return Err(Unusable::new(
            "bwrap is not installed",
            "install the package `bubblewrap`, 0.8 or newer",
        ));
    };
    match canary(Tier::Bubblewrap, parents) {
        Ok(()) => Ok(format!("{} confined a canary", bwrap.display())),
        Err(why) => Err(Unusable::new(format!("{} failed: {why}", bwrap.display()), advice(&why))),
    }
}

/// What to do about an error message of bubblewrap.
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
        () => "run bwrap by hand for details",
    }
}

fn with_landlock(parents: &CgroupParents) -> Result<String, Unusable> {
    let version = landlock::version().map_err(|error| match error.raw_os_error() {
        Some(libc::EOPNOTSUPP) => {
            Unusable::new("Landlock is disabled", "add `landlock` to `lsm=` on the kernel's command line")
        }
        Some(libc::ENOSYS) => Unusable::new("the kernel has no Landlock", "use Linux 6.7 or newer"),
        _ => Unusable::new(
            "a policy on this machine forbids Landlock",
            "in a container, use a seccomp profile that allows it",
        ),
    })?;
    if version < landlock::LEAST {
        let why =
            format!("this kernel has Landlock version {version}, version {} is needed", landlock::LEAST);
        return Err(Unusable::new(why, "use Linux 6.7 or newer"));
    }
    canary(Tier::Landlock, parents)
        .map_err(|why| Unusable::new(format!("Landlock {version} failed: {why}"), "use bubblewrap"))?;
    let signals = if version < landlock::SCOPES {
        "; signals to other processes are denied entirely (Linux 6.12 confines them)"
    } else {
        ""
    };
    Ok(format!("Landlock {version} with seccomp confined a canary{signals}"))
}

/// Runs a program that tries to read a file it was not given.
fn canary(tier: Tier, parents: &CgroupParents) -> Result<(), String> {
    let failed = |error: io::Error| format!("cannot create a canary: {error}");
    let folder = tempfile::tempdir().map_err(failed)?;
    let secret = folder.path().join("secret");
    fs::write(&secret, SECRET).map_err(failed)?;
    let mut job = Job::new("/bin/sh", "/");
    job.limits = Limits { time: Some(TIME), ..Limits::default() };
    job.arguments = ["-c", "read line < \"$0\"; echo \"ran $line\""].map(Into::into).to_vec();
    job.arguments.push(secret.into());
    let outcome = run(&job, tier, parents).map_err(|error| match error {
        SandboxError::Setup { doing, source: Some(source) } => format!("{doing}: {source}"),
        SandboxError::Setup { doing, source: None } => doing,
        other => other.to_string(),
    })?;
    match outcome.stdout.text().trim() {
        "ran" if outcome.status.success() => Ok(()),
        said if said.contains(SECRET) => Err("the canary read a file outside the sandbox".to_owned()),
        _ => Err(format!("the canary did not run: {:?} {}", outcome.status, outcome.stderr.text().trim())),
    }
}
