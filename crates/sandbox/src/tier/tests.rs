use super::*;

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
