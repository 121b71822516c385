//! Groups and their members.

use crate::{
    actor::{Actor, GroupRole, TokenScope},
    db::{Tx, args},
    error::{TeamError, at_most},
    id::new_id,
    log::Note,
    permission::{Deed, OrgDeed, Scope, may_org},
    team::Team,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// A group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Group {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its name at the identity provider; empty: members are added here.
    pub external_ref: String,
    /// Its members.
    pub members: Vec<Member>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Member {
    /// The user.
    pub user: String,
    /// What the user may do in the group.
    pub role: GroupRole,
    /// `manual` or `oidc`.
    pub source: String,
}

/// How many active users a preference can reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    /// Of the organisation.
    pub org: i64,
    /// Of each group, by id.
    pub groups: BTreeMap<String, i64>,
}

/// What a new or changed group is.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct GroupInput {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// Its name at the identity provider.
    #[serde(default)]
    pub external_ref: String,
}

impl GroupInput {
    fn check(&self) -> Result<(), TeamError> {
        if self.name.trim().is_empty() || self.name.chars().count() > 100 {
            return Err(TeamError::invalid("wrong-name", "name the group, in at most 100 characters"));
        }
        at_most("the description of a group", &self.description, 1_000)?;
        at_most("the name at the identity provider", &self.external_ref, 500)
    }
}

impl Team {
    /// The groups of the organisation for administrators and auditors; for others the groups that they are in.
    pub async fn groups(&self, actor: &Actor) -> Result<Vec<Group>, TeamError> {
        actor.user()?;
        actor.needs_one(&[TokenScope::SkillsRead, TokenScope::Admin])?;
        let all = may_org(actor, OrgDeed::ReadSettings, &actor.org).is_ok();
        let rows = self
            .db
            .all(
                "SELECT id, name, description, external_ref FROM user_group WHERE org = $1 ORDER BY name",
                args![&actor.org],
            )
            .await?;
        let mut found = Vec::new();
        for row in rows {
            let id = row.text(0)?;
            if all || actor.groups.contains_key(&id) {
                found.push(Group {
                    members: self.members(&id).await?,
                    id,
                    name: row.text(1)?,
                    description: row.text(2)?,
                    external_ref: row.text(3)?,
                });
            }
        }
        Ok(found)
    }

    /// The names of the groups whose skills the actor may read: a reviewer decides about skills of groups without being a member.
    pub async fn group_names(&self, actor: &Actor) -> Result<BTreeMap<String, String>, TeamError> {
        actor.user()?;
        let rows = self.db.all("SELECT id, name FROM user_group WHERE org = $1", args![&actor.org]).await?;
        let mut names = BTreeMap::new();
        for row in rows {
            let id = row.text(0)?;
            if self.may_read(actor, &actor.org, &Scope::Group(id.clone())) {
                names.insert(id, row.text(1)?);
            }
        }
        Ok(names)
    }

    /// How many active users the organisation has, and how many of them each group has whose skills the actor may read.
    pub async fn audience(&self, actor: &Actor) -> Result<Audience, TeamError> {
        actor.user()?;
        let active = "SELECT count(*) FROM user_account WHERE org = $1 AND state = 'active'";
        let org = self.db.maybe(active, args![&actor.org]).await?;
        let org = org.ok_or_else(|| TeamError::Internal("a count is missing".to_owned()))?.int(0)?;
        let rows = self
            .db
            .all(
                "SELECT g.id, count(DISTINCT u.id) FROM user_group g LEFT JOIN group_member m ON m.group_id = g.id \
                 LEFT JOIN user_account u ON u.id = m.user_id AND u.state = 'active' WHERE g.org = $1 GROUP BY g.id",
                args![&actor.org],
            )
            .await?;
        let mut groups = BTreeMap::new();
        for row in rows {
            let id = row.text(0)?;
            if self.may_read(actor, &actor.org, &Scope::Group(id.clone())) {
                groups.insert(id, row.int(1)?);
            }
        }
        Ok(Audience { org, groups })
    }

    /// One group.
    pub async fn group(&self, actor: &Actor, id: &str) -> Result<Group, TeamError> {
        self.groups(actor).await?.into_iter().find(|group| group.id == id).ok_or(TeamError::NotFound)
    }

    /// Whether the organisation has a group.
    pub(crate) async fn has_group(&self, org: &str, group: &str) -> Result<bool, TeamError> {
        let known = "SELECT 1 FROM user_group WHERE id = $1 AND org = $2";
        Ok(self.db.maybe(known, args![group, org]).await?.is_some())
    }

    async fn members(&self, group: &str) -> Result<Vec<Member>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT user_id, role, source FROM group_member WHERE group_id = $1 ORDER BY user_id, source",
                args![group],
            )
            .await?;
        rows.iter()
            .map(|row| Ok(Member { user: row.text(0)?, role: row.text(1)?.parse()?, source: row.text(2)? }))
            .collect()
    }

    /// Creates a group. Its creator is an owner.
    pub async fn create_group(&self, actor: &Actor, input: &GroupInput) -> Result<Group, TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        input.check()?;
        let id = new_id("group")?;
        let mut tx = self.db.begin().await?;
        tx.run(
            "INSERT INTO user_group (id, org, name, description, external_ref, created) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            args![&id, &actor.org, &input.name, &input.description, &input.external_ref, self.now()],
        )
        .await
        .map_err(name_taken)?;
        tx.run(
            "INSERT INTO group_member (group_id, user_id, role, source) VALUES ($1, $2, 'owner', 'manual')",
            args![&id, actor.user()?],
        )
        .await?;
        let note = Note {
            org: &actor.org,
            action: "group.create",
            subject: &id,
            scope: &Scope::Group(id.clone()),
            before: Value::Null,
            after: json!({ "name": input.name, "external_ref": input.external_ref }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        Ok(Group {
            members: self.members(&id).await?,
            id,
            name: input.name.clone(),
            description: input.description.clone(),
            external_ref: input.external_ref.clone(),
        })
    }

    /// Changes a group.
    pub async fn change_group(
        &self,
        actor: &Actor,
        id: &str,
        input: &GroupInput,
    ) -> Result<Group, TeamError> {
        let before = self.group(actor, id).await?;
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        input.check()?;
        let mut tx = self.db.begin().await?;
        tx.run(
            "UPDATE user_group SET name = $2, description = $3, external_ref = $4 WHERE id = $1",
            args![id, &input.name, &input.description, &input.external_ref],
        )
        .await
        .map_err(name_taken)?;
        if before.external_ref != input.external_ref {
            // A user who came by the other name is not a member by this one; their next sign-in decides.
            tx.run("DELETE FROM group_member WHERE group_id = $1 AND source = 'oidc'", args![id]).await?;
        }
        let note = Note {
            org: &actor.org,
            action: "group.change",
            subject: id,
            scope: &Scope::Group(id.to_owned()),
            before: json!({ "name": before.name, "external_ref": before.external_ref }),
            after: json!({ "name": input.name, "external_ref": input.external_ref }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.group(actor, id).await
    }

    /// Deletes a group. Its skills become personal skills of their authors; none is lost.
    pub async fn delete_group(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        let group = self.group(actor, id).await?;
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let mut tx = self.db.begin().await?;
        let rows = tx
            .all(
                "SELECT s.id, s.name, (SELECT v.author FROM skill_version v WHERE v.skill_id = s.id \
                 ORDER BY v.number DESC LIMIT 1) FROM skill s WHERE s.scope = 'group' AND s.owner = $1",
                args![id],
            )
            .await?;
        let mut moved = Vec::new();
        for row in rows {
            let (skill, name, author) = (row.text(0)?, row.text(1)?, row.text(2)?);
            let taken = tx
                .maybe(
                    "SELECT 1 FROM skill WHERE org = $1 AND scope = 'own' AND owner = $2 AND name = $3",
                    args![&actor.org, &author, &name],
                )
                .await?;
            let name = if taken.is_some() { format!("{name}-{}", &skill[skill.len() - 6..]) } else { name };
            tx.run(
                "UPDATE skill SET scope = 'own', owner = $2, name = $3 WHERE id = $1",
                args![&skill, &author, &name],
            )
            .await?;
            // A personal skill has no review: its owner agrees to what waits.
            tx.run(
                "UPDATE proposal SET state = 'withdrawn', decided = $2 WHERE skill_id = $1 AND state = 'open'",
                args![&skill, self.now()],
            )
            .await?;
            moved.push(skill);
        }
        tx.run("DELETE FROM preference WHERE target = $1", args![format!("group:{id}")]).await?;
        tx.run("DELETE FROM user_group WHERE id = $1", args![id]).await?;
        let note = Note {
            org: &actor.org,
            action: "group.delete",
            subject: id,
            scope: &Scope::Group(id.to_owned()),
            before: json!({ "name": group.name }),
            after: json!({ "skills_now_personal": moved }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        Ok(())
    }

    /// Adds a member by hand, changes the role, or removes the member (`None`).
    pub async fn set_member(
        &self,
        actor: &Actor,
        group: &str,
        user: &str,
        role: Option<GroupRole>,
    ) -> Result<Group, TeamError> {
        self.group(actor, group).await?;
        let scope = Scope::Group(group.to_owned());
        self.may(actor, Deed::Prefer, &actor.org, &scope)?;
        let member = self.user(user).await?;
        if member.org != actor.org {
            return Err(TeamError::NotFound);
        }
        let mut tx = self.db.begin().await?;
        match role {
            Some(role) => {
                tx.run(
                    "INSERT INTO group_member (group_id, user_id, role, source) VALUES ($1, $2, $3, 'manual') \
                     ON CONFLICT (group_id, user_id, source) DO UPDATE SET role = $3",
                    args![group, user, role.word()],
                )
                .await?;
            }
            None => {
                tx.run(
                    "DELETE FROM group_member WHERE group_id = $1 AND user_id = $2 AND source = 'manual'",
                    args![group, user],
                )
                .await?;
            }
        }
        let note = Note {
            org: &actor.org,
            action: "group.member",
            subject: group,
            scope: &scope,
            before: Value::Null,
            after: json!({ "user": user, "role": role.map(GroupRole::word) }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        // A user who left is not a member any more; the group is described as an administrator sees it.
        let members = self.members(group).await?;
        let row = self
            .db
            .maybe("SELECT name, description, external_ref FROM user_group WHERE id = $1", args![group])
            .await?
            .ok_or(TeamError::NotFound)?;
        Ok(Group {
            id: group.to_owned(),
            name: row.text(0)?,
            description: row.text(1)?,
            external_ref: row.text(2)?,
            members,
        })
    }
}

fn name_taken(error: TeamError) -> TeamError {
    match error {
        TeamError::Conflict { code: "exists", .. } => {
            TeamError::conflict("name-taken", "a group of this name exists")
        }
        other => other,
    }
}

/// Memberships that came from the identity provider follow it. A group path that ends in `/viewers` gives the role of a
/// viewer; both forms at once give the lesser one.
pub(crate) async fn follow_groups(
    tx: &mut Tx,
    org: &str,
    user: &str,
    named: &BTreeSet<String>,
) -> Result<Option<Value>, TeamError> {
    let rows = tx
        .all("SELECT id, external_ref FROM user_group WHERE org = $1 AND external_ref <> ''", args![org])
        .await?;
    let mut wanted: BTreeMap<String, GroupRole> = BTreeMap::new();
    for row in rows {
        let (id, external) = (row.text(0)?, row.text(1)?);
        let viewers = format!("{}/viewers", external.trim_end_matches('/'));
        let role = match (named.contains(&viewers), named.contains(&external)) {
            (true, _) => GroupRole::Viewer,
            (false, true) => GroupRole::Editor,
            (false, false) => continue,
        };
        wanted.insert(id, role);
    }
    let rows = tx
        .all("SELECT group_id, role FROM group_member WHERE user_id = $1 AND source = 'oidc'", args![user])
        .await?;
    let mut had: BTreeMap<String, GroupRole> = BTreeMap::new();
    for row in rows {
        had.insert(row.text(0)?, row.text(1)?.parse()?);
    }
    if had == wanted {
        return Ok(None);
    }
    tx.run("DELETE FROM group_member WHERE user_id = $1 AND source = 'oidc'", args![user]).await?;
    for (group, role) in &wanted {
        tx.run(
            "INSERT INTO group_member (group_id, user_id, role, source) VALUES ($1, $2, $3, 'oidc')",
            args![group, user, role.word()],
        )
        .await?;
    }
    Ok(Some(json!({ "before": had, "after": wanted })))
}
