//! Secrets of the vault, never their values.

use super::SCHEMA;
use crate::{
    bindings::{asked, subject},
    library::LibraryError,
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{Entry, approvals::files_of};
use skillful_credentials::vault::SecretName;
use skillful_format::Digest;
use skillful_registry::bindings::{Answer, Bindings, Subject};

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

impl SecretList {
    /// The secrets of a vault with the skills that they are about.
    pub fn of(workspace: &Workspace, vault: String, names: &[SecretName]) -> Result<Self, LibraryError> {
        let (catalog, bindings) = (workspace.catalog(), workspace.bindings()?);
        let is_secret = |subject: &Subject| matches!(subject, Subject::Secret { .. });
        let asking: Vec<&Entry> = catalog
            .entries
            .iter()
            .filter(|entry| asked(&entry.loaded.manifest).iter().any(is_secret))
            .collect();
        let skills: Vec<(&Entry, Option<Digest>)> =
            asking.into_iter().map(|entry| (entry, files_of(entry).ok())).collect();
        let secrets = names.iter().map(|name| SecretView {
            service: name.service().to_owned(),
            key: name.key().to_owned(),
            skills: holders(&subject(name), &skills, &bindings),
        });
        Ok(Self { schema: SCHEMA, vault, secrets: secrets.collect() })
    }
}

/// The skills that ask for something with the answers about them, and the other skills that were answered about.
fn holders(
    subject: &Subject,
    skills: &[(&Entry, Option<Digest>)],
    bindings: &Bindings,
) -> Vec<SecretHolder> {
    let mut all: Vec<SecretHolder> = Vec::new();
    for (entry, files) in skills.iter().filter(|(entry, _)| asked(&entry.loaded.manifest).contains(subject)) {
        let skill = entry.address();
        let answer = files.as_ref().and_then(|files| bindings.answer(subject, files));
        let before = bindings.about(subject).map(|(_, answer)| answer).find(|answer| answer.skill == skill);
        let (state, date) = match (answer, before) {
            (Some(Answer { allowed: true, date, .. }), _) => (HolderState::Allowed, Some(date.clone())),
            (Some(Answer { date, .. }), _) => (HolderState::Denied, Some(date.clone())),
            (None, Some(answer)) => (HolderState::Changed, Some(answer.date.clone())),
            (None, None) => (HolderState::NotAllowed, None),
        };
        all.push(SecretHolder { skill, state, date });
    }
    for (_, answer) in bindings.about(subject) {
        if !all.iter().any(|holder| holder.skill == answer.skill) {
            let state = if answer.allowed { HolderState::Changed } else { HolderState::Denied };
            all.push(SecretHolder { skill: answer.skill.clone(), state, date: Some(answer.date.clone()) });
        }
    }
    all.sort_by(|one, other| one.skill.cmp(&other.skill));
    all
}

/// The name of a secret, and the skills that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SecretView {
    /// The service.
    pub service: String,
    /// The key of the service.
    pub key: String,
    /// The skills that ask for it, or that the user answered about.
    pub skills: Vec<SecretHolder>,
}

/// A skill and whether it may have a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SecretHolder {
    /// The skill.
    pub skill: String,
    /// Whether it may have the secret.
    pub state: HolderState,
    /// The day of the user's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// Whether a skill may have a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HolderState {
    /// The user allowed it, and the files of the skill are those of then.
    Allowed,
    /// The user denied it.
    Denied,
    /// The skill has other files than the user allowed it with, or is not here.
    Changed,
    /// The skill asks for it, and the user did not answer yet.
    NotAllowed,
}

/// A secret that was set or removed, or that a skill was allowed or denied.
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
    /// The skill that was allowed or denied it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Whether that skill may have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<bool>,
}

/// A connection that a skill was allowed or denied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServerAnswer {
    /// The version of this object.
    pub schema: u32,
    /// The skill.
    pub skill: String,
    /// The address of its MCP server. Secrets in it stand as `${NAME}`.
    pub address: String,
    /// The variables that the server receives.
    pub variables: Vec<String>,
    /// Whether the skill may connect to it.
    pub allowed: bool,
}
