//! Publishing from CI without a kept secret: a job shows the identity that its CI system signed, and gets a token for half an
//! hour that adds versions to one place, and nothing else.
//!
//! Whether the identity is genuine is checked before it comes here.

use crate::{
    actor::{Actor, TokenScope, join},
    db::{Row, args},
    error::TeamError,
    id::{hash, new_id, new_token},
    log::Note,
    permission::{Deed, OrgDeed, Scope, may_org},
    team::Team,
    upload::{Stored, Upload, text},
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use url::Url;
use utoipa::ToSchema;

/// How long a token of a job lasts, in milliseconds.
const LASTS: i64 = 30 * 60 * 1_000;
/// Publishers that an organisation may have.
const PUBLISHERS: i64 = 500;
/// Claims of which one must be named: without them every job of the CI system would publish.
const WHO: [&str; 8] = [
    "sub",
    "repository",
    "repository_id",
    "project_path",
    "project_id",
    "job_workflow_ref",
    "organization_slug",
    "pipeline_slug",
];

/// A CI identity that may publish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Publisher {
    /// Its id.
    pub id: String,
    /// Its name for users.
    pub name: String,
    /// The issuer of its identities: `https://token.actions.githubusercontent.com`.
    pub issuer: String,
    /// What the identity must say, each exactly.
    pub claims: BTreeMap<String, String>,
    /// The user who set it up, and who is the author of what it publishes.
    pub user: String,
    /// Where it publishes: `org`, `group:ID`, `global`; `org/NAME` for one skill.
    pub bound: String,
    /// When it was added.
    pub created: i64,
}

impl Publisher {
    fn of(row: &Row) -> Result<Self, TeamError> {
        Ok(Self {
            id: row.text(0)?,
            name: row.text(1)?,
            issuer: row.text(2)?,
            claims: serde_json::from_str(&row.text(3)?)
                .map_err(|error| TeamError::Internal(error.to_string()))?,
            user: row.text(4)?,
            bound: row.text(5)?,
            created: row.int(6)?,
        })
    }

    /// Whether an identity says everything that this publisher needs.
    fn fits(&self, claims: &Value) -> bool {
        self.claims.iter().all(|(key, wanted)| match &claims[key.as_str()] {
            Value::String(found) => found == wanted,
            Value::Number(found) => found.to_string() == *wanted,
            Value::Bool(found) => found.to_string() == *wanted,
            _ => false,
        })
    }
}

/// A publisher that is added.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct PublisherInput {
    /// Its name for users.
    pub name: String,
    /// The issuer of its identities, an https address.
    pub issuer: String,
    /// What the identity must say, each exactly: `repository`, `sub`, `ref`, …
    pub claims: BTreeMap<String, String>,
    /// Where it publishes: `org`, `group:ID`, `global`; `org/NAME` for one skill.
    pub bound: String,
}

/// A token of a job.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JobToken {
    /// The token.
    pub token: String,
    /// When it ends, in milliseconds since 1970.
    pub expires: i64,
    /// Where it publishes.
    pub bound: String,
}

const ALL: &str = "SELECT id, name, issuer, claims, user_id, bound, created FROM publisher WHERE org = $1 ORDER BY name, id";

impl Team {
    /// The CI identities that may publish.
    pub async fn publishers(&self, actor: &Actor) -> Result<Vec<Publisher>, TeamError> {
        may_org(actor, OrgDeed::ReadSettings, &actor.org)?;
        self.db.all(ALL, args![&actor.org]).await?.iter().map(Publisher::of).collect()
    }

    /// Lets a CI identity publish. It can do no more than the user who sets it up.
    pub async fn create_publisher(
        &self,
        actor: &Actor,
        input: &PublisherInput,
    ) -> Result<Publisher, TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let user = actor.user()?.to_owned();
        self.check_publisher(actor, input).await?;
        let id = new_id("publisher")?;
        let mut tx = self.db.begin().await?;
        let count =
            tx.one("SELECT count(*) FROM publisher WHERE org = $1", args![&actor.org]).await?.int(0)?;
        if count >= PUBLISHERS {
            return Err(TeamError::TooLarge(format!("an organisation has at most {PUBLISHERS} publishers")));
        }
        tx.run(
            "INSERT INTO publisher (id, org, name, issuer, claims, user_id, bound, created) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            args![
                &id,
                &actor.org,
                &input.name,
                &input.issuer,
                text(&input.claims)?,
                &user,
                &input.bound,
                self.now()
            ],
        )
        .await?;
        let after = json!({ "issuer": input.issuer, "claims": input.claims, "bound": input.bound });
        self.finish(tx, &user, &[note(&actor.org, "publisher.create", &id, after)]).await?;
        self.publishers(actor).await?.into_iter().find(|one| one.id == id).ok_or(TeamError::NotFound)
    }

    async fn check_publisher(&self, actor: &Actor, input: &PublisherInput) -> Result<(), TeamError> {
        let wrong = |why: String| Err(TeamError::invalid("wrong-publisher", why));
        if input.name.trim().is_empty() || input.name.chars().count() > 100 {
            return wrong("name the publisher, in at most 100 characters".to_owned());
        }
        if input.claims.len() > 20
            || input.claims.iter().any(|(key, value)| key.len() > 100 || value.len() > 500)
        {
            return wrong("at most 20 claims, of at most 500 bytes".to_owned());
        }
        if !WHO.iter().any(|claim| input.claims.get(*claim).is_some_and(|value| !value.is_empty())) {
            return wrong(format!(
                "name at least one claim that distinguishes one project from another: {}",
                WHO.join(", ")
            ));
        }
        let Ok(issuer) = Url::parse(&input.issuer) else {
            return wrong("the issuer is not a URL".to_owned());
        };
        let outbound = self.outbound.clone();
        tokio::task::spawn_blocking(move || outbound.check(&issuer, &std::collections::BTreeSet::new()))
            .await
            .map_err(|error| TeamError::Internal(error.to_string()))??;
        let (scope, name) = place(&input.bound)?;
        if let Some(name) = name {
            skillful_format::scaffold::check_name(name).map_err(|refused| {
                TeamError::invalid("wrong-publisher", format!("the name of the skill: {refused}"))
            })?;
        }
        self.may(actor, Deed::Edit, &actor.org, &scope)?;
        if let Scope::Group(group) = &scope {
            self.group(actor, group).await?;
        }
        Ok(())
    }

    /// Ends what a CI identity may do; its tokens end with it.
    pub async fn delete_publisher(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        if !self.publishers(actor).await?.iter().any(|one| one.id == id) {
            return Err(TeamError::NotFound);
        }
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM publisher WHERE id = $1", args![id]).await?;
        tx.run(
            "UPDATE access_token SET revoked = $2 WHERE name = $1 AND revoked IS NULL",
            args![token_name(id), self.now()],
        )
        .await?;
        self.finish(tx, actor.label(), &[note(&actor.org, "publisher.delete", id, Value::Null)]).await?;
        Ok(())
    }

    /// Whether any publisher has this issuer, so that its keys are worth asking for.
    pub async fn has_issuer(&self, issuer: &str) -> Result<bool, TeamError> {
        Ok(self.db.maybe("SELECT 1 FROM publisher WHERE issuer = $1 LIMIT 1", args![issuer]).await?.is_some())
    }

    /// Exchanges a genuine identity for a token. Each identity is exchanged once.
    pub async fn exchange_identity(
        &self,
        issuer: &str,
        claims: &Value,
        wanted: Option<&str>,
    ) -> Result<JobToken, TeamError> {
        let refused = |why: &str| TeamError::Unauthenticated(format!("the identity may not publish: {why}"));
        let (Some(once), Some(end)) =
            (claims["jti"].as_str().filter(|id| !id.is_empty()), claims["exp"].as_i64())
        else {
            return Err(refused("it has no `jti` or no `exp`, so that it could be used twice"));
        };
        let rows = self
            .db
            .all(
                "SELECT id, name, issuer, claims, user_id, bound, created FROM publisher WHERE issuer = $1 ORDER BY created, id",
                args![issuer],
            )
            .await?;
        let mut fitting = Vec::new();
        for row in &rows {
            let publisher = Publisher::of(row)?;
            if publisher.fits(claims) && wanted.is_none_or(|wanted| wanted == publisher.id) {
                fitting.push(publisher);
            }
        }
        let publisher = match fitting.len() {
            0 => return Err(refused("no publisher of this server fits to its claims")),
            1 => fitting.remove(0),
            _ => {
                let ids: Vec<&str> = fitting.iter().map(|one| one.id.as_str()).collect();
                return Err(TeamError::conflict(
                    "several-publishers",
                    format!("several publishers fit; name one as `publisher`: {}", ids.join(", ")),
                ));
            }
        };
        let now = self.now();
        let (id, secret): (String, SecretString) = (new_id("token")?, new_token()?);
        let actor = self.actor_of(&publisher.user).await?;
        let mut tx = self.db.begin().await?;
        // A publisher that is deleted at this moment takes this token with it.
        if tx.run("UPDATE publisher SET name = name WHERE id = $1", args![&publisher.id]).await? != 1 {
            return Err(refused("its publisher was deleted"));
        }
        tx.run("DELETE FROM used_identity WHERE expires < $1", args![now]).await?;
        tx.run(
            "INSERT INTO used_identity (hash, expires) VALUES ($1, $2)",
            // Clocks may differ by some minutes.
            args![
                hash(&format!("{issuer}\n{once}")),
                end.saturating_mul(1_000).saturating_add(10 * 60 * 1_000)
            ],
        )
        .await
        .map_err(|error| match error {
            TeamError::Conflict { .. } => refused("it was exchanged already"),
            other => other,
        })?;
        tx.run(
            "INSERT INTO access_token (id, hash, user_id, name, scopes, bound, created, expires, used, revoked) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL, NULL)",
            args![
                &id, hash(secret.expose_secret()), &publisher.user, token_name(&publisher.id),
                join([TokenScope::Publish]), &publisher.bound, now, now + LASTS
            ],
        )
        .await?;
        let shown: BTreeMap<&String, &Value> =
            publisher.claims.keys().map(|key| (key, &claims[key.as_str()])).collect();
        let after = json!({ "token": id, "sub": claims["sub"], "claims": shown });
        self.finish(tx, &publisher.user, &[note(&actor.org, "publisher.exchange", &publisher.id, after)])
            .await?;
        Ok(JobToken {
            token: secret.expose_secret().to_owned(),
            expires: now + LASTS,
            bound: publisher.bound,
        })
    }

    /// Publishes files to the place that the token is limited to: a new skill, or a version of the skill of that name.
    pub async fn publish(&self, actor: &Actor, upload: Upload) -> Result<Stored, TeamError> {
        let (scope, _) = place(&actor.bound)?;
        self.may(actor, Deed::Publish, &actor.org, &scope)?;
        let name = crate::upload::name_of(&upload)?;
        let (kind, owner) = scope.columns();
        let row = self
            .db
            .maybe(
                "SELECT id FROM skill WHERE org = $1 AND scope = $2 AND owner = $3 AND name = $4",
                args![&actor.org, kind, owner, &name],
            )
            .await?;
        match row {
            Some(row) => self.add_version(actor, &row.text(0)?, upload).await,
            None => self.create_skill(actor, &scope, upload).await,
        }
    }
}

fn token_name(publisher: &str) -> String {
    format!("CI: {publisher}")
}

/// The scope and the skill of `org`, `group:ID`, `org/NAME`.
fn place(bound: &str) -> Result<(Scope, Option<&str>), TeamError> {
    let (scope, name) = match bound.split_once('/') {
        Some((scope, name)) => (scope, Some(name)),
        None => (bound, None),
    };
    let scope = match scope.split_once(':') {
        None if scope == "org" || scope == "global" => Scope::of(scope, "")?,
        Some(("group", id)) => Scope::Group(id.to_owned()),
        Some(("own", user)) => Scope::Own(user.to_owned()),
        _ => {
            return Err(TeamError::invalid(
                "wrong-bound",
                "name where it publishes: `org`, `group:ID` or `global`, and `/NAME` for one skill",
            ));
        }
    };
    Ok((scope, name))
}

fn note<'a>(org: &'a str, action: &'static str, id: &'a str, after: Value) -> Note<'a> {
    Note { org, action, subject: id, scope: &Scope::Org, before: Value::Null, after }
}
