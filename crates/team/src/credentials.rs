//! What proves who asks: tokens, browser sessions and one-time links. Secrets are kept as digests.

use crate::{
    actor::{Actor, GroupRole, Role, TokenScope, join, split},
    db::{Row, args},
    error::TeamError,
    id::{hash, is_token, new_id, new_secret, new_token},
    log::Note,
    people::{LOCAL, User},
    permission::{OrgDeed, Scope, may_org},
    team::{FIRST_ORG, Team},
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// How long a browser session lasts without use.
const SESSION: i64 = 14 * 24 * 3_600 * 1_000;
/// How long a link for the first administrator can be used.
const LINK: i64 = 24 * 3_600 * 1_000;
/// The longest life of a token.
const TOKEN_DAYS: i64 = 366;
/// A use of a session or token is written down at most this often.
const SEEN: i64 = 60 * 1_000;
/// Hexadecimal digits of the id of a session.
const SESSION_ID: usize = 16;

/// A new secret of 256 bits.
pub fn secret() -> Result<SecretString, TeamError> {
    new_secret()
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TokenInfo {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// What it may be used for.
    pub scopes: BTreeSet<TokenScope>,
    /// The only place that it can change; empty: all places of its user.
    pub bound: String,
    /// When it was made.
    pub created: i64,
    /// When it ends.
    pub expires: i64,
    /// When it was used last.
    pub used: Option<i64>,
    /// Whether it was revoked.
    pub is_revoked: bool,
}

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

/// A token of the organisation with its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrgToken {
    /// The token.
    pub token: TokenInfo,
    /// The user.
    pub user: String,
}

/// What a new token may do.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct TokenInput {
    /// What it is for.
    pub name: String,
    /// What it may be used for.
    pub scopes: BTreeSet<TokenScope>,
    /// How many days it lasts, 1 to 366.
    #[serde(default = "thirty")]
    pub days: i64,
    /// The only place that it can change: `own`, `group:ID`, `org`.
    #[serde(default)]
    pub bound: String,
}

fn thirty() -> i64 {
    30
}

/// One query for a user with their groups, a row for each group, so that a request asks once who it is from.
macro_rules! actor_where {
    ($more:literal, $from:literal, $condition:literal) => {
        concat!(
            "SELECT u.id, u.org, u.roles, u.state, coalesce(m.group_id, ''), coalesce(m.role, '')",
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
        let rows = self.db.all(ACTOR_OF_TOKEN, args![hash(token)]).await?;
        let row = rows.first().ok_or_else(refused)?;
        let now = self.now();
        if row.int(9)? <= now {
            return Err(TeamError::Unauthenticated("the token has expired; create a new one".to_owned()));
        }
        if row.maybe_int(10)?.is_some() {
            return Err(TeamError::Unauthenticated("the token was revoked".to_owned()));
        }
        let mut actor = actor(&rows)?;
        if row.maybe_int(11)?.unwrap_or(0) < now - SEEN {
            let mut tx = self.db.begin().await?;
            tx.run("UPDATE access_token SET used = $2 WHERE id = $1", args![row.text(6)?, now]).await?;
            tx.commit().await?;
        }
        actor.scopes = split(&row.text(7)?);
        actor.bound = row.text(8)?;
        if actor.bound == "own" {
            actor.bound = Scope::Own(actor.user()?.to_owned()).text();
        }
        Ok(actor)
    }

    /// The actor of a browser session.
    pub async fn by_session(&self, secret: &str) -> Result<Actor, TeamError> {
        let refused = || TeamError::Unauthenticated("the session has ended; sign in again".to_owned());
        let key = hash(secret);
        let rows = self.db.all(ACTOR_OF_SESSION, args![&key]).await?;
        let row = rows.first().ok_or_else(refused)?;
        let now = self.now();
        if row.int(6)? <= now {
            return Err(refused());
        }
        let actor = actor(&rows)?;
        if row.int(7)? < now - SEEN {
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

    /// The user of this machine: the first administrator that was made here, who is created when there is none.
    pub async fn local_admin(&self) -> Result<User, TeamError> {
        let row = self
            .db
            .maybe(
                "SELECT id FROM user_account WHERE issuer = $1 AND state = 'active' AND roles LIKE '%site-admin%' \
                 ORDER BY created, id LIMIT 1",
                args![LOCAL],
            )
            .await?;
        match row {
            Some(row) => self.user(&row.text(0)?).await,
            None => {
                let link = self.first_admin_link().await?;
                self.use_first_admin_link(link.expose_secret()).await
            }
        }
    }

    /// Keeps something under a secret that can be taken once, within a time.
    pub async fn keep_once(
        &self,
        purpose: &str,
        secret: &SecretString,
        data: &str,
        millis: i64,
    ) -> Result<(), TeamError> {
        let now = self.now();
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM one_time WHERE expires < $1", args![now]).await?;
        tx.run(
            "INSERT INTO one_time (hash, purpose, user_id, data, expires) VALUES ($1, $2, '', $3, $4)",
            args![hash(secret.expose_secret()), purpose, data, now + millis],
        )
        .await?;
        tx.commit().await
    }

    /// Takes what was kept under a secret; a second call finds nothing.
    pub async fn take_once(&self, purpose: &str, secret: &str) -> Result<Option<String>, TeamError> {
        let mut tx = self.db.begin().await?;
        let found = tx
            .maybe(
                "SELECT data FROM one_time WHERE hash = $1 AND purpose = $2 AND expires > $3",
                args![hash(secret), purpose, self.now()],
            )
            .await?;
        let taken = tx
            .run("DELETE FROM one_time WHERE hash = $1 AND purpose = $2", args![hash(secret), purpose])
            .await?;
        tx.commit().await?;
        found.filter(|_| taken == 1).map(|row| row.text(0)).transpose()
    }

    /// Ends a browser session.
    pub async fn end_session(&self, secret: &str) -> Result<(), TeamError> {
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM browser_session WHERE hash = $1", args![hash(secret)]).await?;
        tx.commit().await
    }

    /// Whether no administrator exists yet.
    pub async fn needs_first_admin(&self) -> Result<bool, TeamError> {
        let row = self
            .db
            .maybe("SELECT 1 FROM user_account WHERE roles LIKE '%site-admin%' AND seen > 0 LIMIT 1", args![])
            .await?;
        Ok(row.is_none())
    }

    /// A secret that makes its holder the first administrator, once.
    pub async fn first_admin_link(&self) -> Result<SecretString, TeamError> {
        let secret = new_secret()?;
        let now = self.now();
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM one_time WHERE purpose = 'first-admin'", args![]).await?;
        tx.run(
            "INSERT INTO one_time (hash, purpose, user_id, data, expires) VALUES ($1, 'first-admin', '', '', $2)",
            args![hash(secret.expose_secret()), now + LINK],
        )
        .await?;
        tx.commit().await?;
        Ok(secret)
    }

    /// Uses the link of the first administrator; returns the new user.
    pub async fn use_first_admin_link(&self, secret: &str) -> Result<User, TeamError> {
        let now = self.now();
        let mut tx = self.db.begin().await?;
        let used = tx
            .run(
                "DELETE FROM one_time WHERE hash = $1 AND purpose = 'first-admin' AND expires > $2",
                args![hash(secret), now],
            )
            .await?;
        if used != 1 {
            return Err(TeamError::Unauthenticated(
                "the link was used or has expired; `skillful serve` prints a new one when it starts"
                    .to_owned(),
            ));
        }
        let id = new_id("user")?;
        let roles = join([Role::OrgAdmin, Role::SiteAdmin]);
        tx.run(
            "INSERT INTO user_account (id, org, issuer, sub, email, name, roles, state, created, seen) \
             VALUES ($1, $2, $3, $4, '', 'Administrator', $5, 'active', $6, $6)",
            args![&id, FIRST_ORG, LOCAL, &id, &roles, now],
        )
        .await?;
        let note = Note {
            org: FIRST_ORG,
            action: "user.first-admin",
            subject: &id,
            scope: &Scope::Own(id.clone()),
            before: Value::Null,
            after: json!({ "roles": roles }),
        };
        self.finish(tx, &id, &[note]).await?;
        self.user(&id).await
    }

    /// Creates a token; returns it with its secret, which is not kept.
    pub async fn create_token(
        &self,
        actor: &Actor,
        input: &TokenInput,
    ) -> Result<(TokenInfo, SecretString), TeamError> {
        let user = actor.user()?.to_owned();
        if input.name.trim().is_empty() || input.name.chars().count() > 100 {
            return Err(TeamError::invalid("wrong-name", "name the token, in at most 100 characters"));
        }
        if !(1..=TOKEN_DAYS).contains(&input.days) {
            return Err(TeamError::invalid("wrong-days", format!("a token lasts 1 to {TOKEN_DAYS} days")));
        }
        if let Some(scope) = input.scopes.iter().find(|scope| !actor.scopes.contains(scope)) {
            return Err(TeamError::Forbidden(format!(
                "this token lacks the scope `{scope}`, so that it cannot give it"
            )));
        }
        if input.scopes.is_empty() {
            return Err(TeamError::invalid("no-scope", "choose at least one scope"));
        }
        let known = match input.bound.split_once(':') {
            None => ["", "own", "org"].contains(&input.bound.as_str()),
            Some((kind, id)) => kind == "group" && actor.groups.contains_key(id),
        };
        if !known || !(actor.bound.is_empty() || actor.bound == input.bound) {
            return Err(TeamError::invalid(
                "wrong-bound",
                "a token is limited to `own`, `org` or `group:ID` of yours",
            ));
        }
        let (id, secret) = (new_id("token")?, new_token()?);
        let now = self.now();
        let expires = now + input.days * 24 * 3_600 * 1_000;
        let mut tx = self.db.begin().await?;
        tx.run(
            "INSERT INTO access_token (id, hash, user_id, name, scopes, bound, created, expires, used, revoked) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL, NULL)",
            args![
                &id, hash(secret.expose_secret()), &user, &input.name, join(&input.scopes), &input.bound, now, expires
            ],
        )
        .await?;
        let note = Note {
            org: &actor.org,
            action: "token.create",
            subject: &id,
            scope: &Scope::Own(user.clone()),
            before: Value::Null,
            after: json!({ "scopes": join(&input.scopes), "bound": input.bound, "expires": expires }),
        };
        self.finish(tx, &user, &[note]).await?;
        let info = TokenInfo {
            id,
            name: input.name.clone(),
            scopes: input.scopes.clone(),
            bound: input.bound.clone(),
            created: now,
            expires,
            used: None,
            is_revoked: false,
        };
        Ok((info, secret))
    }

    /// The tokens of the user.
    pub async fn tokens(&self, actor: &Actor) -> Result<Vec<TokenInfo>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT id, name, scopes, bound, created, expires, used, revoked FROM access_token \
                 WHERE user_id = $1 ORDER BY created DESC, id LIMIT 500",
                args![actor.user()?],
            )
            .await?;
        rows.iter().map(token_info).collect()
    }

    /// Tokens of all users of the organisation that can still be used, the newest first; at most 500.
    pub async fn all_tokens(&self, actor: &Actor) -> Result<Vec<OrgToken>, TeamError> {
        may_org(actor, OrgDeed::ReadSettings, &actor.org)?;
        let rows = self
            .db
            .all(
                "SELECT t.id, t.name, t.scopes, t.bound, t.created, t.expires, t.used, t.revoked, t.user_id \
                 FROM access_token t JOIN user_account u ON u.id = t.user_id \
                 WHERE u.org = $1 AND t.revoked IS NULL AND t.expires > $2 ORDER BY t.created DESC, t.id LIMIT 500",
                args![&actor.org, self.now()],
            )
            .await?;
        rows.iter().map(|row| Ok(OrgToken { token: token_info(row)?, user: row.text(8)? })).collect()
    }

    /// Revokes a token of the user, or of a user of the organisation for an administrator.
    pub async fn revoke_token(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        let row = self
            .db
            .maybe(
                "SELECT t.user_id, u.org FROM access_token t JOIN user_account u ON u.id = t.user_id WHERE t.id = $1",
                args![id],
            )
            .await?
            .ok_or(TeamError::NotFound)?;
        let (user, org) = (row.text(0)?, row.text(1)?);
        if actor.user.as_ref() != Some(&user) && may_org(actor, OrgDeed::ChangeSettings, &org).is_err() {
            return Err(TeamError::NotFound);
        }
        let mut tx = self.db.begin().await?;
        tx.run(
            "UPDATE access_token SET revoked = $2 WHERE id = $1 AND revoked IS NULL",
            args![id, self.now()],
        )
        .await?;
        let note = Note {
            org: &org,
            action: "token.revoke",
            subject: id,
            scope: &Scope::Own(user.clone()),
            before: Value::Null,
            after: Value::Null,
        };
        self.finish(tx, actor.label(), &[note]).await?;
        Ok(())
    }
}

fn token_info(row: &Row) -> Result<TokenInfo, TeamError> {
    Ok(TokenInfo {
        id: row.text(0)?,
        name: row.text(1)?,
        scopes: split(&row.text(2)?),
        bound: row.text(3)?,
        created: row.int(4)?,
        expires: row.int(5)?,
        used: row.maybe_int(6)?,
        is_revoked: row.maybe_int(7)?.is_some(),
    })
}
