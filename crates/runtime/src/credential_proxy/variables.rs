//! The variables of every skill that the gate lets through.

use super::CatalogGate;
use secrecy::SecretString;
use skillful_catalog::{Entry, Environment, Settings, approvals::files_of, variables};
use skillful_credentials::{
    env::{AskedSecret, DeclaredEnv, SkillFiles, UnansweredSecret, VariableSources, asks_for_secrets},
    proxy::{OwnVariable, ProgramVariables, ProxyPolicy},
};
use skillful_format::{Code, Diagnostic};

/// Resolves the variables of every skill that the gate lets through: those of its `env`, and those that it
/// declares in `vars`. Secrets among them reach a skill that the user lets have them.
pub fn program_variables(
    gate: &CatalogGate,
    settings: &Settings,
    sources: &dyn VariableSources,
    policy: ProxyPolicy,
) -> ProgramVariables {
    let entries: Vec<_> = gate.entries().map(|at| &gate.catalog.entries[at]).collect();
    let addresses: Vec<String> = entries.iter().map(|entry| entry.address()).collect();
    let skills: Vec<DeclaredEnv<'_>> = entries
        .iter()
        .zip(&addresses)
        .map(|(entry, skill)| {
            let manifest = &entry.loaded.manifest;
            // Only what asks for a secret is read whole.
            let asks = asks_for_secrets(&manifest.env) || variables::asked(&entry.loaded).next().is_some();
            let files = asks.then(|| files_of(entry).ok()).flatten();
            DeclaredEnv { skill, files, specs: &manifest.env, selected: policy.selected.contains(skill) }
        })
        .collect();
    let mut all = ProgramVariables::resolve(&skills, sources, policy);
    let store = variables::SharedVariables::new(settings);
    for (entry, declared) in entries.iter().zip(&skills) {
        let found = variables::resolve(entry, &gate.environment, &store);
        let bound = SkillFiles { skill: declared.skill, digest: declared.files };
        let mut own = Vec::new();
        let mut values: Vec<VariableValue> = found.values.iter().map(VariableValue::declared).collect();
        values.extend(depended(entry, &gate.environment, settings, &found));
        for VariableValue { name, value, is_secret, is_bound } in values {
            let answer = if is_bound { sources.variable(bound, &name) } else { Ok(()) };
            match answer {
                Ok(()) => own.push(OwnVariable { name, value, is_secret }),
                Err(unavailable) if unavailable.unanswered => all.add_unanswered(UnansweredSecret {
                    skill: declared.skill.to_owned(),
                    secret: AskedSecret::Variable(name),
                    why: unavailable.why,
                    fix: unavailable.help,
                }),
                Err(unavailable) => {
                    let message = format!("`{name}` of `{}` is not set: {}", declared.skill, unavailable.why);
                    let found = Diagnostic::new(Code::EnvNotSet, message).help(unavailable.help);
                    all.add_diagnostics([found]);
                }
            }
        }
        all.add_own(declared.skill, own);
        all.add_diagnostics(found.diagnostics);
    }
    all
}

/// A variable with its value, for the programs of one skill.
struct VariableValue {
    name: String,
    value: SecretString,
    is_secret: bool,
    /// Whether the user binds it to the files of the skill.
    is_bound: bool,
}

impl VariableValue {
    /// A variable of `vars`.
    fn declared((name, value): (&String, &variables::Value)) -> Self {
        Self {
            name: name.clone(),
            value: SecretString::from(value.reveal()),
            is_secret: value.is_secret(),
            is_bound: value.is_bound(),
        }
    }
}

/// The variables that the sidecar of a skill depends on and that the user's environment has. All of them are bound: the
/// user set them for other programs.
fn depended(
    entry: &Entry,
    environment: &Environment,
    settings: &Settings,
    known: &variables::Resolved,
) -> Vec<VariableValue> {
    let mut names: Vec<&str> = variables::dependencies(&entry.loaded.sidecar).collect();
    names.sort_unstable();
    names.dedup();
    let is_own = |name: &str| {
        known.values.contains_key(name) || entry.loaded.manifest.env.iter().any(|spec| spec.var == name)
    };
    let names = names.into_iter().filter(|name| !is_own(name) && !settings.provider_keys.contains(*name));
    let found = names.filter_map(|name| {
        let value = environment.variable(name).filter(|value| !value.is_empty())?;
        let value = SecretString::from(value);
        Some(VariableValue { name: name.to_owned(), value, is_secret: true, is_bound: true })
    });
    found.collect()
}
