//! Paths in agent profiles: relative to a project, `~/…`, `${VAR:-default}/…`, `./${VAR:-default}/…` for an agent that takes
//! a relative value from the working folder, `./${VAR-default}/…` for one that takes an empty value so too, or absolute; or
//! a list of folders that the configuration or a variable has.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Splits a text at the brace that closes one before it; a default may have braces of its own.
fn split_braces(text: &str) -> Option<(&str, &str)> {
    let mut open = 1;
    let at = text.find(|c| {
        open += i32::from(c == '{') - i32::from(c == '}');
        open == 0
    })?;
    Some((&text[..at], &text[at + 1..]))
}

/// A path in an agent profile. The caller passes the environment that resolves it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PathTemplate(String);

/// Where a list of folders is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderList<'a> {
    /// Under this key of the agent's configuration.
    Config(&'a str),
    /// In this variable, separated by commas.
    Variable(&'a str),
}

impl PathTemplate {
    /// A template from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as written in the profile.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text for users, without the mark of a value that may be relative.
    pub fn shown(&self) -> String {
        self.0.replace("./${", "${")
    }

    /// The list of folders that this template stands for, if it is not a path.
    pub fn list(&self) -> Option<FolderList<'_>> {
        let config = self.0.strip_prefix("@config:").map(FolderList::Config);
        config.or_else(|| self.0.strip_prefix("@list:").map(FolderList::Variable))
    }

    /// Whether the path is relative to the project.
    pub fn is_relative(&self) -> bool {
        self.list().is_none() && !["/", "~/", "${", "./${"].iter().any(|start| self.0.starts_with(start))
    }

    /// Whether a variable may move it to a place that is relative to the working folder, away from its default.
    pub fn may_depend_on_folder(&self) -> bool {
        self.0.starts_with("./${") && self.0.contains('-')
    }

    /// The resolved folder, unless it depends on the working folder or on the project.
    pub fn resolve_anywhere(
        &self,
        home: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<PathBuf> {
        self.resolve(Path::new(""), home, variable).filter(|path| path.is_absolute())
    }

    /// The resolved folder, or `None` when a required variable is not set. A relative template is
    /// relative to `base`, and so is a relative value of a variable in a template that starts with `./${`. An empty value
    /// counts as not set, unless the template has `-` in the place of `:-`.
    pub fn resolve(
        &self,
        base: &Path,
        home: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<PathBuf> {
        if self.list().is_some() {
            return None;
        }
        let (text, may_be_relative) = match self.0.strip_prefix("./") {
            Some(rest) if rest.starts_with("${") => (rest, true),
            _ => (self.0.as_str(), false),
        };
        if let Some(rest) = text.strip_prefix("${") {
            let (inner, tail) = split_braces(rest)?;
            let (name, default) = match inner.split_once('-') {
                Some((name, default)) => (name, Some(default)),
                None => (inner, None),
            };
            let (name, may_be_empty) = match name.strip_suffix(':') {
                Some(name) => (name, false),
                None => (name, default.is_some()),
            };
            // A relative value would make the root depend on the working folder, which variables
            // such as XDG_CONFIG_HOME do not allow.
            let is_taken = |value: &String| {
                (may_be_empty || !value.is_empty()) && (may_be_relative || Path::new(value).is_absolute())
            };
            let value = variable(name).filter(is_taken);
            let start = match (value, default) {
                (Some(value), _) => base.join(value),
                (None, Some(default)) => Self::new(default).resolve(base, home, variable)?,
                (None, None) => return None,
            };
            let tail = tail.trim_start_matches('/');
            return Some(if tail.is_empty() { start } else { start.join(tail) });
        }
        if text == "~" {
            return Some(home.to_path_buf());
        }
        if let Some(rest) = text.strip_prefix("~/") {
            return Some(home.join(rest));
        }
        Some(base.join(text))
    }
}
