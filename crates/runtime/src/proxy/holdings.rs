//! What a run holds: its variables, by skill, and what a person allowed on top.

use super::{BLOCKED, gate::CatalogGate};
use crate::env::{self, AgentProfile, Declared, Resolved, is_sensitive, name};
use secrecy::SecretString;
use skillful_catalog::{Settings, variables};
use skillful_format::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};

/// What a person allows for a run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Skills whose programs may be run; `None` is all that the gate lets through, none is none.
    pub skills: Option<BTreeSet<String>>,
    /// Skills that this turn chose.
    pub selected: BTreeSet<String>,
    /// Variables that may be looked up at all; `None` is all of [`Self::readable`], none is none.
    pub lookups: Option<BTreeSet<String>>,
    /// Variables that a skill may read itself, and with it the model.
    pub readable: BTreeSet<(String, String)>,
    /// Names that nobody gets, beside [`BLOCKED`].
    pub blocked: BTreeSet<String>,
    /// Variables that every program gets.
    pub base: BTreeMap<String, String>,
}

/// What a run holds.
#[derive(Clone, Debug, Default)]
pub struct Holdings {
    pub(super) plan: Plan,
    pub(super) resolved: Resolved,
    /// Variables of single skills that are not of their `env`.
    pub(super) own: BTreeMap<String, BTreeMap<String, SecretString>>,
    /// Names of secrets that skills declare, with or without a value.
    pub(super) declared: BTreeMap<String, BTreeSet<String>>,
}

impl Holdings {
    /// Resolves the variables of every skill that the gate lets through.
    pub fn gather(gate: &CatalogGate, settings: &Settings, agent: &dyn AgentProfile, plan: Plan) -> Self {
        let entries: Vec<_> = gate.entries().map(|at| &gate.catalog.entries[at]).collect();
        let addresses: Vec<String> = entries.iter().map(|entry| entry.address()).collect();
        let skills: Vec<Declared<'_>> = entries
            .iter()
            .zip(&addresses)
            .map(|(entry, skill)| Declared {
                skill,
                specs: &entry.loaded.manifest.env,
                selected: plan.selected.contains(skill),
            })
            .collect();
        let resolved = env::resolve(&skills, &plan.base, agent);
        let mut holdings = Self { plan, resolved, ..Self::default() };
        let store = variables::Store::new(settings);
        for ((entry, skill), declared) in entries.iter().zip(&addresses).zip(&skills) {
            let names = declared.specs.iter().filter(|spec| is_sensitive(spec)).map(|spec| spec.var.clone());
            holdings.declared.insert(skill.clone(), names.collect());
            let found = variables::resolve(entry, &gate.environment, &store);
            let own = found.values.iter().filter(|(name, _)| name::fault(name).is_none());
            let own = own.map(|(name, value)| (name.clone(), SecretString::from(value.reveal())));
            holdings.own.insert(skill.clone(), own.collect());
            let secret = found.values.iter().filter(|(_, value)| value.is_secret());
            let names = secret.map(|(name, _)| name.clone());
            holdings.declared.entry(skill.clone()).or_default().extend(names);
            holdings.resolved.diagnostics.extend(found.diagnostics);
        }
        holdings
    }

    /// What could not be set, and what was in doubt.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.resolved.diagnostics
    }

    /// Whether the person's list has a skill.
    pub(super) fn allows(&self, skill: &str) -> bool {
        self.plan.skills.as_ref().is_none_or(|skills| skills.contains(skill))
    }

    /// Whether a name is for nobody.
    pub(super) fn is_blocked(&self, name: &str) -> bool {
        BLOCKED.contains(&name) || self.plan.blocked.contains(name)
    }

    /// Everything that must not be seen: values that are secret, by name.
    pub fn secrets(&self) -> impl Iterator<Item = (&str, &SecretString)> {
        let shared = self.resolved.secret.iter().map(|(name, scoped)| (name.as_str(), &scoped.value));
        let own = self.own.iter().flat_map(|(skill, values)| {
            let declared = self.declared.get(skill);
            values.iter().filter(move |(name, _)| declared.is_some_and(|names| names.contains(*name)))
        });
        shared.chain(own.map(|(name, value)| (name.as_str(), value)))
    }

    /// Takes a value away from everybody.
    pub fn withhold(&mut self, name: &str) {
        self.resolved.secret.remove(name);
        for values in self.own.values_mut() {
            values.remove(name);
        }
    }

    /// The environment of the programs of a skill. Names that are blocked go last, so nothing brings
    /// them back.
    pub fn environment_of(&self, skill: &str) -> BTreeMap<String, SecretString> {
        let mut environment = self.own.get(skill).cloned().unwrap_or_default();
        for bucket in [&self.resolved.model, &self.resolved.runtime, &self.plan.base] {
            environment.extend(
                bucket.iter().map(|(name, value)| (name.clone(), SecretString::from(value.as_str()))),
            );
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
