//! Values that are written can be read back.

use crate::{begin, entry, journal};
use skillful_database::{
    AuthoredState, Database, DatabaseError, ENTRY_LIMIT, FIGURE_LIMIT, JournalEntry, MESSAGE_LIMIT,
    NewSession, PAGE, PAGE_BYTES, SessionFilter, SessionState, TITLE_LIMIT, Usage,
};
use std::path::Path;

#[test]
fn a_session_is_read_back_with_its_totals() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    begin(&database, "alpha");
    let child = NewSession {
        id: "beta",
        folder: Path::new("/else"),
        title: &"ä".repeat(TITLE_LIMIT + 1),
        at: 90,
        parent: Some("alpha"),
    };
    assert!(database.create(child).unwrap());
    assert!(!database.create(NewSession { title: "other", ..child }).unwrap(), "the first session is kept");

    let turn = database.turn_began("alpha", 110, "hello").unwrap();
    let usage = Usage { model: "m".to_owned(), input: 10, output: 2, cached: 3, stored: 4, cost_micros: 5 };
    database.add_usage("alpha", Some(turn), &usage).unwrap();
    database.add_usage("alpha", None, &usage).unwrap();
    assert!(database.turn_ended(turn, &["one".to_owned()], 120).unwrap());
    drop(database);

    let database = Database::open(folder.path()).unwrap();
    let alpha = database.session("alpha").unwrap().unwrap();
    assert_eq!((alpha.created, alpha.updated, alpha.turns), (100, 120, 1));
    assert_eq!(
        (alpha.usage_in, alpha.usage_out, alpha.cached, alpha.stored, alpha.cost_micros),
        (20, 4, 6, 8, 10)
    );
    assert_eq!(database.usage("alpha").unwrap().len(), 1);
    let beta = database.session("be").unwrap().unwrap();
    assert_eq!((beta.parent.as_deref(), beta.title.chars().count()), (Some("alpha"), TITLE_LIMIT));

    let ids = |which| database.sessions(which).unwrap().into_iter().map(|one| one.id).collect::<Vec<_>>();
    // The session of a sub-agent is listed with its parent only.
    let of_alpha = SessionFilter { parent: Some("alpha"), ..SessionFilter::default() };
    assert_eq!(ids(SessionFilter::default()), ["alpha"]);
    assert_eq!(ids(of_alpha), ["beta"]);
    assert_eq!(ids(SessionFilter { folder: Some(Path::new("/else")), ..of_alpha }), ["beta"]);
    assert_eq!(ids(SessionFilter { folder: Some(Path::new("/work")), ..of_alpha }), Vec::<String>::new());
    assert_eq!(ids(SessionFilter { before: Some(100), ..of_alpha }), ["beta"]);
    assert_eq!(ids(SessionFilter { before: Some(100), ..SessionFilter::default() }), Vec::<String>::new());
    assert_eq!(ids(SessionFilter { limit: Some(1), ..SessionFilter::default() }), ["alpha"]);
    assert_eq!(database.latest(Path::new("/work")).unwrap().unwrap().id, "alpha");
    assert_eq!(database.latest(Path::new("/nowhere")).unwrap(), None);
}

#[test]
fn a_prefix_of_two_sessions_is_ambiguous() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    for id in ["ab", "abc", "abd", "%", "_x"] {
        begin(&database, id);
    }
    assert_eq!(
        database.session("ab").unwrap().unwrap().id,
        "ab",
        "an exact match takes precedence over prefixes"
    );
    assert_eq!(database.session("abc").unwrap().unwrap().id, "abc");
    assert!(matches!(database.session("a"), Err(DatabaseError::Ambiguous { ids, .. }) if ids.len() == 3));
    assert_eq!(database.session("_").unwrap().unwrap().id, "_x", "wildcards of LIKE are escaped");
    assert_eq!(database.session("zz").unwrap(), None);
    assert_eq!(database.session("").unwrap(), None);
}

#[test]
fn removing_a_session_erases_its_content_and_keeps_the_uses_of_skills() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    begin(&database, "a");
    database
        .create(NewSession { id: "b", folder: Path::new("/"), title: "", at: 1, parent: Some("a") })
        .unwrap();
    database
        .append("a", &JournalEntry { kind: "k".to_owned(), json: "\"needle-in-hay\"".to_owned(), at: 1 })
        .unwrap();
    let turn = database.turn_began("a", 1, "needle-in-hay").unwrap();
    database.skill_used("s", "digest", Some("a"), 5).unwrap();
    assert!(database.remove("a").unwrap());
    assert!(!database.remove("a").unwrap());
    assert!(!database.turn_ended(turn, &[], 2).unwrap());
    assert_eq!(database.session("b").unwrap(), None, "a sub-agent goes with its session");
    assert_eq!(database.skill_uses().unwrap()[0].count, 1);
    assert_eq!(journal(&database, "a"), []);
    drop(database);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(13).any(|part| part == b"needle-in-hay"));
    }
}

#[test]
fn entries_and_state_are_written_in_one_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    begin(&database, "a");
    assert_eq!(database.state("a").unwrap(), None);
    assert_eq!(database.commit("a", &[entry("x", 1), entry("x", 2)], Some("{\"step\":1}")).unwrap(), 2);
    assert_eq!(database.append("a", &entry("x", 3)).unwrap(), 3);
    assert_eq!(
        database.state("a").unwrap().unwrap(),
        "{\"step\":1}",
        "entries without a state keep the old state"
    );
    assert_eq!(database.commit("a", &[], Some("{}")).unwrap(), 3);
    let large = JournalEntry { json: "x".repeat(ENTRY_LIMIT + 1), ..entry("x", 4) };
    let refused = database.commit("a", &[entry("x", 4), large], Some("lost"));
    assert!(matches!(refused, Err(DatabaseError::TooLarge { limit: ENTRY_LIMIT, .. })));
    assert_eq!(database.state("a").unwrap().unwrap(), "{}");
    assert_eq!(journal(&database, "a"), [entry("x", 1), entry("x", 2), entry("x", 3)]);
    assert_eq!(database.append("unknown", &entry("x", 1)), Err(DatabaseError::Unknown("unknown".to_owned())));
    assert_eq!(database.state("unknown"), Err(DatabaseError::Unknown("unknown".to_owned())));
}

#[test]
fn a_page_is_limited_in_entries_and_in_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    begin(&database, "many");
    let many: Vec<JournalEntry> = (0..=PAGE as u64).map(|number| entry("x", number)).collect();
    database.append_all("many", &many).unwrap();
    assert_eq!(database.journal("many", 0).unwrap().len(), PAGE);
    assert_eq!(journal(&database, "many"), many);
    begin(&database, "large");
    let large = JournalEntry { json: "x".repeat(ENTRY_LIMIT), ..entry("x", 1) };
    database.append_all("large", &vec![large; 4]).unwrap();
    assert_eq!(database.journal("large", 0).unwrap().len(), PAGE_BYTES / ENTRY_LIMIT + 1);
    assert_eq!(journal(&database, "large").len(), 4);
}

#[test]
fn a_turn_that_never_ended_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    begin(&database, "a");
    for at in 0..30 {
        let turn = database.turn_began("a", at, &"ä".repeat(MESSAGE_LIMIT + 1)).unwrap();
        if at % 2 == 0 {
            database.turn_ended(turn, &[format!("skill \"{at}\"\n")], at + 1).unwrap();
        }
    }
    let turns = database.turns("a", 3).unwrap();
    assert_eq!(turns.iter().map(|turn| turn.at).collect::<Vec<_>>(), [25, 27, 29], "the oldest first");
    assert_eq!(turns[2].roots, ["skill \"28\"\n"]);
    assert_eq!(turns[2].message.chars().count(), MESSAGE_LIMIT);
    assert_eq!(database.session("a").unwrap().unwrap().turns, 15);
    assert_eq!(database.turns("unknown", 3).unwrap(), []);
    assert_eq!(database.turn_began("unknown", 1, ""), Err(DatabaseError::Unknown("unknown".to_owned())));
}

#[test]
fn an_ended_session_is_opened_by_its_next_turn() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    begin(&database, "a");
    database.end("a", 300).unwrap();
    let info = database.session("a").unwrap().unwrap();
    assert_eq!((info.state, info.updated), (SessionState::Ended, 300));
    database.rename("a", "another").unwrap();
    database.turn_began("a", 200, "").unwrap();
    let info = database.session("a").unwrap().unwrap();
    assert_eq!((info.state, info.updated, info.title.as_str()), (SessionState::Open, 300, "another"));
}

#[test]
fn large_figures_do_not_overflow_sums() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    begin(&database, "a");
    let usage = Usage { input: u64::MAX, ..Usage::default() };
    for _ in 0..3 {
        database.add_usage("a", None, &usage).unwrap();
    }
    assert_eq!(database.session("a").unwrap().unwrap().usage_in, 3 * FIGURE_LIMIT);
    assert_eq!(database.add_usage("b", None, &usage), Err(DatabaseError::Unknown("b".to_owned())));
}

#[test]
fn a_use_reactivates_a_stale_skill_but_not_an_archived_one() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    database.skill_used("a", "d1", None, 5).unwrap();
    for name in ["a", "b"] {
        database.authored(name, 10).unwrap();
    }
    assert!(database.set_state("a", AuthoredState::Stale).unwrap());
    assert!(database.set_state("b", AuthoredState::Archived).unwrap());
    assert!(database.pin("b", true).unwrap());
    assert!(!database.pin("c", true).unwrap());
    assert!(!database.set_state("c", AuthoredState::Stale).unwrap());
    let before = database.authored_skills().unwrap();
    assert_eq!(
        (before[0].last_used, before[0].state),
        (None, AuthoredState::Stale),
        "it was used before it was recorded"
    );
    for (name, at) in [("a", 30), ("a", 20), ("b", 40), ("c", 50)] {
        database.skill_used(name, "d2", Some("no such session"), at).unwrap();
    }
    let after = database.authored_skills().unwrap();
    assert_eq!((after[0].last_used, after[0].state), (Some(30), AuthoredState::Active));
    assert_eq!((after[1].last_used, after[1].state), (Some(40), AuthoredState::Archived));
    assert!(after[1].pinned);
    let uses: Vec<_> = database
        .skill_uses()
        .unwrap()
        .into_iter()
        .map(|one| (one.name, one.count, one.first, one.last))
        .collect();
    assert_eq!(uses, [("a".to_owned(), 3, 5, 30), ("b".to_owned(), 1, 40, 40), ("c".to_owned(), 1, 50, 50)]);
    assert!(database.reactivate("b", 45).unwrap());
    let reactivate = database.authored_skills().unwrap().remove(1);
    assert_eq!(
        (reactivate.last_used, reactivate.pinned, reactivate.state),
        (Some(45), true, AuthoredState::Active)
    );
    assert!(
        database.remove_authored("b").unwrap()
            && !database.remove_authored("b").unwrap()
            && !database.reactivate("b", 46).unwrap()
    );
    database.authored("b", 60).unwrap();
    let again = database.authored_skills().unwrap().remove(1);
    assert_eq!(
        (again.created, again.last_used, again.pinned, again.state),
        (60, None, false, AuthoredState::Active)
    );
}

#[test]
fn what_a_user_saw_is_replaced_and_a_chore_is_due_once() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    assert_eq!(database.seen("me").unwrap(), None);
    database.set_seen("me", "[1]").unwrap();
    database.set_seen("me", "[2]").unwrap();
    assert_eq!(database.seen("me").unwrap().unwrap(), "[2]");
    assert_eq!(database.seen("").unwrap(), None);
    let due = |now| database.is_due("curate", now, 100).unwrap();
    assert_eq!([due(1_000), due(1_000), due(1_099), due(1_100)], [true, false, false, true]);
    assert!(due(50), "a clock that was set back does not stop it for ever");
}
