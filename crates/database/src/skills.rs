//! What is remembered about skills: when each was used, which of them models wrote and a person
//! accepted, and what a person saw last.

use crate::{
    error::StoreError,
    sessions::{from_int, to_int, within},
    store::Store,
};
use sqlx::Connection;

/// Bytes of what a person saw.
const SEEN_LIMIT: usize = 4 << 20;

/// How often a skill was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillUse {
    /// The skill.
    pub name: String,
    /// How often.
    pub count: u64,
    /// When first, in seconds since 1970.
    pub first: u64,
    /// When last.
    pub last: u64,
}

/// Where a skill that a model wrote stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthoredState {
    /// In use.
    Active,
    /// Not used for long.
    Stale,
    /// Put away.
    Archived,
}

/// A skill that a model wrote and a person accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authored {
    /// The skill.
    pub name: String,
    /// When it was accepted, in seconds since 1970.
    pub created: u64,
    /// When it was used last since.
    pub last_used: Option<u64>,
    /// Never put away.
    pub pinned: bool,
    /// Where it stands.
    pub state: AuthoredState,
}

impl AuthoredState {
    /// Its name, here and in a person's sight.
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

impl Store {
    /// Remembers that a skill was used, in which version (a digest or a path). A stale skill that
    /// is used is active again.
    pub fn skill_used(
        &self,
        name: &str,
        version: &str,
        session: Option<&str>,
        at: u64,
    ) -> Result<(), StoreError> {
        self.with(async |link| {
            let mut all = link.begin_with("BEGIN IMMEDIATE").await?;
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

    /// How often each skill was used, by name.
    pub fn skill_uses(&self) -> Result<Vec<SkillUse>, StoreError> {
        self.with(async |link| {
            let rows: Vec<(String, i64, i64, i64)> = sqlx::query_as(
                "SELECT name, COUNT(*), MIN(at), MAX(at) FROM uses GROUP BY name ORDER BY name",
            )
            .fetch_all(link)
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

    /// Registers a skill that a model wrote and a person accepted; again, when it was known.
    pub fn authored(&self, name: &str, at: u64) -> Result<(), StoreError> {
        self.with(async |link| {
            sqlx::query(
                "INSERT INTO authored (name, created) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE
                 SET created = excluded.created, last_used = NULL, pinned = 0, state = 'active'",
            )
            .bind(name)
            .bind(to_int(at))
            .execute(link)
            .await?;
            Ok(())
        })
    }

    /// The skills that models wrote and a person accepted, by name.
    pub fn authored_skills(&self) -> Result<Vec<Authored>, StoreError> {
        self.with(async |link| {
            let rows: Vec<(String, i64, Option<i64>, i64, String)> =
                sqlx::query_as("SELECT name, created, last_used, pinned, state FROM authored ORDER BY name")
                    .fetch_all(link)
                    .await?;
            let one = |(name, created, last_used, pinned, state): (_, _, Option<i64>, i64, String)| {
                let unknown = || sqlx::Error::Decode(format!("there is no state `{state}`").into());
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

    /// Exempts a skill from being put away, or no longer. `false` when it is not one of these.
    pub fn pin(&self, name: &str, pinned: bool) -> Result<bool, StoreError> {
        self.with(async |link| {
            let query = sqlx::query("UPDATE authored SET pinned = $2 WHERE name = $1");
            let done = query.bind(name).bind(i64::from(pinned)).execute(link).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    /// Says where a skill stands. `false` when it is not one of these.
    pub fn set_state(&self, name: &str, state: AuthoredState) -> Result<bool, StoreError> {
        self.with(async |link| {
            let query = sqlx::query("UPDATE authored SET state = $2 WHERE name = $1");
            let done = query.bind(name).bind(state.name()).execute(link).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    /// Brings a skill back: it is active, and idle from now on. `false` when it is not one of these.
    pub fn woken(&self, name: &str, at: u64) -> Result<bool, StoreError> {
        self.with(async |link| {
            let query = sqlx::query("UPDATE authored SET state = 'active', last_used = $2 WHERE name = $1");
            let done = query.bind(name).bind(to_int(at)).execute(link).await?;
            Ok(done.rows_affected() == 1)
        })
    }

    /// Forgets that a model wrote a skill, which is gone. `false` when nobody knew.
    pub fn disown(&self, name: &str) -> Result<bool, StoreError> {
        self.with(async |link| {
            let query = sqlx::query("DELETE FROM authored WHERE name = $1");
            Ok(query.bind(name).execute(link).await?.rows_affected() == 1)
        })
    }

    /// What a person saw last.
    pub fn seen(&self, person: &str) -> Result<Option<String>, StoreError> {
        self.with(async |link| {
            let query = sqlx::query_as("SELECT json FROM seen WHERE person = $1");
            let found: Option<(String,)> = query.bind(person).fetch_optional(link).await?;
            Ok(found.map(|(json,)| json))
        })
    }

    /// Keeps what a person saw.
    pub fn keep_seen(&self, person: &str, json: &str) -> Result<(), StoreError> {
        within("what was seen", json, SEEN_LIMIT)?;
        self.with(async |link| {
            sqlx::query(
                "INSERT INTO seen (person, json) VALUES ($1, $2)
                 ON CONFLICT (person) DO UPDATE SET json = excluded.json",
            )
            .bind(person)
            .bind(json)
            .execute(link)
            .await?;
            Ok(())
        })
    }

    /// Whether a chore that is done at most once in `every` seconds is due; if so, it counts as done
    /// now. Of several programs that ask, one is told yes.
    pub fn is_due(&self, chore: &str, now: u64, every: u64) -> Result<bool, StoreError> {
        self.with(async |link| {
            let done = sqlx::query(
                "INSERT INTO chores (name, at) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE SET at = excluded.at
                 WHERE chores.at <= $3 OR chores.at > $2",
            )
            .bind(chore)
            .bind(to_int(now))
            .bind(to_int(now).saturating_sub(to_int(every)))
            .execute(link)
            .await?;
            Ok(done.rows_affected() == 1)
        })
    }
}
