//! Secrets of the vault, never their values.

use schemars::JsonSchema;
use serde::Serialize;

/// The secrets of a vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SecretList {
    /// The version of this object.
    pub schema: u32,
    /// The vault.
    pub vault: String,
    /// The secrets, in order.
    pub secrets: Vec<SecretView>,
}

/// The name of a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SecretView {
    /// The service.
    pub service: String,
    /// The key of the service.
    pub key: String,
}

/// A secret that was set or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SecretChanged {
    /// The version of this object.
    pub schema: u32,
    /// The vault.
    pub vault: String,
    /// The service.
    pub service: String,
    /// The key of the service.
    pub key: String,
    /// Whether the vault has it now.
    pub present: bool,
}
