//! How much skills are used: counts per hour, version and agent, and no content.

use crate::{
    actor::{Actor, TokenScope},
    db::{Row, args},
    error::TeamError,
    permission::{Deed, OrgDeed, Scope, may_org},
    team::Team,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const HOUR: i64 = 3_600 * 1_000;
/// The windows that can be asked for, in days.
pub const WINDOWS: [i64; 5] = [1, 7, 30, 90, 365];

/// What a client reports about one skill.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UseReport {
    /// The skill.
    pub skill_id: String,
    /// The version.
    pub version: i64,
    /// The agent.
    pub agent: String,
    /// How often it was used.
    pub uses: i64,
    /// How often that failed.
    #[serde(default)]
    pub failures: i64,
}

/// Usage in a window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct UsageReport {
    /// Days of the window.
    pub days: i64,
    /// All uses.
    pub uses: i64,
    /// Uses that failed.
    pub failures: i64,
    /// Users with at least one use.
    pub active_users: i64,
    /// The ten skills that are used most.
    pub top: Vec<SkillUses>,
    /// Uses over time: 24 hours of one day, or days.
    pub over_time: Vec<UsesAt>,
    /// Uses by agent.
    pub agents: Vec<AgentUses>,
}

/// Uses of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SkillUses {
    /// The skill.
    pub skill_id: String,
    /// Its name.
    pub name: String,
    /// Uses.
    pub uses: i64,
    /// Uses that failed.
    pub failures: i64,
}

/// Uses in a bucket of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct UsesAt {
    /// When it begins, in milliseconds since 1970.
    pub from: i64,
    /// Uses.
    pub uses: i64,
    /// Uses that failed.
    pub failures: i64,
}

/// Uses by an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AgentUses {
    /// The agent.
    pub agent: String,
    /// Uses.
    pub uses: i64,
}

/// Uses of one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneSkillUses {
    /// Whether uses of all users are counted, or only those of the caller.
    pub is_of_all: bool,
    /// Uses.
    pub uses: i64,
    /// Uses that failed.
    pub failures: i64,
    /// Users with at least one use.
    pub users: i64,
    /// Uses of each day, the oldest first.
    pub days: Vec<i64>,
}

/// How far skills reach in an organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Skills that are served.
    pub served: i64,
    /// Skills that were used in the window.
    pub used: i64,
    /// Active users.
    pub users: i64,
    /// Served skills that were not used in the window, the one that changed longest ago first; at most ten.
    pub unused: Vec<UnusedSkill>,
}

/// Whose uses count, and of which agent; an empty text means every one.
#[derive(Clone, Copy, Debug, Default)]
pub struct UsageOf<'a> {
    /// Uses of the whole organisation instead of the user's own.
    pub of_all: bool,
    /// Only uses by members of this group.
    pub group: &'a str,
    /// Only uses by this agent.
    pub agent: &'a str,
}

/// Members that a group needs before its uses are shown, so that no figure is about one user.
pub const SHOWN_FROM: i64 = 3;

/// Uses by members of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupUses {
    /// The group.
    pub group_id: String,
    /// Its name.
    pub name: String,
    /// Its members.
    pub members: i64,
    /// Their uses.
    pub uses: i64,
}

/// A skill that was not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedSkill {
    /// The skill.
    pub skill_id: String,
    /// Its name.
    pub name: String,
    /// When it changed last.
    pub updated: i64,
    /// Whether it is kept although it is not used.
    pub is_kept: bool,
    /// Whether the actor may keep or archive it: a personal skill is its owner's.
    pub may_edit: bool,
}

impl Team {
    /// Adds uses of skills that the user may read; returns how many reports were taken.
    pub async fn report_uses(&self, actor: &Actor, reports: &[UseReport]) -> Result<usize, TeamError> {
        actor.needs(TokenScope::Usage)?;
        let user = actor.user()?.to_owned();
        if reports.len() > 1_000 {
            return Err(TeamError::TooLarge("at most 1,000 reports at once".to_owned()));
        }
        let hour = self.now() / HOUR;
        let mut taken = 0;
        for report in reports {
            let is_sane = (1..=100_000).contains(&report.uses)
                && (0..=report.uses).contains(&report.failures)
                && !report.agent.is_empty()
                && report.agent.len() <= 64;
            if !is_sane {
                return Err(TeamError::invalid(
                    "wrong-report",
                    "uses are 1 to 100,000, failures are among them, and the agent is named",
                ));
            }
            if self.version(actor, &report.skill_id, report.version).await.is_err() {
                continue;
            }
            let mut tx = self.db.begin().await?;
            tx.run(
                "INSERT INTO use_count (skill_id, org, version, user_id, agent, hour, uses, failures) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (skill_id, version, user_id, agent, hour) \
                 DO UPDATE SET uses = use_count.uses + $7, failures = use_count.failures + $8",
                args![
                    &report.skill_id, &actor.org, report.version, &user, &report.agent, hour, report.uses, report.failures
                ],
            )
            .await?;
            self.finish_use(tx, actor, &report.skill_id).await?;
            taken += 1;
        }
        Ok(taken)
    }

    /// Uses of one skill in the last days: of all users for those who may read that, else of the user alone.
    pub async fn skill_uses(&self, actor: &Actor, id: &str, days: i64) -> Result<OneSkillUses, TeamError> {
        let skill = self.skill(actor, id).await?;
        let of_all = self.may(actor, Deed::ReadUsage, &skill.org, &skill.scope).is_ok();
        let user = actor.user()?;
        let only = if of_all { "" } else { user };
        let today = self.now() / HOUR / 24;
        let since = (today - days + 1) * 24;
        let rows = self
            .db
            .all(
                "SELECT hour / 24, CAST(sum(uses) AS BIGINT), CAST(sum(failures) AS BIGINT) FROM use_count \
                 WHERE skill_id = $1 AND hour >= $2 AND ($3 = '' OR user_id = $3) GROUP BY hour / 24",
                args![id, since, only],
            )
            .await?;
        let users = self
            .db
            .maybe(
                "SELECT count(DISTINCT user_id) FROM use_count WHERE skill_id = $1 AND hour >= $2 AND ($3 = '' OR user_id = $3)",
                args![id, since, only],
            )
            .await?;
        let mut found = OneSkillUses {
            is_of_all: of_all,
            uses: 0,
            failures: 0,
            users: users.map_or(Ok(0), |row| row.int(0))?,
            days: vec![0; usize::try_from(days).unwrap_or(0)],
        };
        for row in &rows {
            found.uses += row.int(1)?;
            found.failures += row.int(2)?;
            let at = usize::try_from(row.int(0)? - today + days - 1).ok();
            if let Some(day) = at.and_then(|at| found.days.get_mut(at)) {
                *day = row.int(1)?;
            }
        }
        Ok(found)
    }

    /// Uses by skill and agent: the skills that are used most, each with its uses by agent.
    pub async fn uses_by_agent(
        &self,
        actor: &Actor,
        days: i64,
        of: UsageOf<'_>,
        skills: &[SkillUses],
    ) -> Result<Vec<Vec<AgentUses>>, TeamError> {
        if of.of_all {
            may_org(actor, OrgDeed::ReadUsage, &actor.org)?;
        } else {
            actor.needs(TokenScope::Usage)?;
        }
        self.check_group(actor, of.group).await?;
        let since = self.now() / HOUR - days * 24 + 1;
        let only = if of.of_all { "" } else { actor.user()? };
        let mut found = Vec::new();
        for skill in skills {
            let rows = self
                .db
                .all(
                    "SELECT agent, CAST(sum(uses) AS BIGINT) FROM use_count WHERE skill_id = $1 AND org = $2 AND hour >= $3 \
                     AND ($4 = '' OR user_id = $4) AND ($5 = '' OR agent = $5) \
                     AND ($6 = '' OR user_id IN (SELECT user_id FROM group_member WHERE group_id = $6)) \
                     GROUP BY agent ORDER BY 2 DESC, 1",
                    args![&skill.skill_id, &actor.org, since, only, of.agent, of.group],
                )
                .await?;
            let by_agent = rows.iter().map(|row| Ok(AgentUses { agent: row.text(0)?, uses: row.int(1)? }));
            found.push(by_agent.collect::<Result<_, TeamError>>()?);
        }
        Ok(found)
    }

    /// Skills that the organisation serves, how many of them were used in the window, and how many users there are.
    pub async fn reach(&self, actor: &Actor, days: i64) -> Result<Reach, TeamError> {
        may_org(actor, OrgDeed::ReadUsage, &actor.org)?;
        let since = self.now() / HOUR - days * 24 + 1;
        let row = self
            .db
            .maybe(
                "SELECT (SELECT count(*) FROM skill WHERE org = $1 AND default_version IS NOT NULL AND state <> 'archived'), \
                 (SELECT count(DISTINCT skill_id) FROM use_count WHERE org = $1 AND hour >= $2), \
                 (SELECT count(*) FROM user_account WHERE org = $1 AND state = 'active')",
                args![&actor.org, since],
            )
            .await?
            .ok_or_else(|| TeamError::Internal("a count is missing".to_owned()))?;
        let unused = self
            .db
            .all(
                "SELECT s.id, s.name, s.updated, coalesce(i.kept, 0), s.scope, s.owner FROM skill s \
                 LEFT JOIN skill_idle i ON i.skill_id = s.id WHERE s.org = $1 AND s.default_version IS NOT NULL \
                 AND s.state <> 'archived' AND NOT EXISTS (SELECT 1 FROM use_count u WHERE u.skill_id = s.id AND u.hour >= $2) \
                 ORDER BY coalesce(i.kept, 0), s.updated, s.id LIMIT 10",
                args![&actor.org, since],
            )
            .await?;
        Ok(Reach {
            served: row.int(0)?,
            used: row.int(1)?,
            users: row.int(2)?,
            unused: unused
                .iter()
                .map(|row| {
                    let scope = Scope::of(&row.text(4)?, &row.text(5)?)?;
                    Ok(UnusedSkill {
                        skill_id: row.text(0)?,
                        name: row.text(1)?,
                        updated: row.int(2)?,
                        is_kept: row.truth(3)?,
                        may_edit: self.may(actor, Deed::Edit, &actor.org, &scope).is_ok(),
                    })
                })
                .collect::<Result<_, TeamError>>()?,
        })
    }

    /// Usage of the user, or of the whole organisation.
    pub async fn usage(&self, actor: &Actor, days: i64, of_all: bool) -> Result<UsageReport, TeamError> {
        self.usage_of(actor, days, UsageOf { of_all, ..UsageOf::default() }).await
    }

    /// Uses by members of each group of the organisation in the window, the most used first. A user of several groups counts in each;
    /// small groups are not listed.
    pub async fn uses_by_group(&self, actor: &Actor, days: i64) -> Result<Vec<GroupUses>, TeamError> {
        may_org(actor, OrgDeed::ReadUsage, &actor.org)?;
        let since = self.now() / HOUR - days * 24 + 1;
        let rows = self
            .db
            .all(
                "SELECT g.id, g.name, (SELECT count(DISTINCT m.user_id) FROM group_member m WHERE m.group_id = g.id), \
                 CAST(coalesce((SELECT sum(u.uses) FROM use_count u WHERE u.org = g.org AND u.hour >= $2 \
                 AND u.user_id IN (SELECT user_id FROM group_member WHERE group_id = g.id)), 0) AS BIGINT) \
                 FROM user_group g WHERE g.org = $1 ORDER BY 4 DESC, 2",
                args![&actor.org, since],
            )
            .await?;
        let group = |row: &Row| {
            Ok(GroupUses {
                group_id: row.text(0)?,
                name: row.text(1)?,
                members: row.int(2)?,
                uses: row.int(3)?,
            })
        };
        let all = rows.iter().map(group).collect::<Result<Vec<GroupUses>, TeamError>>()?;
        Ok(all.into_iter().filter(|group| group.members >= SHOWN_FROM).collect())
    }

    /// Refuses figures about a group that is so small that they would be about its members.
    async fn check_group(&self, actor: &Actor, group: &str) -> Result<(), TeamError> {
        if group.is_empty() {
            return Ok(());
        }
        let row = self
            .db
            .maybe(
                "SELECT count(DISTINCT m.user_id) FROM group_member m JOIN user_group g ON g.id = m.group_id \
                 WHERE g.id = $1 AND g.org = $2",
                args![group, &actor.org],
            )
            .await?;
        let members = row.map_or(Ok(0), |row| row.int(0))?;
        if members < SHOWN_FROM {
            return Err(TeamError::invalid(
                "small-group",
                format!("usage of a group is shown from {SHOWN_FROM} members on"),
            ));
        }
        Ok(())
    }

    /// Usage of the user or of the whole organisation, of a group or an agent.
    pub async fn usage_of(
        &self,
        actor: &Actor,
        days: i64,
        of: UsageOf<'_>,
    ) -> Result<UsageReport, TeamError> {
        if !WINDOWS.contains(&days) {
            return Err(TeamError::invalid("wrong-window", "the window is 1, 7, 30, 90 or 365 days"));
        }
        let user = actor.user()?.to_owned();
        if of.of_all {
            may_org(actor, OrgDeed::ReadUsage, &actor.org)?;
        } else {
            actor.needs(TokenScope::Usage)?;
        }
        self.check_group(actor, of.group).await?;
        let now = self.now() / HOUR;
        let since = now - days * 24 + 1;
        let only = if of.of_all { "" } else { &user };
        let sums = self
            .db
            .maybe(
                "SELECT CAST(coalesce(sum(uses), 0) AS BIGINT), CAST(coalesce(sum(failures), 0) AS BIGINT), \
                 count(DISTINCT user_id) FROM use_count WHERE org = $1 AND hour >= $2 AND ($3 = '' OR user_id = $3) AND ($4 = '' OR agent = $4) \
                 AND ($5 = '' OR user_id IN (SELECT user_id FROM group_member WHERE group_id = $5))",
                args![&actor.org, since, only, of.agent, of.group],
            )
            .await?
            .ok_or_else(|| TeamError::Internal("a sum is missing".to_owned()))?;
        let top = self
            .db
            .all(
                "SELECT u.skill_id, coalesce(max(s.name), ''), CAST(sum(u.uses) AS BIGINT), CAST(sum(u.failures) AS BIGINT) \
                 FROM use_count u LEFT JOIN skill s ON s.id = u.skill_id \
                 WHERE u.org = $1 AND u.hour >= $2 AND ($3 = '' OR u.user_id = $3) AND ($4 = '' OR u.agent = $4) \
                 AND ($5 = '' OR u.user_id IN (SELECT user_id FROM group_member WHERE group_id = $5)) \
                 GROUP BY u.skill_id ORDER BY 3 DESC, 1 LIMIT 10",
                args![&actor.org, since, only, of.agent, of.group],
            )
            .await?;
        let step = if days == 1 { 1 } else { 24 };
        let buckets = self
            .db
            .all(
                "SELECT hour / $4, CAST(sum(uses) AS BIGINT), CAST(sum(failures) AS BIGINT) FROM use_count \
                 WHERE org = $1 AND hour >= $2 AND ($3 = '' OR user_id = $3) AND ($5 = '' OR agent = $5) \
                 AND ($6 = '' OR user_id IN (SELECT user_id FROM group_member WHERE group_id = $6)) GROUP BY hour / $4 ORDER BY 1",
                args![&actor.org, since, only, step, of.agent, of.group],
            )
            .await?;
        let agents = self
            .db
            .all(
                "SELECT agent, CAST(sum(uses) AS BIGINT) FROM use_count \
                 WHERE org = $1 AND hour >= $2 AND ($3 = '' OR user_id = $3) AND ($4 = '' OR agent = $4) \
                 AND ($5 = '' OR user_id IN (SELECT user_id FROM group_member WHERE group_id = $5)) GROUP BY agent ORDER BY 2 DESC, 1",
                args![&actor.org, since, only, of.agent, of.group],
            )
            .await?;
        let mut known = std::collections::BTreeMap::new();
        for row in &buckets {
            known.insert(row.int(0)?, (row.int(1)?, row.int(2)?));
        }
        let over_time = (since / step..=now / step)
            .map(|bucket| {
                let (uses, failures) = known.get(&bucket).copied().unwrap_or_default();
                UsesAt { from: bucket * step * HOUR, uses, failures }
            })
            .collect();
        Ok(UsageReport {
            days,
            uses: sums.int(0)?,
            failures: sums.int(1)?,
            active_users: sums.int(2)?,
            top: top
                .iter()
                .map(|row| {
                    Ok(SkillUses {
                        skill_id: row.text(0)?,
                        name: row.text(1)?,
                        uses: row.int(2)?,
                        failures: row.int(3)?,
                    })
                })
                .collect::<Result<_, TeamError>>()?,
            over_time,
            agents: agents
                .iter()
                .map(|row| Ok(AgentUses { agent: row.text(0)?, uses: row.int(1)? }))
                .collect::<Result<_, TeamError>>()?,
        })
    }
}
