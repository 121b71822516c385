//! Searching and ranking by position in the catalog.

use crate::fixture::TestWorkspace;
use crate::sample::SKILLS;
use skillful_catalog::Catalog;
use skillful_route::{Evidence, WordPlace};

fn named(catalog: &Catalog, name: &str) -> usize {
    catalog.entries.iter().position(|entry| entry.name == name).unwrap()
}

#[test]
fn found_skills_have_reasons() {
    let workspace = TestWorkspace::new();
    let (catalog, router, _) = workspace.open();
    let found = router.search("apply kubectl manifests to the cluster", 3, &|_| true);
    assert_eq!(found[0].entry, named(&catalog, "kubernetes-deploy"));
    assert!(found[0].probability > 0.0 && found[0].probability <= 1.0);
    assert!(found[0].why.iter().any(|why| why.word == "kubectl" && why.place == WordPlace::Body));
    assert!(found[0].why.iter().any(|why| why.word == "cluster" && why.place == WordPlace::Description));
}

#[test]
fn only_allowed_skills_are_found() {
    let workspace = TestWorkspace::new();
    let (catalog, router, _) = workspace.open();
    let deploy = named(&catalog, "kubernetes-deploy");
    let found = router.search("deploy services and roll back a bad commit", 10, &|entry| entry != deploy);
    assert!(!found.is_empty());
    assert!(found.iter().all(|found| found.entry != deploy));
    assert!(router.search("deploy services", 10, &|_| false).is_empty());
}

#[test]
fn a_skill_that_is_not_active_is_never_found() {
    let workspace = TestWorkspace::new();
    let folder = workspace.path("repo/.alpha/skills/git-bisect");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("SKILL.md"), "---\nname: git-bisect\ndescription: Prune roses.\n---\nBuds.\n")
        .unwrap();
    let (catalog, router, _) = workspace.open();
    let is_active = |entry: usize| catalog.entries[entry].placement == skillful_catalog::Placement::Active;
    assert_eq!(catalog.entries.iter().filter(|entry| entry.name == "git-bisect").count(), 2);
    assert_eq!(router.len(), SKILLS.len());
    for query in ["prune roses", "mark good and bad revisions"] {
        assert!(router.search(query, 10, &|_| true).iter().all(|found| is_active(found.entry)));
    }
    assert!((0..catalog.entries.len()).all(|entry| router.has(entry) == is_active(entry)));
}

#[test]
fn ranking_keeps_every_entry_and_the_order_of_those_that_do_not_match() {
    let workspace = TestWorkspace::new();
    let (catalog, router, _) = workspace.open();
    let all: Vec<usize> = (0..catalog.entries.len()).rev().collect();
    let (order, relevant) = router.rank("compare fares of airlines", &all);
    assert!(relevant > 0 && relevant < all.len());
    assert_eq!(order[0], named(&catalog, "flight-search"));
    let rest: Vec<usize> = all.iter().copied().filter(|entry| *entry != order[0]).collect();
    assert_eq!(order[1..], rest);
    assert_eq!(router.rank("zzz qqq", &all), (all.clone(), 0));
    assert_eq!(router.rank("airlines", &[]), (Vec::new(), 0));
    // Duplicates are kept, and so are entries that the index does not know.
    assert_eq!(router.rank("airlines", &[9999, all[0], all[0]]).0.len(), 3);
}

#[test]
fn a_restriction_of_an_earlier_router_finds_nothing() {
    let workspace = TestWorkspace::new();
    let (_, router, _) = workspace.open();
    let within = router.restrict(&|_| true);
    assert!(
        !router
            .judge("compare airlines", 5, &Evidence { within: Some(&within), ..Evidence::default() })
            .found
            .is_empty()
    );
    workspace.skill("git-bisect", "Prune roses.", "Cut above a bud.");
    let (router, _) = router.reopen(&workspace.catalog());
    assert_eq!(
        router.judge("compare airlines", 5, &Evidence { within: Some(&within), ..Evidence::default() }),
        skillful_route::Judged::default()
    );
}

#[test]
fn skills_found_by_another_stage_join_the_candidates() {
    let workspace = TestWorkspace::new();
    let (catalog, router, _) = workspace.open();
    let bisect = named(&catalog, "git-bisect");
    let query = "welcher Stand hat den Fehler gebracht";
    assert!(router.judge(query, 5, &Evidence::default()).found.iter().all(|found| found.entry != bisect));
    let similar = [(bisect, 0.9), (named(&catalog, "pdf-forms"), 0.1), (99_999, 1.0)];
    assert_eq!(
        router.judge(query, 5, &Evidence { similar: &similar, ..Evidence::default() }).found[0].entry,
        bisect
    );
}
