//! The index on disk is reused by later processes and always matches the skills.

use crate::fixture::{TestWorkspace, answers, first};
use crate::sample::SKILLS;
use skillful_route::{Freshness, Router};
use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    time::{Duration, SystemTime},
};

#[test]
fn the_first_opening_builds_and_the_second_reads_no_skill() {
    let workspace = TestWorkspace::new();
    let (_, _, freshness) = workspace.open();
    assert_eq!(freshness, Freshness::Built { skills: SKILLS.len() });
    let catalog = workspace.catalog();
    // A body that is read from now on would be missing from the results.
    for (name, ..) in SKILLS {
        workspace.remove(name);
    }
    let (router, freshness) = Router::open(&catalog, Some(&workspace.cache()));
    assert_eq!(freshness, Freshness::Reopened);
    assert_eq!(first(&catalog, &router, "apply manifests with kubectl"), "kubernetes-deploy");
    assert!(router.diagnostics().is_empty(), "{:?}", router.diagnostics());
}

#[test]
fn a_reopened_index_gives_the_same_results_as_a_new_one() {
    let workspace = TestWorkspace::new();
    let (catalog, built, _) = workspace.open();
    let (_, reopened, freshness) = workspace.open();
    assert_eq!(freshness, Freshness::Reopened);
    assert_eq!(answers(&catalog, &reopened), answers(&catalog, &built));
    assert_eq!(answers(&catalog, &reopened), workspace.expected());
}

#[test]
fn a_changed_skill_is_found_by_its_new_words_at_once() {
    let workspace = TestWorkspace::new();
    workspace.open();
    workspace.skill("git-bisect", "Prune roses.", "Cut above an outward bud with secateurs.");
    let (catalog, router, freshness) = workspace.open();
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 0 });
    assert_eq!(first(&catalog, &router, "which secateurs for the bud"), "git-bisect");
    assert_ne!(first(&catalog, &router, "mark good and bad revisions"), "git-bisect");
    assert_eq!(answers(&catalog, &router), workspace.expected());
    assert_eq!(workspace.open().2, Freshness::Reopened);
}

#[test]
fn a_change_of_only_the_body_is_noticed() {
    let workspace = TestWorkspace::new();
    workspace.open();
    let (name, description, _) = SKILLS[3];
    workspace.skill(name, description, "Ask the oracle of Delphi.");
    let (catalog, router, freshness) = workspace.open();
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 0 });
    assert_eq!(first(&catalog, &router, "ask the oracle in delphi"), name);
}

#[test]
fn new_and_removed_skills_are_counted() {
    let workspace = TestWorkspace::new();
    workspace.open();
    workspace.remove("sql-tuning");
    workspace.remove("pdf-forms");
    workspace.skill("beekeeping", "Keep bees and harvest honey.", "Smoke the hive.");
    let (catalog, router, freshness) = workspace.open();
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 2 });
    assert_eq!(router.len(), SKILLS.len() - 1);
    assert_eq!(first(&catalog, &router, "my bees in the hive"), "beekeeping");
    assert_eq!(answers(&catalog, &router), workspace.expected());
}

#[test]
fn an_index_with_entirely_different_skills_is_rebuilt() {
    let workspace = TestWorkspace::new();
    workspace.open();
    for (name, ..) in SKILLS {
        workspace.remove(name);
    }
    for at in 0..20 {
        workspace.skill(&format!("new-{at}"), "Something else.", "Quite another thing.");
    }
    assert_eq!(workspace.open().2, Freshness::Built { skills: 20 });
    assert_eq!(workspace.open().2, Freshness::Reopened);
}

#[test]
fn an_empty_catalog_has_an_empty_router() {
    let workspace = TestWorkspace::empty();
    let (catalog, router, freshness) = workspace.open();
    assert_eq!(freshness, Freshness::Built { skills: 0 });
    assert!(router.is_empty());
    assert_eq!(first(&catalog, &router, "anything"), "");
    assert_eq!(workspace.open().2, Freshness::Reopened);
}

#[test]
fn without_a_cache_folder_nothing_is_written() {
    let workspace = TestWorkspace::new();
    let catalog = workspace.catalog();
    let (router, freshness) = Router::open(&catalog, None);
    assert_eq!(freshness, Freshness::Built { skills: SKILLS.len() });
    assert!(router.diagnostics().is_empty());
    assert!(!workspace.cache().exists());
}

#[test]
fn an_unwritable_cache_folder_is_reported_and_has_no_other_effect() {
    let workspace = TestWorkspace::new();
    fs::write(workspace.cache(), "a file in the place of the folder").unwrap();
    let (catalog, router, freshness) = workspace.open();
    assert_eq!(freshness, Freshness::Built { skills: SKILLS.len() });
    assert_eq!(answers(&catalog, &router), workspace.expected());
    let reported = router.diagnostics().iter().any(|found| found.message.contains("could not be written"));
    assert!(reported, "{:?}", router.diagnostics());
}

#[test]
fn only_the_owner_can_read_index_files() {
    let workspace = TestWorkspace::new();
    workspace.open();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&workspace.cache()), 0o700);
    assert_eq!(mode(&workspace.files()[0]), 0o600);
}

#[test]
fn each_project_has_its_own_index_and_the_least_recently_used_are_removed() {
    let mut workspace = TestWorkspace::new();
    let now = SystemTime::now();
    for at in 0..12_u64 {
        workspace.enter(&format!("repo-{at}"));
        let before = workspace.files();
        assert_eq!(workspace.open().2, Freshness::Built { skills: SKILLS.len() });
        assert_eq!(workspace.open().2, Freshness::Reopened);
        let new: Vec<_> = workspace.files().into_iter().filter(|file| !before.contains(file)).collect();
        let age = Duration::from_secs(3600 * 24 * (20 - at));
        File::open(&new[0]).unwrap().set_modified(now - age).unwrap();
    }
    assert_eq!(workspace.files().len(), 8);
    // Index 5 is the oldest by its writing time, but was used just now.
    workspace.enter("repo-5");
    assert_eq!(workspace.open().2, Freshness::Reopened);
    workspace.enter("repo-new");
    workspace.open();
    workspace.enter("repo-5");
    assert_eq!(workspace.open().2, Freshness::Reopened);
    workspace.enter("repo-4");
    assert_eq!(workspace.open().2, Freshness::Built { skills: SKILLS.len() });
}

#[test]
fn a_body_that_changed_after_the_catalog_was_made_is_read_again() {
    let workspace = TestWorkspace::new();
    let before = workspace.catalog();
    let (name, description, body) = SKILLS[3];
    workspace.skill(name, description, "Ask the oracle of Delphi, and of Dodona.");
    Router::open(&before, Some(&workspace.cache()));
    workspace.skill(name, description, body);
    // The file is again as the catalog read it; the index is not.
    let (router, freshness) = Router::open(&before, Some(&workspace.cache()));
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 0 });
    assert_eq!(answers(&before, &router), workspace.expected());
}

#[test]
fn a_skill_with_an_unreadable_body_is_searched_by_name_and_description_and_reported() {
    let workspace = TestWorkspace::new();
    let catalog = workspace.catalog();
    workspace.remove("git-bisect");
    let (router, _) = Router::open(&catalog, Some(&workspace.cache()));
    assert_eq!(first(&catalog, &router, "find the commit that broke"), "git-bisect");
    assert_eq!(router.diagnostics().len(), 1, "{:?}", router.diagnostics());
}

#[test]
fn a_router_in_memory_follows_changes_of_its_catalog() {
    let workspace = TestWorkspace::new();
    let (_, router, _) = workspace.open();
    let before = router.fingerprint();
    workspace.skill("git-bisect", "Prune roses.", "Cut above a bud.");
    let catalog = workspace.catalog();
    let (router, freshness) = router.reopen(&catalog);
    assert_eq!(freshness, Freshness::Updated { changed: 1, removed: 0 });
    assert_ne!(router.fingerprint(), before);
    assert_eq!(answers(&catalog, &router), workspace.expected());
    assert_eq!(workspace.open().2, Freshness::Reopened);
}
