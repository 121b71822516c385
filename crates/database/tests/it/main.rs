//! Contract of the database, with real files, threads and processes. The name of a test is the behaviour it
//! checks.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod concurrency;
mod crashes;
mod files;
mod records;

use skillful_database::{Database, JournalEntry, NewSession};
use std::path::Path;

/// Creates a session in `/work` at time 100.
fn begin(database: &Database, id: &str) {
    let new = NewSession { id, folder: Path::new("/work"), title: "a title", at: 100, parent: None };
    assert!(database.create(new).unwrap());
}

/// An entry that names its writer.
fn entry(writer: &str, number: u64) -> JournalEntry {
    JournalEntry { kind: "note".to_owned(), json: format!("{{\"{writer}\":{number}}}"), at: 200 + number }
}

/// The whole journal of a session.
fn journal(database: &Database, session: &str) -> Vec<JournalEntry> {
    let mut all = Vec::new();
    loop {
        let page = database.journal(session, all.len() as u64).unwrap();
        if page.is_empty() {
            return all;
        }
        for kept in page {
            assert_eq!(kept.seq, all.len() as u64 + 1);
            all.push(kept.entry);
        }
    }
}
