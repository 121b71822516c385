//! Secrets of the vault, never their values.

use super::SCHEMA;
use crate::{
    bindings::{allow_secret, allow_server, allow_variable, asked, phrase, subject},
    library::LibraryError,
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{Entry, approvals::files_of, names::in_order};
use skillful_credentials::vault::SecretName;
use skillful_format::Digest;
use skillful_registry::bindings::{Bindings, Subject};

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
        let asking: Vec<&Entry> =
            catalog.entries.iter().filter(|entry| asked(&entry.loaded).iter().any(is_secret)).collect();
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
fn holders(subject: &Subject, skills: &[(&Entry, Option<Digest>)], bindings: &Bindings) -> Vec<SecretHolder> {
    let mut all: Vec<SecretHolder> = Vec::new();
    for (entry, files) in skills.iter().filter(|(entry, _)| asked(&entry.loaded).contains(subject)) {
        let skill = entry.address();
        let (state, date) = state_of(bindings, subject, *files, &skill);
        all.push(SecretHolder { skill, state, date });
    }
    for (_, answer) in bindings.about(subject) {
        if !all.iter().any(|holder| holder.skill == answer.skill) {
            let state = if answer.allowed { HolderState::Changed } else { HolderState::Denied };
            all.push(SecretHolder { skill: answer.skill.clone(), state, date: Some(answer.date.clone()) });
        }
    }
    all.sort_by(|one, other| in_order(&one.skill, &other.skill));
    all
}

/// Whether a skill with these files may have something, and the day of the answer.
fn state_of(
    bindings: &Bindings,
    subject: &Subject,
    files: Option<Digest>,
    skill: &str,
) -> (HolderState, Option<String>) {
    let before = || bindings.about(subject).map(|(_, answer)| answer).find(|answer| answer.skill == skill);
    match files.and_then(|files| bindings.answer(subject, &files)) {
        Some(answer) if answer.allowed => (HolderState::Allowed, Some(answer.date.clone())),
        Some(answer) => (HolderState::Denied, Some(answer.date.clone())),
        None => match before() {
            Some(answer) => (HolderState::Changed, Some(answer.date.clone())),
            None => (HolderState::NotAllowed, None),
        },
    }
}

/// The subject of the answer about these files. The address that the user allowed has values in the place of variables.
fn answered<'a>(bindings: &'a Bindings, subject: &'a Subject, files: Option<Digest>) -> &'a Subject {
    let is_server = |subject: &Subject| matches!(subject, Subject::Server { .. });
    let mut known = bindings.answers.keys();
    let same = known.find(|(known, of)| is_server(known) && is_server(subject) && Some(*of) == files);
    same.map_or(subject, |(known, _)| known)
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

/// Something that a skill asks its user for: a secret, a secret variable, or a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AskedFor {
    /// In a few words.
    pub what: String,
    /// Whether the skill may have it.
    pub state: HolderState,
    /// The command that allows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl AskedFor {
    /// What a skill asks for, with the answers of the user. A record that cannot be read allows nothing.
    pub fn all(workspace: &Workspace, entry: &Entry) -> Vec<Self> {
        let asked = asked(&entry.loaded);
        if asked.is_empty() {
            return Vec::new();
        }
        let (bindings, files) = (workspace.bindings().unwrap_or_default(), files_of(entry).ok());
        let skill = entry.address();
        let one = |subject: Subject| {
            let state = state_of(&bindings, answered(&bindings, &subject, files), files, &skill).0;
            let fix = match &subject {
                _ if state == HolderState::Allowed => None,
                Subject::Secret { service, key } => {
                    SecretName::new(service, key).ok().map(|name| allow_secret(&name, &skill))
                }
                Subject::Variable { name } => Some(allow_variable(name, &skill)),
                Subject::Server { .. } => Some(allow_server(&skill)),
            };
            Self { what: phrase(&subject), state, fix }
        };
        asked.into_iter().map(one).collect()
    }
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

/// A server that a skill was allowed or denied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServerAnswer {
    /// The version of this object.
    pub schema: u32,
    /// The skill.
    pub skill: String,
    /// The address of its MCP server, where secrets stand as `${NAME}`, or the command that starts it.
    pub address: String,
    /// The variables that the server receives.
    pub variables: Vec<String>,
    /// Whether the skill may have it.
    pub allowed: bool,
}

/// A sign-in to the MCP server of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SignInView {
    /// The version of this object.
    pub schema: u32,
    /// The skill.
    pub skill: String,
    /// The address of its MCP server.
    pub address: String,
    /// Whether the user is signed in now.
    pub signed_in: bool,
}

/// A secret variable that a skill was allowed or denied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VariableAnswer {
    /// The version of this object.
    pub schema: u32,
    /// The skill.
    pub skill: String,
    /// The variable.
    pub variable: String,
    /// Whether the skill may have it.
    pub allowed: bool,
}
