//! The journal of a session: what happened, in order, only ever added to; and the latest state of
//! its run, which changes together with it.

use crate::{
    error::StoreError,
    sessions::{from_int, to_int, unknown, within},
    store::Store,
};
use futures_util::TryStreamExt;
use sqlx::Connection;

/// Bytes of one entry.
pub const ENTRY_LIMIT: usize = 4 << 20;
/// Bytes of the state of a session.
pub const STATE_LIMIT: usize = 4 << 20;
/// Entries of one page.
pub const PAGE: usize = 500;
/// Bytes of one page, but for its last entry.
pub const PAGE_BYTES: usize = 8 << 20;
/// Bytes of the name of a kind.
const KIND_LIMIT: usize = 100;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What kind of thing, in a word of the writer's.
    pub kind: String,
    /// The thing.
    pub json: String,
    /// When, in seconds since 1970.
    pub at: u64,
}

/// An entry as it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its place in the journal, counted from one without gaps.
    pub seq: u64,
    /// What happened.
    pub entry: Entry,
}

impl Store {
    /// Adds an entry; its place.
    pub fn append(&self, session: &str, entry: &Entry) -> Result<u64, StoreError> {
        self.append_all(session, std::slice::from_ref(entry))
    }

    /// Adds entries, all or none; the place of the last.
    pub fn append_all(&self, session: &str, entries: &[Entry]) -> Result<u64, StoreError> {
        self.commit(session, entries, None)
    }

    /// Adds entries and replaces the state when one is given, all or nothing; the place of the last
    /// entry of the journal.
    pub fn commit(&self, session: &str, entries: &[Entry], state: Option<&str>) -> Result<u64, StoreError> {
        for entry in entries {
            within("a kind", &entry.kind, KIND_LIMIT)?;
            within("an entry", &entry.json, ENTRY_LIMIT)?;
        }
        within("a state", state.unwrap_or_default(), STATE_LIMIT)?;
        let at = entries.iter().map(|entry| entry.at).max().unwrap_or(0);
        self.with(async |link| {
            let mut all = link.begin_with("BEGIN IMMEDIATE").await?;
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

    /// One page of a journal: the entries after a place, in order. An empty page is the end.
    pub fn journal(&self, session: &str, after: u64) -> Result<Vec<Kept>, StoreError> {
        self.with(async |link| {
            let mut rows = sqlx::query_as::<_, (i64, String, String, i64)>(
                "SELECT seq, kind, json, at FROM entries WHERE session = $1 AND seq > $2
                 ORDER BY seq LIMIT $3",
            )
            .bind(session)
            .bind(to_int(after))
            .bind(to_int(PAGE as u64))
            .fetch(link);
            let (mut page, mut bytes) = (Vec::new(), 0);
            while let Some((seq, kind, json, at)) = rows.try_next().await? {
                bytes += json.len();
                let entry = Entry { kind, json, at: from_int(at) };
                page.push(Kept { seq: from_int(seq), entry });
                if bytes > PAGE_BYTES {
                    break;
                }
            }
            Ok(page)
        })
    }

    /// The latest state of a session's run; `None` before the first.
    pub fn state(&self, session: &str) -> Result<Option<String>, StoreError> {
        self.with(async |link| {
            let found: Option<(Option<String>,)> = sqlx::query_as("SELECT state FROM sessions WHERE id = $1")
                .bind(session)
                .fetch_optional(link)
                .await?;
            found.map(|(state,)| state).ok_or_else(|| unknown(session))
        })
    }
}
