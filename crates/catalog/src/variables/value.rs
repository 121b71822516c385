//! The value of a variable, which is masked in all output when it is secret.

use super::names::says_secret;
use serde::{Serialize, Serializer};
use skillful_format::manifest::Variable;
use std::fmt;

/// What is printed in place of a secret, whatever its length.
pub const MASK: &str = "***";

/// Where a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// `vars.json` beside the skill.
    Skill,
    /// The skill's section of `variables.json`.
    Section,
    /// The section of `variables.json` for every skill.
    Global,
    /// The process environment.
    Environment,
    /// The declaration.
    Default,
}

/// The value of a variable. A secret one shows [`MASK`] in logs, errors, JSON and debug output, so
/// that nothing leaks by being printed; code that needs the text calls [`Value::reveal`].
#[derive(Clone, PartialEq, Eq)]
pub struct Value {
    text: String,
    secret: bool,
    exposed: bool,
    source: Source,
}

impl Value {
    /// A value of the environment whose name says that it is a secret is one, whatever the author declares: the user
    /// set it for other programs, and never for the prompt of this skill.
    pub(super) fn new(text: String, name: &str, variable: &Variable, source: Source) -> Self {
        let is_foreign = source == Source::Environment && says_secret(name);
        let secret = variable.secret || is_foreign;
        Self { text, secret, exposed: variable.expose_to_model && !is_foreign, source }
    }

    /// The text itself, for the environment of a program or a server that the skill runs.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// The text for a prompt: a secret only when its skill sets `expose_to_model`.
    pub fn for_model(&self) -> Option<&str> {
        (!self.secret || self.exposed).then_some(self.text.as_str())
    }

    /// Whether it is never printed.
    pub fn is_secret(&self) -> bool {
        self.secret
    }

    /// Whether it is a secret that lies with the user and not beside the skill: the user binds it to the skill's files.
    pub fn is_bound(&self) -> bool {
        self.secret && matches!(self.source, Source::Section | Source::Global | Source::Environment)
    }

    /// Where it was found.
    pub fn source(&self) -> Source {
        self.source
    }

    fn printed(&self) -> &str {
        if self.secret { MASK } else { &self.text }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.printed())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Value")
            .field("text", &self.printed())
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.printed())
    }
}
