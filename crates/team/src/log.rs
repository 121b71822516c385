//! What was done: a change for every process and client, and an entry of the audit log, in the same transaction as the
//! deed. Each entry holds the hash of the one before, so that nothing can be changed or taken out unnoticed.

use crate::{
    actor::Actor,
    db::{Db, Row, Tx, args},
    error::TeamError,
    id::{hash, hex},
    permission::{OrgDeed, Scope, may_org},
    team::Team,
};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

/// Entries that one page of the log has at the most.
const PAGE: i64 = 200;
/// Entries that are read at a time when the chain is checked.
const CHECKED: i64 = 1_000;

/// One deed.
pub(crate) struct Note<'a> {
    pub(crate) org: &'a str,
    /// `skill.create`, `proposal.approve`, …
    pub(crate) action: &'static str,
    pub(crate) subject: &'a str,
    pub(crate) scope: &'a Scope,
    pub(crate) before: Value,
    pub(crate) after: Value,
}

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AuditEntry {
    /// Its number.
    pub seq: i64,
    /// The user who did it.
    pub actor: String,
    /// What was done.
    pub action: String,
    /// To what.
    pub subject: String,
    /// How it was before, as JSON.
    #[schema(value_type = Option<Object>)]
    pub before: Value,
    /// How it was afterwards, as JSON.
    #[schema(value_type = Option<Object>)]
    pub after: Value,
    /// When, in milliseconds since 1970.
    pub created: i64,
    /// The hash of this entry and all before it.
    pub hash: String,
}

/// Which entries of the audit log are wanted; an empty text means every one.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditQuery<'a> {
    /// The id of what the entry is about.
    pub subject: &'a str,
    /// The action, or the word before its point: `proposal` means every action of proposals.
    pub action: &'a str,
    /// The id of the user who did it.
    pub by: &'a str,
    /// Not before this time, in milliseconds since 1970.
    pub from: Option<i64>,
    /// Before this time, in milliseconds since 1970.
    pub until: Option<i64>,
}

/// Whether the log is what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChainCheck {
    /// Whether every entry fits to the one before.
    pub is_whole: bool,
    /// How many entries were read.
    pub entries: i64,
    /// The first entry that does not fit.
    pub broken_at: Option<i64>,
}

/// Something that changed, for caches and clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Change {
    /// Its number; numbers have the order of commits.
    pub seq: i64,
    /// What was done.
    pub kind: String,
    /// To what.
    pub subject: String,
    /// The organisation.
    #[serde(skip)]
    pub org: String,
    /// For whom it is.
    #[serde(skip)]
    pub scope: Scope,
}

fn link(previous: &str, seq: i64, fields: &[&str], created: i64) -> String {
    let mut digest = Sha256::new();
    digest.update(previous);
    digest.update(json!([seq, fields, created]).to_string());
    hex(&digest.finalize())
}

impl Team {
    /// Writes the notes of a deed and makes it last. Returns the number of the last change.
    pub(crate) async fn finish(&self, mut tx: Tx, actor: &str, notes: &[Note<'_>]) -> Result<i64, TeamError> {
        let now = self.now();
        tx.lock_sequence().await?;
        let last = tx
            .maybe("SELECT seq, hash FROM audit_entry ORDER BY seq DESC LIMIT 1", args![])
            .await?
            .map(|row| Ok::<_, TeamError>((row.int(0)?, row.text(1)?)))
            .transpose()?;
        let (mut seq, mut previous) = last.unwrap_or((0, hash("skillful")));
        for note in notes {
            seq += 1;
            let (before, after) = (note.before.to_string(), note.after.to_string());
            let fields = [note.org, actor, note.action, note.subject, &before, &after];
            let own = link(&previous, seq, &fields, now);
            tx.run(
                "INSERT INTO audit_entry (seq, org, actor, action, subject, before, after, created, previous, hash) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                args![
                    seq, note.org, actor, note.action, note.subject, &before, &after, now, &previous, &own
                ],
            )
            .await?;
            let (scope, owner) = note.scope.columns();
            tx.run(
                "INSERT INTO change (seq, org, kind, subject, scope, owner, created) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                args![seq, note.org, note.action, note.subject, scope, owner, now],
            )
            .await?;
            previous = own;
        }
        tx.notify().await?;
        tx.commit().await?;
        self.changed.send_replace(seq);
        Ok(seq)
    }

    /// Entries of the audit log, newest first, before a number.
    pub async fn audit_log(
        &self,
        actor: &Actor,
        before: Option<i64>,
        subject: &str,
        action: &str,
    ) -> Result<Vec<AuditEntry>, TeamError> {
        let wanted = AuditQuery { subject, action, ..AuditQuery::default() };
        self.audit_entries(actor, before, &wanted).await
    }

    /// Entries of the audit log that a query asks for, newest first, before a number.
    pub async fn audit_entries(
        &self,
        actor: &Actor,
        before: Option<i64>,
        wanted: &AuditQuery<'_>,
    ) -> Result<Vec<AuditEntry>, TeamError> {
        may_org(actor, OrgDeed::ReadAudit, &actor.org)?;
        let rows = self
            .db
            .all(
                "SELECT seq, actor, action, subject, before, after, created, hash FROM audit_entry \
                 WHERE org = $1 AND seq < $2 AND ($3 = '' OR subject = $3) AND ($4 = '' OR action = $4 OR action LIKE $4 || '.%') \
                 AND ($5 = '' OR actor = $5) AND created >= $6 AND created < $7 ORDER BY seq DESC LIMIT $8",
                args![
                    &actor.org,
                    before.unwrap_or(i64::MAX),
                    wanted.subject,
                    wanted.action,
                    wanted.by,
                    wanted.from.unwrap_or(0),
                    wanted.until.unwrap_or(i64::MAX),
                    PAGE
                ],
            )
            .await?;
        rows.iter().map(entry).collect()
    }

    /// Reads the whole log and compares every hash.
    pub async fn check_audit_log(&self, actor: &Actor) -> Result<ChainCheck, TeamError> {
        may_org(actor, OrgDeed::ReadAudit, &actor.org)?;
        check_chain(&self.db).await
    }

    /// Changes after a number that the actor may see, and the number up to which was looked.
    pub async fn changes(&self, actor: &Actor, after: i64) -> Result<(Vec<Change>, i64), TeamError> {
        let rows = self
            .db
            .all(
                "SELECT seq, kind, subject, org, scope, owner FROM change WHERE seq > $1 ORDER BY seq LIMIT 500",
                args![after],
            )
            .await?;
        let mut seen = Vec::new();
        let mut last = after;
        for row in rows {
            let change = Change {
                seq: row.int(0)?,
                kind: row.text(1)?,
                subject: row.text(2)?,
                org: row.text(3)?,
                scope: Scope::of(&row.text(4)?, &row.text(5)?)?,
            };
            last = change.seq;
            if self.may_read(actor, &change.org, &change.scope) && self.may_know(actor, &change).await? {
                seen.push(change);
            }
        }
        Ok((seen, last))
    }

    /// Whether a change of a scope that the actor reads is about something that they may know: a member of the organisation knows
    /// nothing of its webhooks, nor of a version that waits for a review.
    async fn may_know(&self, actor: &Actor, change: &Change) -> Result<bool, TeamError> {
        let (kind, subject) = (change.kind.as_str(), change.subject.as_str());
        let first = kind.split('.').next().unwrap_or_default();
        let sees = async |skill: &str, version: i64| match self.version(actor, skill, version).await {
            Ok(_) => Ok(true),
            Err(TeamError::NotFound) => Ok(false),
            Err(error) => Err(error),
        };
        if ["webhook", "publisher", "policy"].contains(&first) {
            return Ok(may_org(actor, OrgDeed::ReadSettings, &change.org).is_ok());
        }
        if first == "proposal" && subject.starts_with("prop_") {
            let about = "SELECT skill_id, version FROM proposal WHERE id = $1";
            let Some(row) = self.db.maybe(about, args![subject]).await? else { return Ok(false) };
            return sees(&row.text(0)?, row.int(1)?).await;
        }
        match kind {
            "skill.create" | "version.create" | "proposal.create" => {
                let (_, after) = self.states(change.seq).await?;
                sees(subject, after["version"].as_i64().unwrap_or_default()).await
            }
            "skill.delete" if !matches!(change.scope, Scope::Own(_)) => {
                Ok(!self.states(change.seq).await?.0["served"].is_null())
            }
            // These end that others may read it, and are how they learn that.
            "skill.delete" | "skill.unoffer" | "skill.unlist" => Ok(true),
            _ if subject.starts_with("skill_") => match self.skill(actor, subject).await {
                Ok(_) => Ok(true),
                Err(TeamError::NotFound) => Ok(false),
                Err(error) => Err(error),
            },
            _ => Ok(true),
        }
    }

    /// How the subject of a change was before and afterwards, as the audit log has it.
    async fn states(&self, seq: i64) -> Result<(Value, Value), TeamError> {
        let row = self.db.maybe("SELECT before, after FROM audit_entry WHERE seq = $1", args![seq]).await?;
        let Some(row) = row else { return Ok((Value::Null, Value::Null)) };
        Ok((parsed(row.text(0)?), parsed(row.text(1)?)))
    }

    /// The number of the newest change.
    pub async fn last_change(&self) -> Result<i64, TeamError> {
        let row = self.db.maybe("SELECT coalesce(max(seq), 0) FROM change", args![]).await?;
        row.map_or(Ok(0), |row| row.int(0))
    }
}

fn parsed(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

fn entry(row: &Row) -> Result<AuditEntry, TeamError> {
    Ok(AuditEntry {
        seq: row.int(0)?,
        actor: row.text(1)?,
        action: row.text(2)?,
        subject: row.text(3)?,
        before: parsed(row.text(4)?),
        after: parsed(row.text(5)?),
        created: row.int(6)?,
        hash: row.text(7)?,
    })
}

pub(crate) async fn check_chain(db: &Db) -> Result<ChainCheck, TeamError> {
    let mut chain = Chain::default();
    // Each entry was written with a change of its number: without it the end of the log was cut off.
    let newest = db.maybe("SELECT coalesce(max(seq), 0) FROM change", args![]).await?;
    let newest = newest.map_or(Ok(0), |row| row.int(0))?;
    loop {
        let rows = db
            .all(
                "SELECT seq, org, actor, action, subject, before, after, created, previous, hash FROM audit_entry \
                 WHERE seq > $1 ORDER BY seq LIMIT $2",
                args![chain.at, CHECKED],
            )
            .await?;
        if rows.is_empty() {
            let is_whole = chain.at >= newest;
            let broken_at = (!is_whole).then_some(chain.at + 1);
            return Ok(ChainCheck { is_whole, entries: chain.at, broken_at });
        }
        for row in rows {
            let seq = row.int(0)?;
            let texts = (1..7).map(|column| row.text(column)).collect::<Result<Vec<_>, _>>()?;
            let fields: Vec<&str> = texts.iter().map(String::as_str).collect();
            if !chain.goes_on(seq, &fields, row.int(7)?, &row.text(8)?, &row.text(9)?) {
                return Ok(ChainCheck { is_whole: false, entries: chain.at, broken_at: Some(seq) });
            }
        }
    }
}

/// The audit log as far as it was compared.
#[derive(Debug)]
pub(crate) struct Chain {
    at: i64,
    previous: String,
}

impl Default for Chain {
    fn default() -> Self {
        Self { at: 0, previous: hash("skillful") }
    }
}

impl Chain {
    /// Whether an entry is the next one and unchanged.
    pub(crate) fn goes_on(
        &mut self,
        seq: i64,
        fields: &[&str],
        created: i64,
        previous: &str,
        own: &str,
    ) -> bool {
        let expected = link(&self.previous, seq, fields, created);
        if seq != self.at + 1 || previous != self.previous || own != expected {
            return false;
        }
        (self.at, self.previous) = (seq, expected);
        true
    }
}
