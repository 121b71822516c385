//! What proves who asks: tokens, browser sessions and one-time links. Secrets are kept as digests.

mod one_time;
mod sessions;
mod tokens;

pub use sessions::SessionInfo;
pub use tokens::{OrgToken, TokenInfo, TokenInput};

use crate::{
    actor::{Actor, GroupRole, TokenScope, split},
    db::{Row, args},
    error::TeamError,
    id::{hash, is_token, new_secret},
    permission::Scope,
    team::Team,
};
use secrecy::SecretString;
use std::collections::BTreeMap;

/// How long a browser session lasts without use.
const SESSION: i64 = 14 * 24 * 3_600 * 1_000;
/// A use of a session or token is written down at most this often.
const SEEN: i64 = 60 * 1_000;

/// A new secret of 256 bits.
pub fn secret() -> Result<SecretString, TeamError> {
    new_secret()
}

/// One query for a user with their groups, a row for each group, and for the number of the newest change, so that a request asks
/// once who it is from and whether what is kept is as new.
macro_rules! actor_where {
    ($more:literal, $from:literal, $condition:literal) => {
        concat!(
            "SELECT u.id, u.org, u.roles, u.state, coalesce(m.group_id, ''), coalesce(m.role, ''), \
             (SELECT coalesce(max(seq), 0) FROM change)",
            $more,
            " FROM ",
            $from,
            " LEFT JOIN group_member m ON m.user_id = u.id WHERE ",
            $condition
        )
    };
}

const ACTOR_OF_TOKEN: &str = actor_where!(
    ", t.id, t.scopes, t.bound, t.expires, t.revoked, t.used",
    "access_token t JOIN user_account u ON u.id = t.user_id",
    "t.hash = $1"
);
const ACTOR_OF_SESSION: &str = actor_where!(
    ", s.expires, s.seen",
    "browser_session s JOIN user_account u ON u.id = s.user_id",
    "s.hash = $1"
);

/// The actor of the rows of `actor_where`.
fn actor(rows: &[Row]) -> Result<Actor, TeamError> {
    let refused = || TeamError::Unauthenticated("the account does not exist or is suspended".to_owned());
    let first = rows.first().ok_or_else(refused)?;
    if first.text(3)? != "active" {
        return Err(refused());
    }
    let mut groups: BTreeMap<String, GroupRole> = BTreeMap::new();
    for row in rows {
        let (group, role) = (row.text(4)?, row.text(5)?);
        if group.is_empty() {
            continue;
        }
        let role: GroupRole = role.parse()?;
        // An entry by hand and one of the identity provider: the stronger one counts.
        let best = groups.entry(group).or_insert(role);
        *best = (*best).max(role);
    }
    Ok(Actor {
        user: Some(first.text(0)?),
        org: first.text(1)?,
        roles: split(&first.text(2)?),
        groups,
        scopes: TokenScope::ALL.iter().copied().collect(),
        bound: String::new(),
        change: first.int(6)?,
        until: None,
    })
}

impl Team {
    /// The actor of a user with everything that a browser session may do.
    pub(crate) async fn actor_of(&self, user: &str) -> Result<Actor, TeamError> {
        actor(&self.db.all(actor_where!("", "user_account u", "u.id = $1"), args![user]).await?)
    }

    /// The actor of a token.
    pub async fn by_token(&self, token: &str) -> Result<Actor, TeamError> {
        let refused = || TeamError::Unauthenticated("the token is not valid".to_owned());
        if !is_token(token) {
            return Err(refused());
        }
        let rows = self.db.first(ACTOR_OF_TOKEN, args![hash(token)]).await?;
        let row = rows.first().ok_or_else(refused)?;
        let now = self.now();
        if row.int(10)? <= now {
            return Err(TeamError::Unauthenticated("the token has expired; create a new one".to_owned()));
        }
        if row.maybe_int(11)?.is_some() {
            return Err(TeamError::Unauthenticated("the token was revoked".to_owned()));
        }
        let mut actor = actor(&rows)?;
        if row.maybe_int(12)?.unwrap_or(0) < now - SEEN {
            let mut tx = self.db.begin().await?;
            tx.run("UPDATE access_token SET used = $2 WHERE id = $1", args![row.text(7)?, now]).await?;
            tx.commit().await?;
        }
        actor.scopes = split(&row.text(8)?);
        actor.bound = row.text(9)?;
        actor.until = Some(row.int(10)?);
        if actor.bound == "own" {
            actor.bound = Scope::Own(actor.user()?.to_owned()).text();
        }
        Ok(actor)
    }

    /// The actor of a browser session.
    pub async fn by_session(&self, secret: &str) -> Result<Actor, TeamError> {
        let refused = || TeamError::Unauthenticated("the session has ended; sign in again".to_owned());
        let key = hash(secret);
        let rows = self.db.first(ACTOR_OF_SESSION, args![&key]).await?;
        let row = rows.first().ok_or_else(refused)?;
        let now = self.now();
        if row.int(7)? <= now {
            return Err(refused());
        }
        let actor = actor(&rows)?;
        if row.int(8)? < now - SEEN {
            let mut tx = self.db.begin().await?;
            tx.run(
                "UPDATE browser_session SET seen = $2, expires = $3 WHERE hash = $1",
                args![&key, now, now + SESSION],
            )
            .await?;
            tx.commit().await?;
        }
        Ok(actor)
    }
}
