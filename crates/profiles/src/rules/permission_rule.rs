//! Permissions of an agent for its tools, one of which loads skills.

use serde::{Deserialize, Serialize};

/// The keys of permissions in an agent's configuration. The values of a key are `allow`, `ask` and `deny`, or a
/// mapping of name patterns to these words; the last match wins. A denied skill loads, and the model is not shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PermissionRule {
    /// A mapping of tools to their permissions, or one word for all tools.
    pub key: String,
    /// The tool that loads skills.
    pub tool: String,
    /// A mapping of tools to booleans, which `key` overrides.
    pub tools: Option<String>,
    /// An environment variable with a JSON mapping that is merged into `key`.
    pub variable: Option<String>,
    /// A mapping of role names to roles, each with permissions of its own.
    pub roles: Option<String>,
    /// An older name of `roles`; its roles can start a session.
    pub old_roles: Option<String>,
    /// The name of the role that starts a session.
    pub first_role: Option<String>,
    /// The roles that the agent has without configuration, in its order.
    #[serde(rename = "role", default)]
    pub built_in: Vec<Role>,
}

/// A role in which an agent works: another prompt and other permissions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// Whether it can start a session.
    #[serde(default = "super::yes")]
    pub starts: bool,
    /// Whether it is hidden from the user, so that it cannot start a session either.
    #[serde(default)]
    pub hidden: bool,
    /// Whether it denies every tool that the configuration does not allow.
    #[serde(default)]
    pub denies: bool,
}
