//! How much one owner may keep: skills, versions of a skill, bytes. The organisation sets it by policies.

use crate::{
    actor::Actor,
    db::{Tx, args},
    error::TeamError,
    permission::Scope,
    team::Team,
};
use serde::Serialize;
use utoipa::ToSchema;

/// The rule about skills of one owner: a user, a group, the organisation.
pub const SKILLS: (&str, &[&str]) = ("quota-skills", &["1000", "10", "100", "10000", "unlimited"]);
/// The rule about versions of one skill.
pub const VERSIONS: (&str, &[&str]) = ("quota-versions", &["1000", "10", "100", "10000", "unlimited"]);
/// The rule about the contents of one owner, in megabytes.
pub const MEGABYTES: (&str, &[&str]) =
    ("quota-megabytes", &["1024", "1", "100", "10240", "102400", "unlimited"]);

/// What the caller keeps, and how much they may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct QuotaUse {
    /// Own skills.
    pub skills: i64,
    /// How many are allowed; absent: no limit.
    pub skills_limit: Option<i64>,
    /// Bytes of the contents of all their versions.
    pub bytes: i64,
    /// How many are allowed.
    pub bytes_limit: Option<i64>,
    /// Versions that one skill may have.
    pub versions_limit: Option<i64>,
}

const SETTING: &str = "SELECT setting FROM policy WHERE org = $1 AND rule = $2";
const KEPT: &str = "SELECT count(DISTINCT s.id), CAST(coalesce(sum(t.bytes), 0) AS BIGINT) FROM skill s \
                    JOIN skill_version v ON v.skill_id = s.id JOIN tree t ON t.digest = v.tree \
                    WHERE s.org = $1 AND s.scope = $2 AND s.owner = $3";

/// The number of a setting. One that cannot be read counts as the default.
fn limit(rule: (&str, &[&str]), setting: Option<&str>) -> Option<i64> {
    let default = rule.1.first().copied().unwrap_or_default();
    match setting.unwrap_or(default) {
        "unlimited" => None,
        text => text.parse().ok().or_else(|| default.parse().ok()),
    }
}

async fn in_tx(tx: &mut Tx, org: &str, rule: (&str, &[&str])) -> Result<Option<i64>, TeamError> {
    let row = tx.maybe(SETTING, args![org, rule.0]).await?;
    Ok(limit(rule, row.map(|row| row.text(0)).transpose()?.as_deref()))
}

fn refused(what: &str, most: i64, rule: (&str, &[&str])) -> TeamError {
    TeamError::TooLarge(format!(
        "the quota of {most} {what} is reached; delete some, or ask an administrator to change the policy `{}`",
        rule.0
    ))
}

/// Refuses a version beyond the quota. The version itself is among the rows already.
pub(crate) async fn check(tx: &mut Tx, org: &str, scope: &Scope, skill: &str) -> Result<(), TeamError> {
    if let Some(most) = in_tx(tx, org, VERSIONS).await? {
        let row = tx.one("SELECT count(*) FROM skill_version WHERE skill_id = $1", args![skill]).await?;
        if row.int(0)? > most {
            return Err(refused("versions of a skill", most, VERSIONS));
        }
    }
    let (skills, megabytes) = (in_tx(tx, org, SKILLS).await?, in_tx(tx, org, MEGABYTES).await?);
    let (kind, owner) = scope.columns();
    let row = tx.one(KEPT, args![org, kind, owner]).await?;
    if let Some(most) = skills.filter(|most| row.int(0).is_ok_and(|kept| kept > *most)) {
        return Err(refused("skills", most, SKILLS));
    }
    if let Some(most) = megabytes.filter(|most| row.int(1).is_ok_and(|kept| kept > most << 20)) {
        return Err(refused("megabytes", most, MEGABYTES));
    }
    Ok(())
}

impl Team {
    /// What the user keeps of their own, and how much they may.
    pub async fn quota(&self, actor: &Actor) -> Result<QuotaUse, TeamError> {
        let user = actor.user()?;
        let row = self.db.maybe(KEPT, args![&actor.org, "own", user]).await?;
        let row = row.ok_or_else(|| TeamError::Internal("a sum is missing".to_owned()))?;
        let mut limits = Vec::new();
        for rule in [SKILLS, VERSIONS, MEGABYTES] {
            let setting = self.db.maybe(SETTING, args![&actor.org, rule.0]).await?;
            limits.push(limit(rule, setting.map(|row| row.text(0)).transpose()?.as_deref()));
        }
        Ok(QuotaUse {
            skills: row.int(0)?,
            skills_limit: limits[0],
            bytes: row.int(1)?,
            bytes_limit: limits[2].map(|megabytes| megabytes << 20),
            versions_limit: limits[1],
        })
    }
}
