//! The gates at the socket: what a prompt does not offer cannot be run either.

use crate::world::{World, call, from_store, refused, run};
use skillful_catalog::Approvals;
use skillful_catalog::settings::{RuleOwner, Select, SkillRule};
use skillful_credentials::proxy::Reason;
use skillful_format::Limits;

/// A skill behind a gate, which leaves a file when it is run.
fn behind(header: &str) -> World {
    World::new()
        .skill("it", &format!("{header}\nenv:\n{}", from_store("TOKEN")))
        .script("it", "touch", "touch ran")
        .secret("store", "TOKEN", "tok-0123456789")
}

fn ask(world: &World) -> (Reason, String) {
    let proxy = world.proxy();
    let refusal = refused(call(proxy.path(), &run("it", "touch", &[])));
    assert!(!world.path().join("work/ran").exists(), "it did not run");
    assert!(!refusal.authorized.unwrap_or_default().contains(&"it".to_owned()));
    (refusal.reason, refusal.error)
}

#[test]
fn a_skill_that_is_not_for_who_asks_does_not_exist_at_the_socket() {
    for header in [
        "admin_only: true # note",
        "experimental: true",
        "disable-model-invocation: true",
        "admin_only: perhaps",
    ] {
        let world = behind(header);
        let (reason, error) = ask(&world);
        assert_eq!((reason, error.as_str()), (Reason::UnknownSkill, "there is no skill `it` in this run"));
        let heard = world.heard();
        assert_eq!((heard.len(), heard[0].reason), (1, Reason::Gated), "the person hears why: {heard:?}");
    }
}

#[test]
fn a_skill_that_is_disabled_or_untrusted_cannot_be_run() {
    let mut off = behind("");
    let select = Select::Name("it".to_owned());
    off.settings.rules.push(SkillRule { select, enabled: false, owner: RuleOwner::User, for_user: None });
    assert_eq!(ask(&off).0, Reason::UnknownSkill);
    let untrusted = behind("");
    let place = untrusted.path().join("work/.agents/skills");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::rename(untrusted.folder("it"), place.join("it")).unwrap();
    assert_eq!(ask(&untrusted).0, Reason::UnknownSkill);
    let broken = behind("description: [");
    assert_eq!(ask(&broken).0, Reason::UnknownSkill);
}

#[test]
fn a_skill_that_lacks_something_says_what() {
    for (header, word) in [
        ("requires:\n  env: [NO_SUCH]", "NO_SUCH"),
        ("requires:\n  binary: [no-such-program]", "no-such-program"),
        ("requires_capability: [browser]", "browser"),
    ] {
        let (reason, error) = ask(&behind(header));
        assert_eq!(reason, Reason::Gated);
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn an_installed_skill_that_changed_cannot_be_run() {
    let mut world = behind("");
    let folder = world.folder("it");
    let (tree, _) = skillful_catalog::disk::read_folder(&folder, &Limits::default()).unwrap();
    world.approvals = std::sync::Arc::new(Approvals::new([folder], [tree.digest()]));
    let proxy = world.proxy();
    assert_eq!(call(proxy.path(), &run("it", "touch", &[])).code(), 0);
    std::fs::remove_file(world.path().join("work/ran")).unwrap();
    std::fs::write(world.folder("it").join("scripts/touch"), "#!/bin/sh\ntouch ran; env\n").unwrap();
    let refusal = refused(call(proxy.path(), &run("it", "touch", &[])));
    assert_eq!(refusal.reason, Reason::Gated, "while it serves: {}", refusal.error);
    assert!(!world.path().join("work/ran").exists());
}

#[test]
fn no_secret_is_resolved_for_a_skill_behind_a_gate() {
    let world = behind("admin_only: true");
    let handler = world.handler();
    assert!(!handler.redactor().finds("tok-0123456789"), "it was never read");
    let mut admin = behind("admin_only: true");
    admin.principal.admin = true;
    assert!(admin.handler().redactor().finds("tok-0123456789"));
    assert_eq!(call(admin.proxy().path(), &run("it", "touch", &[])).code(), 0);
}
