//! Sessions: what was talked about, where, when, and what it came to.

use crate::{
    error::{Inner, StoreError},
    store::Store,
};
use sqlx::{FromRow, Row, SqliteConnection, sqlite::SqliteRow};
use std::path::{Path, PathBuf};

/// Bytes of an id.
pub const ID_LIMIT: usize = 1_000;
/// Characters of a title that are kept.
pub const TITLE_KEPT: usize = 200;
/// Sessions in one list.
pub const LIST_LIMIT: usize = 10_000;
/// Sessions that are named when a word begins several.
const NAMED: i64 = 4;

/// A session that begins.
#[derive(Clone, Copy, Debug)]
pub struct NewSession<'a> {
    /// Its name, chosen by whoever begins it.
    pub id: &'a str,
    /// Where it takes place.
    pub folder: &'a Path,
    /// What it is about, in a line.
    pub title: &'a str,
    /// When, in seconds since 1970.
    pub at: u64,
    /// The session that it was forked from.
    pub parent: Option<&'a str>,
}

/// Whether a session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// It may go on, or was interrupted.
    Open,
    /// Somebody said that it is over.
    Ended,
}

/// What there is to know about a session at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its name.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// Where it takes place.
    pub folder: PathBuf,
    /// The session that it was forked from, while that one is kept.
    pub parent: Option<String>,
    /// When it began.
    pub created: u64,
    /// When something was last added.
    pub updated: u64,
    /// Turns that came to their end.
    pub turns: u64,
    /// Tokens that were read by models.
    pub usage_in: u64,
    /// Tokens that models wrote.
    pub usage_out: u64,
    /// Tokens among those read that came from a provider's cache.
    pub cached: u64,
    /// Tokens that were written to a provider's cache.
    pub stored: u64,
    /// What it cost, in millionths.
    pub cost_micros: u64,
    /// Whether it goes on.
    pub state: SessionState,
}

/// Which sessions are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Which<'a> {
    /// Only those of this folder.
    pub folder: Option<&'a Path>,
    /// Only those to which nothing was added since.
    pub before: Option<u64>,
    /// At most as many; `None` is [`LIST_LIMIT`].
    pub limit: Option<usize>,
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

impl Store {
    /// Begins a session. `false` when there is one of that id already, which stays as it is.
    pub fn create(&self, new: NewSession<'_>) -> Result<bool, StoreError> {
        within("an id", new.id, ID_LIMIT)?;
        let title: String = new.title.chars().take(TITLE_KEPT).collect();
        self.with(async |link| {
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
            .execute(link)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }

    /// The session of this id, or the only one that begins with these letters.
    pub fn session(&self, word: &str) -> Result<Option<SessionInfo>, StoreError> {
        self.with(async |link| {
            let exact = sqlx::query_as("SELECT * FROM session_infos WHERE id = $1")
                .bind(word)
                .fetch_optional(&mut *link)
                .await?;
            if exact.is_some() || word.is_empty() {
                return Ok(exact);
            }
            let mut near: Vec<SessionInfo> = sqlx::query_as(
                "SELECT * FROM session_infos WHERE SUBSTR(id, 1, LENGTH($1)) = $1
                 ORDER BY id LIMIT $2",
            )
            .bind(word)
            .bind(NAMED)
            .fetch_all(link)
            .await?;
            if near.len() > 1 {
                let ids = near.into_iter().map(|one| one.id).collect();
                return Err(StoreError::Ambiguous { word: word.to_owned(), ids }.into());
            }
            Ok(near.pop())
        })
    }

    /// Sessions, the newest first.
    pub fn sessions(&self, which: Which<'_>) -> Result<Vec<SessionInfo>, StoreError> {
        let limit = which.limit.unwrap_or(LIST_LIMIT).min(LIST_LIMIT);
        self.with(async |link| {
            Ok(sqlx::query_as(
                "SELECT * FROM session_infos
                 WHERE ($1 IS NULL OR folder = $1) AND ($2 IS NULL OR updated < $2)
                 ORDER BY updated DESC, id LIMIT $3",
            )
            .bind(which.folder.map(text))
            .bind(which.before.map(to_int))
            .bind(to_int(limit as u64))
            .fetch_all(link)
            .await?)
        })
    }

    /// The session of a folder to which something was added last.
    pub fn latest(&self, folder: &Path) -> Result<Option<SessionInfo>, StoreError> {
        let which = Which { folder: Some(folder), limit: Some(1), ..Which::default() };
        Ok(self.sessions(which)?.pop())
    }

    /// Gives a session another title.
    pub fn rename(&self, session: &str, title: &str) -> Result<(), StoreError> {
        let title: String = title.chars().take(TITLE_KEPT).collect();
        self.with(async |link| {
            let query = sqlx::query("UPDATE sessions SET title = $2 WHERE id = $1");
            let done = query.bind(session).bind(title).execute(link).await?;
            if done.rows_affected() == 0 { Err(unknown(session)) } else { Ok(()) }
        })
    }

    /// Says that a session is over. Another turn opens it again.
    pub fn end(&self, session: &str, at: u64) -> Result<(), StoreError> {
        self.with(async |link| {
            let query = sqlx::query(
                "UPDATE sessions SET ended = 1, updated = CASE WHEN updated < $2 THEN $2 ELSE updated END
                 WHERE id = $1",
            );
            let done = query.bind(session).bind(to_int(at)).execute(link).await?;
            if done.rows_affected() == 0 { Err(unknown(session)) } else { Ok(()) }
        })
    }

    /// Forgets a session with all that was said in it; the file keeps no copy of its words.
    /// `false` when there is none of that id.
    pub fn remove(&self, session: &str) -> Result<bool, StoreError> {
        self.with(async |link| {
            sqlx::query("PRAGMA secure_delete = ON").execute(&mut *link).await?;
            let query = sqlx::query("DELETE FROM sessions WHERE id = $1");
            let done = query.bind(session).execute(&mut *link).await?;
            // The log still holds the words; if somebody is reading it, the next closing empties it.
            let _later = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(link).await;
            Ok(done.rows_affected() == 1)
        })
    }
}

/// Marks that something was added, and tells an unknown session from a known one.
pub(crate) async fn touch(link: &mut SqliteConnection, session: &str, at: u64) -> Result<(), Inner> {
    let done = sqlx::query(
        "UPDATE sessions SET ended = 0, updated = CASE WHEN updated < $2 THEN $2 ELSE updated END
         WHERE id = $1",
    )
    .bind(session)
    .bind(to_int(at))
    .execute(link)
    .await?;
    if done.rows_affected() == 0 { Err(unknown(session)) } else { Ok(()) }
}

pub(crate) fn unknown(session: &str) -> Inner {
    StoreError::Unknown(session.chars().take(TITLE_KEPT).collect()).into()
}

/// Refuses what is over a limit.
pub(crate) fn within(what: &'static str, text: &str, limit: usize) -> Result<(), StoreError> {
    let size = text.len();
    if size > limit { Err(StoreError::TooLarge { what, size, limit }) } else { Ok(()) }
}

/// A folder as text; one that is no text is near enough to be shown and compared.
fn text(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

/// Databases count with a sign.
pub(crate) fn to_int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(crate) fn from_int(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
