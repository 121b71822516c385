//! Records about skills: when each was used, which of them models wrote and the user approved, and what the
//! user saw last.

use crate::{
    database::Database,
    error::DatabaseError,
    sessions::{check_size, from_int, to_int},
};
use sqlx::Connection;

/// Largest record of what a user saw, in bytes.
const SEEN_LIMIT: usize = 4 << 20;

/// How often a skill was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillUse {
    /// The address of the skill.
    pub name: String,
    /// Number of uses.
    pub count: u64,
    /// Time of the first use, in seconds since 1970.
    pub first: u64,
    /// Time of the last use.
    pub last: u64,
}

/// The state of a skill that a model wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthoredState {
    /// In use.
    Active,
    /// Not used for a long time.
    Stale,
    /// Moved to the archive.
    Archived,
}

/// A skill that a model wrote and the user approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authored {
    /// The address of the skill.
    pub name: String,
    /// When it was approved, in seconds since 1970.
    pub created: u64,
    /// When it was last used since then.
    pub last_used: Option<u64>,
    /// Whether it is exempt from archiving.
    pub pinned: bool,
    /// Its state.
    pub state: AuthoredState,
}

impl AuthoredState {
    /// The name of the state, in the database and in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Stale => "stale",
            Self::Archived => "archived",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Active, Self::Stale, Self::Archived].into_iter().find(|state| state.name() == name)
    }
}

impl Database {
    /// Records a use of a skill and its version (a digest or a path). A stale skill becomes active again.
    pub fn skill_used(
        &self,
        name: &str,
        version: &str,
        session: Option<&str>,
        at: u64,
    ) -> Result<(), DatabaseError> {
        self.with(async |connection| {
            let mut all = connection.begin_with("BEGIN IMMEDIATE").await?;
            sqlx::query(
                "INSERT INTO uses (name, version, session, at)
                 VALUES ($1, $2, (SELECT id FROM sessions WHERE id = $3), $4)",
            )
            .bind(name)
            .bind(version)
            .bind(session)
            .bind(to_int(at))
            .execute(&mut *all)
            .await?;
            sqlx::query(
                "UPDATE authored SET state = CASE WHEN state = 'stale' THEN 'active' ELSE state END,
                     last_used = CASE WHEN last_used > $2 THEN last_used ELSE $2 END
                 WHERE name = $1",
            )
            .bind(name)
            .bind(to_int(at))
            .execute(&mut *all)
            .await?;
            Ok(all.commit().await?)
        })
    }

    /// How often each skill was used, sorted by name.
    pub fn skill_uses(&self) -> Result<Vec<SkillUse>, DatabaseError> {
        self.with(async |connection| {
            let rows: Vec<(String, i64, i64, i64)> = sqlx::query_as(
                "SELECT name, COUNT(*), MIN(at), MAX(at) FROM uses GROUP BY name ORDER BY name",
            )
            .fetch_all(connection)
            .await?;
            let one = |(name, count, first, last)| SkillUse {
                name,
                count: from_int(count),
                first: from_int(first),
                last: from_int(last),
            };
            Ok(rows.into_iter().map(one).collect())
        })
    }

    /// Records a skill that a model wrote and the user approved. A skill that is already recorded starts
    /// over.
    pub fn authored(&self, name: &str, at: u64) -> Result<(), DatabaseError> {
        self.with(async |connection| {
            sqlx::query(
                "INSERT INTO authored (name, created) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE
                 SET created = excluded.created, last_used = NULL, pinned = 0, state = 'active'",
            )
            .bind(name)
            .bind(to_int(at))
            .execute(connection)
            .await?;
            Ok(())
        })
    }

    /// The skills that models wrote and the user approved, sorted by name.
    pub fn authored_skills(&self) -> Result<Vec<Authored>, DatabaseError> {
        self.with(async |connection| {
            let rows: Vec<(String, i64, Option<i64>, i64, String)> =
                sqlx::query_as("SELECT name, created, last_used, pinned, state FROM authored ORDER BY name")
                    .fetch_all(connection)
                    .await?;
            let one = |(name, created, last_used, pinned, state): (_, _, Option<i64>, i64, String)| {
                let unknown = || sqlx::Error::Decode(format!("unknown state `{state}`").into());
                Ok(Authored {
                    name,
                    created: from_int(created),
                    last_used: last_used.map(from_int),
                    pinned: pinned != 0,
                    state: AuthoredState::named(&state).ok_or_else(unknown)?,
                })
            };
            rows.into_iter().map(one).collect()
        })
    }

    /// Sets or clears the exemption from archiving. Returns `false` when no such skill is recorded.
    pub fn pin(&self, name: &str, pinned: bool) -> Result<bool, DatabaseError> {
        self.with(async |connection| {
            let query = sqlx::query("UPDATE authored SET pinned = $2 WHERE name = $1");
            let done = query.bind(name).bind(i64::from(pinned)).execute(connection).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    /// Sets the state of a skill. Returns `false` when no such skill is recorded.
    pub fn set_state(&self, name: &str, state: AuthoredState) -> Result<bool, DatabaseError> {
        self.with(async |connection| {
            let query = sqlx::query("UPDATE authored SET state = $2 WHERE name = $1");
            let done = query.bind(name).bind(state.name()).execute(connection).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    /// Makes a skill active again and counts it as used now. Returns `false` when no such skill is recorded.
    pub fn reactivate(&self, name: &str, at: u64) -> Result<bool, DatabaseError> {
        self.with(async |connection| {
            let query = sqlx::query("UPDATE authored SET state = 'active', last_used = $2 WHERE name = $1");
            let done = query.bind(name).bind(to_int(at)).execute(connection).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    /// Deletes the record of a skill that no longer exists. Returns `false` when no such skill is recorded.
    pub fn remove_authored(&self, name: &str) -> Result<bool, DatabaseError> {
        self.with(async |connection| {
            let query = sqlx::query("DELETE FROM authored WHERE name = $1");
            Ok(query.bind(name).execute(connection).await?.rows_affected() == 1)
        })
    }

    /// What a user saw last.
    pub fn seen(&self, user: &str) -> Result<Option<String>, DatabaseError> {
        self.with(async |connection| {
            let query = sqlx::query_as("SELECT json FROM seen WHERE person = $1");
            let found: Option<(String,)> = query.bind(user).fetch_optional(connection).await?;
            Ok(found.map(|(json,)| json))
        })
    }

    /// Replaces the record of what a user saw.
    pub fn set_seen(&self, user: &str, json: &str) -> Result<(), DatabaseError> {
        check_size("the record of what a user saw", json, SEEN_LIMIT)?;
        self.with(async |connection| {
            sqlx::query(
                "INSERT INTO seen (person, json) VALUES ($1, $2)
                 ON CONFLICT (person) DO UPDATE SET json = excluded.json",
            )
            .bind(user)
            .bind(json)
            .execute(connection)
            .await?;
            Ok(())
        })
    }

    /// Whether a chore that runs at most once in `every` seconds is due; if so, it counts as done now. Of
    /// several processes that ask at the same time, only one gets `true`.
    pub fn is_due(&self, chore: &str, now: u64, every: u64) -> Result<bool, DatabaseError> {
        self.with(async |connection| {
            let done = sqlx::query(
                "INSERT INTO chores (name, at) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE SET at = excluded.at
                 WHERE chores.at <= $3 OR chores.at > $2",
            )
            .bind(chore)
            .bind(to_int(now))
            .bind(to_int(now).saturating_sub(to_int(every)))
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }
}
