use super::*;
use crate::{Job, run, run_until, spawn};

fn report(bubblewrap: bool, landlock: bool) -> Report {
    let finding = |tier, usable| TierStatus {
        tier,
        usable,
        reason: format!("reason of {tier}"),
        fix: Some(format!("fix of {tier}")),
    };
    let tiers = vec![finding(Tier::Bubblewrap, bubblewrap), finding(Tier::Landlock, landlock)];
    Report::new(tiers, TreeEnforcement::NONE, "a kernel".to_owned(), None, CgroupParents::default())
}

#[test]
fn the_strongest_usable_tier_is_chosen() {
    assert_eq!(report(true, true).choose(Require::Sandbox).unwrap(), Tier::Bubblewrap);
    assert_eq!(report(false, true).choose(Require::Sandbox).unwrap(), Tier::Landlock);
}

#[test]
fn without_a_usable_tier_the_refusal_gives_the_reasons() {
    let refusal = report(false, false).choose(Require::Sandbox).unwrap_err().to_string();
    assert!(refusal.contains("not run without one"), "{refusal}");
    assert!(refusal.contains("reason of bubblewrap") && refusal.contains("reason of landlock"), "{refusal}");
    assert!(refusal.contains("(fix of bubblewrap)"), "{refusal}");
}

#[test]
fn a_required_tier_is_never_replaced_by_another() {
    assert!(report(false, true).choose(Require::Exactly(Tier::Bubblewrap)).is_err());
    assert!(report(true, false).choose(Require::Exactly(Tier::Landlock)).is_err());
}

#[test]
fn running_without_a_sandbox_must_be_requested_explicitly() {
    assert_eq!(report(false, false).choose(Require::Exactly(Tier::None)).unwrap(), Tier::None);
    assert_eq!(report(false, false).best(), None);
}

#[test]
fn nothing_is_run_where_the_tier_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = Job::new("/bin/sh", folder.path().canonicalize().unwrap());
    job.arguments = ["-c", "echo x > ran"].map(Into::into).into();
    job.writable = vec![job.folder.clone()];
    for tier in [Tier::Bubblewrap, Tier::Landlock] {
        let (require, report) = (Require::Exactly(tier), report(false, false));
        let refusals = [
            run(&job, require, &report).err(),
            run_until(&job, require, &report, &|| false).err(),
            spawn(&job, require, &report).err(),
        ];
        for refusal in refusals {
            assert!(matches!(refusal, Some(SandboxError::Unavailable { .. })), "{tier}: {refusal:?}");
        }
    }
    assert!(!job.folder.join("ran").exists());
}
