use crate::sample::{first, index, skills};
use skillful_route::ranking::{Index, Skill};

#[test]
fn an_added_skill_is_found() {
    let mut index = index();
    index.update(&Skill { id: "new", name: "beekeeping", description: "Keep bees.", ..Skill::default() });
    assert_eq!(index.len(), 11);
    assert_eq!(first(&index, "my bees swarm"), "new");
}

#[test]
fn a_replaced_skill_is_not_found_by_its_old_words() {
    let mut index = index();
    index.update(&Skill {
        id: "git-bisect",
        name: "git-bisect",
        description: "Prune roses.",
        ..Skill::default()
    });
    assert_eq!(index.len(), 10);
    assert_eq!(first(&index, "prune the roses"), "git-bisect");
    assert_ne!(first(&index, "revisions commit"), "git-bisect");
}

#[test]
fn a_skill_can_be_removed_once() {
    let mut index = index();
    assert!(index.remove("sql-tuning"));
    assert!(!index.remove("sql-tuning"));
    assert!(index.search("slow postgres query plans", 10).iter().all(|hit| hit.id != "sql-tuning"));
}

#[test]
fn an_update_undone_leaves_the_same_fingerprint() {
    let mut index = index();
    let before = index.fingerprint();
    index.update(&Skill { id: "new", name: "n", description: "d", ..Skill::default() });
    assert_ne!(index.fingerprint(), before);
    index.remove("new");
    assert_eq!(index.fingerprint(), before);
    index.update(&skills()[3]);
    assert_eq!(index.fingerprint(), before);
}

#[test]
fn compaction_does_not_change_results() {
    let mut index = index();
    index.update(&Skill { id: "new", name: "beekeeping", description: "Keep bees.", ..Skill::default() });
    index.remove("unit-tests");
    let before = index.search("keep tests of bees", 10);
    let fingerprint = index.fingerprint();
    index.compact(2);
    assert!(!index.wants_compaction());
    assert_eq!(index.search("keep tests of bees", 10), before);
    assert_eq!(index.fingerprint(), fingerprint);
}

#[test]
fn of_two_skills_with_one_id_the_later_is_kept() {
    let skill = |description| Skill { id: "same", name: "same", description, ..Skill::default() };
    let index = Index::build(&[skill("apples"), skill("pears")], 1);
    assert_eq!(index.len(), 1);
    assert_eq!(first(&index, "pears"), "same");
    assert_eq!(first(&index, "apples"), "");
}
