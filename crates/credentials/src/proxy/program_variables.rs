//! The variables of the programs of skills, and which of them are secret.

use super::{BLOCKED, policy::ProxyPolicy};
use crate::env::{self, DeclaredEnv, ResolvedEnv, UnansweredSecret, VariableSources, is_sensitive, name};
use secrecy::SecretString;
use skillful_format::{Diagnostic, Digest};
use std::collections::{BTreeMap, BTreeSet};

/// A variable that a skill has by other means than its `env`.
#[derive(Clone, Debug)]
pub struct OwnVariable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: SecretString,
    /// Whether the value is secret.
    pub is_secret: bool,
}

/// Every variable that programs of skills get, by skill.
#[derive(Clone, Debug, Default)]
pub struct ProgramVariables {
    pub(super) policy: ProxyPolicy,
    pub(super) resolved: ResolvedEnv,
    /// Variables of single skills that are not of their `env`.
    pub(super) own: BTreeMap<String, BTreeMap<String, SecretString>>,
    /// Names of secrets that skills declare, with or without a value.
    pub(super) declared: BTreeMap<String, BTreeSet<String>>,
    /// The files of skills that ask for secrets of the vault, as they were when these were resolved.
    files: BTreeMap<String, Digest>,
}

impl ProgramVariables {
    /// Resolves the `env` of skills.
    pub fn resolve(skills: &[DeclaredEnv<'_>], sources: &dyn VariableSources, policy: ProxyPolicy) -> Self {
        let resolved = env::resolve(skills, &policy.base, sources);
        let secrets = |skill: &DeclaredEnv<'_>| {
            let secret = skill.specs.iter().filter(|spec| is_sensitive(spec));
            (skill.skill.to_owned(), secret.map(|spec| spec.var.clone()).collect())
        };
        let declared = skills.iter().map(secrets).collect();
        let files = skills.iter().filter_map(|skill| Some((skill.skill.to_owned(), skill.files?))).collect();
        Self { policy, resolved, own: BTreeMap::new(), declared, files }
    }

    /// The files that the secrets of a skill are bound to: its programs must come from these.
    pub fn bound(&self, skill: &str) -> Option<Digest> {
        self.files.get(skill).copied()
    }

    /// Binds the variables of a skill to its files.
    pub fn bind(&mut self, skill: &str, files: Digest) {
        self.files.insert(skill.to_owned(), files);
    }

    /// Whether the programs of a skill get a variable that other programs do not get.
    pub fn gives(&self, skill: &str) -> bool {
        let has_own = self.own.get(skill).is_some_and(|own| !own.is_empty());
        has_own || self.resolved.secrets_of(skill).next().is_some() || self.unanswered(skill).next().is_some()
    }

    /// The secrets of a skill that its user has not let it have. Its programs are not run then.
    pub fn unanswered(&self, skill: &str) -> impl Iterator<Item = &UnansweredSecret> {
        self.resolved.unanswered.iter().filter(move |one| one.skill == skill)
    }

    /// Adds variables that a skill has by other means than its `env`. A name that no skill may set is
    /// skipped.
    pub fn add_own(&mut self, skill: &str, variables: impl IntoIterator<Item = OwnVariable>) {
        let own = self.own.entry(skill.to_owned()).or_default();
        let declared = self.declared.entry(skill.to_owned()).or_default();
        for variable in variables {
            if variable.is_secret {
                declared.insert(variable.name.clone());
            }
            if name::fault(&variable.name).is_none() {
                own.insert(variable.name, variable.value);
            }
        }
    }

    /// Adds a secret of a skill that waits for an answer of the user.
    pub fn add_unanswered(&mut self, secret: UnansweredSecret) {
        self.resolved.unanswered.insert(secret);
    }

    /// Adds diagnostics about variables that were added.
    pub fn add_diagnostics(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        self.resolved.diagnostics.extend(diagnostics);
    }

    /// Variables that could not be set, and doubtful ones.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.resolved.diagnostics
    }

    /// Whether the user's policy allows the programs of a skill.
    pub(super) fn allows(&self, skill: &str) -> bool {
        self.policy.skills.as_ref().is_none_or(|skills| skills.contains(skill))
    }

    /// Whether no program may get a name.
    pub(super) fn is_blocked(&self, name: &str) -> bool {
        BLOCKED.contains(&name) || self.policy.blocked.contains(name)
    }

    /// All secret values, by name.
    pub fn secrets(&self) -> impl Iterator<Item = (&str, &SecretString)> {
        let shared = self.resolved.secret.iter().map(|(name, scoped)| (name.as_str(), &scoped.value));
        let own = self.own.iter().flat_map(|(skill, values)| {
            let declared = self.declared.get(skill);
            values.iter().filter(move |(name, _)| declared.is_some_and(|names| names.contains(*name)))
        });
        shared.chain(own.map(|(name, value)| (name.as_str(), value)))
    }

    /// Whether the programs of a skill get a secret.
    pub fn holds_secret(&self, skill: &str) -> bool {
        let own = || {
            Some(
                self.declared
                    .get(skill)?
                    .intersection(&self.own.get(skill)?.keys().cloned().collect())
                    .count(),
            )
        };
        self.resolved.secrets_of(skill).next().is_some() || own().is_some_and(|count| count > 0)
    }

    /// Removes a value from every program.
    pub fn withhold(&mut self, name: &str) {
        self.resolved.secret.remove(name);
        for values in self.own.values_mut() {
            values.remove(name);
        }
    }

    /// The environment of the programs of a skill. Blocked names are removed last, so that no later step
    /// brings them back.
    pub fn environment_of(&self, skill: &str) -> BTreeMap<String, SecretString> {
        let mut environment = self.own.get(skill).cloned().unwrap_or_default();
        for bucket in [&self.resolved.model, &self.resolved.runtime, &self.policy.base] {
            let values =
                bucket.iter().map(|(name, value)| (name.clone(), SecretString::from(value.as_str())));
            environment.extend(values);
        }
        let secrets = self.resolved.secrets_of(skill);
        environment.extend(secrets.map(|(name, value)| (name.to_owned(), value.clone())));
        environment.retain(|name, _| !self.is_blocked(name));
        environment
    }

    /// The value of a secret, as one skill has it.
    pub(super) fn secret_of(&self, skill: &str, name: &str) -> Option<&SecretString> {
        let shared = self.resolved.secret.get(name).map(|scoped| &scoped.value);
        let mine = self.resolved.secrets_of(skill).any(|(known, _)| known == name);
        shared.filter(|_| mine).or_else(|| self.own.get(skill)?.get(name))
    }
}
