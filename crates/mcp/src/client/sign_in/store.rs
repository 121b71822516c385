//! Sign-ins of the user, in the vault: one for each server.

use super::{SavedSignIn, SignInError};
use crate::client::declare::{Declaration, Transport};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use skillful::Workspace;
use skillful_credentials::vault::{EncryptedFile, NAME_LIMIT, SIGN_INS, SecretName, Vault, VaultError};

/// The sign-ins of a user.
#[derive(Debug)]
pub struct SignInStore(EncryptedFile);

impl SignInStore {
    /// Those in the vault of a workspace's user.
    pub fn new(workspace: &Workspace) -> Self {
        Self(workspace.vault_file())
    }

    /// The sign-in to a server. One that cannot be read counts as none: the user signs in again.
    pub fn load(&self, url: &str) -> Option<SavedSignIn> {
        let kept = self.0.get(&name(url).ok()?).ok()??;
        serde_json::from_str(kept.expose_secret()).ok()
    }

    /// Keeps a sign-in.
    pub fn save(&self, url: &str, saved: &SavedSignIn) -> Result<(), VaultError> {
        let text = serde_json::to_string(saved).unwrap_or_default();
        self.0.set(&name(url)?, &SecretString::from(text))
    }

    /// Forgets a sign-in. Returns whether there was one.
    pub fn forget(&self, url: &str) -> Result<bool, VaultError> {
        self.0.remove(&name(url)?)
    }

    /// Adds the sign-in of the user to a declaration, renewed when it is over. One that cannot be renewed is not sent.
    pub async fn authorize(&self, declaration: &mut Declaration, now: u64) -> bool {
        let Transport::Http(endpoint) = &mut declaration.transport else { return false };
        if endpoint.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
            return false;
        }
        let Some(mut saved) = self.load(&endpoint.url) else { return false };
        if saved.is_over(now) {
            match saved.renewed(endpoint, now).await {
                Ok(next) => saved = next,
                Err(SignInError::Unreachable { .. }) => return false,
                Err(_) => {
                    // The user signs in again; what is left of the old one is of no use.
                    let _kept = self.forget(&endpoint.url);
                    return false;
                }
            }
            let _kept = self.save(&endpoint.url, &saved);
        }
        endpoint.headers.push(saved.header());
        declaration.mask.add(&saved.access_token);
        true
    }

    /// Renews the sign-in to a server that no longer accepts it. Returns whether there is a new one.
    pub async fn renew(&self, declaration: &Declaration, now: u64) -> bool {
        let Transport::Http(endpoint) = &declaration.transport else { return false };
        let Some(saved) = self.load(&endpoint.url) else { return false };
        match saved.renewed(endpoint, now).await {
            Ok(next) => self.save(&endpoint.url, &next).is_ok(),
            Err(SignInError::Unreachable { .. }) => false,
            Err(_) => {
                let _kept = self.forget(&endpoint.url);
                false
            }
        }
    }
}

/// The name in the vault: the address, or its digest when that is longer than a name can be.
fn name(url: &str) -> Result<SecretName, VaultError> {
    if url.len() <= NAME_LIMIT {
        return SecretName::new(SIGN_INS, url);
    }
    let digest: String = Sha256::digest(url.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    SecretName::new(SIGN_INS, &digest)
}
