//! Variables of a skill.

use super::{DiagnosticView, SCHEMA};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{
    Entry,
    variables::{Resolved, SKILL_FILE, Source, Value},
};
use skillful_format::{
    Diagnostic,
    manifest::{EnvSpec, Variable},
};

/// The variables that a skill declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VariableList {
    /// The version of this object.
    pub schema: u32,
    /// The skill.
    pub skill: String,
    /// Its variables.
    pub variables: Vec<VariableView>,
    /// What its `env` gives to its programs.
    pub env: Vec<EnvView>,
    /// Required variables without a value.
    pub missing: Vec<String>,
    /// Problems of the files with values.
    pub diagnostics: Vec<DiagnosticView>,
}

/// One variable of `env`, which the programs of a skill get when they run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EnvView {
    /// Its name.
    pub name: String,
    /// Where its value comes from.
    pub from: String,
    /// Whether it is a secret.
    pub secret: bool,
    /// Why it has no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The command that gives it a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl EnvView {
    fn of(spec: &EnvSpec, unset: &[Diagnostic]) -> Self {
        let start = format!("`{}` of ", spec.var.escape_debug());
        let unset = unset.iter().find(|found| found.message.starts_with(&start));
        let word = |word: &Option<String>| word.clone().unwrap_or_default();
        let from = match spec.from.as_deref() {
            Some("secret") => format!("secret {} {}", word(&spec.service), word(&spec.key)),
            Some("config") => format!("setting {}", word(&spec.config_path)),
            Some("template_file") => format!("file of {}", word(&spec.template)),
            Some(other) => other.to_owned(),
            None => format!("variable {}", word(&spec.fallback_var)),
        };
        Self {
            name: spec.var.clone(),
            from,
            secret: spec.sensitive || spec.from.as_deref() == Some("secret"),
            problem: unset.map(|found| match found.message.split_once(": ") {
                Some((_, why)) => why.to_owned(),
                None => found.message.clone(),
            }),
            fix: unset.and_then(|found| found.help.clone().map(Into::into)),
        }
    }
}

/// One variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VariableView {
    /// Its name.
    pub name: String,
    /// Its value; a secret is masked.
    pub value: Option<String>,
    /// Where the value comes from.
    pub from: Option<String>,
    /// Whether the skill needs it.
    pub required: bool,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether the model may read it.
    pub expose_to_model: bool,
    /// What it is for.
    pub description: Option<String>,
}

impl VariableList {
    /// The view of the resolved variables of a skill. `unset` says which variables of its programs have no value.
    pub fn of(entry: &Entry, resolved: &Resolved, unset: &[Diagnostic]) -> Self {
        let view = |(name, variable): &(String, Variable)| {
            let value = resolved.values.get(name);
            VariableView {
                name: name.clone(),
                value: value.map(Value::to_string),
                from: value.map(|value| origin(value.source()).to_owned()),
                required: variable.required,
                secret: variable.secret,
                expose_to_model: variable.expose_to_model,
                description: variable.description.clone(),
            }
        };
        Self {
            schema: SCHEMA,
            skill: entry.address(),
            variables: entry.loaded.manifest.vars.iter().map(view).collect(),
            env: entry.loaded.manifest.env.iter().map(|spec| EnvView::of(spec, unset)).collect(),
            missing: resolved.missing.clone(),
            diagnostics: DiagnosticView::all(&resolved.diagnostics),
        }
    }
}

fn origin(source: Source) -> &'static str {
    match source {
        Source::Skill => SKILL_FILE,
        Source::Section => "variables.json",
        Source::Global => "variables.json (_global)",
        Source::Environment => "environment",
        Source::Default => "default",
    }
}
