//! The value of one declaration.

use secrecy::SecretString;
use serde_json::Value as Json;
use skillful_format::{Digest, manifest::EnvSpec};

/// The known sources, for a declaration that names another.
pub(super) const SOURCES: &str = "use config, secret, user_id, setup_env or template_file";

/// A skill as its user binds secrets to it: by its files. Its name is for messages only, since another skill can take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillFiles<'a> {
    /// Its address.
    pub skill: &'a str,
    /// The digest of its files; without one it gets no secret.
    pub digest: Option<Digest>,
}

/// Where the values of variables come from. All of it is about one user.
pub trait VariableSources {
    /// The settings that skills may see.
    fn config(&self) -> &Json;

    /// The user's secret, if there is one and the user lets this skill have it.
    fn secret(
        &self,
        skill: SkillFiles<'_>,
        service: &str,
        key: &str,
    ) -> Result<Option<SecretString>, Unavailable>;

    /// Whether the user lets this skill have a secret variable of the environment or of the user's file.
    fn variable(&self, skill: SkillFiles<'_>, name: &str) -> Result<(), Unavailable>;

    /// The user's identity.
    fn user_id(&self) -> Option<&str>;

    /// The value that the hook of a skill returned for a variable.
    fn hook(&self, skill: &str, var: &str) -> Option<SecretString>;

    /// The path of the user's copy of a file, which is made from its template when it is missing.
    fn template_file(
        &self,
        template: &str,
        user_path_fn: Option<&str>,
    ) -> Result<Option<String>, Unavailable>;

    /// Whether a condition holds that only the caller can judge. An unknown condition does not hold.
    fn holds(&self, gate: &str) -> bool;

    /// A variable that the operator lends to skills. An implementation that returns every variable of its
    /// process lets every skill read them.
    fn operator_variable(&self, name: &str) -> Option<SecretString>;
}

/// Why a value is unavailable. Must not hold the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// In a few words.
    pub why: String,
    /// What to do.
    pub help: String,
    /// Whether it waits for an answer of the user. A program is not run without the value then.
    pub unanswered: bool,
}

impl Unavailable {
    /// From what went wrong and the fix.
    pub fn new(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { why: why.into(), help: help.into(), unanswered: false }
    }

    /// A secret that the user has not let the skill have.
    pub fn unanswered(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self { unanswered: true, ..Self::new(why, help) }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Config,
    Secret,
    UserId,
    SetupEnv,
    TemplateFile,
}

impl Source {
    pub(super) fn of(spec: &EnvSpec) -> Option<Self> {
        match spec.from.as_deref()? {
            "config" => Some(Self::Config),
            "secret" => Some(Self::Secret),
            "user_id" => Some(Self::UserId),
            "setup_env" => Some(Self::SetupEnv),
            "template_file" => Some(Self::TemplateFile),
            _ => None,
        }
    }
}

/// The value of a declaration: its source's, else what the operator lends.
pub(super) fn value(
    skill: SkillFiles<'_>,
    spec: &EnvSpec,
    source: Option<Source>,
    sources: &dyn VariableSources,
) -> Result<Option<SecretString>, Unavailable> {
    if !applies(spec, sources) {
        return Ok(None);
    }
    let found = source.map_or(Ok(None), |source| from_source(skill, spec, source, sources));
    match found {
        Ok(Some(value)) => Ok(Some(value)),
        Ok(None) | Err(_) => {
            let lent = spec.fallback_var.as_deref().and_then(|name| sources.operator_variable(name));
            lent.map_or(found, |value| Ok(Some(value)))
        }
    }
}

/// What the source itself has.
pub(super) fn from_source(
    skill: SkillFiles<'_>,
    spec: &EnvSpec,
    source: Source,
    sources: &dyn VariableSources,
) -> Result<Option<SecretString>, Unavailable> {
    if !applies(spec, sources) {
        return Ok(None);
    }
    match source {
        Source::Config => {
            let path = needed(spec.config_path.as_deref(), "config_path")?;
            at(sources.config(), path).map_or(Ok(None), |json| setting(json, path))
        }
        Source::Secret => {
            let service = needed(spec.service.as_deref(), "service")?;
            sources.secret(skill, service, needed(spec.key.as_deref(), "key")?)
        }
        Source::UserId => Ok(sources.user_id().map(SecretString::from)),
        Source::SetupEnv => Ok(sources.hook(skill.skill, &spec.var)),
        Source::TemplateFile => {
            let template = needed(spec.template.as_deref(), "template")?;
            Ok(sources.template_file(template, spec.user_path_fn.as_deref())?.map(SecretString::from))
        }
    }
}

/// Whether all conditions hold.
pub(super) fn applies(spec: &EnvSpec, sources: &dyn VariableSources) -> bool {
    let config = sources.config();
    spec.when.iter().all(|path| at(config, path).is_some_and(is_truthy))
        && spec.gates.iter().all(|gate| sources.holds(gate))
}

fn needed<'a>(value: Option<&'a str>, key: &str) -> Result<&'a str, Unavailable> {
    value.ok_or_else(|| {
        Unavailable::new(format!("it has no `{key}`"), format!("add `{key}` to its declaration"))
    })
}

/// The setting at a dotted path.
fn at<'a>(config: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('.').try_fold(config, |json, part| json.get(part)).filter(|json| !json.is_null())
}

/// The text of a setting. Zero and the empty text are values.
fn setting(json: &Json, path: &str) -> Result<Option<SecretString>, Unavailable> {
    match json {
        Json::Null => Ok(None),
        Json::Bool(flag) => Ok(Some(SecretString::from(flag.to_string()))),
        Json::Number(number) => Ok(Some(SecretString::from(number.to_string()))),
        Json::String(text) => Ok(Some(SecretString::from(text.as_str()))),
        Json::Array(_) | Json::Object(_) => Err(Unavailable::new(
            format!("`{path}` is not a single value"),
            "name a text, a number or a switch of the configuration",
        )),
    }
}

fn is_truthy(json: &Json) -> bool {
    match json {
        Json::Null => false,
        Json::Bool(flag) => *flag,
        Json::Number(number) => number.as_f64() != Some(0.0),
        Json::String(text) => !text.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(pairs) => !pairs.is_empty(),
    }
}
