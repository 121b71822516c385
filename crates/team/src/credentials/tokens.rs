//! Personal tokens: with scopes, an end and perhaps one place, kept as digests.

use crate::{
    actor::{Actor, TokenScope, join, split},
    db::{Row, args},
    error::TeamError,
    id::{hash, new_id, new_token},
    log::Note,
    permission::{OrgDeed, Scope, may_org},
    team::Team,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// The longest life of a token.
const TOKEN_DAYS: i64 = 366;

/// Tokens of one user that can be used at the same time.
const TOKENS: i64 = 500;

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
    /// How many days it lasts, 1 to 366; one that a token makes ends with that token at the latest.
    #[serde(default = "thirty")]
    pub days: i64,
    /// The only place that it can change: `own`, `group:ID`, `org`.
    #[serde(default)]
    pub bound: String,
}

fn thirty() -> i64 {
    30
}

impl Team {
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
        // A token that was lost does not live on in another one.
        let expires = (now + input.days * 24 * 3_600 * 1_000).min(actor.until.unwrap_or(i64::MAX));
        let mut tx = self.db.begin().await?;
        let usable =
            "SELECT count(*) FROM access_token WHERE user_id = $1 AND revoked IS NULL AND expires > $2";
        if tx.one(usable, args![&user, now]).await?.int(0)? >= TOKENS {
            return Err(TeamError::TooLarge(format!(
                "a user has at most {TOKENS} tokens; revoke some first"
            )));
        }
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
        use TokenScope::{Admin, Audit, Review, SkillsRead, SkillsWrite, Usage};
        // The token of a CI job publishes, and is not one of a program that its user signed in.
        actor.needs_one(&[SkillsRead, SkillsWrite, Review, Usage, Audit, Admin])?;
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

    /// Revokes a token of the user, or of a user of the organisation for an administrator. A token revokes itself, and others that can
    /// do no more than it can.
    pub async fn revoke_token(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        let row = self
            .db
            .maybe(
                "SELECT t.user_id, u.org, t.scopes, t.bound FROM access_token t JOIN user_account u ON u.id = t.user_id WHERE t.id = $1",
                args![id],
            )
            .await?
            .ok_or(TeamError::NotFound)?;
        let (user, org) = (row.text(0)?, row.text(1)?);
        if may_org(actor, OrgDeed::ChangeSettings, &org).is_err() {
            if actor.user.as_ref() != Some(&user) {
                return Err(TeamError::NotFound);
            }
            let scopes: BTreeSet<TokenScope> = split(&row.text(2)?);
            let bound = match row.text(3)?.as_str() {
                "own" => Scope::Own(user.clone()).text(),
                other => other.to_owned(),
            };
            if !scopes.is_subset(&actor.scopes) || !(actor.bound.is_empty() || actor.bound == bound) {
                return Err(TeamError::Forbidden(
                    "this token can do less than the one that it would revoke; use the page of the server, or a token with its scopes"
                        .to_owned(),
                ));
            }
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
