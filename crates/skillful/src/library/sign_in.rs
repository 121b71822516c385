//! The user's sign-ins to team servers: the token in the vault, the server among the sources.

use super::{Library, LibraryError};
use crate::team_server::{TeamServer, TeamServerError, TeamUser};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use skillful_credentials::vault::{SecretName, TEAM_SIGN_INS, Vault as _, VaultError};
use skillful_registry::sources::{SourceEntry, Sources};
use std::fs;

/// The label of the first team server that a user signs in to.
pub(super) const TEAM_LABEL: &str = "team";

/// A sign-in as the vault keeps it.
#[derive(Clone, Serialize, Deserialize)]
pub struct SavedSignIn {
    token: String,
    /// When the token ends, in seconds since 1970.
    pub expires: Option<u64>,
    /// What the token may be used for.
    #[serde(default)]
    pub scopes: String,
    /// The id of the token on the server.
    #[serde(default)]
    pub token_id: String,
}

impl std::fmt::Debug for SavedSignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SavedSignIn").field("token_id", &self.token_id).finish_non_exhaustive()
    }
}

impl SavedSignIn {
    /// A sign-in with a token.
    pub fn new(token: &SecretString, expires: Option<u64>, scopes: String, token_id: String) -> Self {
        Self { token: token.expose_secret().to_owned(), expires, scopes, token_id }
    }

    fn token(&self) -> SecretString {
        self.token.clone().into()
    }
}

/// A server that the user is signed in to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The label among the sources.
    pub label: String,
    /// The address.
    pub address: String,
    /// The user there, when the server said it.
    pub user: Option<TeamUser>,
    /// When the token ends, in seconds since 1970.
    pub expires: Option<u64>,
    /// What the token may be used for.
    pub scopes: String,
    /// Whether it works.
    pub state: ServerState,
}

/// Whether a sign-in works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// The server accepts the token.
    SignedIn,
    /// The token has ended, was revoked or is missing.
    SignedOut(String),
    /// The server does not answer.
    Away(String),
}

impl From<TeamServerError> for LibraryError {
    fn from(error: TeamServerError) -> Self {
        let fix = match &error {
            TeamServerError::SignIn { address, .. } => Some(format!("skillful login {address}")),
            TeamServerError::Odd { .. } => {
                Some("check the address; `skillful serve` runs a team server".to_owned())
            }
            _ => None,
        };
        let failure = Self::new(&error);
        fix.into_iter().fold(failure, Self::fix)
    }
}

fn locked_vault(error: &VaultError) -> LibraryError {
    LibraryError::new(error).fix(error.help())
}

impl Library<'_> {
    fn sign_in_name(address: &str) -> Result<SecretName, LibraryError> {
        SecretName::new(TEAM_SIGN_INS, address).map_err(|error| locked_vault(&error))
    }

    fn saved(&self, address: &str) -> Option<SavedSignIn> {
        let kept = self.workspace.vault_file().get(&Self::sign_in_name(address).ok()?).ok()??;
        serde_json::from_str(kept.expose_secret()).ok()
    }

    /// The user's token for a team server.
    pub(super) fn team_token(&self, address: &str) -> Option<SecretString> {
        Some(self.saved(address)?.token())
    }

    /// Keeps a sign-in whose token the server accepts, and adds the server to the sources.
    pub fn sign_in(
        &self,
        address: &str,
        label: Option<&str>,
        saved: &SavedSignIn,
    ) -> Result<SignedIn, LibraryError> {
        let server = TeamServer::new(address, Some(saved.token()))?;
        let address = server.address().to_owned();
        let user = server.me()?;
        let sources = self.sources()?;
        let entry = SourceEntry::team_server(&address).map_err(LibraryError::usage)?;
        let there = sources.team_servers().find(|(_, known)| *known == address);
        let label = match (label, there) {
            (Some(label), Some((known, _))) if label != known => {
                return Err(LibraryError::usage(format!("{address} is the source `{known}` already")));
            }
            (_, Some((known, _))) => known.to_owned(),
            (Some(label), None) => label.to_owned(),
            (None, None) => free_label(&sources, &address),
        };
        let text = serde_json::to_string(saved).unwrap_or_default();
        let vault = self.workspace.vault_file();
        vault.set(&Self::sign_in_name(&address)?, &text.into()).map_err(|error| locked_vault(&error))?;
        if there.is_none() {
            sources.add(&self.sources_file(), &label, &entry, &self.writer)?;
        }
        self.forget_lists();
        let state = ServerState::SignedIn;
        Ok(SignedIn {
            label,
            address,
            user: Some(user),
            expires: saved.expires,
            scopes: saved.scopes.clone(),
            state,
        })
    }

    /// The label and the address of a server that the user is signed in to, by either of them; the only one without a word.
    pub fn team_source(&self, word: Option<&str>) -> Result<(String, String), LibraryError> {
        let sources = self.sources()?;
        let all: Vec<(&str, &str)> = sources.team_servers().collect();
        let owned = |(label, address): &(&str, &str)| ((*label).to_owned(), (*address).to_owned());
        let Some(word) = word else {
            return match all.as_slice() {
                [only] => Ok(owned(only)),
                [] => {
                    Err(LibraryError::new("you are not signed in to a team server")
                        .fix("skillful login ADDRESS"))
                }
                several => {
                    let labels: Vec<&str> = several.iter().map(|(label, _)| *label).collect();
                    Err(LibraryError::usage(format!("you are signed in to {}", labels.join(", ")))
                        .fix("name the one that is meant"))
                }
            };
        };
        let bare = word.trim_end_matches('/');
        let found = all.iter().find(|(label, address)| *label == word || *address == bare);
        found.map(owned).ok_or_else(|| {
            LibraryError::new(format!("you are not signed in to `{word}`")).fix("skillful login --status")
        })
    }

    /// Forgets a sign-in, and has the server revoke its token. Returns why the server could not. Installed skills stay.
    pub fn sign_out(&self, word: Option<&str>) -> Result<(String, String, Option<String>), LibraryError> {
        let (label, address) = self.team_source(word)?;
        let mut left = None;
        if let Some(saved) = self.saved(&address) {
            let told = TeamServer::new(&address, Some(saved.token()))
                .and_then(|server| server.revoke_token(&saved.token_id));
            left = match told {
                Ok(()) if saved.token_id.is_empty() => {
                    Some("its id is not known; revoke it on the page of the server".to_owned())
                }
                Ok(()) | Err(TeamServerError::SignIn { .. }) => None,
                Err(error) => Some(error.to_string()),
            };
        }
        let vault = self.workspace.vault_file();
        vault.remove(&Self::sign_in_name(&address)?).map_err(|error| locked_vault(&error))?;
        self.sources()?.remove(&self.sources_file(), &label, &self.writer)?;
        self.forget_lists();
        Ok((label, address, left))
    }

    /// Every server that the user signed in to, asked now.
    pub fn sign_ins(&self) -> Result<Vec<SignedIn>, LibraryError> {
        let sources = self.sources()?;
        let mut found = Vec::new();
        for (label, address) in sources.team_servers() {
            let saved = self.saved(address);
            let (user, state) = match &saved {
                None => (None, ServerState::SignedOut("the vault has no token for it".to_owned())),
                Some(saved) => {
                    match TeamServer::new(address, Some(saved.token())).and_then(|server| server.me()) {
                        Ok(user) => (Some(user), ServerState::SignedIn),
                        Err(error) if error.is_away() => (None, ServerState::Away(error.to_string())),
                        Err(error) => (None, ServerState::SignedOut(error.to_string())),
                    }
                }
            };
            found.push(SignedIn {
                label: label.to_owned(),
                address: address.to_owned(),
                user,
                expires: saved.as_ref().and_then(|saved| saved.expires),
                scopes: saved.map(|saved| saved.scopes).unwrap_or_default(),
                state,
            });
        }
        Ok(found)
    }

    /// The server of a label, with the user's token.
    pub(super) fn team_client(&self, address: &str) -> Result<TeamServer, LibraryError> {
        let token = self.team_token(address).ok_or_else(|| {
            LibraryError::new(format!("there is no token for {address} in the vault"))
                .fix(format!("skillful login {address}"))
        })?;
        Ok(TeamServer::new(address, Some(token))?)
    }

    /// Lists of sources that another user of the server got are not shown. A cache that stays costs nothing else.
    fn forget_lists(&self) {
        let _stays = fs::remove_dir_all(self.workspace.paths().cache.join("sources"));
    }
}

/// `team`, or the first part of the host, or either with a number.
fn free_label(sources: &Sources, address: &str) -> String {
    let host = url::Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
    let first = host.as_deref().and_then(|host| host.split('.').next()).unwrap_or_default();
    let first: String =
        first.chars().filter(char::is_ascii_alphanumeric).take(20).collect::<String>().to_lowercase();
    let words = [TEAM_LABEL.to_owned(), if first.is_empty() { "server".to_owned() } else { first }];
    let numbered = (2..).flat_map(|number| words.iter().map(move |word| format!("{word}{number}")));
    words
        .iter()
        .cloned()
        .chain(numbered)
        .find(|label| !sources.sources.contains_key(label))
        .unwrap_or_default()
}
