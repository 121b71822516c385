use super::*;

fn check(stored: &[(&str, u64)], now: &[(&str, u64)], changed: &[usize], removed: &[&str]) {
    let stored: Vec<(String, u64)> = stored.iter().map(|(id, stamp)| ((*id).to_owned(), *stamp)).collect();
    let item = |(entry, (id, stamp)): (usize, &(&str, u64))| IndexedSkill {
        id: (*id).to_owned(),
        entry,
        stamp: *stamp,
    };
    let items: Vec<IndexedSkill> = now.iter().enumerate().map(item).collect();
    let found = Difference::of(&stored, &items);
    assert_eq!(found.changed, changed);
    assert_eq!(found.removed, removed);
    assert_eq!(found.is_none(), changed.is_empty() && removed.is_empty());
}

#[test]
fn changes_are_found_between_two_sorted_lists() {
    check(&[], &[], &[], &[]);
    check(&[("a", 1), ("b", 2)], &[("a", 1), ("b", 2)], &[], &[]);
    check(&[("a", 1), ("b", 2)], &[("a", 1), ("b", 3)], &[1], &[]);
    check(&[("b", 2)], &[("a", 1), ("b", 2), ("c", 3)], &[0, 2], &[]);
    check(&[("a", 1), ("b", 2), ("c", 3)], &[("b", 2)], &[], &["a", "c"]);
    check(&[("a", 1)], &[("b", 1)], &[0], &["a"]);
}

#[test]
fn a_large_index_is_written_only_when_enough_skills_changed() {
    let of = |changed: usize| Difference { changed: vec![0; changed], removed: Vec::new() };
    assert!(of(1).is_worth_keeping(1000));
    assert!(!of(1).is_worth_keeping(10_000));
    assert!(of(10).is_worth_keeping(10_000));
    assert!(of(8).is_small(1));
    assert!(!of(9).is_small(1));
    assert!(of(1000).is_small(10_000));
}
