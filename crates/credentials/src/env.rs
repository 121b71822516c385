//! The environment of the programs of skills, from the `env` declarations of their frontmatter.
//!
//! Pure: values come from a [`VariableSources`]. Every variable lands in one of three buckets. The model's
//! own shell sees `model`; programs that the runtime starts see `model` and `runtime`, and of `secret`
//! only what is mapped to their skill. A value that cannot be read is skipped and reported; no diagnostic
//! holds a value.

use secrecy::{ExposeSecret, SecretString};
use skillful_format::{Code, Diagnostic, Digest, manifest::EnvSpec};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

mod lookup;
pub(crate) mod name;
#[cfg(test)]
mod tests;

use lookup::Source;
pub use lookup::{SkillFiles, Unavailable, VariableSources};

/// A value longer than this is refused, because no system could pass it to a program.
pub const VALUE_LIMIT: usize = (128 << 10) - 512;
/// Names and values together; beyond it a system refuses to start any program.
pub const TOTAL_LIMIT: usize = 1 << 20;

/// A skill that passes the gates, and what it declares.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredEnv<'a> {
    /// Its address.
    pub skill: &'a str,
    /// The digest of its files, by which secrets are bound to it.
    pub files: Option<Digest>,
    /// Its `env`.
    pub specs: &'a [EnvSpec],
    /// Whether this turn selected it.
    pub selected: bool,
}

impl<'a> DeclaredEnv<'a> {
    fn bound(self) -> SkillFiles<'a> {
        SkillFiles { skill: self.skill, digest: self.files }
    }
}

/// Whether declarations ask for a secret of the vault.
pub fn asks_for_secrets(specs: &[EnvSpec]) -> bool {
    specs.iter().any(|spec| Source::of(spec) == Some(Source::Secret))
}

/// A secret that a skill declares and that its user has not let it have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnansweredSecret {
    /// The skill.
    pub skill: String,
    /// The secret.
    pub secret: AskedSecret,
    /// Why.
    pub why: String,
    /// The command that changes it.
    pub fix: String,
}

/// A secret that a skill asks its user for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AskedSecret {
    /// Of the vault.
    Vault {
        /// The service.
        service: String,
        /// The key within the service.
        key: String,
    },
    /// A secret variable of the environment or of the user's file of variables.
    Variable(String),
}

impl fmt::Display for AskedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vault { service, key } => write!(f, "{service} {key}"),
            Self::Variable(name) => f.write_str(name),
        }
    }
}

/// A secret and the skills whose programs get it.
#[derive(Clone, Debug)]
pub struct ScopedSecret {
    /// The value.
    pub value: SecretString,
    /// The skills that declare it and got this very value.
    pub skills: BTreeSet<String>,
}

/// Every variable that has a value, each in one bucket.
#[derive(Clone, Debug, Default)]
pub struct ResolvedEnv {
    /// For the model's shell and for every program.
    pub model: BTreeMap<String, String>,
    /// For programs that the runtime starts.
    pub runtime: BTreeMap<String, String>,
    /// For the programs of single skills.
    pub secret: BTreeMap<String, ScopedSecret>,
    /// Skills that were selected, or have a credential of their own.
    pub authorised: BTreeSet<String>,
    /// Secrets that wait for an answer of the user; programs of their skills are not run.
    pub unanswered: BTreeSet<UnansweredSecret>,
    /// What could not be set, and what was in doubt.
    pub diagnostics: Vec<Diagnostic>,
}

impl ResolvedEnv {
    /// The secrets of one skill; of a skill that is not authorised there are none.
    pub fn secrets_of<'a>(&'a self, skill: &'a str) -> impl Iterator<Item = (&'a str, &'a SecretString)> {
        let mine =
            move |scoped: &ScopedSecret| scoped.skills.contains(skill) && self.authorised.contains(skill);
        self.secret
            .iter()
            .filter(move |(_, scoped)| mine(scoped))
            .map(|(name, scoped)| (name.as_str(), &scoped.value))
    }
}

/// Whether a skill has a credential of its own: at least one sensitive variable whose source has a
/// value for this user. An empty value does not count, nor does a variable that the operator lends by
/// `fallback_var`, nor a file made from a template.
pub fn authorised(declared: DeclaredEnv<'_>, sources: &dyn VariableSources) -> bool {
    declared.specs.iter().filter(|spec| is_sensitive(spec)).any(|spec| {
        let source = Source::of(spec).filter(|source| *source != Source::TemplateFile);
        let found = source.map(|source| lookup::from_source(declared.bound(), spec, source, sources));
        matches!(found, Some(Ok(Some(value))) if !value.expose_secret().is_empty())
    })
}

/// Resolves the declarations of all skills, in order. `set` are the variables that every program gets,
/// which no skill may change.
pub fn resolve(
    skills: &[DeclaredEnv<'_>],
    set: &BTreeMap<String, String>,
    sources: &dyn VariableSources,
) -> ResolvedEnv {
    let mut resolving = Resolving {
        sources,
        set,
        sensitive: declared_by(skills, is_sensitive),
        hidden: declared_by(skills, |spec| spec.proxy_only),
        placed: BTreeMap::new(),
        bytes: 0,
        resolved: ResolvedEnv::default(),
    };
    for declared in skills {
        if declared.selected || authorised(*declared, sources) {
            resolving.resolved.authorised.insert(declared.skill.to_owned());
        }
        resolving.resolved.unanswered.extend(unanswered(*declared, sources));
    }
    for declared in skills {
        for spec in declared.specs {
            resolving.spec(declared.bound(), spec);
        }
    }
    resolving.finish()
}

/// The secrets of a skill that its user has not let it have, unless the operator lends another value.
fn unanswered<'a>(
    declared: DeclaredEnv<'a>,
    sources: &'a dyn VariableSources,
) -> impl Iterator<Item = UnansweredSecret> + 'a {
    let secrets = declared.specs.iter().filter(|spec| Source::of(spec) == Some(Source::Secret));
    secrets.filter_map(move |spec| {
        match lookup::value(declared.bound(), spec, Some(Source::Secret), sources) {
            Err(unavailable) if unavailable.unanswered => Some(UnansweredSecret {
                skill: declared.skill.to_owned(),
                secret: AskedSecret::Vault { service: spec.service.clone()?, key: spec.key.clone()? },
                why: unavailable.why,
                fix: unavailable.help,
            }),
            _ => None,
        }
    })
}

/// Why no program could be given a value.
pub(crate) fn value_fault(value: &SecretString) -> Option<&'static str> {
    if value.expose_secret().contains('\0') {
        Some("its value holds a NUL byte")
    } else if value.expose_secret().len() > VALUE_LIMIT {
        Some("its value is too long for an environment")
    } else {
        None
    }
}

/// A variable from the vault is secret, whether its author marks it or not.
pub(crate) fn is_sensitive(spec: &EnvSpec) -> bool {
    spec.sensitive || Source::of(spec) == Some(Source::Secret)
}

/// Variables for which `says` holds in some skill, with the first such skill. A skill that hides a variable
/// hides it for all: another skill could otherwise show the same value to the model.
fn declared_by<'a>(
    skills: &[DeclaredEnv<'a>],
    says: impl Fn(&EnvSpec) -> bool,
) -> BTreeMap<&'a str, &'a str> {
    let mut found = BTreeMap::new();
    for declared in skills {
        for spec in declared.specs.iter().filter(|spec| says(spec)) {
            found.entry(spec.var.as_str()).or_insert(declared.skill);
        }
    }
    found
}

struct Placed<'a> {
    scoped: ScopedSecret,
    by: &'a str,
}

struct Resolving<'a> {
    sources: &'a dyn VariableSources,
    set: &'a BTreeMap<String, String>,
    sensitive: BTreeMap<&'a str, &'a str>,
    hidden: BTreeMap<&'a str, &'a str>,
    placed: BTreeMap<&'a str, Placed<'a>>,
    bytes: usize,
    resolved: ResolvedEnv,
}

impl<'a> Resolving<'a> {
    fn spec(&mut self, bound: SkillFiles<'a>, spec: &'a EnvSpec) {
        let skill = bound.skill;
        let var = &spec.var;
        if let Some(why) = name::fault(var) {
            self.unset(skill, spec, &format!("the name {why}"), "choose another name");
            return;
        }
        let source = match (Source::of(spec), &spec.from) {
            (Some(source), _) => Some(source),
            (None, None) if spec.fallback_var.is_some() => None,
            (None, from) => {
                let source = from.as_deref().unwrap_or_default();
                let why = if from.is_some() {
                    format!("there is no source `{source}`")
                } else {
                    "it has no source".to_owned()
                };
                self.unset(skill, spec, &why, lookup::SOURCES);
                return;
            }
        };
        // The user's identity and what a hook returned are for every skill: one that is loaded later works.
        let for_all = source == Some(Source::SetupEnv)
            || source == Some(Source::UserId) && !self.sensitive.contains_key(var.as_str());
        if !for_all && !self.resolved.authorised.contains(skill) {
            return;
        }
        match lookup::value(bound, spec, source, self.sources) {
            Ok(Some(value)) => self.place(skill, spec, value),
            Ok(None) if source == Some(Source::Secret) && lookup::applies(spec, self.sources) => {
                let [service, key] =
                    [&spec.service, &spec.key].map(|word| word.as_deref().unwrap_or_default());
                let why = format!("the vault has no secret {service} {key}");
                self.unset(skill, spec, &why, &format!("skillful secret set {service} {key}"));
            }
            Ok(None) => {}
            Err(unavailable) => self.unset(skill, spec, &unavailable.why, &unavailable.help),
        }
    }

    fn place(&mut self, skill: &'a str, spec: &'a EnvSpec, value: SecretString) {
        let var = spec.var.as_str();
        if self.set.contains_key(var) {
            self.unset(skill, spec, "the runtime sets it already", "choose another name");
            return;
        }
        if let Some(why) = value_fault(&value) {
            self.unset(skill, spec, why, "shorten it, or put it into a file");
            return;
        }
        let size = |value: &SecretString| var.len() + value.expose_secret().len();
        let before = self.placed.get(var).map_or(0, |placed| size(&placed.scoped.value));
        let bytes = self.bytes - before + size(&value);
        if bytes > TOTAL_LIMIT {
            let why = format!("all variables together are larger than {TOTAL_LIMIT} bytes");
            self.unset(skill, spec, &why, "disable skills that are not needed");
            return;
        }
        self.bytes = bytes;
        if let Some(by) = self.sensitive.get(var).filter(|by| **by != skill && !is_sensitive(spec)) {
            let message =
                format!("`{var}` of `{skill}` is kept from the model, because `{by}` calls it secret");
            self.resolved.diagnostics.push(
                Diagnostic::new(Code::EnvConflict, message).help("use one name for one thing in both skills"),
            );
        }
        if let Some(placed) = self.placed.get_mut(var) {
            if placed.scoped.value.expose_secret() == value.expose_secret() {
                placed.scoped.skills.insert(skill.to_owned());
                placed.by = skill;
                return;
            }
            if placed.by != skill {
                let message = format!("`{var}` of `{}` is replaced by that of `{skill}`", placed.by);
                self.resolved.diagnostics.push(
                    Diagnostic::new(Code::EnvConflict, message)
                        .help("give the variable another name in one of the skills"),
                );
            }
        }
        let scoped = ScopedSecret { value, skills: BTreeSet::from([skill.to_owned()]) };
        self.placed.insert(var, Placed { scoped, by: skill });
    }

    fn unset(&mut self, skill: &str, spec: &EnvSpec, why: &str, help: &str) {
        let var = spec.var.escape_debug();
        let message = format!("`{var}` of `{skill}` is not set: {why}");
        self.resolved.diagnostics.push(Diagnostic::new(Code::EnvNotSet, message).help(help.to_owned()));
    }

    fn finish(self) -> ResolvedEnv {
        let mut resolved = self.resolved;
        for (var, placed) in self.placed {
            let name = var.to_owned();
            if self.sensitive.contains_key(var) {
                resolved.secret.insert(name, placed.scoped);
            } else {
                let bucket =
                    if self.hidden.contains_key(var) { &mut resolved.runtime } else { &mut resolved.model };
                bucket.insert(name, placed.scoped.value.expose_secret().to_owned());
            }
        }
        resolved
    }
}
