//! D10: a snapshot is shared, a reload swaps and reports.

use crate::fixture::{World, only, skill};
use skillful_catalog::reload::{Changed, Changes, Shared};
use std::{convert::Infallible, sync::Arc, thread};

const ROOT: &str = "home/.alpha/skills";

fn names(list: &[Changed]) -> Vec<String> {
    list.iter().map(|change| format!("{} {}", change.name, change.state)).collect()
}

fn reload(world: &World, shared: &Shared) -> Changes {
    shared.reload(|| Ok::<_, Infallible>(world.build())).unwrap()
}

#[test]
fn a_reload_says_what_was_added_changed_and_removed() {
    let world = World::new();
    for name in ["stays", "edited", "gone", "body"] {
        world.skill(ROOT, name);
    }
    let shared = Shared::new(world.build());
    assert!(reload(&world, &shared).is_empty(), "nothing happened");
    world.file(&format!("{ROOT}/edited/SKILL.md"), skill("edited", "new words"));
    // Of the same size, so that only the content differs.
    world.file(&format!("{ROOT}/body/SKILL.md"), skill("body", ROOT).replace("Do it", "Do xx"));
    world.remove(&format!("{ROOT}/gone"));
    world.skill(ROOT, "new");
    let changes = reload(&world, &shared);
    assert_eq!(names(&changes.added), ["new available"]);
    assert_eq!(names(&changes.changed), ["body available", "edited available"]);
    assert_eq!(names(&changes.removed), ["gone available"]);
    assert!(reload(&world, &shared).is_empty());
}

#[test]
fn a_change_of_standing_is_a_change() {
    let mut world = World::new();
    world.skill(ROOT, "deploy");
    let shared = Shared::new(world.build());
    world.skill("repo/.alpha/skills", "deploy");
    let changes = reload(&world, &shared);
    assert_eq!(names(&changes.added), ["deploy available"]);
    assert_eq!(names(&changes.changed), ["deploy shadowed"]);
    world.settings.rules = vec![crate::switches::off(crate::switches::name("deploy"))];
    assert_eq!(names(&reload(&world, &shared).changed), ["deploy disabled", "deploy disabled"]);
}

#[test]
fn a_sidecar_or_an_override_that_is_edited_is_a_change() {
    let mut world = World::new();
    world.settings.managed = vec![world.folder("managed")];
    world.settings.overrides = vec![world.folder("overrides")];
    world.skill("managed", "mail");
    world.file("overrides/mail/SKILL.md", "Body one.\n");
    world.skill(ROOT, "deploy");
    world.file(&format!("{ROOT}/deploy/agents/openai.yaml"), "interface:\n  unknown: 1\n");
    let shared = Shared::new(world.build());
    world.file("overrides/mail/SKILL.md", "Body two.\n");
    world.file(&format!("{ROOT}/deploy/agents/openai.yaml"), "interface:\n  unknown: 2\n");
    assert_eq!(names(&reload(&world, &shared).changed), ["deploy available", "mail available"]);
}

#[test]
fn a_failure_keeps_the_old_one() {
    let world = World::new();
    world.skill(ROOT, "deploy");
    let shared = Shared::new(world.build());
    let before = shared.current();
    assert_eq!(shared.reload(|| Err::<skillful_catalog::Catalog, _>("no")), Err("no"));
    assert!(Arc::ptr_eq(&before, &shared.current()));
    let panicked = thread::scope(|scope| {
        scope.spawn(|| shared.reload(|| -> Result<_, Infallible> { panic!("while building") })).join()
    });
    assert!(panicked.is_err());
    assert!(Arc::ptr_eq(&before, &shared.current()));
    world.skill(ROOT, "new");
    assert_eq!(names(&reload(&world, &shared).added), ["new available"], "and goes on afterwards");
}

#[test]
fn who_holds_the_old_one_keeps_it_unharmed() {
    let world = World::new();
    world.skill(ROOT, "deploy");
    let shared = Shared::new(world.build());
    let old = shared.current();
    world.remove(&format!("{ROOT}/deploy"));
    reload(&world, &shared);
    assert_eq!(only(&old, "deploy").name, "deploy");
    assert_eq!(shared.current().entries.len(), 0);
}

#[test]
fn an_older_look_never_replaces_a_newer_one() {
    let world = World::new();
    let shared = Shared::new(world.build());
    thread::scope(|scope| {
        for number in 0..8 {
            let (world, shared) = (&world, &shared);
            scope.spawn(move || {
                world.skill(ROOT, &format!("s{number}"));
                reload(world, shared);
                assert_eq!(shared.current().called(&format!("s{number}")).count(), 1);
            });
        }
    });
    assert_eq!(shared.current().entries.len(), 8);
}

#[test]
fn the_fingerprint_is_the_same_for_the_same_and_another_for_another() {
    let mut world = World::new();
    world.skill(ROOT, "deploy");
    let first = world.build().fingerprint();
    assert_eq!(world.build().fingerprint(), first);
    world.settings.rules = vec![crate::switches::off(crate::switches::name("deploy"))];
    let disabled = world.build().fingerprint();
    assert_ne!(disabled, first);
    world.settings.rules.clear();
    world.skill(ROOT, "new");
    assert_ne!(world.build().fingerprint(), first);
}
