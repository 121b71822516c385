//! Who may do what: one function, asked before anything is read or written.

use crate::{
    actor::{Actor, GroupRole, Role, TokenScope},
    error::TeamError,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// For whom a skill is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", content = "id", rename_all = "kebab-case")]
pub enum Scope {
    /// One user.
    Own(String),
    /// A group.
    Group(String),
    /// The organisation.
    Org,
    /// Every organisation of the server.
    Global,
}

impl Scope {
    /// The two columns that hold it.
    pub fn columns(&self) -> (&'static str, &str) {
        match self {
            Self::Own(user) => ("own", user),
            Self::Group(group) => ("group", group),
            Self::Org => ("org", ""),
            Self::Global => ("global", ""),
        }
    }

    /// The scope of two columns.
    pub fn of(kind: &str, owner: &str) -> Result<Self, TeamError> {
        Ok(match kind {
            "own" => Self::Own(owner.to_owned()),
            "group" => Self::Group(owner.to_owned()),
            "org" => Self::Org,
            "global" => Self::Global,
            other => {
                return Err(TeamError::invalid(
                    "unknown-scope",
                    format!("`{other}` is not one of own, group, org, global"),
                ));
            }
        })
    }

    /// As a token is bound to it: `group:ID`, `org`.
    pub fn text(&self) -> String {
        match self.columns() {
            (kind, "") => kind.to_owned(),
            (kind, owner) => format!("{kind}:{owner}"),
        }
    }

    /// How near it is to the user; of two skills of one name the nearer one is used.
    pub fn distance(&self) -> u8 {
        match self {
            Self::Own(_) => 0,
            Self::Group(_) => 1,
            Self::Org => 2,
            Self::Global => 3,
        }
    }
}

/// What a caller wants to do with a skill, a proposal or the organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// See that it exists, its metadata and its text.
    Read,
    /// Create, add a version, change, delete.
    Edit,
    /// Create or add a version: what a token of a CI job may do.
    Publish,
    /// Decide about a proposal of another user.
    Approve,
    /// Set a preference or a pin for everybody there.
    Prefer,
    /// Take a version back from new installations.
    Yank,
    /// Take a version back everywhere.
    Revoke,
    /// Read how much it is used.
    ReadUsage,
}

/// What concerns the organisation as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrgDeed {
    /// Read users, groups, sources, policies, webhooks.
    ReadSettings,
    /// Change them.
    ChangeSettings,
    /// Read the audit log.
    ReadAudit,
    /// Read usage of all users.
    ReadUsage,
    /// Create organisations, list the users of all of them.
    RunServer,
}

/// Settings of the server that open something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Openness {
    /// Whether guests read what is global.
    pub guests_read_global: bool,
}

/// Whether an actor may do something with what belongs to a scope of an organisation. What the actor may not read does
/// not exist for them.
pub fn may(actor: &Actor, deed: Deed, org: &str, scope: &Scope, openness: Openness) -> Result<(), TeamError> {
    let is_bound_here = actor.bound_place() == scope.text();
    // A token that only publishes sees the place that it publishes to.
    let publishes = actor.scopes.contains(&TokenScope::Publish)
        && (deed == Deed::Publish || deed == Deed::Read && is_bound_here);
    if !publishes {
        actor.needs(token_scope(deed)).map_err(|lacking| {
            // Without the scope to read, nothing exists; otherwise the missing scope is named.
            if reads(actor, org, scope, openness) { lacking } else { TeamError::NotFound }
        })?;
    }
    if deed != Deed::Read
        && let Err(limited) = actor.may_change(scope)
    {
        return if reads(actor, org, scope, openness) { Err(limited) } else { Err(TeamError::NotFound) };
    }
    if !reads(actor, org, scope, openness) {
        return Err(TeamError::NotFound);
    }
    let site = actor.has(Role::SiteAdmin);
    let admin = actor.has(Role::OrgAdmin) && actor.org == org;
    let group =
        |least| matches!(scope, Scope::Group(id) if actor.groups.get(id).is_some_and(|role| *role >= least));
    let own = matches!(scope, Scope::Own(user) if actor.user.as_deref() == Some(user));
    let reviewer = actor.has(Role::Reviewer) && actor.org == org;
    let allowed = match (deed, scope) {
        (Deed::Read, _) => true,
        (Deed::Edit | Deed::Publish | Deed::Prefer, Scope::Own(_)) => own,
        (Deed::Edit | Deed::Publish, Scope::Group(_)) => group(GroupRole::Editor) || admin,
        (Deed::Edit | Deed::Publish | Deed::Prefer, Scope::Org) => admin,
        (
            Deed::Edit | Deed::Publish | Deed::Prefer | Deed::Yank | Deed::Revoke | Deed::Approve,
            Scope::Global,
        ) => site,
        (Deed::Approve, Scope::Own(_)) => false,
        (Deed::Approve, Scope::Group(_)) => group(GroupRole::Owner) || admin || reviewer,
        (Deed::Approve, Scope::Org) => admin || reviewer,
        (Deed::Prefer, Scope::Group(_)) => group(GroupRole::Owner) || admin,
        (Deed::Yank, Scope::Own(_)) => own || admin || site,
        (Deed::Yank, Scope::Group(_)) => group(GroupRole::Owner) || admin || site,
        (Deed::Yank, Scope::Org) | (Deed::Revoke, Scope::Own(_)) => admin || site,
        (Deed::Revoke, Scope::Group(_)) => group(GroupRole::Owner) || admin || reviewer || site,
        (Deed::Revoke, Scope::Org) => admin || reviewer || site,
        (Deed::ReadUsage, Scope::Own(_)) => own || admin || site || actor.has(Role::Auditor),
        (Deed::ReadUsage, Scope::Group(_)) => {
            group(GroupRole::Owner) || reviewer || admin || site || actor.has(Role::Auditor)
        }
        (Deed::ReadUsage, Scope::Org | Scope::Global) => {
            reviewer || admin || site || actor.has(Role::Auditor)
        }
    };
    if allowed { Ok(()) } else { Err(TeamError::Forbidden(refusal(deed, scope).to_owned())) }
}

/// Whether an actor may do something with the organisation.
pub fn may_org(actor: &Actor, deed: OrgDeed, org: &str) -> Result<(), TeamError> {
    let site = actor.has(Role::SiteAdmin);
    if actor.user.is_none() {
        return Err(TeamError::Unauthenticated("sign in first".to_owned()));
    }
    if actor.org != org && !site {
        return Err(TeamError::NotFound);
    }
    let admin = actor.has(Role::OrgAdmin);
    let auditor = actor.has(Role::Auditor);
    let (allowed, scope, who) = match deed {
        OrgDeed::ReadSettings => (admin || auditor || site, TokenScope::Admin, "administrators and auditors"),
        OrgDeed::ChangeSettings => (admin || site, TokenScope::Admin, "administrators"),
        OrgDeed::ReadAudit => (admin || auditor || site, TokenScope::Audit, "administrators and auditors"),
        OrgDeed::ReadUsage => (admin || auditor || site, TokenScope::Usage, "administrators and auditors"),
        OrgDeed::RunServer => (site, TokenScope::Admin, "administrators of the server"),
    };
    if !allowed {
        return Err(TeamError::Forbidden(format!("only {who} may do this")));
    }
    actor.needs(scope)?;
    // Users, groups, policies and what else is of the organisation are changed in no other place than that.
    match deed {
        OrgDeed::ChangeSettings => actor.may_change(&Scope::Org),
        OrgDeed::RunServer => actor.may_change(&Scope::Global),
        OrgDeed::ReadSettings | OrgDeed::ReadAudit | OrgDeed::ReadUsage => Ok(()),
    }
}

/// Whether a skill of this scope exists for the actor.
fn reads(actor: &Actor, org: &str, scope: &Scope, openness: Openness) -> bool {
    if actor.user.is_none() {
        return *scope == Scope::Global && openness.guests_read_global;
    }
    if *scope == Scope::Global {
        return true;
    }
    if actor.org != org {
        return false;
    }
    let everything = actor.has(Role::OrgAdmin) || actor.has(Role::Auditor);
    match scope {
        Scope::Own(user) => actor.user.as_ref() == Some(user) || everything,
        Scope::Group(group) => actor.groups.contains_key(group) || everything || actor.has(Role::Reviewer),
        Scope::Org | Scope::Global => true,
    }
}

fn token_scope(deed: Deed) -> TokenScope {
    match deed {
        Deed::Read => TokenScope::SkillsRead,
        Deed::Edit | Deed::Publish | Deed::Prefer => TokenScope::SkillsWrite,
        Deed::Approve | Deed::Yank | Deed::Revoke => TokenScope::Review,
        Deed::ReadUsage => TokenScope::Usage,
    }
}

fn refusal(deed: Deed, scope: &Scope) -> &'static str {
    match (deed, scope) {
        (_, Scope::Global) => "only administrators of the server may change what is global",
        (Deed::Edit | Deed::Publish, Scope::Group(_)) => {
            "only editors and owners of the group may change its skills"
        }
        (Deed::Edit | Deed::Publish, Scope::Org) => {
            "only administrators may change skills of the organisation; propose yours instead"
        }
        (Deed::Edit | Deed::Publish, _) => "only its owner may change this skill",
        (Deed::Approve, Scope::Own(_)) => "a personal skill has no review",
        (Deed::Approve, _) => "only reviewers, owners of the group and administrators may decide",
        (Deed::Prefer, Scope::Group(_)) => "only owners of the group may set its preferences",
        (Deed::Prefer, _) => "only administrators may set preferences of the organisation",
        (Deed::Yank | Deed::Revoke, _) => "only owners, reviewers and administrators may take a version back",
        (Deed::ReadUsage, _) => "only owners, reviewers, auditors and administrators may read this usage",
        (Deed::Read, _) => "you may not read this",
    }
}

#[cfg(test)]
mod tests;
