//! Agent profiles as data: one TOML file describes how one agent finds, reads, names and lists
//! skills.
//!
//! A difference between agents is a field here and never an `if agent == …`. The files in `agents/`
//! are read at build time and embedded in a form that needs no parsing; a user may add more beside the
//! configuration. Adding an agent needs no code.

use skillful_format::{Code, Diagnostic};

mod authoring;
mod embedded;
mod rules;

pub use authoring::{FieldReaders, ToolName, part_of};
pub use embedded::AgentProfiles;
pub use rules::*;

/// A larger profile file is refused before it is parsed.
pub const PROFILE_FILE_LIMIT: usize = 64 << 10;

impl AgentProfile {
    /// How the folders of plugins are arranged in one of its roots.
    pub fn plugin_layout(&self, rule: &RootRule) -> PluginLayout {
        rule.layout.unwrap_or(self.plugins.layout)
    }

    /// Parses one agent profile; a bad file is a diagnostic with its line.
    pub fn parse(text: &str) -> Result<Self, Box<Diagnostic>> {
        let fail = |message: String| Box::new(Diagnostic::new(Code::AgentProfileInvalid, message));
        if text.len() > PROFILE_FILE_LIMIT {
            return Err(fail(format!(
                "the agent profile has {} bytes; the limit is {PROFILE_FILE_LIMIT}",
                text.len()
            )));
        }
        let agent: Self = toml::from_str(text).map_err(|error| {
            let mut diagnostic = fail(error.message().to_owned());
            if let Some(range) = error.span() {
                diagnostic.span = Some(skillful_format::source::span_in(text, range));
            }
            diagnostic
        })?;
        match agent.fault() {
            None => Ok(agent),
            Some(fault) => Err(fail(fault)),
        }
    }
}

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
