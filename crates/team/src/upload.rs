//! Uploads: the one place that writes versions. The contents first, the rows second, what points to them last, all rows in one
//! transaction.

use crate::{
    actor::Actor,
    db::{Tx, args},
    error::{TeamError, at_most},
    id::new_id,
    judged::{Judged, VersionVerdict},
    log::Note,
    model_made,
    permission::{Deed, Scope},
    proposals::NOTE,
    revocations::refuse_revoked,
    skills::{SkillRecord, check_title},
    team::Team,
    versions::{FileRecord, VersionRecord, VersionState},
};
use serde::Serialize;
use serde_json::{Value, json};
use skillful_format::Tree;
use skillful_registry::review::Card;
use tokio::sync::Semaphore;
use utoipa::ToSchema;

/// How long a request that is sent again gets the first result.
const ANSWERED: i64 = 10 * 60 * 1_000;

/// Uploads that are judged at once: more of them are not faster, and each holds its files several times.
static JUDGING: Semaphore = Semaphore::const_new(4);

/// An upload.
#[derive(Clone, Debug, Default)]
pub struct Upload {
    /// The files.
    pub tree: Tree,
    /// The folder around them, the name of a skill without one.
    pub folder: Option<String>,
    /// A name to show to users.
    pub title: Option<String>,
    /// What its author writes about it.
    pub notes: String,
    /// How it came: `custom`, `model`, `imported`, `catalog`, `integration`; empty means custom.
    pub source: String,
    /// Where from.
    pub source_id: String,
    /// Which version of that.
    pub source_version: String,
    /// The key of a request that may be sent again.
    pub request: Option<String>,
    /// Whether it is sent again, so that the first result is the answer.
    pub is_repeated: bool,
    /// Whether the version waits for a yes where it would otherwise be served at once.
    pub hold: Hold,
    /// Whether a version that is served already stays the served one.
    pub keeps_served: bool,
}

/// Whether a version waits for a yes where it would otherwise be served at once: a personal one for that of its owner, one of
/// others for a review, whatever the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// It does not.
    #[default]
    Never,
    /// When it can do more than the version that is served, or the audit reports more.
    IfGrown,
    /// As the policy about what models write says.
    AsModelMade,
    /// In any case.
    Always,
}

/// A skill with one of its versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Stored {
    /// The skill.
    pub skill: SkillRecord,
    /// The version.
    pub version: VersionRecord,
    /// The proposal that decides about it.
    pub proposal: Option<String>,
}

impl Team {
    /// Creates a skill with its first version. A skill of a scope that is reviewed waits for its review.
    pub async fn create_skill(
        &self,
        actor: &Actor,
        scope: &Scope,
        upload: Upload,
    ) -> Result<Stored, TeamError> {
        self.may(actor, Deed::Publish, &actor.org, scope)?;
        if upload.is_repeated
            && let Some(known) = self.answered(actor, &upload, &upload.tree.digest().to_string()).await?
        {
            return Ok(known);
        }
        let (judged, upload) = judge(upload).await?;
        actor.may_publish(&judged.name)?;
        self.objects.put(&judged.tree).await?;
        let now = self.now();
        let mut tx = self.db.begin().await?;
        if let Some(known) = self.claim(&mut tx, actor, &upload, &judged.digest.to_string()).await? {
            return Ok(known);
        }
        let id = insert_skill(&mut tx, actor, scope, &judged, &upload, now).await?;
        let placing = Placing {
            id: &id,
            scope,
            upload: &upload,
            action: "skill.create",
            always_reviewed: false,
            is_held: match upload.hold {
                Hold::Never | Hold::IfGrown => false,
                Hold::Always => true,
                Hold::AsModelMade => model_made::is_held(&mut tx, &actor.org, &judged).await?,
            },
        };
        self.store_version(tx, actor, placing, judged).await
    }

    /// Adds a version to a skill.
    pub async fn add_version(&self, actor: &Actor, id: &str, upload: Upload) -> Result<Stored, TeamError> {
        let skill = self.skill(actor, id).await?;
        self.may(actor, Deed::Publish, &skill.org, &skill.scope)?;
        if upload.is_repeated
            && let Some(known) = self.answered(actor, &upload, &upload.tree.digest().to_string()).await?
        {
            return Ok(known);
        }
        let (judged, upload) = judge(upload).await?;
        actor.may_publish(&judged.name)?;
        if judged.name != skill.name {
            return Err(TeamError::invalid(
                "other-name",
                format!(
                    "the upload is named `{}` and the skill `{}`; a name cannot change: create another skill",
                    judged.name, skill.name
                ),
            ));
        }
        let is_concern = upload.hold == Hold::IfGrown && self.is_concern(&skill, &judged.tree).await?;
        self.objects.put(&judged.tree).await?;
        let mut tx = self.db.begin().await?;
        if let Some(known) = self.claim(&mut tx, actor, &upload, &judged.digest.to_string()).await? {
            return Ok(known);
        }
        let is_held = match upload.hold {
            Hold::Never => false,
            Hold::Always => true,
            Hold::IfGrown => is_concern,
            Hold::AsModelMade => model_made::is_held(&mut tx, &actor.org, &judged).await?,
        };
        let placing = Placing {
            id,
            scope: &skill.scope,
            upload: &upload,
            action: "version.create",
            always_reviewed: false,
            is_held,
        };
        self.store_version(tx, actor, placing, judged).await
    }

    /// Whether files need a new yes after those that are served: the rule that every update of Skillful follows.
    async fn is_concern(&self, skill: &SkillRecord, tree: &Tree) -> Result<bool, TeamError> {
        let Some(served) = skill.default_version else { return Ok(true) };
        let row = self
            .db
            .maybe(
                "SELECT tree FROM skill_version WHERE skill_id = $1 AND number = $2",
                args![&skill.id, served],
            )
            .await?;
        let Some(row) = row else { return Ok(true) };
        let (old, new) = (self.objects.get(&row.text(0)?).await?, tree.clone());
        tokio::task::spawn_blocking(move || !Card::since(&old, &new).concerns().is_empty())
            .await
            .map_err(|error| TeamError::Internal(error.to_string()))
    }

    /// Puts files of a narrower skill into a wider scope, as a version that waits for a review; returns the proposal.
    pub(crate) async fn store_proposed(
        &self,
        actor: &Actor,
        to: &Scope,
        upload: Upload,
    ) -> Result<String, TeamError> {
        let (judged, upload) = judge(upload).await?;
        self.objects.put(&judged.tree).await?;
        let (kind, owner) = to.columns();
        let mut tx = self.db.begin().await?;
        let found = tx
            .maybe(
                "SELECT id FROM skill WHERE org = $1 AND scope = $2 AND owner = $3 AND name = $4",
                args![&actor.org, kind, owner, &judged.name],
            )
            .await?;
        let id = match found {
            Some(row) => row.text(0)?,
            None => insert_skill(&mut tx, actor, to, &judged, &upload, self.now()).await?,
        };
        let placing = Placing {
            id: &id,
            scope: to,
            upload: &upload,
            action: "proposal.create",
            always_reviewed: true,
            is_held: false,
        };
        let stored = self.store_version(tx, actor, placing, judged).await?;
        stored.proposal.ok_or_else(|| TeamError::Internal("a proposal is missing".to_owned()))
    }

    /// The one place that writes a version, for every way in.
    async fn store_version(
        &self,
        mut tx: Tx,
        actor: &Actor,
        placing: Placing<'_>,
        judged: Judged,
    ) -> Result<Stored, TeamError> {
        let Placing { id, scope, upload, action, always_reviewed, is_held } = placing;
        let now = self.now();
        // The row is locked by this change, so that two uploads do not get one number.
        let counted = "UPDATE skill SET latest_version = latest_version + 1 WHERE id = $1";
        if tx.run(counted, args![id]).await? == 0 {
            // Another user deleted it while the files were judged.
            return Err(TeamError::NotFound);
        }
        let row =
            tx.one("SELECT latest_version, default_version FROM skill WHERE id = $1", args![id]).await?;
        let (number, served) = (row.int(0)?, row.maybe_int(1)?);
        let user = actor.user()?.to_owned();
        let files: Vec<FileRecord> = judged
            .tree
            .iter()
            .map(|(path, file)| FileRecord {
                path: path.as_str().to_owned(),
                sha256: skillful_format::digest_bytes(&file.bytes).to_hex(),
                size: file.bytes.len() as u64,
                executable: file.executable,
            })
            .collect();
        let tree = judged.digest.to_string();
        refuse_revoked(&mut tx, &actor.org, id, &tree).await?;
        tx.run(
            "INSERT INTO tree (digest, bytes, files, archive, created) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (digest) DO NOTHING",
            args![
                &tree,
                i64::try_from(judged.tree.total_bytes()).unwrap_or(i64::MAX),
                text(&files)?,
                judged.archive.to_string(),
                now
            ],
        )
        .await?;
        let is_personal = matches!(scope, Scope::Own(_));
        let is_reviewed = always_reviewed
            || is_held && !is_personal
            || is_reviewed(&mut tx, &actor.org, scope, judged.verdict).await?;
        let state = if is_reviewed || is_held { VersionState::Pending } else { VersionState::Published };
        let version = VersionRecord {
            id: new_id("skillver")?,
            skill_id: id.to_owned(),
            number,
            epoch: now * 1_000 + number.rem_euclid(1_000),
            semver: judged.semver,
            tree: tree.clone(),
            name: judged.name,
            description: judged.description,
            manifest: judged.manifest,
            capabilities: judged.capabilities,
            findings: judged.findings,
            verdict: judged.verdict,
            notes: upload.notes.clone(),
            author: user.clone(),
            state,
            reason: String::new(),
            created: now,
        };
        tx.run(
            "INSERT INTO skill_version (id, skill_id, number, epoch, semver, tree, name, description, manifest, \
             capabilities, findings, verdict, notes, author, state, reason, created) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, '', $16)",
            args![
                &version.id, id, number, version.epoch, &version.semver, &tree, &version.name, &version.description,
                text(&version.manifest)?, text(&version.capabilities)?, text(&version.findings)?,
                version.verdict.word(), &version.notes, &user, state.word(), now
            ],
        )
        .await?;
        let proposal = if is_reviewed {
            let proposal = new_id("prop")?;
            tx.run(
                "INSERT INTO proposal (id, org, skill_id, version, tree, base, state, author, note, created, decided) \
                 VALUES ($1, $2, $3, $4, $5, $6, 'open', $7, $8, $9, NULL)",
                args![&proposal, &actor.org, id, number, &tree, served, &user, &version.notes, now],
            )
            .await?;
            Some(proposal)
        } else {
            if !(is_held || upload.keeps_served && served.is_some()) {
                tx.run(
                    "UPDATE skill SET default_version = $2, description = $3, updated = $4 WHERE id = $1",
                    args![id, number, &version.description, now],
                )
                .await?;
            }
            None
        };
        if !upload.source_version.is_empty() {
            tx.run("UPDATE skill SET source_version = $2 WHERE id = $1", args![id, &upload.source_version])
                .await?;
        }
        if let Some(request) = &upload.request {
            let result = json!({ "skill": id, "version": number, "proposal": proposal }).to_string();
            tx.run(
                "INSERT INTO answered_request (actor, request, result, created) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (actor, request) DO UPDATE SET result = $3, created = $4",
                args![&user, request, result, now],
            )
            .await?;
        }
        // The sweep holds the same lock: contents that it removed since they were put are put again.
        tx.lock_sequence().await?;
        // Under the lock, uploads that come at once are counted one after the other.
        crate::quotas::check(&mut tx, &actor.org, scope, id).await?;
        if !self.objects.has(&tree).await? {
            self.objects.put(&judged.tree).await?;
        }
        let note = Note {
            org: &actor.org,
            action,
            subject: id,
            scope,
            before: json!({ "served": served }),
            after: json!({ "version": number, "tree": tree, "state": state.word() }),
        };
        self.finish(tx, &user, &[note]).await?;
        Ok(Stored { skill: self.skill(actor, id).await?, version, proposal })
    }

    /// Keeps the key of a request until the transaction ends. The same request that is carried out at this moment is waited for, and
    /// its result is the answer to one that is sent again.
    async fn claim(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        upload: &Upload,
        tree: &str,
    ) -> Result<Option<Stored>, TeamError> {
        let Some(request) = &upload.request else { return Ok(None) };
        tx.run(
            "INSERT INTO answered_request (actor, request, result, created) VALUES ($1, $2, '', $3) \
             ON CONFLICT (actor, request) DO UPDATE SET request = answered_request.request",
            args![actor.user()?, request, self.now()],
        )
        .await?;
        self.answered(actor, upload, tree).await
    }

    /// The result of the same request a short time ago.
    async fn answered(
        &self,
        actor: &Actor,
        upload: &Upload,
        tree: &str,
    ) -> Result<Option<Stored>, TeamError> {
        let Some(request) = upload.request.as_deref().filter(|_| upload.is_repeated) else { return Ok(None) };
        let row = self
            .db
            .maybe(
                "SELECT result FROM answered_request WHERE actor = $1 AND request = $2 AND created > $3",
                args![actor.user()?, request, self.now() - ANSWERED],
            )
            .await?;
        let Some(row) = row else { return Ok(None) };
        let known: Value = serde_json::from_str(&row.text(0)?).unwrap_or_default();
        let (Some(id), Some(number)) = (known["skill"].as_str(), known["version"].as_i64()) else {
            return Ok(None);
        };
        // What was deleted since is created again.
        let (Ok(skill), Ok(version)) = (self.skill(actor, id).await, self.version(actor, id, number).await)
        else {
            return Ok(None);
        };
        if version.tree != tree {
            return Err(TeamError::conflict(
                "key-reused",
                "the same request was sent with other files a short time ago; use another key",
            ));
        }
        let proposal = known["proposal"].as_str().map(str::to_owned);
        Ok(Some(Stored { skill, version, proposal }))
    }
}

/// Where a version goes.
struct Placing<'a> {
    id: &'a str,
    scope: &'a Scope,
    upload: &'a Upload,
    action: &'static str,
    /// Whether the policy of the organisation does not matter.
    always_reviewed: bool,
    /// Whether it waits for a yes.
    is_held: bool,
}

async fn insert_skill(
    tx: &mut Tx,
    actor: &Actor,
    scope: &Scope,
    judged: &Judged,
    upload: &Upload,
    now: i64,
) -> Result<String, TeamError> {
    let id = new_id("skill")?;
    let (kind, owner) = scope.columns();
    let name = &judged.name;
    let held = tx
        .maybe(
            "SELECT held_until FROM held_name WHERE org = $1 AND scope = $2 AND owner = $3 AND name = $4",
            args![&actor.org, kind, owner, name],
        )
        .await?;
    if held.map_or(Ok(0), |row| row.int(0))? > now {
        return Err(TeamError::conflict(
            "name-held",
            format!("the name `{name}` belonged to a skill that was deleted less than 30 days ago"),
        ));
    }
    // An administrator may write for every group, but not for one that does not exist.
    if let Scope::Group(group) = scope {
        let known =
            tx.maybe("SELECT 1 FROM user_group WHERE id = $1 AND org = $2", args![group, &actor.org]).await?;
        known.ok_or(TeamError::NotFound)?;
    }
    let title = upload.title.clone().unwrap_or_else(|| judged.name.clone());
    let source = if upload.source.is_empty() { "custom" } else { &upload.source };
    let taken = || {
        TeamError::conflict("name-taken", format!("a skill named `{name}` exists here; add a version to it"))
    };
    tx.run(
        "INSERT INTO skill (id, org, scope, owner, name, title, description, state, default_version, \
         latest_version, source, source_id, source_version, published, listed, created, updated) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'active', NULL, 0, $8, $9, $10, 0, 1, $11, $11)",
        args![
            &id,
            &actor.org,
            kind,
            owner,
            name,
            &title,
            &judged.description,
            source,
            &upload.source_id,
            &upload.source_version,
            now
        ],
    )
    .await
    .map_err(|error| {
        if matches!(error, TeamError::Conflict { code: "exists", .. }) { taken() } else { error }
    })?;
    Ok(id)
}

/// Whether a version for this scope needs the yes of another user.
async fn is_reviewed(
    tx: &mut Tx,
    org: &str,
    scope: &Scope,
    verdict: VersionVerdict,
) -> Result<bool, TeamError> {
    if let Scope::Own(_) = scope {
        return Ok(false);
    }
    if verdict == VersionVerdict::Block {
        return Ok(true);
    }
    let row = tx.maybe("SELECT setting FROM policy WHERE org = $1 AND rule = 'review'", args![org]).await?;
    // A setting that cannot be read is not `off`.
    Ok(row.is_none_or(|row| row.text(0).map_or(true, |setting| setting != "off")))
}

/// Judging reads and audits every file: not on a thread that answers requests.
pub(crate) async fn judge(mut upload: Upload) -> Result<(Judged, Upload), TeamError> {
    upload.title.as_deref().map_or(Ok(()), check_title)?;
    at_most("what an author writes about a version", &upload.notes, NOTE)?;
    let _turn = JUDGING.acquire().await.map_err(|error| TeamError::Internal(error.to_string()))?;
    tokio::task::spawn_blocking(move || {
        let tree = std::mem::take(&mut upload.tree);
        let judged = Judged::of(tree, upload.folder.as_deref())?;
        Ok((judged, upload))
    })
    .await
    .map_err(|error| TeamError::Internal(format!("judging failed: {error}")))?
}

/// The name that an upload has, before it is judged.
pub(crate) fn name_of(upload: &Upload) -> Result<String, TeamError> {
    crate::judged::name_of(&upload.tree, upload.folder.as_deref())
}

pub(crate) fn text(value: &impl Serialize) -> Result<String, TeamError> {
    serde_json::to_string(value).map_err(|error| TeamError::Internal(error.to_string()))
}
