//! Making and sending deliveries.

use crate::{
    db::args,
    error::TeamError,
    id::{hex, new_id},
    team::Team,
};
use ring::hmac;
use serde_json::json;
use skillful_net::{NetError, Reach, checked_agent};
use std::{collections::HashMap, time::Duration};
use tokio::task::{AbortHandle, JoinSet};
use ureq::unversioned::resolver::DefaultResolver;

/// How often one delivery is tried.
pub const ATTEMPTS: i64 = 6;
/// Failures, one after the other, after which a webhook is disabled.
const GIVE_UP: i64 = 20;
/// The first pause between two attempts, in milliseconds; it grows fourfold: 10 s, 40 s, 160 s, …
const PAUSE: i64 = 10_000;
/// How long one attempt may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long another process leaves a delivery alone that this one sends.
const CLAIM: i64 = 60_000;
/// How long the log is kept, in milliseconds.
const KEPT: i64 = 30 * 24 * 3_600 * 1_000;
/// Changes that are made into deliveries at a time.
const MADE: i64 = 500;
/// Receivers that a process sends to at once. Each gets one delivery after the other, so that a slow one delays no other.
const AT_ONCE: usize = 32;
/// How often a process looks when nothing wakes it.
const LOOK: Duration = Duration::from_secs(5);

/// The value of `webhook-signature`: `v1,` and the HMAC-SHA256 over `ID.TIMESTAMP.BODY`, in hexadecimal.
pub fn signature(secret: &str, id: &str, timestamp: i64, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", hex(tag.as_ref()))
}

/// A delivery that is to be sent.
struct Due {
    id: String,
    webhook: String,
    address: String,
    secret: String,
    body: String,
    attempts: i64,
}

impl Team {
    /// Makes and sends deliveries until it is dropped. Several processes share the work: each delivery is taken by one of them.
    pub async fn keep_delivering(self) {
        let mut changed = self.watch();
        let mut sending = JoinSet::new();
        let mut busy: HashMap<String, AbortHandle> = HashMap::new();
        loop {
            while sending.try_join_next().is_some() {}
            busy.retain(|_, sending| !sending.is_finished());
            // A database that is away is asked again.
            if self.make_deliveries().await.is_ok()
                && let Ok(due) = self.due_webhooks().await
            {
                for webhook in due {
                    if busy.len() < AT_ONCE && !busy.contains_key(&webhook) {
                        let to = self.clone().deliver_to(webhook.clone());
                        busy.insert(webhook, sending.spawn(to));
                    }
                }
            }
            let _quiet = tokio::time::timeout(LOOK, changed.changed()).await;
        }
    }

    /// Makes deliveries of what changed and sends those that are due; returns how many were sent.
    pub async fn deliver_webhooks(&self) -> Result<usize, TeamError> {
        self.make_deliveries().await?;
        let mut sending = JoinSet::new();
        for webhook in self.due_webhooks().await? {
            sending.spawn(self.clone().deliver_to(webhook));
        }
        sending.join_all().await.into_iter().sum()
    }

    /// The webhooks that have deliveries that are due, the one that waited longest first.
    async fn due_webhooks(&self) -> Result<Vec<String>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT d.webhook_id FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id \
                 WHERE d.state = 'waiting' AND d.next_at <= $1 AND w.enabled = 1 \
                 GROUP BY d.webhook_id ORDER BY min(d.next_at), d.webhook_id LIMIT 1000",
                args![self.now()],
            )
            .await?;
        rows.iter().map(|row| row.text(0)).collect()
    }

    /// Sends what is due at one webhook, one after the other; returns how many were sent.
    async fn deliver_to(self, webhook: String) -> Result<usize, TeamError> {
        let mut sent = 0;
        while let Some(due) = self.take_due(&webhook).await? {
            let timestamp = self.now() / 1_000;
            let signature = signature(&due.secret, &due.id, timestamp, &due.body);
            let (address, id, body) = (due.address.clone(), due.id.clone(), due.body.clone());
            let reach = self.outbound.reach();
            let answer =
                tokio::task::spawn_blocking(move || post(reach, &address, &id, timestamp, &signature, &body))
                    .await
                    .map_err(|error| TeamError::Internal(error.to_string()))?;
            self.settle(&due, &answer).await?;
            sent += 1;
        }
        Ok(sent)
    }

    /// One row for each change that a webhook gets. The pointer of the webhook moves in the same transaction, so that
    /// no change is reported twice and none is lost.
    async fn make_deliveries(&self) -> Result<(), TeamError> {
        let hooks =
            self.db.all("SELECT id, org, kinds, last_seq FROM webhook WHERE enabled = 1", args![]).await?;
        for hook in hooks {
            let (id, org, kinds, last) = (hook.text(0)?, hook.text(1)?, hook.text(2)?, hook.int(3)?);
            let kinds: Vec<&str> = kinds.split_whitespace().collect();
            let changes = self
                .db
                .all(
                    "SELECT seq, org, kind, subject, created FROM change WHERE seq > $1 ORDER BY seq LIMIT $2",
                    args![last, MADE],
                )
                .await?;
            let Some(newest) = changes.last() else { continue };
            let newest = newest.int(0)?;
            let mut tx = self.db.begin().await?;
            let moved = tx
                .run(
                    "UPDATE webhook SET last_seq = $3 WHERE id = $1 AND last_seq = $2 AND enabled = 1",
                    args![&id, last, newest],
                )
                .await?;
            // Another process was faster.
            if moved != 1 {
                continue;
            }
            for change in changes {
                let (seq, kind) = (change.int(0)?, change.text(2)?);
                let first = kind.split('.').next().unwrap_or_default();
                if change.text(1)? != org || !kinds.is_empty() && !kinds.contains(&first) {
                    continue;
                }
                let body = json!({
                    "id": seq, "event": kind, "subject": change.text(3)?, "created": change.int(4)?,
                });
                tx.run(
                    "INSERT INTO webhook_delivery (id, webhook_id, seq, kind, body, state, attempts, next_at, status, error, created, finished) \
                     VALUES ($1, $2, $3, $4, $5, 'waiting', 0, $6, NULL, '', $6, NULL)",
                    args![new_id("delivery")?, &id, seq, &kind, body.to_string(), self.now()],
                )
                .await?;
            }
            tx.run(
                "DELETE FROM webhook_delivery WHERE webhook_id = $1 AND finished < $2",
                args![&id, self.now() - KEPT],
            )
            .await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Takes the delivery of a webhook that is due next; another process leaves it alone for a minute.
    async fn take_due(&self, webhook: &str) -> Result<Option<Due>, TeamError> {
        loop {
            let now = self.now();
            let row = self
                .db
                .maybe(
                    "SELECT d.id, d.webhook_id, w.address, w.secret, d.body, d.attempts, d.next_at FROM webhook_delivery d \
                     JOIN webhook w ON w.id = d.webhook_id WHERE d.webhook_id = $2 AND d.state = 'waiting' \
                     AND d.next_at <= $1 AND w.enabled = 1 ORDER BY d.next_at, d.seq LIMIT 1",
                    args![now, webhook],
                )
                .await?;
            let Some(row) = row else { return Ok(None) };
            let due = Due {
                id: row.text(0)?,
                webhook: row.text(1)?,
                address: row.text(2)?,
                secret: row.text(3)?,
                body: row.text(4)?,
                attempts: row.int(5)?,
            };
            let mut tx = self.db.begin().await?;
            let taken = tx
                .run(
                    "UPDATE webhook_delivery SET next_at = $3, attempts = attempts + 1 \
                     WHERE id = $1 AND next_at = $2 AND state = 'waiting'",
                    args![&due.id, row.int(6)?, now + CLAIM],
                )
                .await?;
            tx.commit().await?;
            // Another process may have been faster.
            if taken == 1 {
                return Ok(Some(due));
            }
        }
    }

    /// Keeps what became of an attempt.
    async fn settle(&self, due: &Due, answer: &Result<u16, String>) -> Result<(), TeamError> {
        let now = self.now();
        let attempts = due.attempts + 1;
        let (status, error) = match answer {
            Ok(status) if (200..300).contains(status) => (Some(i64::from(*status)), None),
            Ok(status) => (Some(i64::from(*status)), Some(format!("the receiver answered {status}"))),
            Err(error) => (None, Some(error.clone())),
        };
        let mut tx = self.db.begin().await?;
        let Some(error) = error else {
            tx.run(
                "UPDATE webhook_delivery SET state = 'delivered', status = $2, error = '', finished = $3 WHERE id = $1",
                args![&due.id, status, now],
            )
            .await?;
            tx.run("UPDATE webhook SET failures = 0, error = '' WHERE id = $1", args![&due.webhook]).await?;
            return tx.commit().await;
        };
        let ends = attempts >= ATTEMPTS;
        let pause = PAUSE << (2 * (attempts - 1).clamp(0, 10));
        tx.run(
            "UPDATE webhook_delivery SET state = $2, status = $3, error = $4, next_at = $5, finished = $6 WHERE id = $1",
            args![
                &due.id,
                if ends { "failed" } else { "waiting" },
                status,
                &error,
                now + pause,
                if ends { Some(now) } else { None }
            ],
        )
        .await?;
        tx.run(
            "UPDATE webhook SET failures = failures + 1, error = $2 WHERE id = $1",
            args![&due.webhook, &error],
        )
        .await?;
        tx.run(
            "UPDATE webhook SET enabled = 0, error = $3 WHERE id = $1 AND failures >= $2",
            args![
                &due.webhook,
                GIVE_UP,
                format!("disabled after {GIVE_UP} failures, one after the other; the last one: {error}")
            ],
        )
        .await?;
        tx.commit().await
    }
}

/// Sends one delivery; returns the status. A redirect is not followed.
fn post(
    reach: Reach,
    address: &str,
    id: &str,
    timestamp: i64,
    signature: &str,
    body: &str,
) -> Result<u16, String> {
    let agent = checked_agent(reach, DefaultResolver::default());
    let sent = agent
        .post(address)
        .config()
        .timeout_global(Some(TIMEOUT))
        .build()
        .header("content-type", "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", timestamp.to_string())
        .header("webhook-signature", signature)
        .send(body);
    match sent {
        Ok(answer) => Ok(answer.status().as_u16()),
        Err(ureq::Error::Other(other)) => Err(other.to_string()),
        Err(ureq::Error::Timeout(_)) => Err(NetError::TooSlow(TIMEOUT).to_string()),
        Err(error) => Err(format!("the receiver could not be reached: {error}")),
    }
}
