//! An index outlives the process, and never its truth.

use crate::fixture::{SKILLS, World, answers, first};
use skillful_route::{Freshness, Router};
use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    time::{Duration, SystemTime},
};

#[test]
fn the_first_opening_builds_and_the_second_reads_no_skill() {
    let world = World::new();
    let (_, _, freshness) = world.open();
    assert_eq!(freshness, Freshness::Built { skills: SKILLS.len() });
    let catalog = world.catalog();
    // A body that is read now would be missing from the answers.
    for (name, ..) in SKILLS {
        world.remove(name);
    }
    let (router, freshness) = Router::open(&catalog, Some(&world.cache()));
    assert_eq!(freshness, Freshness::Reopened);
    assert_eq!(first(&catalog, &router, "apply manifests with kubectl"), "kubernetes-deploy");
    assert!(router.diagnostics().is_empty(), "{:?}", router.diagnostics());
}

#[test]
fn a_reopened_index_answers_as_the_built_one() {
    let world = World::new();
    let (catalog, built, _) = world.open();
    let (_, reopened, freshness) = world.open();
    assert_eq!(freshness, Freshness::Reopened);
    assert_eq!(answers(&catalog, &reopened), answers(&catalog, &built));
    assert_eq!(answers(&catalog, &reopened), world.expected());
}

#[test]
fn a_changed_skill_is_found_by_its_new_words_at_once() {
    let world = World::new();
    world.open();
    world.skill("git-bisect", "Prune roses.", "Cut above an outward bud with secateurs.");
    let (catalog, router, freshness) = world.open();
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 0 });
    assert_eq!(first(&catalog, &router, "which secateurs for the bud"), "git-bisect");
    assert_ne!(first(&catalog, &router, "mark good and bad revisions"), "git-bisect");
    assert_eq!(answers(&catalog, &router), world.expected());
    assert_eq!(world.open().2, Freshness::Reopened);
}

#[test]
fn a_change_of_the_body_alone_is_a_change() {
    let world = World::new();
    world.open();
    let (name, description, _) = SKILLS[3];
    world.skill(name, description, "Ask the oracle of Delphi.");
    let (catalog, router, freshness) = world.open();
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 0 });
    assert_eq!(first(&catalog, &router, "ask the oracle in delphi"), name);
}

#[test]
fn new_and_removed_skills_are_counted() {
    let world = World::new();
    world.open();
    world.remove("sql-tuning");
    world.remove("pdf-forms");
    world.skill("beekeeping", "Keep bees and harvest honey.", "Smoke the hive.");
    let (catalog, router, freshness) = world.open();
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 2 });
    assert_eq!(router.len(), SKILLS.len() - 1);
    assert_eq!(first(&catalog, &router, "my bees in the hive"), "beekeeping");
    assert_eq!(answers(&catalog, &router), world.expected());
}

#[test]
fn an_index_of_another_library_altogether_is_built_anew() {
    let world = World::new();
    world.open();
    for (name, ..) in SKILLS {
        world.remove(name);
    }
    for at in 0..20 {
        world.skill(&format!("new-{at}"), "Something else.", "Quite another thing.");
    }
    assert_eq!(world.open().2, Freshness::Built { skills: 20 });
    assert_eq!(world.open().2, Freshness::Reopened);
}

#[test]
fn an_empty_catalogue_has_a_router_too() {
    let world = World::empty();
    let (catalog, router, freshness) = world.open();
    assert_eq!(freshness, Freshness::Built { skills: 0 });
    assert!(router.is_empty());
    assert_eq!(first(&catalog, &router, "anything"), "");
    assert_eq!(world.open().2, Freshness::Reopened);
}

#[test]
fn without_a_cache_folder_nothing_is_written() {
    let world = World::new();
    let catalog = world.catalog();
    let (router, freshness) = Router::open(&catalog, None);
    assert_eq!(freshness, Freshness::Built { skills: SKILLS.len() });
    assert!(router.diagnostics().is_empty());
    assert!(!world.cache().exists());
}

#[test]
fn a_cache_folder_that_cannot_be_written_is_told_and_costs_nothing_else() {
    let world = World::new();
    fs::write(world.cache(), "a file in the place of the folder").unwrap();
    let (catalog, router, freshness) = world.open();
    assert_eq!(freshness, Freshness::Built { skills: SKILLS.len() });
    assert_eq!(answers(&catalog, &router), world.expected());
    let told = router.diagnostics().iter().any(|found| found.message.contains("could not be kept"));
    assert!(told, "{:?}", router.diagnostics());
}

#[test]
fn index_files_are_for_their_owner_alone() {
    let world = World::new();
    world.open();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.cache()), 0o700);
    assert_eq!(mode(&world.files()[0]), 0o600);
}

#[test]
fn each_project_has_an_index_and_the_oldest_go() {
    let mut world = World::new();
    let now = SystemTime::now();
    for at in 0..12_u64 {
        world.stand_in(&format!("repo-{at}"));
        let before = world.files();
        assert_eq!(world.open().2, Freshness::Built { skills: SKILLS.len() });
        assert_eq!(world.open().2, Freshness::Reopened);
        let new: Vec<_> = world.files().into_iter().filter(|file| !before.contains(file)).collect();
        let age = Duration::from_secs(3600 * 24 * (20 - at));
        File::open(&new[0]).unwrap().set_modified(now - age).unwrap();
    }
    assert_eq!(world.files().len(), 8);
    // The oldest by writing, but used just now.
    world.stand_in("repo-5");
    assert_eq!(world.open().2, Freshness::Reopened);
    world.stand_in("repo-new");
    world.open();
    world.stand_in("repo-5");
    assert_eq!(world.open().2, Freshness::Reopened);
    world.stand_in("repo-4");
    assert_eq!(world.open().2, Freshness::Built { skills: SKILLS.len() });
}

#[test]
fn a_body_that_changed_after_the_catalogue_was_made_is_read_again() {
    let world = World::new();
    let before = world.catalog();
    let (name, description, body) = SKILLS[3];
    world.skill(name, description, "Ask the oracle of Delphi, and of Dodona.");
    Router::open(&before, Some(&world.cache()));
    world.skill(name, description, body);
    // The file is again what the catalogue saw; the index is not.
    let (router, freshness) = Router::open(&before, Some(&world.cache()));
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 0 });
    assert_eq!(answers(&before, &router), world.expected());
}

#[test]
fn a_skill_without_a_readable_body_is_searched_by_its_head_and_told() {
    let world = World::new();
    let catalog = world.catalog();
    world.remove("git-bisect");
    let (router, _) = Router::open(&catalog, Some(&world.cache()));
    assert_eq!(first(&catalog, &router, "find the commit that broke"), "git-bisect");
    assert_eq!(router.diagnostics().len(), 1, "{:?}", router.diagnostics());
}

#[test]
fn a_router_in_memory_follows_its_catalogue() {
    let world = World::new();
    let (_, router, _) = world.open();
    let before = router.fingerprint();
    world.skill("git-bisect", "Prune roses.", "Cut above a bud.");
    let catalog = world.catalog();
    let (router, freshness) = router.reopen(&catalog);
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 0 });
    assert_ne!(router.fingerprint(), before);
    assert_eq!(answers(&catalog, &router), world.expected());
    assert_eq!(world.open().2, Freshness::Reopened);
}
