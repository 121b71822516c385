//! Sources: repositories and indexes that administrators let the server fetch skills from.

use crate::{
    actor::Actor,
    db::{Row, args},
    error::TeamError,
    id::new_id,
    log::Note,
    outbound::Outbound,
    permission::{OrgDeed, Scope, may_org},
    team::Team,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skillful_registry::source::{Ref, Source, SourceLocation};
use url::Url;
use utoipa::ToSchema;

/// Sources that an organisation may have.
const SOURCES: i64 = 64;
/// Characters of a label.
const LABEL: usize = 100;

/// A source of an organisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SourceRecord {
    /// Its id.
    pub id: String,
    /// Its name for users.
    pub label: String,
    /// The repository or index: `github:owner/repository`, `https://skills.example.org`.
    pub address: String,
    /// The branch, tag or commit; empty: the default branch.
    pub reference: String,
    /// Whether it is asked.
    pub enabled: bool,
    /// The commit that was found last.
    pub resolved: String,
    /// Why it could not be asked last; empty: it could.
    pub error: String,
    /// When it was asked last.
    pub checked: Option<i64>,
    /// When it was added.
    pub created: i64,
}

impl SourceRecord {
    fn of(row: &Row) -> Result<Self, TeamError> {
        Ok(Self {
            id: row.text(0)?,
            label: row.text(1)?,
            address: row.text(2)?,
            reference: row.text(3)?,
            enabled: row.truth(4)?,
            resolved: row.text(5)?,
            error: row.text(6)?,
            checked: row.maybe_int(7)?,
            created: row.int(8)?,
        })
    }

    /// The source with its reference.
    pub(crate) fn source(&self) -> Result<Source, TeamError> {
        source_of(&self.address, &self.reference)
    }
}

/// A source that is added or changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceInput {
    /// Its name for users; absent: its address.
    pub label: Option<String>,
    /// The repository or index.
    pub address: String,
    /// The branch, tag or commit; empty: the default branch.
    #[serde(default)]
    pub reference: String,
    /// Whether it is asked.
    #[serde(default = "yes")]
    pub enabled: bool,
}

fn yes() -> bool {
    true
}

fn wrong(error: impl std::fmt::Display) -> TeamError {
    TeamError::invalid("wrong-source", error.to_string())
}

fn source_of(address: &str, reference: &str) -> Result<Source, TeamError> {
    let mut source: Source = address.trim().parse().map_err(wrong)?;
    if !reference.is_empty() {
        source.reference = Some(Ref::new(reference).map_err(wrong)?);
    }
    Ok(source)
}

/// What a source input comes to, after every check.
struct CheckedSource {
    label: String,
    address: String,
    reference: String,
}

fn check(input: &SourceInput, outbound: &Outbound) -> Result<CheckedSource, TeamError> {
    let mut source = source_of(&input.address, &input.reference)?;
    let address = match &source.place {
        SourceLocation::Git(remote) if remote.protocol().starts_with("http") => {
            source.git_address().unwrap_or_default()
        }
        SourceLocation::Forge { .. } => source.git_address().unwrap_or_default(),
        SourceLocation::WellKnown(address) => address.as_str().to_owned(),
        SourceLocation::Archive(_) => {
            return Err(wrong(
                "a source is a repository or an index, not one archive; upload the archive instead",
            ));
        }
        // A path or a file of the server, its ssh key, or a name that only a user's configuration knows.
        SourceLocation::Git(_)
        | SourceLocation::Path(_)
        | SourceLocation::Starter
        | SourceLocation::Registry { .. } => {
            return Err(wrong("a source of the server is an https address of a repository or an index"));
        }
    };
    let url = Url::parse(&address).map_err(|_| wrong("the address is not a URL"))?;
    outbound.check(&url, &outbound.source_hosts)?;
    let reference = source.reference.take().map(|reference| reference.to_string()).unwrap_or_default();
    let shown = source.to_string();
    let label = match input.label.as_deref().map(str::trim) {
        None | Some("") => shown.clone(),
        Some(label) => label.to_owned(),
    };
    if label.chars().count() > LABEL || label.chars().any(char::is_control) {
        return Err(TeamError::invalid(
            "wrong-label",
            format!("a label has at most {LABEL} characters on one line"),
        ));
    }
    Ok(CheckedSource { label, address: shown, reference })
}

impl Team {
    /// The sources of the organisation, by label.
    pub async fn sources(&self, actor: &Actor) -> Result<Vec<SourceRecord>, TeamError> {
        may_org(actor, OrgDeed::ReadSettings, &actor.org)?;
        self.all_sources(&actor.org).await
    }

    pub(crate) async fn all_sources(&self, org: &str) -> Result<Vec<SourceRecord>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT id, label, address, reference, enabled, resolved, error, checked, created FROM skill_source \
                 WHERE org = $1 ORDER BY label, id",
                args![org],
            )
            .await?;
        rows.iter().map(SourceRecord::of).collect()
    }

    /// One source.
    pub async fn source(&self, actor: &Actor, id: &str) -> Result<SourceRecord, TeamError> {
        self.sources(actor).await?.into_iter().find(|source| source.id == id).ok_or(TeamError::NotFound)
    }

    /// Adds a source. Its form, its host and where that leads are checked; nothing is fetched.
    pub async fn create_source(&self, actor: &Actor, input: &SourceInput) -> Result<SourceRecord, TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let checked = self.checked_source(input).await?;
        let count =
            self.db.maybe("SELECT count(*) FROM skill_source WHERE org = $1", args![&actor.org]).await?;
        if count.map_or(Ok(0), |row| row.int(0))? >= SOURCES {
            return Err(TeamError::TooLarge(format!("an organisation has at most {SOURCES} sources")));
        }
        let id = new_id("source")?;
        let mut tx = self.db.begin().await?;
        tx.run(
            "INSERT INTO skill_source (id, org, label, address, reference, enabled, resolved, error, checked, created) \
             VALUES ($1, $2, $3, $4, $5, $6, '', '', NULL, $7)",
            args![&id, &actor.org, &checked.label, &checked.address, &checked.reference, input.enabled, self.now()],
        )
        .await
        .map_err(same_label)?;
        let after =
            json!({ "label": checked.label, "address": checked.address, "reference": checked.reference });
        self.finish(tx, actor.label(), &[note(&actor.org, "source.create", &id, Value::Null, after)]).await?;
        self.source(actor, &id).await
    }

    /// Changes a source, with the same checks.
    pub async fn change_source(
        &self,
        actor: &Actor,
        id: &str,
        input: &SourceInput,
    ) -> Result<SourceRecord, TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let before = self.source(actor, id).await?;
        let checked = self.checked_source(input).await?;
        let mut tx = self.db.begin().await?;
        tx.run(
            "UPDATE skill_source SET label = $2, address = $3, reference = $4, enabled = $5 WHERE id = $1",
            args![id, &checked.label, &checked.address, &checked.reference, input.enabled],
        )
        .await
        .map_err(same_label)?;
        let shape = |label: &str, address: &str, reference: &str, enabled: bool| json!({ "label": label, "address": address, "reference": reference, "enabled": enabled });
        let was = shape(&before.label, &before.address, &before.reference, before.enabled);
        let now = shape(&checked.label, &checked.address, &checked.reference, input.enabled);
        self.finish(tx, actor.label(), &[note(&actor.org, "source.change", id, was, now)]).await?;
        self.source(actor, id).await
    }

    /// Removes a source. Skills that were installed from it stay.
    pub async fn delete_source(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let before = self.source(actor, id).await?;
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM skill_source WHERE id = $1", args![id]).await?;
        let was = json!({ "label": before.label, "address": before.address });
        self.finish(tx, actor.label(), &[note(&actor.org, "source.delete", id, was, Value::Null)]).await?;
        Ok(())
    }

    /// Looking a host up takes a while: not on a thread that answers requests.
    async fn checked_source(&self, input: &SourceInput) -> Result<CheckedSource, TeamError> {
        let (input, outbound) = (input.clone(), self.outbound.clone());
        tokio::task::spawn_blocking(move || check(&input, &outbound))
            .await
            .map_err(|error| TeamError::Internal(error.to_string()))?
    }
}

fn same_label(error: TeamError) -> TeamError {
    match error {
        TeamError::Conflict { code: "exists", .. } => {
            TeamError::conflict("label-taken", "another source has this label; choose another one")
        }
        other => other,
    }
}

fn note<'a>(org: &'a str, action: &'static str, id: &'a str, before: Value, after: Value) -> Note<'a> {
    Note { org, action, subject: id, scope: &Scope::Org, before, after }
}
