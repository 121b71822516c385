//! Sessions: title, folder, times, token counts and cost.

use crate::{
    database::Database,
    error::{DatabaseError, InternalError},
};
use sqlx::{FromRow, Row, SqliteConnection, sqlite::SqliteRow};
use std::path::{Path, PathBuf};

/// Longest id in bytes.
pub const ID_LIMIT: usize = 1_000;
/// Longest title in characters; longer ones are truncated.
pub const TITLE_LIMIT: usize = 200;
/// Largest number of sessions in one list.
pub const LIST_LIMIT: usize = 10_000;
/// Number of sessions that the error for an ambiguous prefix names.
const NAMED_IDS: i64 = 4;

/// A session to create.
#[derive(Clone, Copy, Debug)]
pub struct NewSession<'a> {
    /// Its id, chosen by the caller.
    pub id: &'a str,
    /// The project folder.
    pub folder: &'a Path,
    /// Its topic, one line.
    pub title: &'a str,
    /// The time, in seconds since 1970.
    pub at: u64,
    /// The session that it was forked from.
    pub parent: Option<&'a str>,
}

/// Whether a session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// The session can continue, or was interrupted.
    Open,
    /// The user ended the session.
    Ended,
}

/// A summary of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its id.
    pub id: String,
    /// Its topic.
    pub title: String,
    /// The project folder.
    pub folder: PathBuf,
    /// The session that it was forked from, unless that one was removed.
    pub parent: Option<String>,
    /// When it was created.
    pub created: u64,
    /// When something was last added.
    pub updated: u64,
    /// Number of completed turns.
    pub turns: u64,
    /// Tokens that models read.
    pub usage_in: u64,
    /// Tokens that models wrote.
    pub usage_out: u64,
    /// Tokens read that came from a provider's cache.
    pub cached: u64,
    /// Tokens that were written to a provider's cache.
    pub stored: u64,
    /// Cost, in millionths of the currency unit.
    pub cost_micros: u64,
    /// Whether it has ended.
    pub state: SessionState,
}

/// Which sessions to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionFilter<'a> {
    /// Only those of this folder.
    pub folder: Option<&'a Path>,
    /// Only those to which nothing was added since this time.
    pub before: Option<u64>,
    /// Largest number of sessions; `None` means [`LIST_LIMIT`].
    pub limit: Option<usize>,
    /// The sessions of the sub-agents of this session, instead of those that users began.
    pub parent: Option<&'a str>,
}

impl FromRow<'_, SqliteRow> for SessionInfo {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let figure = |name: &str| row.try_get::<i64, _>(name).map(from_int);
        Ok(Self {
            id: row.try_get("id")?,
            title: row.try_get("title")?,
            folder: PathBuf::from(row.try_get::<String, _>("folder")?),
            parent: row.try_get("parent")?,
            created: figure("created")?,
            updated: figure("updated")?,
            turns: figure("turns")?,
            usage_in: figure("input")?,
            usage_out: figure("output")?,
            cached: figure("cached")?,
            stored: figure("stored")?,
            cost_micros: figure("cost_micros")?,
            state: if figure("ended")? == 0 { SessionState::Open } else { SessionState::Ended },
        })
    }
}

impl Database {
    /// Creates a session. Returns `false` and changes nothing when the id exists already.
    pub fn create(&self, new: NewSession<'_>) -> Result<bool, DatabaseError> {
        check_size("an id", new.id, ID_LIMIT)?;
        let title: String = new.title.chars().take(TITLE_LIMIT).collect();
        self.with(async |connection| {
            let done = sqlx::query(
                "INSERT INTO sessions (id, folder, title, parent, created, updated)
                 VALUES ($1, $2, $3, (SELECT id FROM sessions WHERE id = $4), $5, $5)
                 ON CONFLICT (id) DO NOTHING",
            )
            .bind(new.id)
            .bind(text(new.folder))
            .bind(title)
            .bind(new.parent)
            .bind(to_int(new.at))
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    /// Finds a session by its id, or by a prefix that only one id has.
    pub fn session(&self, word: &str) -> Result<Option<SessionInfo>, DatabaseError> {
        self.with(async |connection| {
            let exact = sqlx::query_as("SELECT * FROM session_infos WHERE id = $1")
                .bind(word)
                .fetch_optional(&mut *connection)
                .await?;
            if exact.is_some() || word.is_empty() {
                return Ok(exact);
            }
            let mut near: Vec<SessionInfo> = sqlx::query_as(
                "SELECT * FROM session_infos WHERE SUBSTR(id, 1, LENGTH($1)) = $1
                 ORDER BY id LIMIT $2",
            )
            .bind(word)
            .bind(NAMED_IDS)
            .fetch_all(connection)
            .await?;
            if near.len() > 1 {
                let ids = near.into_iter().map(|one| one.id).collect();
                return Err(DatabaseError::Ambiguous { word: word.to_owned(), ids }.into());
            }
            Ok(near.pop())
        })
    }

    /// Lists sessions, the newest first.
    pub fn sessions(&self, which: SessionFilter<'_>) -> Result<Vec<SessionInfo>, DatabaseError> {
        let limit = which.limit.unwrap_or(LIST_LIMIT).min(LIST_LIMIT);
        self.with(async |connection| {
            Ok(sqlx::query_as(
                "SELECT * FROM session_infos
                 WHERE ($1 IS NULL OR folder = $1) AND ($2 IS NULL OR updated < $2) AND parent IS $4
                 ORDER BY updated DESC, id LIMIT $3",
            )
            .bind(which.folder.map(text))
            .bind(which.before.map(to_int))
            .bind(to_int(limit as u64))
            .bind(which.parent)
            .fetch_all(connection)
            .await?)
        })
    }

    /// The session of a folder to which something was added last.
    pub fn latest(&self, folder: &Path) -> Result<Option<SessionInfo>, DatabaseError> {
        let which = SessionFilter { folder: Some(folder), limit: Some(1), ..SessionFilter::default() };
        Ok(self.sessions(which)?.pop())
    }

    /// Changes the title of a session.
    pub fn rename(&self, session: &str, title: &str) -> Result<(), DatabaseError> {
        let title: String = title.chars().take(TITLE_LIMIT).collect();
        self.with(async |connection| {
            let query = sqlx::query("UPDATE sessions SET title = $2 WHERE id = $1");
            let done = query.bind(session).bind(title).execute(connection).await?;
            if done.rows_affected() == 0 { Err(unknown(session)) } else { Ok(()) }
        })
    }

    /// Ends a session. Another turn opens it again.
    pub fn end(&self, session: &str, at: u64) -> Result<(), DatabaseError> {
        self.with(async |connection| {
            let query = sqlx::query(
                "UPDATE sessions SET ended = 1, updated = CASE WHEN updated < $2 THEN $2 ELSE updated END
                 WHERE id = $1",
            );
            let done = query.bind(session).bind(to_int(at)).execute(connection).await?;
            if done.rows_affected() == 0 { Err(unknown(session)) } else { Ok(()) }
        })
    }

    /// Removes a session and erases its content from the file. Returns `false` when the id does not exist.
    pub fn remove(&self, session: &str) -> Result<bool, DatabaseError> {
        self.with(async |connection| {
            sqlx::query("PRAGMA secure_delete = ON").execute(&mut *connection).await?;
            // The sub-agents of a session go with it.
            let query = sqlx::query("DELETE FROM sessions WHERE parent = $1");
            query.bind(session).execute(&mut *connection).await?;
            let query = sqlx::query("DELETE FROM sessions WHERE id = $1");
            let done = query.bind(session).execute(&mut *connection).await?;
            // The write-ahead log still contains the content. If another process is reading, the log is
            // truncated when the database is closed.
            let _later = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(connection).await;
            Ok(done.rows_affected() == 1)
        })
    }
}

/// Sets the time of the last change; an error when the session does not exist.
pub(crate) async fn touch(
    connection: &mut SqliteConnection,
    session: &str,
    at: u64,
) -> Result<(), InternalError> {
    let done = sqlx::query(
        "UPDATE sessions SET ended = 0, updated = CASE WHEN updated < $2 THEN $2 ELSE updated END
         WHERE id = $1",
    )
    .bind(session)
    .bind(to_int(at))
    .execute(connection)
    .await?;
    if done.rows_affected() == 0 { Err(unknown(session)) } else { Ok(()) }
}

pub(crate) fn unknown(session: &str) -> InternalError {
    DatabaseError::Unknown(session.chars().take(TITLE_LIMIT).collect()).into()
}

/// Refuses a text beyond the limit.
pub(crate) fn check_size(what: &'static str, text: &str, limit: usize) -> Result<(), DatabaseError> {
    let size = text.len();
    if size > limit { Err(DatabaseError::TooLarge { what, size, limit }) } else { Ok(()) }
}

/// A folder as text. A path that is not UTF-8 is converted lossily, which is enough to show and compare it.
fn text(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

/// Converts to the signed integers of SQLite.
pub(crate) fn to_int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(crate) fn from_int(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
