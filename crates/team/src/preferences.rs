//! What the organisation, groups and users want of skills, and what that comes to for one user.

use crate::{
    actor::{Actor, TokenScope, words},
    db::args,
    error::TeamError,
    log::Note,
    permission::{Deed, Scope},
    skills::{PAGE_LIMIT, SkillFilter, SkillRecord},
    team::Team,
    versions::{VersionRecord, VersionState},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt, str::FromStr};
use utoipa::ToSchema;

/// What is wanted of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// Not shown.
    Hidden,
    /// Shown, off until a user switches it on.
    Offered,
    /// On until a user switches it off.
    On,
    /// On, and users cannot switch it off.
    Required,
}

words!(Choice { Hidden = "hidden", Offered = "offered", On = "on", Required = "required" });

/// Whose preference it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Of the organisation.
    Org,
    /// Of a group.
    Group(String),
    /// Of the user: `on` and `hidden` are the user's switch.
    User(String),
}

impl Target {
    fn text(&self) -> String {
        match self {
            Self::Org => "org".to_owned(),
            Self::Group(id) => format!("group:{id}"),
            Self::User(id) => format!("user:{id}"),
        }
    }

    /// The target of a text: `org`, `group:ID`, `user:ID`.
    pub fn of(text: &str) -> Result<Self, TeamError> {
        match text.split_once(':') {
            None if text == "org" => Ok(Self::Org),
            Some(("group", id)) => Ok(Self::Group(id.to_owned())),
            Some(("user", id)) => Ok(Self::User(id.to_owned())),
            _ => Err(TeamError::invalid(
                "unknown-target",
                format!("`{text}` is not `org`, `group:ID` or `user:ID`"),
            )),
        }
    }
}

/// A preference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Preference {
    /// The skill.
    pub skill_id: String,
    /// `org`, `group:ID` or `user:ID`.
    pub target: String,
    /// What is wanted.
    pub choice: Choice,
    /// The only version to use.
    pub pin: Option<i64>,
}

/// A skill as one user gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EffectiveSkill {
    /// The skill.
    pub skill: SkillRecord,
    /// The version that is served to this user.
    pub version: VersionRecord,
    /// What counts.
    pub choice: Choice,
    /// Whether it is used.
    pub is_on: bool,
    /// Why, in one sentence.
    pub reason: String,
    /// Whether the version is pinned.
    pub is_pinned: bool,
}

impl Team {
    /// Sets what is wanted of a skill.
    pub async fn set_preference(
        &self,
        actor: &Actor,
        skill: &str,
        target: &Target,
        choice: Choice,
        pin: Option<i64>,
    ) -> Result<Preference, TeamError> {
        let record = self.skill(actor, skill).await?;
        self.may_prefer(actor, &record, target)?;
        if let (Target::User(user), Choice::Hidden | Choice::Offered) = (target, choice) {
            self.refuse_if_required(actor, user, skill).await?;
        }
        if let Some(number) = pin {
            let version = self.version(actor, skill, number).await?;
            if !matches!(version.state, VersionState::Published | VersionState::Yanked) {
                return Err(TeamError::conflict(
                    "not-published",
                    format!("version {number} is {}", version.state),
                ));
            }
        }
        let mut tx = self.db.begin().await?;
        tx.run(
            "INSERT INTO preference (skill_id, target, choice, pin, user_id, created) VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (skill_id, target) DO UPDATE SET choice = $3, pin = $4, user_id = $5, created = $6",
            args![skill, target.text(), choice.word(), pin, actor.user()?, self.now()],
        )
        .await?;
        let note = Note {
            org: &record.org,
            action: "preference.set",
            subject: skill,
            scope: &record.scope,
            before: Value::Null,
            after: json!({ "target": target.text(), "choice": choice.word(), "pin": pin }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        Ok(Preference { skill_id: skill.to_owned(), target: target.text(), choice, pin })
    }

    /// Takes a preference back.
    pub async fn remove_preference(
        &self,
        actor: &Actor,
        skill: &str,
        target: &Target,
    ) -> Result<(), TeamError> {
        let record = self.skill(actor, skill).await?;
        self.may_prefer(actor, &record, target)?;
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM preference WHERE skill_id = $1 AND target = $2", args![skill, target.text()])
            .await?;
        let note = Note {
            org: &record.org,
            action: "preference.remove",
            subject: skill,
            scope: &record.scope,
            before: json!({ "target": target.text() }),
            after: Value::Null,
        };
        self.finish(tx, actor.label(), &[note]).await?;
        Ok(())
    }

    /// The preferences about a skill that the actor may know: those of the organisation, of the actor's groups, and the
    /// actor's own; all of them for those who may set them.
    pub async fn preferences(&self, actor: &Actor, skill: &str) -> Result<Vec<Preference>, TeamError> {
        let record = self.skill(actor, skill).await?;
        let all = self.may_prefer(actor, &record, &Target::Org).is_ok();
        let rows = self
            .db
            .all(
                "SELECT target, choice, pin FROM preference WHERE skill_id = $1 ORDER BY target",
                args![skill],
            )
            .await?;
        let mut found = Vec::new();
        for row in rows {
            let target = row.text(0)?;
            let is_known = match Target::of(&target)? {
                Target::Org => true,
                Target::Group(id) => all || actor.groups.contains_key(&id),
                Target::User(id) => actor.user.as_ref() == Some(&id),
            };
            if is_known {
                found.push(Preference {
                    skill_id: skill.to_owned(),
                    target,
                    choice: row.text(1)?.parse()?,
                    pin: row.maybe_int(2)?,
                });
            }
        }
        Ok(found)
    }

    fn may_prefer(&self, actor: &Actor, skill: &SkillRecord, target: &Target) -> Result<(), TeamError> {
        match target {
            Target::Org => self.may(actor, Deed::Prefer, &actor.org, &Scope::Org),
            Target::Group(id) => self.may(actor, Deed::Prefer, &actor.org, &Scope::Group(id.clone())),
            Target::User(id) => {
                actor.needs(TokenScope::SkillsWrite)?;
                if actor.user()? == id {
                    Ok(())
                } else {
                    Err(TeamError::Forbidden("every user has their own switch".to_owned()))
                }
            }
        }?;
        // A preference of the organisation reaches only skills that its members can read.
        match (&skill.scope, target) {
            (Scope::Own(_), Target::Org | Target::Group(_)) => Err(TeamError::conflict(
                "personal-skill",
                "a personal skill has no preference of others; propose it for the organisation or a group first",
            )),
            _ => Ok(()),
        }
    }

    async fn refuse_if_required(&self, actor: &Actor, user: &str, skill: &str) -> Result<(), TeamError> {
        let effective = self.effective(actor).await?;
        match effective.into_iter().find(|one| one.skill.id == skill) {
            Some(one) if one.choice == Choice::Required && actor.user.as_deref() == Some(user) => {
                Err(TeamError::conflict("required", format!("the skill stays on: {}", one.reason)))
            }
            _ => Ok(()),
        }
    }

    /// What the user gets, with the reason of each. Of two skills of one name the required one counts, else the one nearest to
    /// the user; the other is listed as off.
    pub async fn effective(&self, actor: &Actor) -> Result<Vec<EffectiveSkill>, TeamError> {
        actor.needs(TokenScope::SkillsRead)?;
        let user = actor.user()?.to_owned();
        let rows = self
            .db
            .all(
                "SELECT s.id, s.org, s.scope, s.owner, s.name, s.title, s.description, s.state, s.default_version, \
                 s.latest_version, s.source, s.source_id, s.source_version, s.published, s.listed, s.created, s.updated, \
                 CAST(CASE WHEN a.user_id IS NULL THEN 0 ELSE 1 END AS BIGINT) \
                 FROM skill s LEFT JOIN adoption a ON a.skill_id = s.id AND a.user_id = $2 \
                 WHERE s.state <> 'archived' AND s.listed = 1 AND (s.scope = 'global' OR (s.org = $1 AND (s.scope = 'org' \
                 OR (s.scope = 'own' AND (s.owner = $2 OR (s.published = 1 AND a.user_id IS NOT NULL))) \
                 OR (s.scope = 'group' AND s.owner IN (SELECT group_id FROM group_member WHERE user_id = $2))))) \
                 ORDER BY s.name, s.id",
                args![&actor.org, &user],
            )
            .await?;
        let preferences = self.all_preferences(actor, &user).await?;
        let mut found = Vec::new();
        for row in &rows {
            let skill = SkillRecord::of(row)?;
            let is_adopted = row.truth(17)?;
            let wanted = preferences.get(&skill.id).map_or(&[][..], Vec::as_slice);
            if let Some(one) = self.effective_one(skill, is_adopted, wanted, &user).await? {
                found.push(one);
            }
        }
        settle_names(&mut found);
        Ok(found)
    }

    /// The skills that a client of this caller installs, one for each name: what is on for a user; what is global for a
    /// caller who is not signed in, where that is open.
    pub async fn installable(&self, actor: &Actor) -> Result<Vec<SkillRecord>, TeamError> {
        if actor.user.is_some() {
            let effective = self.effective(actor).await?;
            return Ok(effective.into_iter().filter(|one| one.is_on).map(|one| one.skill).collect());
        }
        let mut found: Vec<SkillRecord> = Vec::new();
        let mut after = None;
        loop {
            let filter =
                SkillFilter { scope: "global".to_owned(), after, limit: PAGE_LIMIT, ..Default::default() };
            let page = self.skills(actor, &filter).await?;
            found.extend(
                page.items.into_iter().filter(|skill| skill.is_listed && skill.default_version.is_some()),
            );
            after = page.next;
            if after.is_none() {
                return Ok(found);
            }
        }
    }

    async fn effective_one(
        &self,
        skill: SkillRecord,
        is_adopted: bool,
        wanted: &[(Target, Choice, Option<i64>)],
        user: &str,
    ) -> Result<Option<EffectiveSkill>, TeamError> {
        let is_own = matches!(&skill.scope, Scope::Own(owner) if owner == user);
        let strongest = |of: fn(&Target) -> bool| {
            wanted.iter().filter(|(target, ..)| of(target)).max_by_key(|(_, choice, _)| *choice)
        };
        let org = strongest(|target| *target == Target::Org);
        let group = strongest(|target| matches!(target, Target::Group(_)));
        let own = strongest(|target| matches!(target, Target::User(_)));
        let required = [org, group].into_iter().flatten().find(|(_, choice, _)| *choice == Choice::Required);
        let (choice, reason) = if let Some((target, ..)) = required {
            let by = if *target == Target::Org { "the organisation" } else { "a group of yours" };
            (Choice::Required, format!("required by {by}"))
        } else if let Some((_, choice, _)) = own {
            (
                *choice,
                if *choice == Choice::On { "you switched it on" } else { "you switched it off" }.to_owned(),
            )
        } else if is_own {
            (Choice::On, "your own skill".to_owned())
        } else if is_adopted {
            (Choice::On, "you adopted it".to_owned())
        } else if let Some((_, choice, _)) = group {
            (*choice, format!("{choice} for a group of yours"))
        } else if let Some((_, choice, _)) = org {
            (*choice, format!("{choice} for the organisation"))
        } else {
            (Choice::Offered, "offered to all who may read it".to_owned())
        };
        // The pin that is nearest to the user, unless the wider one requires the skill.
        let pin = required
            .and_then(|(.., pin)| *pin)
            .or_else(|| [own, group, org].into_iter().flatten().find_map(|(.., pin)| *pin));
        let Some(number) = pin.or(skill.default_version) else { return Ok(None) };
        let Some(row) = self.db.maybe(SERVED, args![&skill.id, number]).await? else { return Ok(None) };
        let version = VersionRecord::of(&row)?;
        // A yanked version is served only to those who pinned it; a revoked one to no user.
        let is_served = match version.state {
            VersionState::Published => true,
            VersionState::Yanked => pin.is_some(),
            _ => false,
        };
        if !is_served {
            return Ok(None);
        }
        Ok(Some(EffectiveSkill {
            is_on: choice >= Choice::On,
            is_pinned: pin.is_some(),
            skill,
            version,
            choice,
            reason,
        }))
    }

    async fn all_preferences(
        &self,
        actor: &Actor,
        user: &str,
    ) -> Result<BTreeMap<String, Vec<(Target, Choice, Option<i64>)>>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT p.skill_id, p.target, p.choice, p.pin FROM preference p JOIN skill s ON s.id = p.skill_id \
                 WHERE (s.org = $1 OR s.scope = 'global') AND (p.target = 'org' OR p.target = $2 \
                 OR p.target IN (SELECT 'group:' || group_id FROM group_member WHERE user_id = $3))",
                args![&actor.org, format!("user:{user}"), user],
            )
            .await?;
        let mut found: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for row in rows {
            let entry = (Target::of(&row.text(1)?)?, row.text(2)?.parse()?, row.maybe_int(3)?);
            found.entry(row.text(0)?).or_default().push(entry);
        }
        Ok(found)
    }
}

/// Of several skills of one name that are on, one stays on.
fn settle_names(skills: &mut [EffectiveSkill]) {
    let rank = |one: &EffectiveSkill| {
        (one.choice != Choice::Required, one.skill.scope.distance(), one.skill.created)
    };
    let mut best: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..skills.len() {
        if !skills[at].is_on {
            continue;
        }
        let name = skills[at].skill.name.clone();
        match best.get(&name).copied() {
            None => drop(best.insert(name, at)),
            Some(other) => {
                let (winner, loser) =
                    if rank(&skills[at]) < rank(&skills[other]) { (at, other) } else { (other, at) };
                best.insert(name, winner);
                skills[loser].is_on = false;
                skills[loser].reason =
                    format!("another skill of this name is used ({})", skills[winner].reason);
            }
        }
    }
}

const SERVED: &str = "SELECT id, skill_id, number, epoch, semver, tree, name, description, manifest, capabilities, \
                      findings, verdict, notes, author, state, reason, created FROM skill_version \
                      WHERE skill_id = $1 AND number = $2";
