//! The section `[run]` of the configuration: what the commands of skills may do here. Only the
//! user's own file and the administrator's count.

use serde::Deserialize;
use skillful_catalog::settings::NameGlob;
use skillful_format::ToolGrant;
use skillful_runtime::{
    policy::{ManifestRule, ToolsInEffect},
    room::Grants,
};
use std::path::{Path, PathBuf};

/// The section as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunSection {
    commands: Option<bool>,
    network: Option<Vec<String>>,
    readable: Option<Vec<PathBuf>>,
    writable: Option<Vec<PathBuf>>,
    allowed_tools: Option<Vec<String>>,
    forbidden_tools: Option<Vec<String>>,
    ask_tools: Option<Vec<String>>,
    manifests: Option<ManifestRule>,
}

/// What the commands of skills may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRules {
    /// Whether commands of bodies run at all.
    pub commands: bool,
    /// Network and folders.
    pub grants: Grants,
    /// The tools in effect before any skill, and whose frontmatter may add to them.
    pub in_effect: ToolsInEffect,
    /// Whether the user named whose frontmatter may add tools.
    pub manifests_named: bool,
}

impl Default for RunRules {
    fn default() -> Self {
        Self {
            commands: true,
            grants: Grants::default(),
            in_effect: ToolsInEffect::default(),
            manifests_named: false,
        }
    }
}

impl RunSection {
    /// Takes the section into the rules. Returns each value that was set, and what could not be read.
    pub fn put(
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
        let mut tools = |key: &'static str, words: Vec<String>| -> Vec<ToolGrant> {
            shown(key, words.clone());
            let mut read = Vec::new();
            for word in words {
                match ToolGrant::parse(&word) {
                    Some(grant) => read.push(grant),
                    // What is forbidden and cannot be read closes everything that it could mean.
                    None if key != "run.allowed_tools" => {
                        let closed = ToolGrant::widest(&word);
                        let what = if key == "run.ask_tools" { "asked about" } else { "forbidden" };
                        wrong.push(format!(
                            "`{word}` in {key} names no tool; `{closed}` is {what} until then"
                        ));
                        read.push(closed);
                    }
                    None => wrong.push(format!("`{word}` in {key} names no tool")),
                }
            }
            read
        };
        if let Some(words) = self.allowed_tools {
            rules.in_effect.lists.allowed = Some(tools("run.allowed_tools", words));
        }
        if let Some(words) = self.forbidden_tools {
            rules.in_effect.lists.disallowed = tools("run.forbidden_tools", words);
        }
        if let Some(words) = self.ask_tools {
            rules.in_effect.lists.asked = tools("run.ask_tools", words);
        }
        if let Some(rule) = self.manifests {
            rules.in_effect.rule = rule;
            rules.manifests_named = true;
            let word = serde_json::json!(rule);
            set.push(("run.manifests", word.as_str().unwrap_or_default().to_owned()));
        }
        if let Some(commands) = self.commands {
            rules.commands = commands;
            set.push(("run.commands", commands.to_string()));
        }
        (set, wrong)
    }
}

/// The names of skills that models may not use: `Skill(pattern)` among the forbidden tools. A pattern that cannot be
/// read forbids every skill.
pub(super) fn forbidden_skills(rules: &RunRules) -> Vec<NameGlob> {
    let named =
        |grant: &&ToolGrant| ["skill", "use_skill"].iter().any(|name| name.eq_ignore_ascii_case(&grant.name));
    let patterns = rules.in_effect.lists.disallowed.iter().filter(named);
    let patterns = patterns.map(|grant| grant.pattern.as_deref().map_or("*", str::trim));
    let glob = |pattern: &str| {
        let pattern = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")).unwrap_or(pattern);
        NameGlob::ignoring_case(pattern).or_else(|_| NameGlob::new("*")).ok()
    };
    patterns.filter_map(glob).collect()
}
