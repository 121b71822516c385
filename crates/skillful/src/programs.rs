//! The programs of skills: which may be run, and the variables and secrets that they get. `exec` and the proxy use
//! the same rules.

use crate::{
    bindings::{OnceAllowed, SecretAnswers},
    library::LibraryError,
    turn::Said,
    workspace::Workspace,
};
use secrecy::SecretString;
use serde_json::{Value as Json, json};
use skillful_catalog::{Entry, variables::is_provider_key};
use skillful_credentials::{
    env::{SkillFiles, Unavailable, VariableSources},
    proxy::{Gate as _, KEY_VARIABLE, ProgramVariables, ProxyPolicy},
    vault::{EncryptedFile, SecretName, Vault},
};
use skillful_format::{Code, Diagnostic};
use skillful_runtime::credential_proxy::{CatalogGate, program_variables};
use skillful_select::selection::select;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Variables of the user's environment that every program gets, besides locales.
const COMMON: [&str; 4] = ["USER", "LOGNAME", "LANG", "TZ"];

/// Whose programs may be run.
#[derive(Clone, Debug, Default)]
pub struct ProgramRequest {
    /// Skills by name; with no message either, all that the gate admits.
    pub skills: Vec<String>,
    /// The skills that this message selects.
    pub message: Option<String>,
    /// `SKILL=VARIABLE`: values that a caller may look up.
    pub readable: Vec<String>,
}

impl Workspace {
    /// The file of the user's secrets.
    pub fn vault_file(&self) -> EncryptedFile {
        let folder = self.paths().config.parent().unwrap_or(Path::new("/"));
        let key = self.environment().variable(KEY_VARIABLE);
        EncryptedFile::new(folder, key.as_deref().map(Path::new))
    }

    /// Whether a variable holds the key of a model provider, by its name or by the configuration.
    pub fn is_provider_key(&self, name: &str) -> bool {
        is_provider_key(name) || self.config().settings.provider_keys.contains(name)
    }

    /// What decides whether a program may be run.
    pub fn program_gate(&self) -> CatalogGate {
        CatalogGate {
            catalog: self.catalog(),
            principal: self.principal().clone(),
            environment: self.environment().clone(),
            called: skillful_runtime::credential_proxy::CalledSkills::default(),
        }
    }

    /// The programs of a request.
    pub fn program_policy(
        &self,
        gate: &CatalogGate,
        request: &ProgramRequest,
    ) -> Result<ProxyPolicy, LibraryError> {
        let named = request.skills.iter().map(|word| address(gate, word));
        let mut selected = named.collect::<Result<BTreeSet<_>, _>>()?;
        if let Some(message) = &request.message {
            let turn = self.turn_of(&Said { message: message.clone(), ..Said::default() }, &[], 0);
            let chosen = select(&gate.catalog, &turn, gate.asker()).selected;
            let open = gate.reachable();
            let chosen = chosen.iter().map(|chosen| gate.catalog.entries[chosen.entry()].address());
            selected.extend(chosen.filter(|skill| open.contains(skill)));
        }
        let is_all = request.skills.is_empty() && request.message.is_none();
        let mut readable = BTreeSet::new();
        for pair in &request.readable {
            let Some((skill, name)) = pair.split_once('=').filter(|(_, name)| !name.is_empty()) else {
                return Err(LibraryError::usage(format!("--readable `{pair}` does not name a variable"))
                    .fix("write --readable SKILL=VARIABLE"));
            };
            readable.insert((address(gate, skill)?, name.to_owned()));
        }
        let skills = (!is_all).then(|| selected.clone());
        Ok(ProxyPolicy {
            skills,
            selected,
            readable,
            base: self.common_variables(),
            ..ProxyPolicy::default()
        })
    }

    /// The variables of programs. A secret reaches those of a skill that the user lets have it; a variable of the user's
    /// environment reaches one only when it is lent.
    pub fn program_variables(
        &self,
        gate: &CatalogGate,
        policy: ProxyPolicy,
        vault: Box<dyn Vault>,
        lent: &[String],
        once: &OnceAllowed,
    ) -> ProgramVariables {
        let variables = &self.environment().variables;
        let user = self.principal().user.as_deref().or_else(|| variables.get("USER").map(String::as_str));
        let config = json!({ "names": self.config().names });
        let once = once.iter().cloned().chain(self.typed_answers()).collect();
        let answers = SecretAnswers::new(self, &once);
        let keys = &self.config().settings.provider_keys;
        let sources = UserSources { vault, answers, config, user, variables, lent, keys };
        let mut all = program_variables(gate, &self.config().settings, &sources, policy);
        self.add_typed(gate, &mut all);
        all
    }

    /// The variables of the programs of one skill when the user runs one: the same as through the proxy.
    pub fn variables_of(
        &self,
        gate: &CatalogGate,
        skill: &str,
        vault: Box<dyn Vault>,
        once: &OnceAllowed,
    ) -> ProgramVariables {
        let only = BTreeSet::from([skill.to_owned()]);
        let base = self.common_variables();
        let policy =
            ProxyPolicy { skills: Some(only.clone()), selected: only, base, ..ProxyPolicy::default() };
        self.program_variables(gate, policy, vault, &[], once)
    }

    /// Why variables that a skill declares for its programs have no value: a secret that the vault does not hold or
    /// that the user has not allowed, a setting that is not there. A skill that the gate refuses has none.
    pub fn unset_variables(&self, entry: &Entry) -> Vec<Diagnostic> {
        if entry.loaded.manifest.env.is_empty() {
            return Vec::new();
        }
        let vault = Box::new(self.vault_file());
        let found = self.variables_of(&self.program_gate(), &entry.address(), vault, &OnceAllowed::new());
        found.diagnostics().iter().filter(|found| found.code == Code::EnvNotSet).cloned().collect()
    }

    /// Variables of the user's environment that every program gets.
    pub fn common_variables(&self) -> BTreeMap<String, String> {
        let variables = self.environment().variables.iter();
        let common = variables.filter(|(name, _)| COMMON.contains(&name.as_str()) || name.starts_with("LC_"));
        common.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// The address of a skill whose programs may be run.
fn address(gate: &CatalogGate, word: &str) -> Result<String, LibraryError> {
    let skill = gate.reach(word).map_err(|unreachable| {
        LibraryError::usage(format!("programs of `{word}` cannot be run: {}", unreachable.detail))
            .fix("`skillful list` shows every skill and its state")
    })?;
    Ok(skill.address)
}

/// The vault, the configuration and the environment of the user.
struct UserSources<'a> {
    vault: Box<dyn Vault>,
    answers: SecretAnswers<'a>,
    config: Json,
    user: Option<&'a str>,
    variables: &'a BTreeMap<String, String>,
    lent: &'a [String],
    /// Keys of model providers, besides those that every program knows.
    keys: &'a BTreeSet<String>,
}

impl VariableSources for UserSources<'_> {
    fn config(&self) -> &Json {
        &self.config
    }

    fn secret(
        &self,
        skill: SkillFiles<'_>,
        service: &str,
        key: &str,
    ) -> Result<Option<SecretString>, Unavailable> {
        let name = SecretName::new(service, key)?;
        match self.answers.check(skill, &name) {
            Ok(()) => Ok(self.vault.get(&name)?),
            // There is nothing to ask about when the vault has no such secret.
            Err(unavailable) if unavailable.unanswered && self.vault.get(&name)?.is_none() => Ok(None),
            Err(unavailable) => Err(unavailable),
        }
    }

    fn variable(&self, skill: SkillFiles<'_>, name: &str) -> Result<(), Unavailable> {
        self.answers.check_variable(skill, name)
    }

    fn user_id(&self) -> Option<&str> {
        self.user
    }

    fn hook(&self, _skill: &str, _var: &str) -> Option<SecretString> {
        None
    }

    fn template_file(&self, _: &str, _: Option<&str>) -> Result<Option<String>, Unavailable> {
        Err(Unavailable::new("the proxy does not create files from templates", "use another source"))
    }

    fn holds(&self, _gate: &str) -> bool {
        false
    }

    fn operator_variable(&self, name: &str) -> Option<SecretString> {
        // A key of a model provider pays for the user's own assistant.
        let lent = !(is_provider_key(name) || self.keys.contains(name))
            && self.lent.iter().any(|known| known == name);
        self.variables.get(name).filter(|_| lent).map(|value| SecretString::from(value.as_str()))
    }
}
