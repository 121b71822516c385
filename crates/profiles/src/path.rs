//! Paths of agent files: relative to a project, `~/…`, `${VAR:-default}/…`, or absolute.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A path in an agent file. Resolved against an environment that the caller passes in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PathTemplate(String);

impl PathTemplate {
    /// A template from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// As written in the agent file.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it means another folder in every project.
    pub fn is_relative(&self) -> bool {
        !(self.0.starts_with('/') || self.0.starts_with("~/") || self.0.starts_with("${"))
    }

    /// The folder this means for a person, or `None` when it needs a variable that is not set.
    /// A relative template is relative to `base`.
    pub fn resolve(
        &self,
        base: &Path,
        home: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<PathBuf> {
        let text = self.0.as_str();
        if let Some(rest) = text.strip_prefix("${") {
            let (inner, tail) = rest.split_once('}')?;
            let (name, default) = match inner.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inner, None),
            };
            // A relative value would make the root depend on the working folder: not what a
            // variable such as XDG_CONFIG_HOME may mean.
            let value = variable(name).filter(|value| Path::new(value).is_absolute());
            let start = match (value, default) {
                (Some(value), _) => PathBuf::from(value),
                (None, Some(default)) => Self::new(default).resolve(base, home, &|_| None)?,
                (None, None) => return None,
            };
            return Some(start.join(tail.trim_start_matches('/')));
        }
        if let Some(rest) = text.strip_prefix("~/") {
            return Some(home.join(rest));
        }
        Some(base.join(text))
    }
}
