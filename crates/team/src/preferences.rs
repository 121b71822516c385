//! What the organisation, groups and users want of skills, and what that comes to for one user.

use crate::{
    actor::{Actor, words},
    db::args,
    error::TeamError,
    listing::ListedState,
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
        if let Target::Group(group) = target
            && !self.has_group(&actor.org, group).await?
        {
            return Err(TeamError::NotFound);
        }
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
                actor.may_change_own()?;
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
        let list = self.list(actor).await?;
        let mut found = Vec::new();
        for one in list.iter().filter(|one| one.state != ListedState::Archived) {
            let Some(number) = one.version else { continue };
            let Some(row) = self.db.maybe(SERVED, args![&one.skill.id, number]).await? else { continue };
            found.push(EffectiveSkill {
                skill: one.skill.clone(),
                version: VersionRecord::of(&row)?,
                choice: one.choice,
                is_on: one.is_on,
                reason: one.reason.clone(),
                is_pinned: one.is_pinned,
            });
        }
        Ok(found)
    }

    /// The skills that a client of this caller can install, one for each name: what is on or offered for a user; what is global
    /// for a caller who is not signed in, where that is open.
    pub async fn installable(&self, actor: &Actor) -> Result<Vec<SkillRecord>, TeamError> {
        if actor.user.is_some() {
            let effective = self.effective(actor).await?;
            return Ok(one_for_each_name(effective));
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

    pub(crate) async fn all_preferences(
        &self,
        actor: &Actor,
        user: &str,
    ) -> Result<BTreeMap<String, Vec<Wanted>>, TeamError> {
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

/// Of each name the skill that is on, else the nearest that is offered.
fn one_for_each_name(effective: Vec<EffectiveSkill>) -> Vec<SkillRecord> {
    let rank = |one: &EffectiveSkill| (!one.is_on, one.skill.scope.distance(), one.skill.created);
    let mut best: BTreeMap<String, EffectiveSkill> = BTreeMap::new();
    for one in effective.into_iter().filter(|one| one.is_on || one.choice == Choice::Offered) {
        match best.get(&one.skill.name) {
            Some(other) if rank(other) <= rank(&one) => {}
            _ => drop(best.insert(one.skill.name.clone(), one)),
        }
    }
    best.into_values().map(|one| one.skill).collect()
}

/// A preference that reaches a user: whose it is, what is wanted, the pin.
pub(crate) type Wanted = (Target, Choice, Option<i64>);

/// What preferences come to for a user.
pub(crate) struct Wish {
    pub(crate) choice: Choice,
    /// Why, in one sentence.
    pub(crate) reason: String,
    pub(crate) pin: Option<i64>,
}

/// What the preferences about a skill come to for a user who may read it.
pub(crate) fn wish(scope: &Scope, is_adopted: bool, wanted: &[Wanted], user: &str) -> Wish {
    let is_own = matches!(scope, Scope::Own(owner) if owner == user);
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
        let switched = if *choice == Choice::On { "you switched it on" } else { "you switched it off" };
        (*choice, switched.to_owned())
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
    Wish { choice, reason, pin }
}

const SERVED: &str = "SELECT id, skill_id, number, epoch, semver, tree, name, description, manifest, capabilities, \
                      findings, verdict, notes, author, state, reason, created FROM skill_version \
                      WHERE skill_id = $1 AND number = $2";
