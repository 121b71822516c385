//! Webhooks: the server reports changes to other programs. A body names what was done and to what, and holds no content.
//!
//! Deliveries are rows: made from the changes after the last one that a webhook has seen, sent with a signature, tried again
//! with growing pauses, and kept as a log. A webhook that fails again and again is disabled.

mod deliver;

use crate::{
    actor::Actor,
    db::{Row, args},
    error::TeamError,
    id::{new_id, new_secret},
    log::Note,
    permission::{OrgDeed, Scope, may_org},
    team::Team,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use url::Url;
use utoipa::ToSchema;

pub use deliver::{ATTEMPTS, signature};

/// Webhooks that an organisation may have.
const WEBHOOKS: i64 = 50;
/// Deliveries that the log shows.
const SHOWN: i64 = 200;

/// The kinds of changes that a webhook may get: the first word of an action.
pub const KINDS: &[&str] = &[
    "skill",
    "version",
    "proposal",
    "preference",
    "adoption",
    "source",
    "user",
    "group",
    "token",
    "policy",
    "webhook",
    "publisher",
];

/// A webhook of an organisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Webhook {
    /// Its id.
    pub id: String,
    /// Where deliveries go.
    pub address: String,
    /// The kinds of changes that it gets; empty: all of them.
    pub kinds: BTreeSet<String>,
    /// Whether it is used.
    pub enabled: bool,
    /// Deliveries that failed, one after the other.
    pub failures: i64,
    /// Why the last one failed, or why it was disabled.
    pub error: String,
    /// When it was added.
    pub created: i64,
}

impl Webhook {
    fn of(row: &Row) -> Result<Self, TeamError> {
        Ok(Self {
            id: row.text(0)?,
            address: row.text(1)?,
            kinds: row.text(2)?.split_whitespace().map(str::to_owned).collect(),
            enabled: row.truth(3)?,
            failures: row.int(4)?,
            error: row.text(5)?,
            created: row.int(6)?,
        })
    }
}

/// A webhook that is added or changed.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct WebhookInput {
    /// Where deliveries go: an https address.
    pub address: String,
    /// `skill`, `version`, `proposal` and so on; empty: everything.
    #[serde(default)]
    pub kinds: BTreeSet<String>,
    /// Whether it is used.
    #[serde(default = "yes")]
    pub enabled: bool,
}

fn yes() -> bool {
    true
}

/// A new webhook with its secret, which is shown once.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NewWebhook {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// The key of its signatures.
    pub secret: String,
}

/// One delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Delivery {
    /// Its id: receivers see it again when it is sent again.
    pub id: String,
    /// The number of the change.
    pub seq: i64,
    /// What was done.
    pub kind: String,
    /// `waiting`, `delivered` or `failed`.
    pub state: String,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is tried next.
    pub next_at: i64,
    /// The status of the last answer.
    pub status: Option<i64>,
    /// Why the last attempt failed.
    pub error: String,
    /// When it was made.
    pub created: i64,
    /// When it was delivered or given up.
    pub finished: Option<i64>,
}

impl Team {
    /// The webhooks of the organisation.
    pub async fn webhooks(&self, actor: &Actor) -> Result<Vec<Webhook>, TeamError> {
        may_org(actor, OrgDeed::ReadSettings, &actor.org)?;
        let rows = self
            .db
            .all(
                "SELECT id, address, kinds, enabled, failures, error, created FROM webhook WHERE org = $1 ORDER BY created, id",
                args![&actor.org],
            )
            .await?;
        rows.iter().map(Webhook::of).collect()
    }

    /// One webhook.
    pub async fn webhook(&self, actor: &Actor, id: &str) -> Result<Webhook, TeamError> {
        self.webhooks(actor).await?.into_iter().find(|webhook| webhook.id == id).ok_or(TeamError::NotFound)
    }

    /// Adds a webhook; it gets changes from now on.
    pub async fn create_webhook(&self, actor: &Actor, input: &WebhookInput) -> Result<NewWebhook, TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        self.check_webhook(input).await?;
        let count = self.db.maybe("SELECT count(*) FROM webhook WHERE org = $1", args![&actor.org]).await?;
        if count.map_or(Ok(0), |row| row.int(0))? >= WEBHOOKS {
            return Err(TeamError::TooLarge(format!("an organisation has at most {WEBHOOKS} webhooks")));
        }
        let (id, secret): (String, SecretString) = (new_id("hook")?, new_secret()?);
        let mut tx = self.db.begin().await?;
        tx.lock_sequence().await?;
        let last = tx.one("SELECT coalesce(max(seq), 0) FROM change", args![]).await?.int(0)?;
        tx.run(
            "INSERT INTO webhook (id, org, address, kinds, secret, enabled, last_seq, failures, error, created) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, 0, '', $8)",
            args![
                &id, &actor.org, &input.address, words(&input.kinds), secret.expose_secret(), input.enabled,
                // Its own creation is not news.
                last + 1, self.now()
            ],
        )
        .await?;
        let after = json!({ "address": input.address, "kinds": input.kinds });
        self.finish(tx, actor.label(), &[note(&actor.org, "webhook.create", &id, after)]).await?;
        let webhook = self.webhook(actor, &id).await?;
        Ok(NewWebhook { webhook, secret: secret.expose_secret().to_owned() })
    }

    /// Changes a webhook. Enabling it again forgets its failures.
    pub async fn change_webhook(
        &self,
        actor: &Actor,
        id: &str,
        input: &WebhookInput,
    ) -> Result<Webhook, TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let before = self.webhook(actor, id).await?;
        self.check_webhook(input).await?;
        let forgets = input.enabled && !before.enabled;
        let mut tx = self.db.begin().await?;
        tx.run(
            "UPDATE webhook SET address = $2, kinds = $3, enabled = $4, failures = CASE WHEN $5 = 1 THEN 0 ELSE failures END, \
             error = CASE WHEN $5 = 1 THEN '' ELSE error END WHERE id = $1",
            args![id, &input.address, words(&input.kinds), input.enabled, forgets],
        )
        .await?;
        if forgets {
            // What happened while it was disabled is not reported.
            tx.run(
                "UPDATE webhook SET last_seq = (SELECT coalesce(max(seq), 0) FROM change) WHERE id = $1",
                args![id],
            )
            .await?;
        }
        let after = json!({ "address": input.address, "kinds": input.kinds, "enabled": input.enabled });
        self.finish(tx, actor.label(), &[note(&actor.org, "webhook.change", id, after)]).await?;
        self.webhook(actor, id).await
    }

    /// Removes a webhook with its log.
    pub async fn delete_webhook(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        self.webhook(actor, id).await?;
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM webhook WHERE id = $1", args![id]).await?;
        self.finish(tx, actor.label(), &[note(&actor.org, "webhook.delete", id, Value::Null)]).await?;
        Ok(())
    }

    /// The newest deliveries of a webhook, newest first.
    pub async fn deliveries(&self, actor: &Actor, id: &str) -> Result<Vec<Delivery>, TeamError> {
        self.webhook(actor, id).await?;
        let rows = self
            .db
            .all(
                "SELECT id, seq, kind, state, attempts, next_at, status, error, created, finished FROM webhook_delivery \
                 WHERE webhook_id = $1 ORDER BY created DESC, seq DESC, id LIMIT $2",
                args![id, SHOWN],
            )
            .await?;
        rows.iter().map(delivery).collect()
    }

    /// Sends a delivery again, with its id and its body.
    pub async fn redeliver(&self, actor: &Actor, id: &str, which: &str) -> Result<Delivery, TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let known = self.deliveries(actor, id).await?;
        if !known.iter().any(|one| one.id == which) {
            return Err(TeamError::NotFound);
        }
        let mut tx = self.db.begin().await?;
        tx.run(
            "UPDATE webhook_delivery SET state = 'waiting', attempts = 0, next_at = $2, finished = NULL WHERE id = $1",
            args![which, self.now()],
        )
        .await?;
        let after = json!({ "delivery": which });
        self.finish(tx, actor.label(), &[note(&actor.org, "webhook.redeliver", id, after)]).await?;
        let mut known = self.deliveries(actor, id).await?;
        known.retain(|one| one.id == which);
        known.pop().ok_or(TeamError::NotFound)
    }

    async fn check_webhook(&self, input: &WebhookInput) -> Result<(), TeamError> {
        if let Some(unknown) = input.kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            return Err(TeamError::invalid(
                "unknown-kind",
                format!("`{unknown}` is not one of {}", KINDS.join(", ")),
            ));
        }
        if input.address.len() > 2_048 {
            return Err(TeamError::invalid("wrong-address", "an address has at most 2,048 bytes"));
        }
        let url = Url::parse(&input.address)
            .map_err(|_| TeamError::invalid("wrong-address", "the address is not a URL"))?;
        let outbound = self.outbound.clone();
        tokio::task::spawn_blocking(move || outbound.check(&url, &BTreeSet::new()))
            .await
            .map_err(|error| TeamError::Internal(error.to_string()))?
    }
}

fn words(kinds: &BTreeSet<String>) -> String {
    kinds.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn note<'a>(org: &'a str, action: &'static str, id: &'a str, after: Value) -> Note<'a> {
    Note { org, action, subject: id, scope: &Scope::Org, before: Value::Null, after }
}

fn delivery(row: &Row) -> Result<Delivery, TeamError> {
    Ok(Delivery {
        id: row.text(0)?,
        seq: row.int(1)?,
        kind: row.text(2)?,
        state: row.text(3)?,
        attempts: row.int(4)?,
        next_at: row.int(5)?,
        status: row.maybe_int(6)?,
        error: row.text(7)?,
        created: row.int(8)?,
        finished: row.maybe_int(9)?,
    })
}
