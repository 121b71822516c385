//! Contracts of the store, over real files, threads and processes.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod crashes;
mod files;
mod kept;
mod together;

use skillful_database::{Entry, NewSession, Store};
use std::path::Path;

/// A session with an id, in `/work`, begun at 100.
fn begin(store: &Store, id: &str) {
    let new = NewSession { id, folder: Path::new("/work"), title: "a title", at: 100, parent: None };
    assert!(store.create(new).unwrap());
}

/// An entry that says who wrote it.
fn entry(writer: &str, number: u64) -> Entry {
    Entry { kind: "note".to_owned(), json: format!("{{\"{writer}\":{number}}}"), at: 200 + number }
}

/// The whole journal of a session.
fn journal(store: &Store, session: &str) -> Vec<Entry> {
    let mut all = Vec::new();
    loop {
        let page = store.journal(session, all.len() as u64).unwrap();
        if page.is_empty() {
            return all;
        }
        for kept in page {
            assert_eq!(kept.seq, all.len() as u64 + 1);
            all.push(kept.entry);
        }
    }
}
