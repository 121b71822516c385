//! The turns of a session, for rules that look back: what was said and which skills it led to.

use crate::{
    error::StoreError,
    sessions::{from_int, to_int, touch},
    store::Store,
};
use sqlx::Connection;

/// Characters of a message that are kept.
pub const MESSAGE_KEPT: usize = 2_000;
/// Turns that can be asked for at once.
const TURNS_LIMIT: usize = 1_000;

/// Names a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TurnId(i64);

/// A turn that came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRecord {
    /// When it ended, in seconds since 1970.
    pub at: u64,
    /// The beginning of what was said.
    pub message: String,
    /// Skills that a rule or a mention chose.
    pub roots: Vec<String>,
}

impl Store {
    /// Begins a turn. It counts once it ended.
    pub fn turn_began(&self, session: &str, at: u64, message: &str) -> Result<TurnId, StoreError> {
        let message: String = message.chars().take(MESSAGE_KEPT).collect();
        self.with(async |link| {
            let mut all = link.begin_with("BEGIN IMMEDIATE").await?;
            touch(&mut all, session, at).await?;
            let (id,) = sqlx::query_as::<_, (i64,)>(
                "INSERT INTO turns (session, began, message) VALUES ($1, $2, $3) RETURNING id",
            )
            .bind(session)
            .bind(to_int(at))
            .bind(message)
            .fetch_one(&mut *all)
            .await?;
            all.commit().await?;
            Ok(TurnId(id))
        })
    }

    /// Ends a turn. `false` when its session was removed meanwhile.
    pub fn turn_ended(&self, turn: TurnId, roots: &[String], at: u64) -> Result<bool, StoreError> {
        let roots = serde_json::Value::from(roots).to_string();
        self.with(async |link| {
            let mut all = link.begin_with("BEGIN IMMEDIATE").await?;
            let session: Option<(String,)> =
                sqlx::query_as("UPDATE turns SET ended = $2, roots = $3 WHERE id = $1 RETURNING session")
                    .bind(turn.0)
                    .bind(to_int(at))
                    .bind(roots)
                    .fetch_optional(&mut *all)
                    .await?;
            let Some((session,)) = session else { return Ok(false) };
            touch(&mut all, &session, at).await?;
            all.commit().await?;
            Ok(true)
        })
    }

    /// The newest turns of a session that came to their end, the oldest of them first. A session
    /// that nobody knows has none.
    pub fn turns(&self, session: &str, newest: usize) -> Result<Vec<TurnRecord>, StoreError> {
        self.with(async |link| {
            let rows: Vec<(i64, String, String)> = sqlx::query_as(
                "SELECT ended, message, roots FROM turns WHERE session = $1 AND ended IS NOT NULL
                 ORDER BY id DESC LIMIT $2",
            )
            .bind(session)
            .bind(to_int(newest.min(TURNS_LIMIT) as u64))
            .fetch_all(link)
            .await?;
            let record = |(at, message, roots): (i64, String, String)| {
                let roots =
                    serde_json::from_str(&roots).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
                Ok(TurnRecord { at: from_int(at), message, roots })
            };
            rows.into_iter().rev().map(record).collect()
        })
    }
}

impl TurnId {
    /// As the database counts.
    pub(crate) fn number(self) -> i64 {
        self.0
    }
}
