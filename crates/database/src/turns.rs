//! The turns of a session, for rules that look at earlier turns: the message and the skills it selected.

use crate::{
    database::Database,
    error::DatabaseError,
    sessions::{from_int, to_int, touch},
};
use sqlx::Connection;

/// Longest message in characters; longer ones are truncated.
pub const MESSAGE_LIMIT: usize = 2_000;
/// Largest number of turns in one result.
const TURNS_LIMIT: usize = 1_000;

/// Identifies a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TurnId(i64);

/// A completed turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRecord {
    /// When it ended, in seconds since 1970.
    pub at: u64,
    /// The start of the user's message.
    pub message: String,
    /// Skills that a rule or a mention selected.
    pub roots: Vec<String>,
}

impl Database {
    /// Records the start of a turn. The turn counts once it has ended.
    pub fn turn_began(&self, session: &str, at: u64, message: &str) -> Result<TurnId, DatabaseError> {
        let message: String = message.chars().take(MESSAGE_LIMIT).collect();
        self.with(async |connection| {
            let mut all = connection.begin_with("BEGIN IMMEDIATE").await?;
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

    /// Records the end of a turn. Returns `false` when its session was removed meanwhile.
    pub fn turn_ended(&self, turn: TurnId, roots: &[String], at: u64) -> Result<bool, DatabaseError> {
        let roots = serde_json::Value::from(roots).to_string();
        self.with(async |connection| {
            let mut all = connection.begin_with("BEGIN IMMEDIATE").await?;
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

    /// The newest completed turns of a session, the oldest of them first. An unknown session has none.
    pub fn turns(&self, session: &str, newest: usize) -> Result<Vec<TurnRecord>, DatabaseError> {
        self.with(async |connection| {
            let rows: Vec<(i64, String, String)> = sqlx::query_as(
                "SELECT ended, message, roots FROM turns WHERE session = $1 AND ended IS NOT NULL
                 ORDER BY id DESC LIMIT $2",
            )
            .bind(session)
            .bind(to_int(newest.min(TURNS_LIMIT) as u64))
            .fetch_all(connection)
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
    /// The row id.
    pub(crate) fn number(self) -> i64 {
        self.0
    }
}
