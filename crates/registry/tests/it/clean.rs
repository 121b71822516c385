//! The store is cleaned of what no lock names, and of nothing else.

use crate::{
    fixture::{quick, skill},
    install::{AGENTS, World, key},
};
use skillful_registry::{
    ContentStore,
    content_store::CleanError,
    install::{Mode, Site, plan_remove},
};
use std::fs;

#[test]
fn a_tree_stays_while_any_known_lock_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let other = World {
        root: world.root.clone(),
        site: Site::project(world.root.join("other")),
        contents: ContentStore::open(&world.root.join("contents"), quick()).unwrap(),
    };
    fs::create_dir_all(&other.site.base).unwrap();
    let (a, b, stray) = (skill("a", "x"), skill("b", "y"), skill("c", "z"));
    world.add(&[("a", &a), ("b", &b)], &[AGENTS], Mode::Copy);
    other.add(&[("a", &a)], &[AGENTS], Mode::Link);
    world.contents.lease().unwrap().put(&[&stray]).unwrap();

    let survey = world.contents.survey(&[]).unwrap();
    assert_eq!(survey.garbage.trees, [stray.digest()]);
    assert_eq!(survey.bytes, stray.total_bytes());
    assert!(world.contents.has(&stray.digest()), "a survey only reads");
    assert_eq!(world.contents.clean(&[]).unwrap(), survey);
    assert!(!world.contents.has(&stray.digest()));

    let remove = plan_remove(&[key("a"), key("b")], &world.lock(), &world.site, &world.contents).unwrap();
    world.apply(&remove).unwrap();
    assert_eq!(world.contents.clean(&[]).unwrap().garbage.trees, [b.digest()]);
    assert!(world.contents.has(&a.digest()), "another project has a link to it");

    // A lock that cannot be read may name anything.
    let lock = fs::read_to_string(other.site.lock.join("skillful.lock")).unwrap();
    fs::write(other.site.lock.join("skillful.lock"), "<<<<<<< ours\n").unwrap();
    assert!(matches!(world.contents.clean(&[]), Err(CleanError::Lock(_))));
    fs::write(other.site.lock.join("skillful.lock"), lock).unwrap();
    assert!(world.contents.has(&a.digest()));

    // One that is gone names nothing, and is forgotten once.
    let real = other.site.base.canonicalize().unwrap();
    fs::remove_dir_all(&other.site.base).unwrap();
    let cleaned = world.contents.clean(&[]).unwrap();
    assert_eq!((cleaned.garbage.trees, cleaned.forgotten), (vec![a.digest()], vec![real]));
    assert_eq!(world.contents.clean(&[]).unwrap().forgotten.len(), 0);
}

#[test]
fn what_was_changed_in_the_content_store_is_reported_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let stray = skill("c", "z");
    world.add(&[("c", &stray)], &[AGENTS], Mode::Link);
    fs::remove_file(world.site.lock.join("skillful.lock")).unwrap();
    let file = world.contents.path(&stray.digest()).join("SKILL.md");
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    fs::write(&file, "mine").unwrap();
    let cleaned = world.contents.clean(&[]).unwrap();
    assert_eq!(cleaned.changed, [world.contents.path(&stray.digest())]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn nothing_is_cleaned_while_a_process_installs() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(folder.path());
    let stray = skill("c", "z");
    let lease = world.contents.lease().unwrap();
    lease.put(&[&stray]).unwrap();
    assert!(world.contents.clean(&[]).is_err());
    drop(lease);
    assert_eq!(world.contents.clean(&[]).unwrap().garbage.trees, [stray.digest()]);
}
