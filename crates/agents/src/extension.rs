//! Finds the extensions that an agent loads: folders with a manifest, which rules may disable for a folder.

use super::{
    config::Config,
    plugin::{AgentPlugin, strict},
    setup::Places,
};
use regex::Regex;
use serde_json::Value as Json;
use skillful_profiles::{AgentProfile, PluginLayout, RootKind};
use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

/// Why the agent does not start with its extensions, and their folder.
pub(super) fn fault(agent: &AgentProfile, places: &Places<'_>, config: &Config) -> Option<(PathBuf, String)> {
    let is_theirs = |layout: PluginLayout| layout == PluginLayout::Extensions;
    let rules = agent.roots.iter().filter(|rule| rule.kind == RootKind::Plugins);
    let mut roots = rules
        .filter(|rule| is_theirs(agent.plugin_layout(rule)))
        .flat_map(|rule| places.resolve(&rule.path, rule.walk, None));
    roots.find_map(|root| extensions(agent, places, config, &root).err().map(|why| (root, why)))
}

/// The extensions below a root: each has a manifest with a name and a version. An error is why the agent does not start.
pub(super) fn extensions(
    agent: &AgentProfile,
    places: &Places<'_>,
    config: &Config,
    root: &Path,
) -> Result<Vec<AgentPlugin>, String> {
    let rules = strict(&root.join("extension-enablement.json")).unwrap_or(Json::Null);
    let Ok(entries) = fs::read_dir(root) else { return Ok(Vec::new()) };
    let mut folders: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    // A later extension wins.
    folders.sort_by(|a, b| b.cmp(a));
    let mut found = Vec::new();
    let mut names = HashSet::new();
    for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
        let record = strict(&folder.join(".gemini-extension-install.json"));
        if !is_allowed(agent, config, &folder, record.as_ref())? {
            continue;
        }
        let linked = record.filter(|record| record.get("type").is_some_and(|kind| *kind == "link"));
        let source = linked.and_then(|record| record.get("source")?.as_str().map(PathBuf::from));
        let folder = source.unwrap_or(folder);
        let Some(manifest) = agent.plugins.manifests.iter().find_map(|name| strict(&folder.join(name)))
        else {
            continue;
        };
        let is_set = |key: &str| manifest.get(key).is_some_and(|value| !value.is_null() && *value != "");
        let name = manifest.get("name").and_then(Json::as_str).unwrap_or_default();
        let is_word =
            |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !is_word(name) || !is_set("version") {
            continue;
        }
        if !names.insert(name.to_owned()) {
            return Err(format!("two extensions have the name `{name}`"));
        }
        if is_on(&rules, name, &places.cwd) {
            let skills = vec![folder.join("skills")];
            found.push(AgentPlugin { skills, ..AgentPlugin::default() });
        }
    }
    Ok(found)
}

/// Whether the settings allow the place that an extension was installed from. Patterns require a record of it.
fn is_allowed(
    agent: &AgentProfile,
    config: &Config,
    folder: &Path,
    record: Option<&Json>,
) -> Result<bool, String> {
    let text = |key: &str| record.and_then(|record| record.get(key)).and_then(Json::as_str);
    let patterns = agent.plugins.allowed_patterns.as_ref().and_then(|key| config.last(key));
    let patterns = patterns.and_then(Json::as_array).filter(|patterns| !patterns.is_empty());
    let Some(patterns) = patterns else {
        let key = agent.plugins.no_repositories.as_ref();
        let blocks = key.and_then(|key| config.last(key)) == Some(&Json::Bool(true));
        return Ok(!(blocks && matches!(text("type"), Some("git" | "github-release"))));
    };
    let Some(source) = text("source").filter(|source| !source.is_empty()) else {
        return Err(format!("no record says where `{}` was installed from", folder.display()));
    };
    let real = fs::canonicalize(source).map_or_else(|_| source.to_owned(), |path| path.display().to_string());
    for pattern in patterns.iter().filter_map(Json::as_str) {
        let pattern = Regex::new(pattern).map_err(|_| format!("`{pattern}` is not a pattern"))?;
        if pattern.is_match(&real) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an extension is on in a folder: the last rule that matches decides. `!` switches it off, and a star stands for
/// any text, or for none together with the slash before it.
fn is_on(rules: &Json, name: &str, cwd: &Path) -> bool {
    let overrides = rules.get(name).and_then(|rule| rule.get("overrides")).and_then(Json::as_array);
    let cwd = format!("{}/", cwd.display().to_string().trim_end_matches('/'));
    let mut on = true;
    for rule in overrides.into_iter().flatten().filter_map(Json::as_str) {
        let (off, pattern) = rule.strip_prefix('!').map_or((false, rule), |rest| (true, rest));
        let pattern = regex::escape(pattern).replace(r"/\*", "(/.*)?").replace(r"\*", "(.*)?");
        if Regex::new(&format!("^{pattern}$")).is_ok_and(|pattern| pattern.is_match(&cwd)) {
            on = !off;
        }
    }
    on
}
