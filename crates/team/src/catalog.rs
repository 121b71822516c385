//! The catalog: what the sources of the organisation offer, what of it is here, and what changed there. Reading it writes nothing.
//! Installing saves a version that no user gets before it was agreed to.

use crate::{
    actor::{Actor, TokenScope},
    db::args,
    error::TeamError,
    log::Note,
    outbound::Outbound,
    permission::{OrgDeed, Scope, may_org},
    skills::SkillRecord,
    sources::SourceRecord,
    team::Team,
    upload::{Hold, Stored, Upload},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skillful_registry::{
    Source,
    fetch::{self, Bounds, FetchError, Outside, Web, WebError},
    sources::{Browsing, Listing, Offered, SourceEntry, browse_all},
};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};
use utoipa::ToSchema;

/// How long what a source offers is remembered by this process.
const REMEMBERED: Duration = Duration::from_mins(5);
/// What one fetch of a repository may take.
const BOUNDS: Bounds = Bounds { seconds: 60, bytes: 100 << 20, files: 50_000 };

/// What the sources offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CatalogReport {
    /// The skills of all sources, by name.
    pub items: Vec<CatalogItem>,
    /// Sources that could not be asked, with the reason. They hide no other source.
    pub errors: Vec<SourceFault>,
    /// What was skipped, in sentences.
    pub notes: Vec<String>,
}

/// A skill that a source offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CatalogItem {
    /// The source.
    pub source_id: String,
    /// Its name for users.
    pub source_label: String,
    /// The name of the skill.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Where exactly it comes from: address, reference, folder or skill.
    pub origin: String,
    /// Its folder in a repository.
    pub folder: Option<String>,
    /// Its version, where the source has versions.
    pub version: Option<String>,
    /// The commit of the repository.
    pub commit: Option<String>,
    /// The digest of its files, where the source says it.
    pub tree: Option<String>,
    /// The skill here that came from there.
    pub installed: Option<InstalledFrom>,
    /// Whether the source has other files than the newest version here.
    pub update_available: bool,
}

/// A skill that came from a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InstalledFrom {
    /// The skill.
    pub skill_id: String,
    /// For whom it is.
    pub scope: Scope,
    /// Its newest version.
    pub latest_version: i64,
    /// The version that is served; none: it waits.
    pub default_version: Option<i64>,
    /// What of the source it is: commit or version, and the digest of the files.
    pub source_version: String,
}

/// A source that could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SourceFault {
    /// The source.
    pub source_id: String,
    /// Its name for users.
    pub label: String,
    /// Why.
    pub message: String,
}

/// What is installed.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CatalogInstall {
    /// The source.
    pub source_id: String,
    /// The name of the skill there.
    pub name: String,
    /// The digest that the caller saw; other files are a conflict.
    pub tree: Option<String>,
    /// `own`, `group` or `org`; own without it.
    pub scope: Option<String>,
    /// The group.
    pub group: Option<String>,
}

/// What an installation did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CatalogInstalled {
    /// `installed`, `updated` or `already-installed`.
    pub outcome: String,
    /// The skill with the version.
    pub stored: Stored,
    /// What was skipped, in sentences.
    pub skipped: Vec<String>,
}

/// What sources offered a short time ago, by id, address and reference.
pub(crate) type Remembered = Arc<tokio::sync::Mutex<BTreeMap<String, (Instant, Result<Listing, String>)>>>;

fn key(source: &SourceRecord) -> String {
    format!("{} {} {}", source.id, source.address, source.reference)
}

impl Outbound {
    fn outside(&self, scratch: &Path) -> Outside {
        let path = ("PATH".to_owned(), self.program_path.clone());
        Outside {
            base: scratch.to_path_buf(),
            home: scratch.to_path_buf(),
            variables: BTreeMap::from([path]),
            scratch: scratch.to_path_buf(),
            bounds: BOUNDS,
            web: Web { net: self.net(), ..Web::default() },
        }
    }
}

/// Runs a fetch with a folder that is thrown away afterwards, beside the threads that answer requests.
async fn fetching<T: Send + 'static>(
    outbound: Arc<Outbound>,
    work: impl FnOnce(&Outside) -> T + Send + 'static,
) -> Result<T, TeamError> {
    let done = tokio::task::spawn_blocking(move || {
        let scratch = tempfile::tempdir()?;
        Ok(work(&outbound.outside(scratch.path())))
    });
    done.await
        .map_err(|error| TeamError::Internal(error.to_string()))?
        .map_err(|error: std::io::Error| TeamError::Unavailable(format!("no temporary folder: {error}")))
}

impl Team {
    /// What the sources offer to the actor, with what is installed and what changed there. `refresh` asks every source now,
    /// for administrators alone.
    pub async fn catalog(&self, actor: &Actor, refresh: bool) -> Result<CatalogReport, TeamError> {
        actor.user()?;
        actor.needs(TokenScope::SkillsRead)?;
        if refresh {
            may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        }
        let sources: Vec<SourceRecord> =
            self.all_sources(&actor.org).await?.into_iter().filter(|source| source.enabled).collect();
        let listings = self.listings(&sources, refresh).await?;
        let installed = self.installed_from(actor).await?;
        let mut report = CatalogReport { items: Vec::new(), errors: Vec::new(), notes: Vec::new() };
        for (source, listing) in sources.iter().zip(listings) {
            match listing {
                Err(message) => report.errors.push(SourceFault {
                    source_id: source.id.clone(),
                    label: source.label.clone(),
                    message,
                }),
                Ok(listing) => {
                    report.notes.extend(listing.notes.iter().map(|note| format!("{}: {note}", source.label)));
                    report
                        .items
                        .extend(listing.skills.iter().map(|offered| item(source, offered, &installed)));
                }
            }
        }
        report.items.sort_by(|a, b| (&a.name, &a.source_label).cmp(&(&b.name, &b.source_label)));
        Ok(report)
    }

    /// Asks one source now, and keeps the commit or the reason why it failed.
    pub async fn check_source(&self, actor: &Actor, id: &str) -> Result<SourceRecord, TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let source = self.source(actor, id).await?;
        let found = self.listings(std::slice::from_ref(&source), true).await?.remove(0);
        let (resolved, error) = match &found {
            Ok(listing) => {
                let commit = listing.skills.iter().find_map(|offered| offered.commit.clone());
                (commit.unwrap_or_else(|| format!("{} skills", listing.skills.len())), String::new())
            }
            Err(error) => (source.resolved.clone(), error.clone()),
        };
        let mut tx = self.db.begin().await?;
        tx.run(
            "UPDATE skill_source SET resolved = $2, error = $3, checked = $4 WHERE id = $1",
            args![id, &resolved, &error, self.now()],
        )
        .await?;
        let note = Note {
            org: &actor.org,
            action: "source.check",
            subject: id,
            scope: &Scope::Org,
            before: Value::Null,
            after: json!({ "resolved": resolved, "error": error }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.source(actor, id).await
    }

    /// What each source offers: remembered, or asked now, all at once. One request asks, the others wait for its answer.
    async fn listings(
        &self,
        sources: &[SourceRecord],
        refresh: bool,
    ) -> Result<Vec<Result<Listing, String>>, TeamError> {
        let mut remembered = self.remembered.lock().await;
        remembered.retain(|_, (at, _)| at.elapsed() < REMEMBERED);
        let mut asked: Vec<(String, SourceEntry)> = Vec::new();
        for source in sources {
            if refresh || !remembered.contains_key(&key(source)) {
                match source.source() {
                    Ok(parsed) => {
                        let entry =
                            SourceEntry { source: parsed, enabled: true, registry: false, team: false };
                        asked.push((key(source), entry));
                    }
                    Err(error) => {
                        remembered.insert(key(source), (Instant::now(), Err(error.to_string())));
                    }
                }
            }
        }
        if !asked.is_empty() {
            let found = fetching(self.outbound.clone(), move |outside| {
                let browsing = Browsing { outside, cache: None, now: SystemTime::UNIX_EPOCH, refresh: true };
                let sources: Vec<(&str, &SourceEntry)> =
                    asked.iter().map(|(key, entry)| (key.as_str(), entry)).collect();
                browse_all(&sources, browsing)
                    .into_iter()
                    .map(|(key, listing)| (key.to_owned(), listing.map_err(|error| in_words(&error))))
                    .collect::<Vec<_>>()
            })
            .await?;
            for (key, listing) in found {
                remembered.insert(key, (Instant::now(), listing));
            }
        }
        let lost = || Err("it was not asked".to_owned());
        Ok(sources
            .iter()
            .map(|source| remembered.get(&key(source)).map_or_else(lost, |(_, listing)| listing.clone()))
            .collect())
    }

    /// The skills that came from sources and that the actor may read, by where they came from.
    async fn installed_from(&self, actor: &Actor) -> Result<BTreeMap<String, InstalledFrom>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT id FROM skill WHERE org = $1 AND source = 'catalog' AND state <> 'archived' ORDER BY created DESC, id LIMIT 5000",
                args![&actor.org],
            )
            .await?;
        let mut found = BTreeMap::new();
        for row in rows {
            let Ok(skill) = self.skill(actor, &row.text(0)?).await else { continue };
            // A personal skill of another user says nothing about what the caller has.
            let is_own = matches!(&skill.scope, Scope::Own(owner) if Some(owner) != actor.user.as_ref());
            if !is_own {
                found.insert(skill.source_id.clone(), installed(skill));
            }
        }
        Ok(found)
    }

    /// Installs a skill of a source, or its update. The server fetches the files; the version waits: an own one for the yes of
    /// its owner, one of others for a review. An update that can do no more than the served version needs no new yes.
    pub async fn install_from_catalog(
        &self,
        actor: &Actor,
        input: &CatalogInstall,
    ) -> Result<CatalogInstalled, TeamError> {
        actor.needs(TokenScope::SkillsWrite)?;
        let user = actor.user()?.to_owned();
        let scope = match input.scope.as_deref().unwrap_or("own") {
            "own" => Scope::Own(user),
            "group" => Scope::Group(
                input.group.clone().ok_or_else(|| TeamError::invalid("no-group", "name the group"))?,
            ),
            other => Scope::of(other, "")?,
        };
        self.may(actor, crate::permission::Deed::Edit, &actor.org, &scope)?;
        let sources = self.all_sources(&actor.org).await?;
        let source = sources
            .into_iter()
            .find(|source| source.id == input.source_id && source.enabled)
            .ok_or(TeamError::NotFound)?;
        let listing = self.listings(std::slice::from_ref(&source), false).await?.remove(0);
        let listing = listing.map_err(|error| TeamError::conflict("dead-source", error))?;
        let offered = listing.skills.iter().find(|offered| offered.name == input.name).ok_or_else(|| {
            TeamError::conflict("not-offered", format!("the source has no skill `{}`", input.name))
        })?;
        let origin = origin(&source, offered);
        let wanted: Source = offered
            .source
            .parse()
            .map_err(|error| TeamError::Internal(format!("a source of the catalog: {error}")))?;
        let fetched =
            fetching(self.outbound.clone(), move |outside| fetch::fetch(&wanted, None, outside)).await?;
        let mut fetched = fetched.map_err(|error| TeamError::conflict("dead-source", in_words(&error)))?;
        let found =
            fetched.skills.pop().ok_or_else(|| TeamError::conflict("not-offered", "the source is empty"))?;
        let tree = found.tree.digest().to_string();
        if input.tree.as_ref().is_some_and(|seen| *seen != tree) {
            return Err(TeamError::conflict(
                "source-changed",
                "the source has other files than the ones you saw; look at it again",
            ));
        }
        let first = fetched
            .resolved
            .commit
            .or(fetched.resolved.version)
            .or_else(|| found.artefact.map(|digest| digest.to_string()))
            .unwrap_or_default();
        let skipped =
            fetched.diagnostics.into_iter().chain(found.diagnostics).map(|one| one.message).collect();
        let known = self.same_origin(actor, &scope, &origin).await?;
        let upload = Upload {
            tree: found.tree,
            folder: Some(found.name.to_string()),
            source: "catalog".to_owned(),
            source_id: origin,
            source_version: format!("{first} {tree}").trim().to_owned(),
            hold: if known.is_some() { Hold::IfGrown } else { Hold::Always },
            ..Default::default()
        };
        let (outcome, stored) = match known {
            None => ("installed", self.create_skill(actor, &scope, upload).await?),
            Some(skill) => {
                let version = self.version(actor, &skill.id, skill.latest_version).await?;
                if version.tree == tree {
                    ("already-installed", Stored { skill, version, proposal: None })
                } else {
                    ("updated", self.add_version(actor, &skill.id, upload).await?)
                }
            }
        };
        Ok(CatalogInstalled { outcome: outcome.to_owned(), stored, skipped })
    }

    async fn same_origin(
        &self,
        actor: &Actor,
        scope: &Scope,
        origin: &str,
    ) -> Result<Option<SkillRecord>, TeamError> {
        let (kind, owner) = scope.columns();
        let row = self
            .db
            .maybe(
                "SELECT id FROM skill WHERE org = $1 AND scope = $2 AND owner = $3 AND source = 'catalog' AND source_id = $4",
                args![&actor.org, kind, owner, origin],
            )
            .await?;
        match row {
            Some(row) => Ok(Some(self.skill(actor, &row.text(0)?).await?)),
            None => Ok(None),
        }
    }
}

/// Why a fetch failed, with the setting of this server where a user's file is named otherwise.
fn in_words(error: &FetchError) -> String {
    match error {
        FetchError::Web(WebError::Elsewhere { address, host }) => format!(
            "`{address}` leads to another host, `{host}`; add it to `source_hosts` of the server if you trust it"
        ),
        FetchError::Web(WebError::Plain(address)) => {
            format!("`{address}` is plain http; use https, or set `private_addresses` of the server")
        }
        other => other.to_string(),
    }
}

fn installed(skill: SkillRecord) -> InstalledFrom {
    InstalledFrom {
        skill_id: skill.id,
        scope: skill.scope,
        latest_version: skill.latest_version,
        default_version: skill.default_version,
        source_version: skill.source_version,
    }
}

/// Where a skill comes from, the same for every commit: `github:owner/repo#main:folder`.
fn origin(source: &SourceRecord, offered: &Offered) -> String {
    match &offered.folder {
        Some(folder) => {
            let at =
                if source.reference.is_empty() { String::new() } else { format!("@{}", source.reference) };
            format!("{}{at}:{folder}", source.address)
        }
        None => offered.source.clone(),
    }
}

fn item(source: &SourceRecord, offered: &Offered, all: &BTreeMap<String, InstalledFrom>) -> CatalogItem {
    let origin = origin(source, offered);
    let installed = all.get(&origin).cloned();
    let update_available = installed.as_ref().is_some_and(|known| {
        let (first, tree) = known.source_version.split_once(' ').unwrap_or(("", &known.source_version));
        match (&offered.tree, &offered.version, &offered.artefact) {
            (Some(now), ..) => now.to_string() != tree,
            (None, Some(version), _) => version != first,
            (None, None, Some(artefact)) => artefact.to_string() != first,
            (None, None, None) => false,
        }
    });
    CatalogItem {
        source_id: source.id.clone(),
        source_label: source.label.clone(),
        name: offered.name.clone(),
        description: offered.description.clone(),
        origin,
        folder: offered.folder.clone(),
        version: offered.version.clone(),
        commit: offered.commit.clone(),
        tree: offered.tree.map(|tree| tree.to_string()),
        installed,
        update_available,
    }
}
