//! Users: how they come, and what they may do.

use crate::{
    actor::{Actor, Role, join, split},
    db::{Arg, Row, args},
    error::TeamError,
    groups::follow_groups,
    id::new_id,
    log::Note,
    permission::{OrgDeed, Scope, may_org},
    team::Team,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// The issuer of accounts that an administrator makes.
pub const LOCAL: &str = "local";

/// A user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct User {
    /// The id here.
    pub id: String,
    /// The organisation.
    pub org: String,
    /// Who vouches for the user.
    pub issuer: String,
    /// The user's name there.
    pub sub: String,
    /// The address.
    pub email: String,
    /// The name to show to users.
    pub display_name: String,
    /// Roles in the organisation.
    pub roles: BTreeSet<Role>,
    /// `active` or `suspended`.
    pub state: String,
    /// When the user came first.
    pub created_at: i64,
    /// When the user was here last.
    pub seen_at: i64,
}

pub(crate) const USER: &str =
    "SELECT id, org, issuer, sub, email, name, roles, state, created, seen FROM user_account WHERE id = $1";

impl User {
    /// The name to show to users: the display name, else the address, else the name at the provider.
    pub fn shown_name(&self) -> &str {
        [&self.display_name, &self.email].into_iter().find(|name| !name.is_empty()).unwrap_or(&self.sub)
    }

    pub(crate) fn of(row: &Row) -> Result<Self, TeamError> {
        Ok(Self {
            id: row.text(0)?,
            org: row.text(1)?,
            issuer: row.text(2)?,
            sub: row.text(3)?,
            email: row.text(4)?,
            display_name: row.text(5)?,
            roles: split(&row.text(6)?),
            state: row.text(7)?,
            created_at: row.int(8)?,
            seen_at: row.int(9)?,
        })
    }
}

/// What an identity provider says about a user.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The issuer.
    pub issuer: String,
    /// The user's name there.
    pub sub: String,
    /// The address.
    pub email: String,
    /// The name to show to users.
    pub name: String,
    /// Roles; `None` leaves them as they are.
    pub roles: Option<BTreeSet<Role>>,
    /// Groups, as the provider names them; `None` leaves them as they are.
    pub groups: Option<BTreeSet<String>>,
}

impl Team {
    /// A user by id.
    pub(crate) async fn user(&self, id: &str) -> Result<User, TeamError> {
        User::of(&self.db.maybe(USER, args![id]).await?.ok_or(TeamError::NotFound)?)
    }

    /// The user who asks.
    pub async fn me(&self, actor: &Actor) -> Result<User, TeamError> {
        self.user(actor.user()?).await
    }

    /// A user who signed in at an identity provider: created the first time, refreshed every time. Memberships that came
    /// from the provider follow it; those that were made here stay.
    pub async fn signed_in(&self, org: &str, identity: &Identity) -> Result<User, TeamError> {
        let now = self.now();
        let mut tx = self.db.begin().await?;
        let found = tx
            .maybe(
                "SELECT id, org, state, roles FROM user_account WHERE issuer = $1 AND sub = $2",
                args![&identity.issuer, &identity.sub],
            )
            .await?;
        let mut notes = Vec::new();
        let (id, org) = match found {
            Some(row) => {
                if row.text(2)? != "active" {
                    return Err(TeamError::Unauthenticated("the account is suspended".to_owned()));
                }
                let id = row.text(0)?;
                let before = row.text(3)?;
                let roles = identity.roles.as_ref().map_or_else(|| before.clone(), join);
                if roles != before {
                    notes.push(("user.roles", json!({ "before": before, "after": roles })));
                }
                tx.run(
                    "UPDATE user_account SET email = $2, name = $3, roles = $4, seen = $5 WHERE id = $1",
                    args![&id, &identity.email, &identity.name, &roles, now],
                )
                .await?;
                (id, row.text(1)?)
            }
            None => {
                let id = new_id("user")?;
                let roles = join(identity.roles.iter().flatten());
                tx.run(
                    "INSERT INTO user_account (id, org, issuer, sub, email, name, roles, state, created, seen) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7, 'active', $8, $8)",
                    args![
                        &id, org, &identity.issuer, &identity.sub, &identity.email, &identity.name, &roles, now
                    ],
                )
                .await?;
                notes.push((
                    "user.create",
                    json!({ "issuer": identity.issuer, "sub": identity.sub, "roles": roles }),
                ));
                (id, org.to_owned())
            }
        };
        if let Some(groups) = &identity.groups
            && let Some(change) = follow_groups(&mut tx, &org, &id, groups).await?
        {
            notes.push(("user.groups", change));
        }
        let scope = Scope::Own(id.clone());
        let notes: Vec<Note<'_>> = notes
            .into_iter()
            .map(|(action, after)| Note {
                org: &org,
                action,
                subject: &id,
                scope: &scope,
                before: Value::Null,
                after,
            })
            .collect();
        if notes.is_empty() {
            tx.commit().await?;
        } else {
            self.finish(tx, &id, &notes).await?;
        }
        self.user(&id).await
    }

    /// The names of users as other members of their organisation read them. An unknown id has no name.
    pub async fn names(
        &self,
        actor: &Actor,
        ids: BTreeSet<&str>,
    ) -> Result<BTreeMap<String, String>, TeamError> {
        actor.user()?;
        let mut names = BTreeMap::new();
        for id in ids {
            let Some(row) = self.db.maybe(USER, args![id]).await? else { continue };
            let user = User::of(&row)?;
            if user.org == actor.org || actor.has(Role::SiteAdmin) {
                names.insert(id.to_owned(), user.shown_name().to_owned());
            }
        }
        Ok(names)
    }

    /// The newest 500 users: of the organisation, or of all for an administrator of the server.
    pub async fn users(&self, actor: &Actor) -> Result<Vec<User>, TeamError> {
        may_org(actor, OrgDeed::ReadSettings, &actor.org)?;
        let all = actor.has(Role::SiteAdmin);
        let rows = self
            .db
            .all(
                "SELECT id, org, issuer, sub, email, name, roles, state, created, seen FROM user_account \
                 WHERE org = $1 OR $2 = 1 ORDER BY created DESC, id LIMIT 500",
                args![&actor.org, all],
            )
            .await?;
        rows.iter().map(User::of).collect()
    }

    /// Changes roles or the state of a user.
    pub async fn change_user(
        &self,
        actor: &Actor,
        id: &str,
        roles: Option<&BTreeSet<Role>>,
        state: Option<&str>,
    ) -> Result<User, TeamError> {
        // Who may change no user does not learn which ids exist.
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        if let Some(state) = state.filter(|state| !["active", "suspended"].contains(state)) {
            return Err(TeamError::invalid(
                "unknown-state",
                format!("`{state}` is not one of active, suspended"),
            ));
        }
        let mut tx = self.db.begin().await?;
        // Of two administrators who take each other's role, one is first and stays: both rows are held, and read as they are now.
        for row in BTreeSet::from([id, actor.user()?]) {
            tx.run("UPDATE user_account SET state = state WHERE id = $1", args![row]).await?;
        }
        let now = User::of(&tx.one(USER, args![actor.user()?]).await?)?;
        if now.state != "active" {
            return Err(TeamError::Unauthenticated("the account is suspended".to_owned()));
        }
        let actor = &Actor { roles: now.roles, ..actor.clone() };
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let user = User::of(&tx.maybe(USER, args![id]).await?.ok_or(TeamError::NotFound)?)?;
        may_org(actor, OrgDeed::ChangeSettings, &user.org)?;
        let becomes_site = roles.is_some_and(|roles| roles.contains(&Role::SiteAdmin));
        if becomes_site || user.roles.contains(&Role::SiteAdmin) {
            may_org(actor, OrgDeed::RunServer, &user.org)?;
        }
        if actor.user.as_deref() == Some(id) && (state == Some("suspended") || roles.is_some()) {
            return Err(TeamError::conflict(
                "yourself",
                "another administrator must change your roles and state",
            ));
        }
        // Only what was asked for is written: another administrator may suspend the user meanwhile.
        tx.run(
            "UPDATE user_account SET roles = coalesce($2, roles), state = coalesce($3, state) WHERE id = $1",
            args![id, Arg::Text(roles.map(join)), Arg::Text(state.map(str::to_owned))],
        )
        .await?;
        let after = User::of(&tx.one(USER, args![id]).await?)?;
        if after.state == "suspended" {
            tx.run("DELETE FROM browser_session WHERE user_id = $1", args![id]).await?;
        }
        let note = Note {
            org: &user.org,
            action: "user.change",
            subject: id,
            scope: &Scope::Own(id.to_owned()),
            before: json!({ "roles": join(&user.roles), "state": user.state }),
            after: json!({ "roles": join(&after.roles), "state": after.state }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        Ok(after)
    }
}
