//! The variables of every skill that the gate lets through.

use super::CatalogGate;
use secrecy::SecretString;
use skillful_catalog::{Settings, approvals::files_of, variables};
use skillful_credentials::{
    env::{DeclaredEnv, VariableSources, asks_for_secrets},
    proxy::{OwnVariable, ProgramVariables, ProxyPolicy},
};

/// Resolves the variables of every skill that the gate lets through: those of its `env`, and those that it
/// declares in `vars`.
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
            let specs = &entry.loaded.manifest.env;
            // Only what asks for a secret is read whole.
            let files = asks_for_secrets(specs).then(|| files_of(entry).ok()).flatten();
            DeclaredEnv { skill, files, specs, selected: policy.selected.contains(skill) }
        })
        .collect();
    let mut all = ProgramVariables::resolve(&skills, sources, policy);
    let store = variables::SharedVariables::new(settings);
    for (entry, skill) in entries.iter().zip(&addresses) {
        let found = variables::resolve(entry, &gate.environment, &store);
        all.add_own(
            skill,
            found.values.iter().map(|(name, value)| OwnVariable {
                name: name.clone(),
                value: SecretString::from(value.reveal()),
                is_secret: value.is_secret(),
            }),
        );
        all.add_diagnostics(found.diagnostics);
    }
    all
}
