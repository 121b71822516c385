//! The skills of one user as a list: what they get, what they could get, and what waits, with the reason of each. What a user
//! gets ([`Team::effective`]) is the part of this list that is served.
//!
//! The list of a user is kept until something changes; every change has a number, which is read for each request.

use crate::{
    actor::{Actor, TokenScope, words},
    db::{Arg, args},
    error::TeamError,
    permission::Scope,
    preferences::{Choice, Wanted, wish},
    skills::{SEEN, SkillRecord, skill_columns},
    team::Team,
    versions::VersionState,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    str::FromStr,
    sync::Arc,
};

/// Lists of users that are kept at the most.
const KEPT: usize = 64;

/// What a skill is for a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListedState {
    /// The user's agents get it.
    Available,
    /// It is served, and disabled for the user.
    Disabled,
    /// Another skill of its name is used.
    Shadowed,
    /// No version is published yet; one waits for a review.
    Pending,
    /// No version is served: all were yanked, revoked or rejected, or an administrator took it out of the lists.
    Unavailable,
    /// Its owner put it away.
    Archived,
}

words!(ListedState {
    Available = "available",
    Disabled = "disabled",
    Shadowed = "shadowed",
    Pending = "pending",
    Unavailable = "unavailable",
    Archived = "archived",
});

/// A skill of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSkill {
    /// The skill.
    pub skill: SkillRecord,
    /// What it is for the user.
    pub state: ListedState,
    /// What counts of the preferences.
    pub choice: Choice,
    /// Whether it is used.
    pub is_on: bool,
    /// Why, in one sentence.
    pub reason: String,
    /// The version that is served to this user.
    pub version: Option<i64>,
    /// Whether that version is pinned.
    pub is_pinned: bool,
    /// The newest version of this user that waits for a review.
    pub pending: Option<i64>,
    /// Whether the user adopted it from another member.
    pub is_adopted: bool,
}

/// The kept lists of users, with the number of the change that each was made at.
pub(crate) type KeptLists = BTreeMap<String, (i64, Arc<Vec<ListedSkill>>)>;

/// The part of a list that is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListPart {
    /// Everything that is not archived.
    #[default]
    All,
    /// The user's own skills.
    Own,
    /// Skills of groups.
    Groups,
    /// Skills of the organisation, and global ones.
    Organisation,
    /// Skills that the user adopted.
    Adopted,
    /// Archived ones.
    Archived,
}

words!(ListPart {
    All = "all",
    Own = "own",
    Groups = "group",
    Organisation = "org",
    Adopted = "adopted",
    Archived = "archived",
});

impl ListPart {
    /// Whether a skill is in this part.
    pub fn has(self, listed: &ListedSkill) -> bool {
        let is_archived = listed.state == ListedState::Archived;
        match self {
            Self::Archived => is_archived,
            Self::All => !is_archived,
            Self::Own => !is_archived && !listed.is_adopted && matches!(listed.skill.scope, Scope::Own(_)),
            Self::Groups => !is_archived && matches!(listed.skill.scope, Scope::Group(_)),
            Self::Organisation => !is_archived && matches!(listed.skill.scope, Scope::Org | Scope::Global),
            Self::Adopted => !is_archived && listed.is_adopted,
        }
    }
}

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// The last used one first.
    #[default]
    Used,
    /// By name.
    Name,
    /// The last changed one first.
    Changed,
}

words!(ListOrder { Used = "used", Name = "name", Changed = "changed" });

/// Which skills of a list are wanted.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// The part.
    pub part: ListPart,
    /// Only this state.
    pub state: Option<ListedState>,
    /// Only from this source: `custom`, `imported`, `catalog`, `integration`.
    pub source: String,
    /// Words that name, title or description must have.
    pub words: String,
    /// The order.
    pub order: ListOrder,
    /// How many to leave out.
    pub skip: usize,
    /// How many.
    pub limit: usize,
}

/// A page of a list.
#[derive(Clone, Debug)]
pub struct ListPage {
    /// What is on it.
    pub items: Vec<ListedSkill>,
    /// How many there are with this query.
    pub total: usize,
    /// How many each part has without the query.
    pub parts: Vec<(ListPart, usize)>,
    /// Where skills of the list come from.
    pub sources: BTreeSet<String>,
}

/// Uses of a skill by one user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnUses {
    /// Uses of each of the last days, the oldest first.
    pub days: Vec<i64>,
    /// When it was used last, in milliseconds since 1970.
    pub last: Option<i64>,
}

const HOUR: i64 = 3_600 * 1_000;
/// Days of uses that a list shows.
pub const LIST_DAYS: i64 = 30;

/// Skills that one question about uses names; fewer are filled up with empty ids, which no skill has.
const OWN_USES_OF: usize = 25;
const OWN_USES: &str = "SELECT skill_id, hour / 24, CAST(sum(uses) AS BIGINT), max(hour) FROM use_count \
    WHERE user_id = $1 AND org = $2 AND skill_id IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
    $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27) GROUP BY skill_id, hour / 24";

impl Team {
    /// All skills of the user's list, by name.
    pub async fn list(&self, actor: &Actor) -> Result<Arc<Vec<ListedSkill>>, TeamError> {
        actor.needs(TokenScope::SkillsRead)?;
        let user = actor.user()?.to_owned();
        // Read before the rows: what changes in between is seen by the next request.
        let change = self.last_change().await?;
        if let Ok(kept) = self.lists.lock()
            && let Some((at, list)) = kept.get(&user)
            && *at == change
        {
            return Ok(Arc::clone(list));
        }
        let list = Arc::new(self.read_list(actor, &user).await?);
        if let Ok(mut kept) = self.lists.lock() {
            if kept.len() >= KEPT && !kept.contains_key(&user) {
                let oldest = kept.iter().min_by_key(|(_, (at, _))| *at).map(|(user, _)| user.clone());
                oldest.map(|oldest| kept.remove(&oldest));
            }
            kept.insert(user, (change, Arc::clone(&list)));
        }
        Ok(list)
    }

    async fn read_list(&self, actor: &Actor, user: &str) -> Result<Vec<ListedSkill>, TeamError> {
        let rows = self
            .db
            .all(
                concat!(
                    "SELECT ",
                    skill_columns!(),
                    ", CAST(CASE WHEN a.user_id IS NULL THEN 0 ELSE 1 END AS BIGINT), coalesce(v.state, '') \
                     FROM skill LEFT JOIN adoption a ON a.skill_id = skill.id AND a.user_id = $2 \
                     LEFT JOIN skill_version v ON v.skill_id = skill.id AND v.number = skill.default_version \
                     WHERE skill.scope = 'global' OR (skill.org = $1 AND (skill.scope = 'org' \
                     OR (skill.scope = 'own' AND (skill.owner = $2 OR (skill.published = 1 AND a.user_id IS NOT NULL))) \
                     OR (skill.scope = 'group' AND skill.owner IN (SELECT group_id FROM group_member WHERE user_id = $2)))) \
                     ORDER BY skill.name, skill.id"
                ),
                args![&actor.org, user],
            )
            .await?;
        let preferences = self.all_preferences(actor, user).await?;
        let mut pending = BTreeMap::new();
        let waiting = self
            .db
            .all(
                "SELECT skill_id, max(number) FROM skill_version WHERE state = 'pending' AND author = $1 GROUP BY skill_id",
                args![user],
            )
            .await?;
        for row in waiting {
            pending.insert(row.text(0)?, row.int(1)?);
        }
        let mut list = Vec::with_capacity(rows.len());
        for row in &rows {
            // The rows are those of now, and the actor is perhaps of a moment before: who reads what is in the query.
            let skill = self.numbered(actor, SkillRecord::of(row)?, row.maybe_int(SEEN)?);
            let is_adopted = row.truth(SEEN + 1)?;
            let wanted = preferences.get(&skill.id).map_or(&[][..], Vec::as_slice);
            let served = row.text(SEEN + 2)?;
            let pending = pending.get(&skill.id).copied();
            if let Some(one) = self.listed(skill, &served, is_adopted, pending, wanted, user).await? {
                list.push(one);
            }
        }
        settle_names(&mut list);
        Ok(list)
    }

    /// A skill as it stands for a user, before names are settled; nothing when it is hidden from the user.
    async fn listed(
        &self,
        skill: SkillRecord,
        served: &str,
        is_adopted: bool,
        pending: Option<i64>,
        wanted: &[Wanted],
        user: &str,
    ) -> Result<Option<ListedSkill>, TeamError> {
        let wish = wish(&skill.scope, is_adopted, wanted, user);
        let number = wish.pin.or(skill.default_version);
        let state = match wish.pin {
            Some(pin) if Some(pin) != skill.default_version => {
                let row = self.db.maybe(VERSION_STATE, args![&skill.id, pin]).await?;
                row.map_or(Ok(String::new()), |row| row.text(0))?
            }
            _ => served.to_owned(),
        };
        // A yanked version is served only to those who pinned it; a revoked one to no user.
        let is_served = match state.parse() {
            Ok(VersionState::Published) => true,
            Ok(VersionState::Yanked) => wish.pin.is_some(),
            _ => false,
        };
        let version = number.filter(|_| is_served && skill.is_listed);
        let is_archived = skill.state == "archived";
        let is_mine = matches!(&skill.scope, Scope::Own(owner) if owner == user);
        // What is not served and not the user's own work does not concern them.
        if version.is_none() && pending.is_none() && !is_mine && !is_archived {
            return Ok(None);
        }
        let is_on = version.is_some() && !is_archived && wish.choice >= Choice::On;
        let state = if is_archived {
            ListedState::Archived
        } else if version.is_none() {
            if pending.is_some() { ListedState::Pending } else { ListedState::Unavailable }
        } else if is_on {
            ListedState::Available
        } else {
            ListedState::Disabled
        };
        Ok(Some(ListedSkill {
            state,
            choice: wish.choice,
            is_on,
            reason: wish.reason,
            version,
            is_pinned: wish.pin.is_some(),
            pending,
            is_adopted,
            skill,
        }))
    }

    /// A page of the user's list.
    pub async fn list_page(&self, actor: &Actor, query: &ListQuery) -> Result<ListPage, TeamError> {
        let list = self.list(actor).await?;
        let parts = ListPart::ALL
            .iter()
            .map(|part| (*part, list.iter().filter(|one| part.has(one)).count()))
            .collect();
        let words: Vec<String> = query.words.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let mut found: Vec<&ListedSkill> = list
            .iter()
            .filter(|one| query.part.has(one))
            .filter(|one| query.state.is_none_or(|state| one.state == state))
            .filter(|one| query.source.is_empty() || one.skill.source == query.source)
            .filter(|one| words.is_empty() || has_words(&one.skill, &words))
            .collect();
        match query.order {
            ListOrder::Name => {}
            ListOrder::Changed => found.sort_by_key(|one| std::cmp::Reverse(one.skill.updated)),
            ListOrder::Used => {
                // Few of many skills were used: only those are put in order, the others stay by name.
                let last = self.last_uses(actor).await?;
                let (mut used, others): (Vec<_>, Vec<_>) = found
                    .into_iter()
                    .map(|one| (last.get(one.skill.id.as_str()).copied(), one))
                    .partition(|(last, _)| last.is_some());
                used.sort_by_key(|(last, _)| std::cmp::Reverse(*last));
                found = used.into_iter().chain(others).map(|(_, one)| one).collect();
            }
        }
        // Of a search, skills whose name has the words come first.
        if !words.is_empty() {
            found.sort_by_key(|one| !words.iter().all(|word| one.skill.name.contains(word.as_str())));
        }
        Ok(ListPage {
            total: found.len(),
            items: found.into_iter().skip(query.skip).take(query.limit).cloned().collect(),
            parts,
            sources: list
                .iter()
                .map(|one| one.skill.source.as_str())
                .collect::<BTreeSet<&str>>()
                .into_iter()
                .map(str::to_owned)
                .collect(),
        })
    }

    async fn last_uses(&self, actor: &Actor) -> Result<HashMap<String, i64>, TeamError> {
        let since = self.now() / HOUR - LIST_DAYS * 24;
        let rows = self
            .db
            .all(
                "SELECT skill_id, max(hour) FROM use_count WHERE org = $1 AND hour >= $2 AND user_id = $3 GROUP BY skill_id",
                args![&actor.org, since, actor.user()?],
            )
            .await?;
        rows.iter().map(|row| Ok((row.text(0)?, row.int(1)?))).collect()
    }

    /// How often the user used skills of a page in the last 30 days.
    pub async fn own_uses(
        &self,
        actor: &Actor,
        skills: &[&str],
    ) -> Result<BTreeMap<String, OwnUses>, TeamError> {
        actor.needs(TokenScope::Usage)?;
        let (user, today) = (actor.user()?, self.now() / HOUR / 24);
        let none = OwnUses { days: vec![0; usize::try_from(LIST_DAYS).unwrap_or(30)], last: None };
        let mut found: BTreeMap<String, OwnUses> =
            skills.iter().map(|skill| ((*skill).to_owned(), none.clone())).collect();
        // One question for a page of the list, not one for each skill.
        for some in skills.chunks(OWN_USES_OF) {
            let mut args = args![user, &actor.org];
            args.extend(
                some.iter().chain(std::iter::repeat(&"")).take(OWN_USES_OF).map(|skill| Arg::from(*skill)),
            );
            for row in &self.db.all(OWN_USES, args).await? {
                let Some(uses) = found.get_mut(&row.text(0)?) else { continue };
                let back = today - row.int(1)?;
                if let Ok(at) = usize::try_from(LIST_DAYS - 1 - back)
                    && let Some(day) = uses.days.get_mut(at)
                {
                    *day = row.int(2)?;
                }
                uses.last = uses.last.max(Some(row.int(3)? * HOUR));
            }
        }
        Ok(found)
    }
}

/// Whether name, title and description together have every word.
fn has_words(skill: &SkillRecord, words: &[String]) -> bool {
    let fields = [&skill.name, &skill.title, &skill.description].map(|text| text.to_lowercase());
    words.iter().all(|word| fields.iter().any(|text| text.contains(word.as_str())))
}

/// Of several skills of one name that are on, one stays on: the required one, else the one nearest to the user.
fn settle_names(skills: &mut [ListedSkill]) {
    let rank =
        |one: &ListedSkill| (one.choice != Choice::Required, one.skill.scope.distance(), one.skill.created);
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
                skills[loser].state = ListedState::Shadowed;
                skills[loser].reason =
                    format!("another skill of this name is used ({})", skills[winner].reason);
            }
        }
    }
}

const VERSION_STATE: &str = "SELECT state FROM skill_version WHERE skill_id = $1 AND number = $2";
