//! What is put in comes out.

use crate::{begin, entry, journal};
use skillful_database::{
    AuthoredState, ENTRY_LIMIT, Entry, FIGURE_LIMIT, MESSAGE_KEPT, NewSession, PAGE, PAGE_BYTES,
    SessionState, Store, StoreError, TITLE_KEPT, Usage, Which,
};
use std::path::Path;

#[test]
fn a_session_comes_back_with_what_it_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    begin(&store, "alpha");
    let child = NewSession {
        id: "beta",
        folder: Path::new("/else"),
        title: &"ä".repeat(TITLE_KEPT + 1),
        at: 90,
        parent: Some("alpha"),
    };
    assert!(store.create(child).unwrap());
    assert!(!store.create(NewSession { title: "other", ..child }).unwrap(), "the first stays");

    let turn = store.turn_began("alpha", 110, "hello").unwrap();
    let usage = Usage { model: "m".to_owned(), input: 10, output: 2, cached: 3, stored: 4, cost_micros: 5 };
    store.add_usage("alpha", Some(turn), &usage).unwrap();
    store.add_usage("alpha", None, &usage).unwrap();
    assert!(store.turn_ended(turn, &["one".to_owned()], 120).unwrap());
    drop(store);

    let store = Store::open(folder.path()).unwrap();
    let alpha = store.session("alpha").unwrap().unwrap();
    assert_eq!((alpha.created, alpha.updated, alpha.turns), (100, 120, 1));
    assert_eq!(
        (alpha.usage_in, alpha.usage_out, alpha.cached, alpha.stored, alpha.cost_micros),
        (20, 4, 6, 8, 10)
    );
    assert_eq!(store.usage("alpha").unwrap().len(), 1);
    let beta = store.session("be").unwrap().unwrap();
    assert_eq!((beta.parent.as_deref(), beta.title.chars().count()), (Some("alpha"), TITLE_KEPT));

    let ids = |which| store.sessions(which).unwrap().into_iter().map(|one| one.id).collect::<Vec<_>>();
    assert_eq!(ids(Which::default()), ["alpha", "beta"]);
    assert_eq!(ids(Which { folder: Some(Path::new("/else")), ..Which::default() }), ["beta"]);
    assert_eq!(ids(Which { before: Some(100), ..Which::default() }), ["beta"]);
    assert_eq!(ids(Which { limit: Some(1), ..Which::default() }), ["alpha"]);
    assert_eq!(store.latest(Path::new("/work")).unwrap().unwrap().id, "alpha");
    assert_eq!(store.latest(Path::new("/nowhere")).unwrap(), None);
}

#[test]
fn a_word_that_begins_two_sessions_names_neither() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for id in ["ab", "abc", "abd", "%", "_x"] {
        begin(&store, id);
    }
    assert_eq!(store.session("ab").unwrap().unwrap().id, "ab", "a whole id is no prefix");
    assert_eq!(store.session("abc").unwrap().unwrap().id, "abc");
    assert!(matches!(store.session("a"), Err(StoreError::Ambiguous { ids, .. }) if ids.len() == 3));
    assert_eq!(store.session("_").unwrap().unwrap().id, "_x", "no letter is a pattern");
    assert_eq!(store.session("zz").unwrap(), None);
    assert_eq!(store.session("").unwrap(), None);
}

#[test]
fn a_removed_session_takes_its_words_with_it_and_leaves_what_skills_did() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    store
        .create(NewSession { id: "b", folder: Path::new("/"), title: "", at: 1, parent: Some("a") })
        .unwrap();
    store.append("a", &Entry { kind: "k".to_owned(), json: "\"needle-in-hay\"".to_owned(), at: 1 }).unwrap();
    let turn = store.turn_began("a", 1, "needle-in-hay").unwrap();
    store.skill_used("s", "digest", Some("a"), 5).unwrap();
    assert!(store.remove("a").unwrap());
    assert!(!store.remove("a").unwrap());
    assert!(!store.turn_ended(turn, &[], 2).unwrap());
    assert_eq!(store.session("b").unwrap().unwrap().parent, None);
    assert_eq!(store.skill_uses().unwrap()[0].count, 1);
    assert_eq!(journal(&store, "a"), []);
    drop(store);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(13).any(|part| part == b"needle-in-hay"));
    }
}

#[test]
fn entries_and_state_are_kept_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    assert_eq!(store.state("a").unwrap(), None);
    assert_eq!(store.commit("a", &[entry("x", 1), entry("x", 2)], Some("{\"step\":1}")).unwrap(), 2);
    assert_eq!(store.append("a", &entry("x", 3)).unwrap(), 3);
    assert_eq!(store.state("a").unwrap().unwrap(), "{\"step\":1}", "entries alone leave the state");
    assert_eq!(store.commit("a", &[], Some("{}")).unwrap(), 3);
    let large = Entry { json: "x".repeat(ENTRY_LIMIT + 1), ..entry("x", 4) };
    let refused = store.commit("a", &[entry("x", 4), large], Some("lost"));
    assert!(matches!(refused, Err(StoreError::TooLarge { limit: ENTRY_LIMIT, .. })));
    assert_eq!(store.state("a").unwrap().unwrap(), "{}");
    assert_eq!(journal(&store, "a"), [entry("x", 1), entry("x", 2), entry("x", 3)]);
    assert_eq!(store.append("nobody", &entry("x", 1)), Err(StoreError::Unknown("nobody".to_owned())));
    assert_eq!(store.state("nobody"), Err(StoreError::Unknown("nobody".to_owned())));
}

#[test]
fn a_page_is_bounded_in_entries_and_in_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    begin(&store, "many");
    let many: Vec<Entry> = (0..=PAGE as u64).map(|number| entry("x", number)).collect();
    store.append_all("many", &many).unwrap();
    assert_eq!(store.journal("many", 0).unwrap().len(), PAGE);
    assert_eq!(journal(&store, "many"), many);
    begin(&store, "large");
    let large = Entry { json: "x".repeat(ENTRY_LIMIT), ..entry("x", 1) };
    store.append_all("large", &vec![large; 4]).unwrap();
    assert_eq!(store.journal("large", 0).unwrap().len(), PAGE_BYTES / ENTRY_LIMIT + 1);
    assert_eq!(journal(&store, "large").len(), 4);
}

#[test]
fn a_turn_that_never_ended_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    for at in 0..30 {
        let turn = store.turn_began("a", at, &"ä".repeat(MESSAGE_KEPT + 1)).unwrap();
        if at % 2 == 0 {
            store.turn_ended(turn, &[format!("skill \"{at}\"\n")], at + 1).unwrap();
        }
    }
    let turns = store.turns("a", 3).unwrap();
    assert_eq!(turns.iter().map(|turn| turn.at).collect::<Vec<_>>(), [25, 27, 29], "the oldest first");
    assert_eq!(turns[2].roots, ["skill \"28\"\n"]);
    assert_eq!(turns[2].message.chars().count(), MESSAGE_KEPT);
    assert_eq!(store.session("a").unwrap().unwrap().turns, 15);
    assert_eq!(store.turns("nobody", 3).unwrap(), []);
    assert_eq!(store.turn_began("nobody", 1, ""), Err(StoreError::Unknown("nobody".to_owned())));
}

#[test]
fn a_session_that_ended_is_opened_by_its_next_turn() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    store.end("a", 300).unwrap();
    let info = store.session("a").unwrap().unwrap();
    assert_eq!((info.state, info.updated), (SessionState::Ended, 300));
    store.rename("a", "another").unwrap();
    store.turn_began("a", 200, "").unwrap();
    let info = store.session("a").unwrap().unwrap();
    assert_eq!((info.state, info.updated, info.title.as_str()), (SessionState::Open, 300, "another"));
}

#[test]
fn a_figure_of_any_size_breaks_no_sum() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    begin(&store, "a");
    let usage = Usage { input: u64::MAX, ..Usage::default() };
    for _ in 0..3 {
        store.add_usage("a", None, &usage).unwrap();
    }
    assert_eq!(store.session("a").unwrap().unwrap().usage_in, 3 * FIGURE_LIMIT);
    assert_eq!(store.add_usage("b", None, &usage), Err(StoreError::Unknown("b".to_owned())));
}

#[test]
fn a_use_wakes_a_stale_skill_and_not_an_archived_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.skill_used("a", "d1", None, 5).unwrap();
    for name in ["a", "b"] {
        store.authored(name, 10).unwrap();
    }
    assert!(store.set_state("a", AuthoredState::Stale).unwrap());
    assert!(store.set_state("b", AuthoredState::Archived).unwrap());
    assert!(store.pin("b", true).unwrap());
    assert!(!store.pin("c", true).unwrap());
    assert!(!store.set_state("c", AuthoredState::Stale).unwrap());
    let before = store.authored_skills().unwrap();
    assert_eq!(
        (before[0].last_used, before[0].state),
        (None, AuthoredState::Stale),
        "used before it was ours"
    );
    for (name, at) in [("a", 30), ("a", 20), ("b", 40), ("c", 50)] {
        store.skill_used(name, "d2", Some("no such session"), at).unwrap();
    }
    let after = store.authored_skills().unwrap();
    assert_eq!((after[0].last_used, after[0].state), (Some(30), AuthoredState::Active));
    assert_eq!((after[1].last_used, after[1].state), (Some(40), AuthoredState::Archived));
    assert!(after[1].pinned);
    let uses: Vec<_> = store
        .skill_uses()
        .unwrap()
        .into_iter()
        .map(|one| (one.name, one.count, one.first, one.last))
        .collect();
    assert_eq!(uses, [("a".to_owned(), 3, 5, 30), ("b".to_owned(), 1, 40, 40), ("c".to_owned(), 1, 50, 50)]);
    assert!(store.woken("b", 45).unwrap());
    let woken = store.authored_skills().unwrap().remove(1);
    assert_eq!((woken.last_used, woken.pinned, woken.state), (Some(45), true, AuthoredState::Active));
    assert!(store.disown("b").unwrap() && !store.disown("b").unwrap() && !store.woken("b", 46).unwrap());
    store.authored("b", 60).unwrap();
    let again = store.authored_skills().unwrap().remove(1);
    assert_eq!(
        (again.created, again.last_used, again.pinned, again.state),
        (60, None, false, AuthoredState::Active)
    );
}

#[test]
fn what_a_person_saw_is_replaced_and_a_chore_is_due_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.seen("me").unwrap(), None);
    store.keep_seen("me", "[1]").unwrap();
    store.keep_seen("me", "[2]").unwrap();
    assert_eq!(store.seen("me").unwrap().unwrap(), "[2]");
    assert_eq!(store.seen("").unwrap(), None);
    let due = |now| store.is_due("curate", now, 100).unwrap();
    assert_eq!([due(1_000), due(1_000), due(1_099), due(1_100)], [true, false, false, true]);
    assert!(due(50), "a clock that was set back does not stop it for ever");
}
