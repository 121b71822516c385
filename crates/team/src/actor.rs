//! Who asks: a user with roles, groups and the limits of the credential that was shown.

use crate::{error::TeamError, permission::Scope};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};
use utoipa::ToSchema;

/// What a user may do in the whole organisation, besides being a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Decides about proposals of others.
    Reviewer,
    /// Reads everything of the organisation, changes nothing.
    Auditor,
    /// Runs the organisation.
    OrgAdmin,
    /// Runs the server: all organisations and what is global.
    SiteAdmin,
}

/// What a user may do in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupRole {
    /// Reads and uses.
    Viewer,
    /// Writes skills of the group.
    Editor,
    /// Decides for the group.
    Owner,
}

/// What a token may be used for. A browser session has all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub enum TokenScope {
    /// Read skills and what applies to the user.
    #[serde(rename = "skills:read")]
    SkillsRead,
    /// Create and change skills, drafts and proposals, and the user's own switches.
    #[serde(rename = "skills:write")]
    SkillsWrite,
    /// Add versions to the place that the token is limited to, and nothing else.
    #[serde(rename = "skills:publish")]
    Publish,
    /// Decide about proposals, yank and revoke.
    #[serde(rename = "review")]
    Review,
    /// Report and read usage.
    #[serde(rename = "usage")]
    Usage,
    /// Read the audit log.
    #[serde(rename = "audit")]
    Audit,
    /// Administer the organisation.
    #[serde(rename = "admin")]
    Admin,
}

macro_rules! words {
    ($kind:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $kind {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word for it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $kind {
            type Err = TeamError;

            fn from_str(text: &str) -> Result<Self, TeamError> {
                Self::ALL.iter().copied().find(|one| one.word() == text).ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|one| one.word()).collect();
                    TeamError::invalid("unknown-word", format!("`{text}` is not one of {}", known.join(", ")))
                })
            }
        }
    };
}
pub(crate) use words;

words!(Role { Reviewer = "reviewer", Auditor = "auditor", OrgAdmin = "org-admin", SiteAdmin = "site-admin" });
words!(GroupRole { Viewer = "viewer", Editor = "editor", Owner = "owner" });
words!(TokenScope {
    SkillsRead = "skills:read",
    SkillsWrite = "skills:write",
    Publish = "skills:publish",
    Review = "review",
    Usage = "usage",
    Audit = "audit",
    Admin = "admin",
});

/// Several words in one column, separated by spaces.
pub(crate) fn join<T: fmt::Display>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
}

/// The words of a column. A word that is not known, of a newer release, gives nothing.
pub(crate) fn split<T: FromStr + Ord>(text: &str) -> BTreeSet<T> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Who asks. Read from the database for each request, so that what is taken away is gone with the next one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    /// The user; `None` is a guest.
    pub user: Option<String>,
    /// The organisation.
    pub org: String,
    /// Roles in it.
    pub roles: BTreeSet<Role>,
    /// Groups with the role there.
    pub groups: BTreeMap<String, GroupRole>,
    /// What the credential may be used for.
    pub scopes: BTreeSet<TokenScope>,
    /// The only place that the credential reaches, such as `group:ID`, or `org/NAME` for one skill; empty: everything the user
    /// reaches.
    pub bound: String,
    /// The number of the newest change when this was read, in the same question: what is kept of this change or a later one is
    /// as new as the request.
    pub change: i64,
    /// When a token ends; a browser session goes on while it is used.
    pub until: Option<i64>,
}

impl Actor {
    /// A caller who is not signed in.
    pub fn guest(org: &str) -> Self {
        Self {
            user: None,
            org: org.to_owned(),
            roles: BTreeSet::new(),
            groups: BTreeMap::new(),
            scopes: BTreeSet::from([TokenScope::SkillsRead]),
            bound: String::new(),
            change: 0,
            until: None,
        }
    }

    /// The user's id; a guest is asked to sign in.
    pub fn user(&self) -> Result<&str, TeamError> {
        self.user.as_deref().ok_or_else(|| TeamError::Unauthenticated("sign in first".to_owned()))
    }

    /// Whether the user has a role.
    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Refuses a credential that is not meant for something, naming the scope.
    pub fn needs(&self, scope: TokenScope) -> Result<(), TeamError> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        Err(TeamError::Forbidden(format!("this token lacks the scope `{scope}`; create a token that has it")))
    }

    /// Refuses a credential that has none of these scopes, naming the first one.
    pub(crate) fn needs_one(&self, scopes: &[TokenScope]) -> Result<(), TeamError> {
        match scopes {
            [first, ..] if !scopes.iter().any(|scope| self.scopes.contains(scope)) => self.needs(*first),
            _ => Ok(()),
        }
    }

    /// Refuses to publish another skill than the one that the credential is limited to.
    pub fn may_publish(&self, name: &str) -> Result<(), TeamError> {
        match self.bound.split_once('/') {
            Some((_, only)) if only != name => {
                Err(TeamError::Forbidden(format!("this token publishes only the skill `{only}`")))
            }
            _ => Ok(()),
        }
    }

    /// The place that the credential is limited to, without the name of a skill; empty: none.
    pub fn bound_place(&self) -> &str {
        self.bound.split_once('/').map_or(&self.bound, |(place, _)| place)
    }

    /// Refuses a credential that is limited to another place.
    pub(crate) fn may_change(&self, place: &Scope) -> Result<(), TeamError> {
        if self.bound.is_empty() || self.bound_place() == place.text() {
            return Ok(());
        }
        Err(TeamError::Forbidden(format!("this token is limited to `{}`", self.bound)))
    }

    /// Refuses to change what belongs to the user alone, such as a switch or an adoption, with a credential that is not for it.
    pub(crate) fn may_change_own(&self) -> Result<(), TeamError> {
        self.needs(TokenScope::SkillsWrite)?;
        self.may_change(&Scope::Own(self.user()?.to_owned()))
    }

    /// The name in the audit log.
    pub fn label(&self) -> &str {
        self.user.as_deref().unwrap_or("guest")
    }
}
