//! Which tiers hold here. A canary is run in each: that a program is there, or a kernel new enough, proves
//! nothing where a container or a policy forbids the rest.

use super::{bubblewrap, landlock, run};
use crate::{Finding, Job, Limits, Report, SandboxError, Tier};
use std::{fs, io, path::Path, time::Duration};

/// A machine where this takes longer is not usable either.
const TIME: Duration = Duration::from_secs(10);

const SECRET: &str = "canary";

pub(crate) fn probe() -> Report {
    let proc = fs::read_link("/proc/self").ok();
    let tree = proc.is_some_and(|own| own == Path::new(&std::process::id().to_string()));
    let tiers: [(Tier, fn() -> Result<String, String>); 2] =
        [(Tier::Bubblewrap, with_bubblewrap), (Tier::Landlock, with_landlock)];
    let findings = tiers.map(|(tier, try_it)| {
        let found =
            if tree { try_it() } else { Err("/proc does not show this process; mount proc".to_owned()) };
        match found {
            Ok(reason) => Finding::usable(tier, reason),
            Err(reason) => Finding::unusable(tier, reason),
        }
    });
    Report::new(findings.into())
}

fn with_bubblewrap() -> Result<String, String> {
    let Some(bwrap) = bubblewrap::program() else {
        return Err("bwrap is not installed; install the package `bubblewrap` (0.8 or newer)".to_owned());
    };
    match canary(Tier::Bubblewrap) {
        Ok(()) => Ok(format!("{} holds a canary", bwrap.display())),
        Err(why) => Err(format!("{} does not hold ({why}); {}", bwrap.display(), advice(&why))),
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

fn with_landlock() -> Result<String, String> {
    let version = landlock::version().map_err(|error| match error.raw_os_error() {
        Some(libc::EOPNOTSUPP) => {
            "Landlock is switched off; add `landlock` to `lsm=` on the kernel's command line"
        }
        Some(libc::ENOSYS) => "the kernel has no Landlock; use Linux 6.7 or newer",
        _ => "something here forbids Landlock; in a container, use a seccomp profile that allows it",
    })?;
    if version < landlock::LEAST {
        let least = landlock::LEAST;
        return Err(format!("Landlock here is version {version}, {least} is needed; use Linux 6.7 or newer"));
    }
    canary(Tier::Landlock).map_err(|why| format!("Landlock {version} does not hold ({why})"))?;
    let signals = if version < landlock::SCOPES {
        "; signals are refused, Linux 6.12 would keep them inside"
    } else {
        ""
    };
    Ok(format!("Landlock {version} with seccomp holds a canary{signals}"))
}

/// Runs a program that tries to read a file it was not given.
fn canary(tier: Tier) -> Result<(), String> {
    let failed = |error: io::Error| format!("cannot make a canary: {error}");
    let folder = tempfile::tempdir().map_err(failed)?;
    let secret = folder.path().join("secret");
    fs::write(&secret, SECRET).map_err(failed)?;
    let mut job = Job::new("/bin/sh", "/");
    job.limits = Limits { time: TIME, ..Limits::default() };
    job.arguments = ["-c", "read line < \"$0\"; echo \"ran $line\""].map(Into::into).to_vec();
    job.arguments.push(secret.into());
    let outcome = run(&job, tier).map_err(|error| match error {
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
