//! The journal of a session: an append-only list of entries, and the latest state of the session, which is
//! written in the same transaction.

use crate::{
    database::Database,
    error::DatabaseError,
    sessions::{check_size, from_int, to_int, unknown},
};
use futures_util::TryStreamExt;
use sqlx::Connection;

/// Largest entry in bytes.
pub const ENTRY_LIMIT: usize = 4 << 20;
/// Largest state of a session in bytes.
pub const STATE_LIMIT: usize = 4 << 20;
/// Largest number of entries of one page.
pub const PAGE: usize = 500;
/// Size of one page in bytes; its last entry may exceed it.
pub const PAGE_BYTES: usize = 8 << 20;
/// Longest name of a kind in bytes.
const KIND_LIMIT: usize = 100;

/// An entry of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// The kind of entry, chosen by the writer.
    pub kind: String,
    /// The content as JSON.
    pub json: String,
    /// The time, in seconds since 1970.
    pub at: u64,
}

/// An entry with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRecord {
    /// Its position in the journal, counted from one without gaps.
    pub seq: u64,
    /// The entry.
    pub entry: JournalEntry,
}

impl Database {
    /// Adds an entry and returns its position.
    pub fn append(&self, session: &str, entry: &JournalEntry) -> Result<u64, DatabaseError> {
        self.append_all(session, std::slice::from_ref(entry))
    }

    /// Adds entries, all or none, and returns the position of the last one.
    pub fn append_all(&self, session: &str, entries: &[JournalEntry]) -> Result<u64, DatabaseError> {
        self.commit(session, entries, None)
    }

    /// Adds entries and, if given, replaces the state, in one transaction. Returns the position of the last
    /// entry of the journal.
    pub fn commit(
        &self,
        session: &str,
        entries: &[JournalEntry],
        state: Option<&str>,
    ) -> Result<u64, DatabaseError> {
        for entry in entries {
            check_size("a kind", &entry.kind, KIND_LIMIT)?;
            check_size("an entry", &entry.json, ENTRY_LIMIT)?;
        }
        check_size("a state", state.unwrap_or_default(), STATE_LIMIT)?;
        let at = entries.iter().map(|entry| entry.at).max().unwrap_or(0);
        self.with(async |connection| {
            let mut all = connection.begin_with("BEGIN IMMEDIATE").await?;
            let last: Option<(i64,)> = sqlx::query_as(
                "UPDATE sessions SET last_seq = last_seq + $2, state = COALESCE($3, state),
                     updated = CASE WHEN updated < $4 THEN $4 ELSE updated END
                 WHERE id = $1 RETURNING last_seq",
            )
            .bind(session)
            .bind(to_int(entries.len() as u64))
            .bind(state)
            .bind(to_int(at))
            .fetch_optional(&mut *all)
            .await?;
            let Some((last,)) = last else { return Err(unknown(session)) };
            let first = last - to_int(entries.len() as u64) + 1;
            for (seq, entry) in (first..).zip(entries) {
                sqlx::query("INSERT INTO entries (session, seq, kind, json, at) VALUES ($1, $2, $3, $4, $5)")
                    .bind(session)
                    .bind(seq)
                    .bind(&entry.kind)
                    .bind(&entry.json)
                    .bind(to_int(entry.at))
                    .execute(&mut *all)
                    .await?;
            }
            all.commit().await?;
            Ok(from_int(last))
        })
    }

    /// One page of a journal: the entries after a position, in order. An empty page is the end.
    pub fn journal(&self, session: &str, after: u64) -> Result<Vec<JournalRecord>, DatabaseError> {
        self.with(async |connection| {
            let mut rows = sqlx::query_as::<_, (i64, String, String, i64)>(
                "SELECT seq, kind, json, at FROM entries WHERE session = $1 AND seq > $2
                 ORDER BY seq LIMIT $3",
            )
            .bind(session)
            .bind(to_int(after))
            .bind(to_int(PAGE as u64))
            .fetch(connection);
            let (mut page, mut bytes) = (Vec::new(), 0);
            while let Some((seq, kind, json, at)) = rows.try_next().await? {
                bytes += json.len();
                let entry = JournalEntry { kind, json, at: from_int(at) };
                page.push(JournalRecord { seq: from_int(seq), entry });
                if bytes > PAGE_BYTES {
                    break;
                }
            }
            Ok(page)
        })
    }

    /// The latest state of a session; `None` before the first one.
    pub fn state(&self, session: &str) -> Result<Option<String>, DatabaseError> {
        self.with(async |connection| {
            let found: Option<(Option<String>,)> = sqlx::query_as("SELECT state FROM sessions WHERE id = $1")
                .bind(session)
                .fetch_optional(connection)
                .await?;
            found.map(|(state,)| state).ok_or_else(|| unknown(session))
        })
    }
}
