//! Personal skills that are not used: after 30 days stale, after 90 days archived and off, never deleted. The engine's rule
//! ([`skillful_runtime::curate`]) decides; a use makes a skill active again.
//!
//! A team counts uses only of users who report them. Of a user without a counted use in the last 30 days nothing is known, so that
//! none of their skills is idle.

use crate::{
    actor::{Actor, TokenScope},
    db::{Row, Tx, args},
    error::TeamError,
    judged::metadata,
    log::Note,
    permission::{Deed, Scope},
    skills::{SKILL_BY_ID, SkillRecord},
    team::Team,
};
use serde_json::{Value, json};
use skillful_runtime::curate::{Known, STALE_AFTER, UsageState};

/// The rule about personal skills that are not used.
pub const RULE: (&str, &[&str]) = ("idle-skills", &["archive", "keep"]);
const HOUR: i64 = 3_600 * 1_000;
/// Skills that one look changes at the most; the next look takes the others.
const AT_ONCE: i64 = 10_000;
/// Who is named in the audit log.
const ACTOR: &str = "skillful";

/// A skill whose state changed since it is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleSkill {
    /// The skill.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its new state.
    pub state: UsageState,
}

impl Team {
    /// Compares the uses of personal skills with the rule, and changes what is due. Several processes may do so at once.
    pub async fn curate(&self) -> Result<Vec<IdleSkill>, TeamError> {
        let now = self.now();
        let stale = now - i64::try_from(STALE_AFTER).unwrap_or(i64::MAX / 1_000) * 1_000;
        let rows = self.db.all(AUTHORED, args![stale, stale / HOUR, AT_ONCE]).await?;
        let mut due = Vec::new();
        for row in &rows {
            let (id, org, owner, name) = (row.text(0)?, row.text(1)?, row.text(2)?, row.text(3)?);
            let known = known(row)?;
            let next = known.next(u64::try_from(now / 1_000).unwrap_or(0));
            if let Some(state) = next {
                due.push((org, Scope::Own(owner), known.state, IdleSkill { id, name, state }));
            }
        }
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.db.begin().await?;
        let mut done = Vec::new();
        for (org, scope, before, skill) in due {
            let changed = tx
                .run(
                    "UPDATE skill SET state = $3 WHERE id = $1 AND state = $2",
                    args![&skill.id, before.word(), skill.state.word()],
                )
                .await?;
            // Another process, or the owner, was faster.
            if changed == 0 {
                continue;
            }
            if skill.state == UsageState::Archived {
                tx.run(
                    "INSERT INTO skill_idle (skill_id, kept, archived) VALUES ($1, 0, $2) \
                     ON CONFLICT (skill_id) DO UPDATE SET archived = $2",
                    args![&skill.id, now],
                )
                .await?;
            }
            done.push((org, scope, before, skill));
        }
        let notes: Vec<Note<'_>> = done
            .iter()
            .map(|(org, scope, before, skill)| Note {
                org,
                action: "skill.idle",
                subject: &skill.id,
                scope,
                before: json!({ "state": before.word() }),
                after: json!({ "state": skill.state.word() }),
            })
            .collect();
        self.finish(tx, ACTOR, &notes).await?;
        drop(notes);
        Ok(done.into_iter().map(|(.., skill)| skill).collect())
    }

    /// Keeps an own skill in use although it is not used, or ends that.
    pub async fn keep(&self, actor: &Actor, id: &str, kept: bool) -> Result<SkillRecord, TeamError> {
        let skill = self.skill(actor, id).await?;
        self.may(actor, Deed::Edit, &skill.org, &skill.scope)?;
        let mut tx = self.db.begin().await?;
        tx.run(
            "INSERT INTO skill_idle (skill_id, kept, archived) VALUES ($1, $2, NULL) \
             ON CONFLICT (skill_id) DO UPDATE SET kept = $2",
            args![id, kept],
        )
        .await?;
        let note = Note {
            org: &skill.org,
            action: if kept { "skill.keep" } else { "skill.unkeep" },
            subject: id,
            scope: &skill.scope,
            before: Value::Null,
            after: json!({ "kept": kept }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.skill(actor, id).await
    }

    /// Ends a transaction that counted a use: a skill that was stale, or archived since it was not used, is active again.
    pub(crate) async fn finish_use(&self, mut tx: Tx, actor: &Actor, id: &str) -> Result<(), TeamError> {
        let idle = tx
            .maybe(
                "SELECT s.state FROM skill s LEFT JOIN skill_idle i ON i.skill_id = s.id WHERE s.id = $1 \
                 AND (s.state = 'stale' OR (s.state = 'archived' AND i.archived IS NOT NULL))",
                args![id],
            )
            .await?;
        let Some(before) = idle.map(|row| row.text(0)).transpose()? else { return tx.commit().await };
        tx.run("UPDATE skill SET state = 'active', updated = $2 WHERE id = $1", args![id, self.now()])
            .await?;
        tx.run("UPDATE skill_idle SET archived = NULL WHERE skill_id = $1", args![id]).await?;
        let skill = SkillRecord::of(&tx.one(SKILL_BY_ID, args![id, actor.label()]).await?)?;
        let note = Note {
            org: &skill.org,
            action: "skill.reactivate",
            subject: id,
            scope: &skill.scope,
            before: json!({ "state": before }),
            after: json!({ "state": "active" }),
        };
        self.finish(tx, actor.label(), &[note]).await.map(|_| ())
    }

    /// Makes an own skill active that was archived since it was not used: its user asks for it by its name. Returns whether
    /// there was one.
    pub(crate) async fn wake(&self, actor: &Actor, name: &str) -> Result<bool, TeamError> {
        if actor.needs(TokenScope::SkillsWrite).is_err() && actor.needs(TokenScope::Usage).is_err() {
            return Ok(false);
        }
        let Some(skill) = self.own_skill(actor, name).await?.filter(|skill| skill.state == "archived") else {
            return Ok(false);
        };
        self.finish_use(self.db.begin().await?, actor, &skill.id).await?;
        Ok(self.skill(actor, &skill.id).await?.state == "active")
    }
}

/// What the engine's rule asks about.
fn known(row: &Row) -> Result<Known, TeamError> {
    let seconds = |millis: i64| u64::try_from(millis / 1_000).unwrap_or(0);
    let manifest: Value = serde_json::from_str(&row.text(6)?).unwrap_or_default();
    let metadata = metadata(&manifest);
    let pinned = &metadata["pinned"];
    Ok(Known {
        accepted: seconds(row.int(5)?),
        // A use counts until the end of its hour.
        last_used: row.maybe_int(8)?.map(|hour| seconds((hour + 1) * HOUR)),
        pinned: row.truth(7)? || pinned.as_bool() == Some(true) || pinned.as_str() == Some("true"),
        state: if row.text(4)? == "stale" { UsageState::Stale } else { UsageState::Active },
    })
}

/// Personal skills that a user or a model wrote, which may have to change: served, and not changed for 30 days or stale, of users
/// with a use in that time.
const AUTHORED: &str = "SELECT s.id, s.org, s.owner, s.name, s.state, s.updated, v.manifest, coalesce(i.kept, 0), \
     (SELECT max(u.hour) FROM use_count u WHERE u.skill_id = s.id) \
     FROM skill s JOIN skill_version v ON v.skill_id = s.id AND v.number = s.default_version \
     LEFT JOIN skill_idle i ON i.skill_id = s.id LEFT JOIN policy p ON p.org = s.org AND p.rule = 'idle-skills' \
     WHERE s.scope = 'own' AND s.source IN ('custom', 'model') AND s.updated < $1 AND coalesce(p.setting, 'archive') = 'archive' \
     AND coalesce(i.kept, 0) = 0 AND s.state IN ('active', 'stale') \
     AND EXISTS (SELECT 1 FROM use_count o WHERE o.org = s.org AND o.hour >= $2 AND o.user_id = s.owner) \
     AND NOT EXISTS (SELECT 1 FROM use_count n WHERE n.skill_id = s.id AND n.hour >= $2) \
     ORDER BY s.state, s.updated, s.id LIMIT $3";
