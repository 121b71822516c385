//! Skills of a team: lists, changes, deletion.

use crate::{
    actor::{Actor, Role},
    db::{Row, args},
    error::TeamError,
    log::Note,
    permission::{Deed, Scope},
    search::{Wanted, asked},
    team::Team,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// How long the name of a deleted skill is kept from others.
const NAME_HELD: i64 = 30 * 24 * 3_600 * 1_000;
/// Skills in a page at the most.
pub const PAGE_LIMIT: i64 = 1_000;

/// A skill of the team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SkillRecord {
    /// Its id.
    pub id: String,
    /// The organisation.
    #[serde(skip)]
    pub org: String,
    /// For whom it is.
    pub scope: Scope,
    /// The name that models read; fixed by the first version.
    pub name: String,
    /// The name to show to users.
    pub title: String,
    /// What it does and when to use it, of the served version.
    pub description: String,
    /// `active`, `stale`, `deprecated` or `archived`.
    pub state: String,
    /// The version that is served; none before the first one is published.
    pub default_version: Option<i64>,
    /// The greatest number that the reader may see; 0 for none.
    pub latest_version: i64,
    /// How it came here: `custom`, `model`, `imported`, `catalog`, `integration`.
    pub source: String,
    /// Where it came from.
    pub source_id: String,
    /// Which version of that.
    pub source_version: String,
    /// Whether its owner offers it to all members for adoption.
    pub is_offered: bool,
    /// Whether an administrator lets it be listed.
    pub is_listed: bool,
    /// When it was created, in milliseconds since 1970.
    pub created: i64,
    /// When it changed last.
    pub updated: i64,
}

impl SkillRecord {
    /// Whether a personal skill is offered to this member. Without a version that is served there is nothing to adopt.
    pub(crate) fn is_offered_to(&self, actor: &Actor) -> bool {
        let is_there = self.is_offered && self.is_listed && self.default_version.is_some();
        is_there && actor.user.is_some() && actor.org == self.org
    }

    pub(crate) fn of(row: &Row) -> Result<Self, TeamError> {
        Ok(Self {
            id: row.text(0)?,
            org: row.text(1)?,
            scope: Scope::of(&row.text(2)?, &row.text(3)?)?,
            name: row.text(4)?,
            title: row.text(5)?,
            description: row.text(6)?,
            state: row.text(7)?,
            default_version: row.maybe_int(8)?,
            latest_version: row.int(9)?,
            source: row.text(10)?,
            source_id: row.text(11)?,
            source_version: row.text(12)?,
            is_offered: row.truth(13)?,
            is_listed: row.truth(14)?,
            created: row.int(15)?,
            updated: row.int(16)?,
        })
    }
}

/// Which skills are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SkillFilter {
    /// `own`, `group`, `org`, `global`; empty means all.
    pub scope: String,
    /// Beginnings of words in the name, the title or the description, each of which must be there.
    pub words: String,
    /// Only skills that members offer for adoption.
    pub offered: bool,
    /// Oldest first instead of newest first.
    pub oldest_first: bool,
    /// The cursor of the page before.
    pub after: Option<String>,
    /// How many.
    pub limit: i64,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageOf<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// The cursor of the next one.
    pub next: Option<String>,
}

/// What can be changed about a skill itself.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct SkillChange {
    /// The name to show to users.
    pub title: Option<String>,
    /// `active`, `deprecated` or `archived`.
    pub state: Option<String>,
}

impl Team {
    /// One skill.
    pub async fn skill(&self, actor: &Actor, id: &str) -> Result<SkillRecord, TeamError> {
        let user = actor.user.clone().unwrap_or_default();
        let row = self.db.maybe(SKILL_BY_ID, args![id, user]).await?.ok_or(TeamError::NotFound)?;
        self.shown(actor, SkillRecord::of(&row)?, row.maybe_int(SEEN)?)
    }

    /// A skill as the actor may know it. `seen` is the greatest version that every reader sees or that the actor wrote: a skill for
    /// others that has none, such as one in its first review, exists only for those who decide about it or may change it.
    pub(crate) fn shown(
        &self,
        actor: &Actor,
        skill: SkillRecord,
        seen: Option<i64>,
    ) -> Result<SkillRecord, TeamError> {
        match self.may(actor, Deed::Read, &skill.org, &skill.scope) {
            Ok(()) => {}
            // What a member offers can be read by every member of the organisation, and so can what they adopted.
            Err(TeamError::NotFound) if skill.is_offered_to(actor) => {}
            Err(error) => return Err(error),
        }
        let is_known = seen.is_some() || matches!(skill.scope, Scope::Own(_)) || self.sees_all(actor, &skill);
        if !is_known && self.may(actor, Deed::Publish, &skill.org, &skill.scope).is_err() {
            return Err(TeamError::NotFound);
        }
        Ok(self.numbered(actor, skill, seen))
    }

    /// A skill whose newest number is one that the actor sees.
    pub(crate) fn numbered(&self, actor: &Actor, mut skill: SkillRecord, seen: Option<i64>) -> SkillRecord {
        if !self.sees_all(actor, &skill) {
            skill.latest_version = seen.unwrap_or_default();
        }
        skill
    }

    /// Whether the actor sees every version of a skill, also those that wait for a yes.
    pub(crate) fn sees_all(&self, actor: &Actor, skill: &SkillRecord) -> bool {
        matches!(&skill.scope, Scope::Own(owner) if actor.user.as_ref() == Some(owner))
            || self.may(actor, Deed::Approve, &skill.org, &skill.scope).is_ok()
            || actor.has(Role::Auditor) && actor.org == skill.org
    }

    /// A page of the skills that the actor may read.
    pub async fn skills(
        &self,
        actor: &Actor,
        filter: &SkillFilter,
    ) -> Result<PageOf<SkillRecord>, TeamError> {
        actor.needs(crate::actor::TokenScope::SkillsRead)?;
        let limit = filter.limit.clamp(1, PAGE_LIMIT);
        let (created, id) = cursor(filter.after.as_deref(), filter.oldest_first)?;
        let everything = actor.has(Role::OrgAdmin) || actor.has(Role::Auditor);
        let groups = everything || actor.has(Role::Reviewer);
        let guest = actor.user.is_none();
        if !filter.words.trim().is_empty() {
            let wanted = Wanted {
                words: asked(&filter.words),
                scope: &filter.scope,
                offered: filter.offered,
                oldest_first: filter.oldest_first,
                after: (created, &id),
                limit,
            };
            return self.search(actor, &wanted).await;
        }
        let sql = match (filter.offered, filter.oldest_first) {
            (true, _) => SKILLS_OFFERED,
            (false, true) => SKILLS_OLDEST,
            (false, false) => SKILLS_NEWEST,
        };
        let (mut items, mut after) = (Vec::new(), (created, id));
        loop {
            let asked = limit + 1;
            let values = args![
                &actor.org,
                actor.user.clone().unwrap_or_default(),
                everything,
                groups,
                &filter.scope,
                after.0,
                &after.1,
                asked,
                guest
            ];
            let rows = self.db.all(sql, values).await?;
            for row in &rows {
                let skill = SkillRecord::of(row)?;
                after = (skill.created, skill.id.clone());
                // The query narrows; the one function decides.
                if let Ok(skill) = self.shown(actor, skill, row.maybe_int(SEEN)?) {
                    items.push(skill);
                }
            }
            // What follows takes the place of a skill that is not shown, so that a short page is the last one.
            if items.len() > usize::try_from(limit).unwrap_or(1)
                || rows.len() < usize::try_from(asked).unwrap_or(usize::MAX)
            {
                items.truncate(usize::try_from(asked).unwrap_or(1));
                return Ok(page_of(items, limit));
            }
        }
    }

    /// Changes the title, the state or whether the skill is offered.
    pub async fn change_skill(
        &self,
        actor: &Actor,
        id: &str,
        change: &SkillChange,
    ) -> Result<SkillRecord, TeamError> {
        let skill = self.skill(actor, id).await?;
        self.may(actor, Deed::Edit, &skill.org, &skill.scope)?;
        let title = change.title.clone().unwrap_or_else(|| skill.title.clone());
        let state = change.state.clone().unwrap_or_else(|| skill.state.clone());
        if change.state.is_some() && !["active", "deprecated", "archived"].contains(&state.as_str()) {
            return Err(TeamError::invalid(
                "unknown-state",
                format!("`{state}` is not one of active, deprecated, archived"),
            ));
        }
        check_title(&title)?;
        let mut tx = self.db.begin().await?;
        tx.run(
            "UPDATE skill SET title = $2, state = $3, updated = $4 WHERE id = $1",
            args![id, &title, &state, self.now()],
        )
        .await?;
        if change.state.is_some() {
            // What the owner decided is not undone by a use.
            tx.run("UPDATE skill_idle SET archived = NULL WHERE skill_id = $1", args![id]).await?;
        }
        let note = Note {
            org: &skill.org,
            action: "skill.change",
            subject: id,
            scope: &skill.scope,
            before: json!({ "title": skill.title, "state": skill.state }),
            after: json!({ "title": title, "state": state }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.skill(actor, id).await
    }

    /// Deletes a skill with all its versions. Its name is kept from others for 30 days.
    pub async fn delete_skill(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        let skill = self.skill(actor, id).await?;
        self.may(actor, Deed::Edit, &skill.org, &skill.scope)?;
        let (kind, owner) = skill.scope.columns();
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM skill WHERE id = $1", args![id]).await?;
        // The owner of a personal skill may use the name again.
        if !matches!(skill.scope, Scope::Own(_)) {
            tx.run(
                "INSERT INTO held_name (org, scope, owner, name, held_until) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (org, scope, owner, name) DO UPDATE SET held_until = $5",
                args![&skill.org, kind, owner, &skill.name, self.now() + NAME_HELD],
            )
            .await?;
        }
        let note = Note {
            org: &skill.org,
            action: "skill.delete",
            subject: id,
            scope: &skill.scope,
            before: json!({ "name": skill.name, "served": skill.default_version }),
            after: Value::Null,
        };
        self.finish(tx, actor.label(), &[note]).await?;
        Ok(())
    }
}

/// Refuses a name to show to users that cannot be shown.
pub(crate) fn check_title(title: &str) -> Result<(), TeamError> {
    if title.trim().is_empty() || title.chars().any(char::is_control) {
        return Err(TeamError::invalid("wrong-title", "a title has letters, and no control characters"));
    }
    if title.chars().count() > 255 {
        return Err(TeamError::invalid("title-too-long", "a title has at most 255 characters"));
    }
    Ok(())
}

/// A page of at most `limit` skills, of a list that has one more when another page follows.
pub(crate) fn page_of(mut items: Vec<SkillRecord>, limit: i64) -> PageOf<SkillRecord> {
    let limit = usize::try_from(limit).unwrap_or(1);
    let next = (items.len() > limit).then(|| {
        items.truncate(limit);
        items.last().map(|skill| format!("{}.{}", skill.created, skill.id)).unwrap_or_default()
    });
    PageOf { items, next }
}

/// When the last one of the page before was made, and its id.
pub(crate) fn cursor(after: Option<&str>, oldest_first: bool) -> Result<(i64, String), TeamError> {
    let Some(after) = after else {
        return Ok(if oldest_first { (i64::MIN, String::new()) } else { (i64::MAX, String::new()) });
    };
    let wrong = || TeamError::invalid("wrong-cursor", "the cursor is not one of this server");
    let (created, id) = after.split_once('.').ok_or_else(wrong)?;
    Ok((created.parse().map_err(|_| wrong())?, id.to_owned()))
}

/// The columns of a skill of the table `skill`, for `SkillRecord::of`, and after them the greatest version that every reader sees or
/// that the user `$2` wrote.
macro_rules! skill_columns {
    () => {
        "skill.id, skill.org, skill.scope, skill.owner, skill.name, skill.title, skill.description, skill.state, skill.default_version, \
         coalesce((SELECT max(number) FROM skill_version WHERE skill_id = skill.id), 0), skill.source, skill.source_id, \
         skill.source_version, skill.published, skill.listed, skill.created, skill.updated, \
         (SELECT max(number) FROM skill_version WHERE skill_id = skill.id \
         AND (author = $2 OR state IN ('published', 'yanked', 'revoked')))"
    };
}
pub(crate) use skill_columns;

/// Where the greatest version that the user sees stands.
pub(crate) const SEEN: usize = 17;

macro_rules! skills_where {
    ($condition:literal, $order:literal) => {
        concat!(
            "SELECT ",
            skill_columns!(),
            " FROM skill WHERE ",
            $condition,
            " AND ($5 = '' OR scope = $5) AND ",
            $order,
            " LIMIT $8"
        )
    };
}

pub(crate) const SKILL_BY_ID: &str = concat!("SELECT ", skill_columns!(), " FROM skill WHERE id = $1");
const SKILLS_NEWEST: &str = skills_where!(
    "(scope = 'global' OR (org = $1 AND $9 = 0 AND (scope = 'org' OR (scope = 'own' AND owner = $2) OR $3 = 1 OR (scope = 'group' AND ($4 = 1 OR owner IN (SELECT group_id FROM group_member WHERE user_id = $2))))))",
    "(created < $6 OR (created = $6 AND id < $7)) ORDER BY created DESC, id DESC"
);
const SKILLS_OLDEST: &str = skills_where!(
    "(scope = 'global' OR (org = $1 AND $9 = 0 AND (scope = 'org' OR (scope = 'own' AND owner = $2) OR $3 = 1 OR (scope = 'group' AND ($4 = 1 OR owner IN (SELECT group_id FROM group_member WHERE user_id = $2))))))",
    "(created > $6 OR (created = $6 AND id > $7)) ORDER BY created, id"
);
const SKILLS_OFFERED: &str = skills_where!(
    "(org = $1 AND $9 = 0 AND scope = 'own' AND published = 1 AND listed = 1 AND default_version IS NOT NULL AND $2 <> '' AND $3 >= 0 AND $4 >= 0)",
    "(created < $6 OR (created = $6 AND id < $7)) ORDER BY created DESC, id DESC"
);
