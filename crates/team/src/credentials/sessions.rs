//! Browser sessions.

use super::SESSION;
use crate::{
    actor::Actor,
    db::args,
    error::TeamError,
    id::{hash, new_secret},
    team::Team,
};
use secrecy::{ExposeSecret as _, SecretString};

/// Hexadecimal digits of the id of a session.
const SESSION_ID: usize = 16;

/// A browser session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// The beginning of its digest.
    pub id: String,
    /// Whether it is the one that asks.
    pub is_this: bool,
    /// When it began.
    pub created: i64,
    /// When it was used last.
    pub seen: i64,
    /// When it ends without use.
    pub expires: i64,
}

impl Team {
    /// Begins a browser session; returns its secret.
    pub async fn begin_session(&self, user: &str) -> Result<SecretString, TeamError> {
        let secret = new_secret()?;
        let now = self.now();
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM browser_session WHERE expires < $1", args![now]).await?;
        tx.run(
            "INSERT INTO browser_session (hash, user_id, created, seen, expires) VALUES ($1, $2, $3, $3, $4)",
            args![hash(secret.expose_secret()), user, now, now + SESSION],
        )
        .await?;
        tx.commit().await?;
        Ok(secret)
    }

    /// The browser sessions of the user, the last used one first. `secret` is that of the session that asks.
    pub async fn sessions(&self, actor: &Actor, secret: &str) -> Result<Vec<SessionInfo>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT hash, created, seen, expires FROM browser_session WHERE user_id = $1 AND expires > $2 \
                 ORDER BY seen DESC, hash LIMIT 100",
                args![actor.user()?, self.now()],
            )
            .await?;
        let own = hash(secret);
        rows.iter()
            .map(|row| {
                let key = row.text(0)?;
                Ok(SessionInfo {
                    is_this: key == own,
                    id: key[..SESSION_ID].to_owned(),
                    created: row.int(1)?,
                    seen: row.int(2)?,
                    expires: row.int(3)?,
                })
            })
            .collect()
    }

    /// Ends a browser session of the user by its id, which is not its secret.
    pub async fn end_session_by_id(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        if id.len() != SESSION_ID || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(TeamError::NotFound);
        }
        let mut tx = self.db.begin().await?;
        let ended = tx
            .run(
                "DELETE FROM browser_session WHERE user_id = $1 AND hash LIKE $2",
                args![actor.user()?, format!("{id}%")],
            )
            .await?;
        if ended == 0 {
            return Err(TeamError::NotFound);
        }
        tx.commit().await
    }

    /// Ends a browser session.
    pub async fn end_session(&self, secret: &str) -> Result<(), TeamError> {
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM browser_session WHERE hash = $1", args![hash(secret)]).await?;
        tx.commit().await
    }
}
