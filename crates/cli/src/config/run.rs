//! The section `[run]` of the configuration: what the commands of skills may do here. Only the
//! person's own file and the administrator's count.

use serde::Deserialize;
use skillful_format::ToolGrant;
use skillful_runtime::room::Grants;
use std::path::{Path, PathBuf};

/// The section as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunSection {
    commands: Option<bool>,
    network: Option<Vec<String>>,
    readable: Option<Vec<PathBuf>>,
    writable: Option<Vec<PathBuf>>,
    forbidden_tools: Option<Vec<String>>,
}

/// What the commands of skills may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunRules {
    /// Whether commands of bodies run at all.
    pub commands: bool,
    /// Network and folders.
    pub grants: Grants,
    /// What no skill may use.
    pub forbidden: Vec<ToolGrant>,
}

impl Default for RunRules {
    fn default() -> Self {
        Self { commands: true, grants: Grants::default(), forbidden: Vec::new() }
    }
}

impl RunSection {
    /// Takes the section into the rules. Returns each value that was set, and what could not be read.
    pub(crate) fn put(
        self,
        rules: &mut RunRules,
        base: &Path,
        home: Option<&Path>,
    ) -> (Vec<(&'static str, String)>, Vec<String>) {
        let (mut set, mut wrong) = (Vec::new(), Vec::new());
        let mut shown = |key, values: Vec<String>| set.push((key, super::list(values.into_iter())));
        if let Some(names) = self.network {
            shown("run.network", names.clone());
            rules.grants.network = names.into_iter().collect();
        }
        for (key, from, to) in [
            ("run.readable", self.readable, &mut rules.grants.readable),
            ("run.writable", self.writable, &mut rules.grants.writable),
        ] {
            let Some(paths) = from else { continue };
            shown(key, paths.iter().map(|path| path.display().to_string()).collect());
            *to = paths
                .into_iter()
                .map(|path| match (path.strip_prefix("~"), home) {
                    (Ok(below), Some(home)) => home.join(below),
                    _ => base.join(path),
                })
                .collect();
        }
        if let Some(words) = self.forbidden_tools {
            shown("run.forbidden_tools", words.clone());
            rules.forbidden.clear();
            for word in words {
                match ToolGrant::parse(&word) {
                    Some(grant) => rules.forbidden.push(grant),
                    None => wrong.push(format!("`{word}` in run.forbidden_tools names no tool")),
                }
            }
        }
        if let Some(commands) = self.commands {
            rules.commands = commands;
            set.push(("run.commands", commands.to_string()));
        }
        (set, wrong)
    }
}
