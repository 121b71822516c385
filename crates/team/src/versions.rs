//! Versions of skills. A version never changes; what changes is which one is served, and whether it is.

use crate::{
    actor::{Actor, words},
    db::{Row, Tx, args},
    error::TeamError,
    judged::{FindingView, VersionVerdict},
    log::Note,
    permission::{Deed, Scope},
    revocations::refuse_revoked,
    skills::SkillRecord,
    team::Team,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skillful_format::Tree;
use std::{collections::BTreeSet, fmt, str::FromStr};
use utoipa::ToSchema;

/// The state of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VersionState {
    /// Waits for a review.
    Pending,
    /// Served.
    Published,
    /// Refused in a review, or withdrawn by its author.
    Rejected,
    /// Not for new installations; locks that name it are still served.
    Yanked,
    /// Not to be used anywhere.
    Revoked,
}

words!(VersionState {
    Pending = "pending",
    Published = "published",
    Rejected = "rejected",
    Yanked = "yanked",
    Revoked = "revoked",
});

/// A version of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct VersionRecord {
    /// Its id.
    pub id: String,
    /// The skill.
    pub skill_id: String,
    /// 1, 2, 3 …; a number never comes back.
    pub number: i64,
    /// Microseconds since 1970, the name of a version in the beta of one vendor.
    pub epoch: i64,
    /// `version` of the frontmatter, as written.
    pub semver: String,
    /// The digest of its files.
    pub tree: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The frontmatter.
    #[schema(value_type = Object)]
    pub manifest: Value,
    /// What it can do.
    pub capabilities: BTreeSet<String>,
    /// What the audit found.
    pub findings: Vec<FindingView>,
    /// The sum of that.
    pub verdict: VersionVerdict,
    /// What its author wrote about it.
    pub notes: String,
    /// The user who uploaded it.
    pub author: String,
    /// Its state.
    pub state: VersionState,
    /// Why it was yanked or revoked.
    pub reason: String,
    /// When it was uploaded.
    pub created: i64,
}

impl VersionRecord {
    pub(crate) fn of(row: &Row) -> Result<Self, TeamError> {
        fn json<T: for<'d> Deserialize<'d>>(text: &str) -> Result<T, TeamError> {
            serde_json::from_str(text)
                .map_err(|error| TeamError::Internal(format!("a stored value: {error}")))
        }
        Ok(Self {
            id: row.text(0)?,
            skill_id: row.text(1)?,
            number: row.int(2)?,
            epoch: row.int(3)?,
            semver: row.text(4)?,
            tree: row.text(5)?,
            name: row.text(6)?,
            description: row.text(7)?,
            manifest: json(&row.text(8)?)?,
            capabilities: json(&row.text(9)?)?,
            findings: json(&row.text(10)?)?,
            verdict: row.text(11)?.parse()?,
            notes: row.text(12)?,
            author: row.text(13)?,
            state: row.text(14)?.parse()?,
            reason: row.text(15)?,
            created: row.int(16)?,
        })
    }
}

/// A file of a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileRecord {
    /// Its path.
    pub path: String,
    /// Its digest.
    pub sha256: String,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it can be executed.
    pub executable: bool,
}

impl Team {
    /// The versions of a skill that the actor may see, newest first.
    pub async fn versions(&self, actor: &Actor, id: &str) -> Result<Vec<VersionRecord>, TeamError> {
        let skill = self.skill(actor, id).await?;
        let rows = self.db.all(VERSIONS_OF, args![id]).await?;
        let mut found = Vec::new();
        for row in &rows {
            let version = VersionRecord::of(row)?;
            if self.sees(actor, &skill, &version) {
                found.push(version);
            }
        }
        Ok(found)
    }

    /// One version of a skill.
    pub async fn version(&self, actor: &Actor, id: &str, number: i64) -> Result<VersionRecord, TeamError> {
        let skill = self.skill(actor, id).await?;
        let row = self.db.maybe(VERSION_BY_NUMBER, args![id, number]).await?.ok_or(TeamError::NotFound)?;
        let version = VersionRecord::of(&row)?;
        if self.sees(actor, &skill, &version) { Ok(version) } else { Err(TeamError::NotFound) }
    }

    /// A version in review is seen by its author and by those who decide.
    pub(crate) fn sees(&self, actor: &Actor, skill: &SkillRecord, version: &VersionRecord) -> bool {
        self.sees_state(actor, skill, version.state, &version.author)
    }

    pub(crate) fn sees_state(
        &self,
        actor: &Actor,
        skill: &SkillRecord,
        state: VersionState,
        author: &str,
    ) -> bool {
        match state {
            VersionState::Published | VersionState::Yanked | VersionState::Revoked => true,
            VersionState::Pending | VersionState::Rejected => {
                actor.user.as_deref() == Some(author) || self.sees_all(actor, skill)
            }
        }
    }

    /// The files of a version, with their contents. A revoked version is not given out.
    pub async fn contents(&self, actor: &Actor, id: &str, number: i64) -> Result<Tree, TeamError> {
        let version = self.version(actor, id, number).await?;
        if version.state == VersionState::Revoked {
            return Err(TeamError::conflict(
                "revoked",
                format!("version {number} was revoked: {}", version.reason),
            ));
        }
        self.objects.get(&version.tree).await
    }

    /// The files of a version, without their contents.
    pub async fn files(&self, actor: &Actor, id: &str, number: i64) -> Result<Vec<FileRecord>, TeamError> {
        let version = self.version(actor, id, number).await?;
        let row = self.db.maybe("SELECT files FROM tree WHERE digest = $1", args![&version.tree]).await?;
        let row = row.ok_or_else(|| TeamError::Internal("a tree is missing".to_owned()))?;
        serde_json::from_str(&row.text(0)?).map_err(|error| TeamError::Internal(error.to_string()))
    }

    /// The digest of the archive that registries give out for a version.
    pub async fn archive_digest(&self, version: &VersionRecord) -> Result<String, TeamError> {
        let row = self.db.maybe("SELECT archive FROM tree WHERE digest = $1", args![&version.tree]).await?;
        row.ok_or_else(|| TeamError::Internal("a tree is missing".to_owned()))?.text(0)
    }

    /// A version of a skill that the actor may change.
    async fn editable(
        &self,
        actor: &Actor,
        id: &str,
        number: i64,
    ) -> Result<(SkillRecord, VersionRecord), TeamError> {
        let skill = self.skill(actor, id).await?;
        self.may(actor, Deed::Edit, &skill.org, &skill.scope)?;
        let version = self.version(actor, id, number).await?;
        Ok((skill, version))
    }

    /// Lets another published version be served: also the way back.
    pub async fn set_default(&self, actor: &Actor, id: &str, number: i64) -> Result<SkillRecord, TeamError> {
        let (skill, version) = self.editable(actor, id, number).await?;
        if version.state != VersionState::Published {
            return Err(TeamError::conflict(
                "not-published",
                format!("version {number} is {}; only a published version can be served", version.state),
            ));
        }
        let mut tx = self.db.begin().await?;
        hold(&mut tx, id, number, VersionState::Published).await?;
        tx.run(
            "UPDATE skill SET default_version = $2, description = $3, updated = $4 WHERE id = $1",
            args![id, number, &version.description, self.now()],
        )
        .await?;
        let note = Note {
            org: &skill.org,
            action: "skill.default",
            subject: id,
            scope: &skill.scope,
            before: json!({ "version": skill.default_version }),
            after: json!({ "version": number }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.skill(actor, id).await
    }

    /// Agrees to a version of an own skill that waits for its owner: it is served from now on. The digest must be that of its
    /// files, so that the owner agrees to what was shown.
    pub async fn agree(
        &self,
        actor: &Actor,
        id: &str,
        number: i64,
        digest: &str,
    ) -> Result<SkillRecord, TeamError> {
        let (skill, version) = self.editable(actor, id, number).await?;
        if !matches!(skill.scope, Scope::Own(_)) {
            return Err(TeamError::conflict("has-review", "another user reviews this version"));
        }
        if version.state != VersionState::Pending {
            return Err(TeamError::conflict(
                "not-pending",
                format!("version {number} is {}; only a pending version waits", version.state),
            ));
        }
        if version.tree != digest {
            return Err(TeamError::conflict(
                "other-digest",
                "the version has other files than the ones you agreed to; read it again",
            ));
        }
        let mut tx = self.db.begin().await?;
        hold(&mut tx, id, number, VersionState::Pending).await?;
        refuse_revoked(&mut tx, &skill.org, id, &version.tree).await?;
        tx.run(
            "UPDATE skill_version SET state = 'published' WHERE skill_id = $1 AND number = $2",
            args![id, number],
        )
        .await?;
        tx.run(NO_REVIEW, args![id, number, self.now()]).await?;
        tx.run(
            "UPDATE skill SET default_version = $2, description = $3, updated = $4 WHERE id = $1",
            args![id, number, &version.description, self.now()],
        )
        .await?;
        let note = Note {
            org: &skill.org,
            action: "version.agree",
            subject: id,
            scope: &skill.scope,
            before: json!({ "served": skill.default_version }),
            after: json!({ "version": number, "tree": version.tree }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.skill(actor, id).await
    }

    /// Deletes one version. The last one, and the one that is served while others are published, stay.
    pub async fn delete_version(
        &self,
        actor: &Actor,
        id: &str,
        number: i64,
        moves_default: bool,
    ) -> Result<VersionRecord, TeamError> {
        let (skill, version) = self.editable(actor, id, number).await?;
        if version.state == VersionState::Revoked {
            return Err(TeamError::conflict(
                "revoked",
                format!("version {number} was revoked and stays, so that clients that have it learn of it"),
            ));
        }
        let mut tx = self.db.begin().await?;
        hold(&mut tx, id, number, version.state).await?;
        let left = "SELECT count(*) FROM skill_version WHERE skill_id = $1 AND number <> $2";
        if tx.one(left, args![id, number]).await?.int(0)? == 0 {
            return Err(TeamError::conflict(
                "last-version",
                "a skill keeps its last version; delete the skill instead",
            ));
        }
        let served =
            tx.one("SELECT default_version FROM skill WHERE id = $1", args![id]).await?.maybe_int(0)?;
        let mut next = served;
        if served == Some(number) {
            if !moves_default {
                return Err(TeamError::conflict(
                    "default-version",
                    format!("version {number} is the default; let another version be the default first"),
                ));
            }
            let newest = "SELECT max(number) FROM skill_version WHERE skill_id = $1 AND number <> $2 AND state = 'published'";
            next = tx.one(newest, args![id, number]).await?.maybe_int(0)?;
            tx.run(
                "UPDATE skill SET default_version = $2, updated = $3 WHERE id = $1",
                args![id, next, self.now()],
            )
            .await?;
            describe_served(&mut tx, id).await?;
        }
        tx.run("DELETE FROM skill_version WHERE skill_id = $1 AND number = $2", args![id, number]).await?;
        tx.run("DELETE FROM proposal WHERE skill_id = $1 AND version = $2", args![id, number]).await?;
        let note = Note {
            org: &skill.org,
            action: "version.delete",
            subject: id,
            scope: &skill.scope,
            before: json!({ "version": number, "tree": version.tree }),
            after: json!({ "served": next }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        Ok(version)
    }
}

/// Keeps the versions of a skill from changing until the transaction ends. A version that another user changed since it was read
/// is a conflict: what was revoked meanwhile does not come back.
pub(crate) async fn hold(tx: &mut Tx, skill: &str, number: i64, read: VersionState) -> Result<(), TeamError> {
    tx.run("UPDATE skill SET latest_version = latest_version WHERE id = $1", args![skill]).await?;
    let row = tx
        .maybe("SELECT state FROM skill_version WHERE skill_id = $1 AND number = $2", args![skill, number])
        .await?;
    let now = row.map_or(Ok("deleted".to_owned()), |row| row.text(0))?;
    if now == read.word() {
        return Ok(());
    }
    Err(TeamError::conflict("changed", format!("version {number} is {now} now; read it again")))
}

/// Gives a skill the description of the version that is served now.
pub(crate) async fn describe_served(tx: &mut Tx, skill: &str) -> Result<(), TeamError> {
    tx.run(
        "UPDATE skill SET description = coalesce((SELECT v.description FROM skill_version v \
         WHERE v.skill_id = skill.id AND v.number = skill.default_version), description) WHERE id = $1",
        args![skill],
    )
    .await?;
    Ok(())
}

/// A version that its owner decided about waits for no review: its skill was that of a group which was deleted.
const NO_REVIEW: &str = "UPDATE proposal SET state = 'withdrawn', decided = $3 \
                         WHERE skill_id = $1 AND version = $2 AND state = 'open'";
const VERSIONS_OF: &str = "SELECT id, skill_id, number, epoch, semver, tree, name, description, manifest, capabilities, \
                           findings, verdict, notes, author, state, reason, created FROM skill_version \
                           WHERE skill_id = $1 ORDER BY number DESC";
const VERSION_BY_NUMBER: &str = "SELECT id, skill_id, number, epoch, semver, tree, name, description, manifest, \
                                 capabilities, findings, verdict, notes, author, state, reason, created \
                                 FROM skill_version WHERE skill_id = $1 AND number = $2";
