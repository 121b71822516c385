//! Sign-ins to team servers.

use super::SCHEMA;
use crate::library::{ServerState, SignedIn};
use schemars::JsonSchema;
use serde::Serialize;

/// The team servers of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TeamSignIns {
    /// The version of this object.
    pub schema: u32,
    /// In the order of the labels.
    pub servers: Vec<TeamSignIn>,
}

/// A sign-in to a team server. The token is not part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TeamSignIn {
    /// The label among the sources.
    pub label: String,
    /// The address.
    pub address: String,
    /// The user there; absent while the server does not say it.
    pub user: Option<String>,
    /// When the token ends, in seconds since 1970; absent when it is not known.
    pub expires: Option<u64>,
    /// What the token may be used for; empty when it is not known.
    pub scopes: Vec<String>,
    /// `signed in`, `signed out` or `away`.
    pub state: &'static str,
    /// Why it does not work.
    pub why: Option<String>,
}

impl TeamSignIns {
    /// The view of sign-ins.
    pub fn of(servers: &[SignedIn]) -> Self {
        let one = |it: &SignedIn| {
            let (state, why) = match &it.state {
                ServerState::SignedIn => ("signed in", None),
                ServerState::SignedOut(why) => ("signed out", Some(why.clone())),
                ServerState::Away(why) => ("away", Some(why.clone())),
            };
            TeamSignIn {
                label: it.label.clone(),
                address: it.address.clone(),
                user: it.user.as_ref().map(|user| user.label().to_owned()),
                expires: it.expires,
                scopes: it.scopes.split_whitespace().map(str::to_owned).collect(),
                state,
                why,
            }
        };
        Self { schema: SCHEMA, servers: servers.iter().map(one).collect() }
    }
}
