//! The variables of every skill that the gate lets through.

use super::CatalogGate;
use secrecy::SecretString;
use skillful_catalog::{Settings, approvals::files_of, variables};
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
            let asks = asks_for_secrets(&manifest.env) || variables::asked(manifest).next().is_some();
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
        for (name, value) in &found.values {
            let answer = if value.is_bound() { sources.variable(bound, name) } else { Ok(()) };
            match answer {
                Ok(()) => own.push(OwnVariable {
                    name: name.clone(),
                    value: SecretString::from(value.reveal()),
                    is_secret: value.is_secret(),
                }),
                Err(unavailable) if unavailable.unanswered => all.add_unanswered(UnansweredSecret {
                    skill: declared.skill.to_owned(),
                    secret: AskedSecret::Variable(name.clone()),
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
