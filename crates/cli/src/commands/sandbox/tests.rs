use super::*;
use crate::output::ColorWhen;
use insta::{assert_json_snapshot, assert_snapshot};
use skillful_sandbox::{Enforcement, Tier, TierStatus, TreeEnforcement};

fn finding(tier: Tier, usable: bool, reason: &str, fix: Option<&str>) -> TierStatus {
    TierStatus { tier, usable, reason: reason.to_owned(), fix: fix.map(str::to_owned) }
}

fn plain() -> Output {
    Output::new(false, ColorWhen::Never, |_| None)
}

#[test]
fn each_sandbox_is_listed_with_its_state_and_each_limit_with_its_enforcement() {
    let findings = [
        finding(Tier::Bubblewrap, false, "bwrap is not installed", Some("install the package `bubblewrap`")),
        finding(Tier::Landlock, true, "Landlock 7 with seccomp holds a canary", None),
    ];
    let enforcement = TreeEnforcement { processes: Enforcement::Cgroup(1), memory: Enforcement::Count };
    let view = SandboxView::new("Linux 6.18", Some(7), &findings, enforcement);
    assert_snapshot!(text(&view, &plain()), @"
    Linux 6.18, Landlock 7
     bad bubblewrap  bwrap is not installed
                     install the package `bubblewrap`
      ok landlock    Landlock 7 with seccomp holds a canary
      ok processes   by a cgroup (v1): the kernel enforces it, also for root
    weak memory      by counting many times a second; a writable cgroup would enforce it exactly
      ok others      memory of a process, size of a file, open files, no core dumps: by limits of the kernel
    ");
    assert_json_snapshot!(view, @r#"
    {
      "schema": 1,
      "kernel": "Linux 6.18",
      "landlock": 7,
      "best": "landlock",
      "tiers": [
        {
          "tier": "bubblewrap",
          "usable": false,
          "reason": "bwrap is not installed",
          "fix": "install the package `bubblewrap`"
        },
        {
          "tier": "landlock",
          "usable": true,
          "reason": "Landlock 7 with seccomp holds a canary",
          "fix": null
        }
      ],
      "limits": {
        "processes": {
          "by": "cgroup-v1",
          "kernel": true,
          "meaning": "by a cgroup (v1): the kernel enforces it, also for root"
        },
        "memory": {
          "by": "count",
          "kernel": false,
          "meaning": "by counting many times a second; a writable cgroup would enforce it exactly"
        }
      }
    }
    "#);
    assert_eq!(verdict(&view), Ok(Exit::Clean));
}

#[test]
fn without_a_sandbox_the_exit_code_is_4_and_every_fix_is_a_hint() {
    let findings = [
        finding(Tier::Bubblewrap, false, "bwrap is not installed", Some("install it")),
        finding(Tier::Landlock, false, "the kernel has no Landlock", Some("use Linux 6.7 or newer")),
    ];
    let enforcement = TreeEnforcement { processes: Enforcement::UserLimit, memory: Enforcement::Count };
    let view = SandboxView::new("Linux 5.4", None, &findings, enforcement);
    assert_snapshot!(text(&view, &plain()), @"
    Linux 5.4, no Landlock
     bad bubblewrap  bwrap is not installed
                     install it
     bad landlock    the kernel has no Landlock
                     use Linux 6.7 or newer
      ok processes   by a limit of the user slightly above it, and by counting
    weak memory      by counting many times a second; a writable cgroup would enforce it exactly
      ok others      memory of a process, size of a file, open files, no core dumps: by limits of the kernel
    ");
    let failure = verdict(&view).unwrap_err();
    assert_eq!(failure.exit, crate::error::Exit::Unsandboxed);
    assert_eq!(failure.hints, ["for bubblewrap: install it", "for landlock: use Linux 6.7 or newer"]);
}
