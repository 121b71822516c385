//! The gates at the socket: what a prompt does not offer cannot be run either.

use crate::world::{World, call, from_store, ran, refused, run};
use secrecy::{ExposeSecret, SecretString};
use skillful_catalog::{
    Approvals,
    approvals::files_of,
    settings::{RuleOwner, Select, SkillRule},
};
use skillful_credentials::proxy::{CapturedOutput, ProgramCall, ProgramOutput, Reason, RunError, Runner};
use skillful_format::Limits;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

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

/// Keeps what programs would get, before any output is searched for secrets.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<Vec<String>>>);

impl Runner for Recorded {
    fn run(
        &self,
        _call: &ProgramCall,
        environment: &BTreeMap<String, SecretString>,
    ) -> Result<ProgramOutput, RunError> {
        self.0.lock().unwrap().extend(environment.values().map(|value| value.expose_secret().to_owned()));
        let none = || CapturedOutput { bytes: Vec::new(), cut: false };
        Ok(ProgramOutput { stdout: none(), stderr: none(), code: 0 })
    }
}

#[test]
fn a_program_has_a_secret_only_with_the_files_that_the_user_allowed() {
    let env = format!("env:\n{}", from_store("TOKEN"));
    let mut world = behind("").skill("other", &env).script("other", "touch", "touch ran");
    let gate = world.gate();
    let (at, _) = gate.catalog.called("it").next().unwrap();
    world.bound = Some(vec![files_of(&gate.catalog.entries[at]).unwrap()]);
    let runner = Recorded::default();
    let handler = world.handler_with(Box::new(runner.clone()));
    let has_secret = || runner.0.lock().unwrap().iter().any(|value| value == "tok-0123456789");
    let refusal = refused(handler.answer(&run("other", "touch", &[])));
    assert_eq!(refusal.reason, Reason::SecretNotAllowed);
    assert!(refusal.error.contains("it may not have it; the user runs: allow it"), "{}", refusal.error);
    assert!(!has_secret() && runner.0.lock().unwrap().is_empty(), "nothing was run");
    ran(handler.answer(&run("it", "touch", &[])));
    assert!(has_secret());
    runner.0.lock().unwrap().clear();
    let world = world.script("it", "touch", "env");
    assert_eq!(refused(handler.answer(&run("it", "touch", &[]))).reason, Reason::SecretNotAllowed);
    assert!(runner.0.lock().unwrap().is_empty(), "nothing was run with other files");
    drop(world);
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
