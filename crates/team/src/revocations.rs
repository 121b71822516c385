//! Versions that are taken back: yanked from new installations, or revoked everywhere. What was revoked stays revoked: also when the
//! skill was deleted, and for every copy of files that the organisation revoked.

use crate::{
    actor::{Actor, TokenScope},
    db::{Tx, args},
    error::{TeamError, at_most},
    log::Note,
    permission::{Deed, Scope},
    skills::SkillRecord,
    team::Team,
    versions::{VersionRecord, VersionState, describe_served, hold},
};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

/// Digests that a client asks about at once.
const DIGESTS: usize = 1_000;

/// What is known about the files of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TreeVerdict {
    /// The digest that was asked about.
    pub digest: String,
    /// `published`, `pending`, `rejected`, `yanked`, `revoked` or `unknown`.
    pub state: String,
    /// Why it was taken back.
    pub reason: String,
    /// The skill.
    pub skill: Option<String>,
    /// The version.
    pub version: Option<i64>,
}

impl Team {
    /// Takes a version back: from new installations (`Yanked`), or everywhere (`Revoked`).
    pub async fn take_back(
        &self,
        actor: &Actor,
        id: &str,
        number: i64,
        to: VersionState,
        reason: &str,
    ) -> Result<VersionRecord, TeamError> {
        let skill = self.skill(actor, id).await?;
        let deed = match to {
            VersionState::Yanked | VersionState::Published => Deed::Yank,
            VersionState::Revoked => Deed::Revoke,
            _ => return Err(TeamError::Internal("a version is yanked or revoked".to_owned())),
        };
        self.may(actor, deed, &skill.org, &skill.scope)?;
        if reason.trim().is_empty() {
            return Err(TeamError::invalid("no-reason", "write why; everybody who uses the skill reads it"));
        }
        at_most("a reason", reason, 1_000)?;
        let version = self.version(actor, id, number).await?;
        let allowed = matches!(
            (version.state, to),
            (VersionState::Published, VersionState::Yanked)
                | (VersionState::Yanked, VersionState::Published)
                | (VersionState::Published | VersionState::Yanked, VersionState::Revoked)
        );
        if !allowed {
            return Err(TeamError::conflict(
                "wrong-state",
                format!("version {number} is {}, it cannot become {to}", version.state),
            ));
        }
        let mut tx = self.db.begin().await?;
        hold(&mut tx, id, number, version.state).await?;
        let mut copies = Vec::new();
        match to {
            VersionState::Revoked => {
                copies = copies_of(&mut tx, &skill, &version.tree).await?;
                // The same files under another number are the same files.
                for one in std::iter::once(id).chain(copies.iter().map(|copy| copy.skill.as_str())) {
                    tx.run(
                        "UPDATE skill_version SET state = 'revoked', reason = $3 WHERE skill_id = $1 AND tree = $2 \
                         AND state IN ('published', 'yanked')",
                        args![one, &version.tree, reason],
                    )
                    .await?;
                    self.serve_newest(&mut tx, one).await?;
                }
            }
            _ => {
                if to == VersionState::Published {
                    refuse_revoked(&mut tx, &skill.org, id, &version.tree).await?;
                    self.refuse_ended_waiver(&mut tx, id, number).await?;
                }
                tx.run(
                    "UPDATE skill_version SET state = $3, reason = $4 WHERE skill_id = $1 AND number = $2",
                    args![id, number, to.word(), reason],
                )
                .await?;
                self.serve_newest(&mut tx, id).await?;
            }
        }
        let action = match to {
            VersionState::Yanked => "version.yank",
            VersionState::Revoked => "version.revoke",
            _ => "version.unyank",
        };
        let mut notes = vec![Note {
            org: &skill.org,
            action,
            subject: id,
            scope: &skill.scope,
            before: json!({ "version": number, "state": version.state.word() }),
            after: json!({ "version": number, "state": to.word(), "reason": reason, "tree": version.tree }),
        }];
        notes.extend(copies.iter().map(|copy| Note {
            org: &copy.org,
            action,
            subject: &copy.skill,
            scope: &copy.scope,
            before: json!({ "tree": version.tree }),
            after: json!({ "state": to.word(), "reason": reason, "tree": version.tree, "revoked_as": id }),
        }));
        self.finish(tx, actor.label(), &notes).await?;
        self.version(actor, id, number).await
    }

    /// Serves the newest published version when the one that was served is not published any more.
    pub(crate) async fn serve_newest(&self, tx: &mut Tx, skill: &str) -> Result<(), TeamError> {
        tx.run(
            "UPDATE skill SET updated = $2, default_version = CASE WHEN EXISTS (SELECT 1 FROM skill_version \
             WHERE skill_id = $1 AND number = default_version AND state = 'published') THEN default_version \
             ELSE (SELECT max(number) FROM skill_version WHERE skill_id = $1 AND state = 'published') END WHERE id = $1",
            args![skill, self.now()],
        )
        .await?;
        describe_served(tx, skill).await
    }

    /// What is known about trees: for clients that ask whether what they have installed may be used. A tree that the actor may
    /// not know is unknown.
    pub async fn verdicts(&self, actor: &Actor, digests: &[String]) -> Result<Vec<TreeVerdict>, TeamError> {
        actor.needs(TokenScope::SkillsRead)?;
        if digests.len() > DIGESTS {
            return Err(TeamError::TooLarge("at most 1,000 digests at once".to_owned()));
        }
        let mut found = Vec::new();
        for digest in digests {
            // A tree that is revoked anywhere is revoked.
            let verdict = match self.revoked(actor, digest).await? {
                Some(revoked) => Some(revoked),
                None => self.known(actor, digest).await?,
            };
            found.push(verdict.unwrap_or_else(|| TreeVerdict {
                digest: digest.clone(),
                state: "unknown".to_owned(),
                reason: String::new(),
                skill: None,
                version: None,
            }));
        }
        Ok(found)
    }

    /// Files that were revoked where the actor reads, also of a skill that is deleted.
    async fn revoked(&self, actor: &Actor, digest: &str) -> Result<Option<TreeVerdict>, TeamError> {
        let sql = "SELECT skill_id, org, scope, owner, published, number, reason FROM revoked_tree WHERE tree = $1 \
                   ORDER BY skill_id, scope, owner";
        for row in self.db.all(sql, args![digest]).await? {
            let org = row.text(1)?;
            let scope = Scope::of(&row.text(2)?, &row.text(3)?)?;
            // Members adopted it while its owner offered it.
            let was_offered = row.truth(4)? && actor.user.is_some() && actor.org == org;
            if was_offered || self.may_read(actor, &org, &scope) {
                return Ok(Some(TreeVerdict {
                    digest: digest.to_owned(),
                    state: VersionState::Revoked.word().to_owned(),
                    reason: row.text(6)?,
                    skill: Some(row.text(0)?),
                    version: Some(row.int(5)?),
                }));
            }
        }
        Ok(None)
    }

    /// The state of files as a version that the actor sees; a revoked one before others.
    async fn known(&self, actor: &Actor, digest: &str) -> Result<Option<TreeVerdict>, TeamError> {
        let mut worst: Option<TreeVerdict> = None;
        for row in &self.db.all(VERSIONS_OF_TREE, args![digest]).await? {
            let version = VersionRecord::of(row)?;
            let Ok(skill) = self.skill(actor, &version.skill_id).await else { continue };
            if !self.sees(actor, &skill, &version) {
                continue;
            }
            if worst.is_none() || version.state == VersionState::Revoked {
                worst = Some(TreeVerdict {
                    digest: digest.to_owned(),
                    state: version.state.word().to_owned(),
                    reason: version.reason,
                    skill: Some(skill.id),
                    version: Some(version.number),
                });
            }
        }
        Ok(worst)
    }
}

/// A skill that has the same files as one that is revoked.
struct RevokedCopy {
    skill: String,
    org: String,
    scope: Scope,
}

/// Other skills that give the same files out, where the revocation of this one reaches: what the organisation revokes is revoked as
/// the skill of a user or a group too, and what is global everywhere.
async fn copies_of(tx: &mut Tx, skill: &SkillRecord, tree: &str) -> Result<Vec<RevokedCopy>, TeamError> {
    if !matches!(skill.scope, Scope::Org | Scope::Global) {
        return Ok(Vec::new());
    }
    let rows = tx
        .all(
            "SELECT id, org, scope, owner FROM skill WHERE id <> $1 AND (org = $2 OR $3 = 'global') AND scope <> 'global' \
             AND id IN (SELECT skill_id FROM skill_version WHERE tree = $4 AND state IN ('published', 'yanked')) \
             ORDER BY id",
            args![&skill.id, &skill.org, skill.scope.columns().0, tree],
        )
        .await?;
    let copy = |row: &crate::db::Row| {
        Ok(RevokedCopy {
            skill: row.text(0)?,
            org: row.text(1)?,
            scope: Scope::of(&row.text(2)?, &row.text(3)?)?,
        })
    };
    rows.iter().map(copy).collect()
}

/// Refuses files that were revoked: in this skill or one that was in its place, in the organisation, or for all organisations.
pub(crate) async fn refuse_revoked(tx: &mut Tx, org: &str, skill: &str, tree: &str) -> Result<(), TeamError> {
    let row = tx
        .maybe(
            "SELECT r.name, r.number, r.reason FROM revoked_tree r WHERE r.tree = $1 \
             AND (r.skill_id = $2 OR r.scope = 'global' OR (r.scope = 'org' AND r.org = $3) \
             OR EXISTS (SELECT 1 FROM skill s WHERE s.id = $2 AND s.org = r.org AND s.scope = r.scope AND s.owner = r.owner)) \
             ORDER BY r.skill_id, r.scope, r.owner LIMIT 1",
            args![tree, skill, org],
        )
        .await?;
    let Some(row) = row else { return Ok(()) };
    let (name, number, reason) = (row.text(0)?, row.int(1)?, row.text(2)?);
    Err(TeamError::conflict(
        "revoked",
        format!("these files were revoked as version {number} of {name}: {reason}; change them first"),
    ))
}

/// Brings what was revoked to the table that keeps it, from a backup of a release that did not have it.
pub(crate) const KEEP_REVOKED: &str = "INSERT INTO revoked_tree (tree, skill_id, org, scope, owner, name, number, reason, published) \
    SELECT v.tree, s.id, s.org, s.scope, s.owner, s.name, v.number, v.reason, s.published \
    FROM skill_version v JOIN skill s ON s.id = v.skill_id WHERE v.state = 'revoked' \
    ON CONFLICT (tree, skill_id, scope, owner) DO NOTHING";

const VERSIONS_OF_TREE: &str = "SELECT id, skill_id, number, epoch, semver, tree, name, description, manifest, \
                                capabilities, findings, verdict, notes, author, state, reason, created \
                                FROM skill_version WHERE tree = $1";
