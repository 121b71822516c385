//! Finds the plugins that an agent loads: which are installed, which version, and which are enabled.

use super::{
    config::{self, Config},
    json::JsonForm,
    roots::AgentRoot,
    setup::Setup,
};
use serde_json::Value as Json;
use skillful_profiles::{AgentProfile, PluginLayout};
use std::{
    cmp::Ordering,
    fs,
    path::{Component, Path, PathBuf},
};

/// A plugin that the agent loads.
pub(super) struct AgentPlugin {
    /// What qualifies the names of its skills; nothing for an extension.
    pub(super) name: Option<String>,
    /// The folder of the plugin, if that is its only skill.
    pub(super) itself: Option<PathBuf>,
    /// Folders of skills, or skills themselves.
    pub(super) skills: Vec<PathBuf>,
    /// Folders of command files, or command files themselves.
    pub(super) commands: Vec<PathBuf>,
}

/// The plugins of a root that the agent loads.
pub(super) fn loaded(agent: &AgentProfile, setup: &Setup<'_>, root: &AgentRoot<'_>) -> Vec<AgentPlugin> {
    let layout = root.rule.map_or(agent.plugins.layout, |rule| agent.plugin_layout(rule));
    let root = root.path.as_path();
    match layout {
        PluginLayout::Marketplaces => {
            let (plugins, _) = skillful_catalog::plugin::plugins_in(root, None);
            let plugin = |plugin: skillful_catalog::plugin::Plugin| AgentPlugin {
                name: Some(plugin.name),
                itself: None,
                skills: plugin.skills,
                commands: Vec::new(),
            };
            plugins.into_iter().map(plugin).collect()
        }
        PluginLayout::Extensions => extensions(agent, setup, root),
        PluginLayout::Versions => {
            let enabled = enabled(agent, &setup.config);
            enabled.iter().filter_map(|id| versioned(agent, root, id)).collect()
        }
        PluginLayout::Installed => {
            let installed = strict(&root.join("installed_plugins.json")).unwrap_or(Json::Null);
            let ids = installed.get("plugins").and_then(Json::as_object).into_iter().flatten();
            let registry = Registry { agent, setup, known: Json::Null, installed: installed.clone() };
            ids.filter_map(|(id, _)| registry.recorded(id)).collect()
        }
        PluginLayout::Listed => listed(agent, &setup.config),
        PluginLayout::Registry => {
            let known = strict(&root.join("known_marketplaces.json")).unwrap_or(Json::Null);
            let installed = strict(&root.join("installed_plugins.json")).unwrap_or(Json::Null);
            let registry = Registry { agent, setup, known, installed };
            enabled(agent, &setup.config).iter().filter_map(|id| registry.plugin(id)).collect()
        }
    }
}

fn strict(file: &Path) -> Option<Json> {
    config::read(file, JsonForm::Strict).ok()?
}

/// The enabled plugins as `(plugin, marketplace)`, sorted. The last file that has an entry decides; an entry is a
/// boolean, or a mapping with `enabled`.
fn enabled(agent: &AgentProfile, config: &Config) -> Vec<(String, String)> {
    let Some(key) = &agent.plugins.enabled else { return Vec::new() };
    let names = config.all(key).filter_map(|(_, map)| map.as_object()).flat_map(|map| map.keys());
    let mut names: Vec<&String> = names.collect();
    names.sort();
    names.dedup();
    let is_on = |name: &&&String| {
        config.entry(key, name).is_some_and(|(_, value)| match value {
            Json::Bool(on) => *on,
            Json::Object(map) => map.get("enabled").is_none_or(|on| *on == Json::Bool(true)),
            _ => false,
        })
    };
    let parts = |name: &String| name.rsplit_once('@').map(|(p, m)| (p.to_owned(), m.to_owned()));
    names.iter().filter(is_on).filter_map(|name| parts(name)).collect()
}

/// The plugins of a list in the configuration, in its order.
fn listed(agent: &AgentProfile, config: &Config) -> Vec<AgentPlugin> {
    let list = agent.plugins.installed.as_ref().and_then(|key| config.last(key)).and_then(Json::as_array);
    let mut found = Vec::new();
    for entry in list.into_iter().flatten() {
        let text = |key: &str| entry.get(key).and_then(Json::as_str);
        let (Some(name), Some(folder)) = (text("name"), text("cache_path").map(PathBuf::from)) else {
            continue;
        };
        let id = format!("{name}@{}", text("marketplace").unwrap_or_default());
        let chosen = agent.plugins.enabled.as_ref().and_then(|key| config.entry(key, &id));
        let is_on = match chosen {
            Some((_, value)) => *value == Json::Bool(true),
            None => entry.get("enabled") != Some(&Json::Bool(false)),
        };
        if !is_on || !folder.is_dir() {
            continue;
        }
        let manifest = agent.plugins.manifests.iter().find_map(|name| strict(&folder.join(name)));
        let manifest = manifest.unwrap_or(Json::Null);
        let paths = |key: &str| match manifest.get(key) {
            Some(paths) => inside(&folder, paths),
            None => vec![folder.join(key)],
        };
        let (skills, commands) = (paths("skills"), paths("commands"));
        let is_one = !skills.iter().chain(&commands).any(|path| path.exists());
        let name = manifest.get("name").and_then(Json::as_str).unwrap_or(name).to_owned();
        found.push(AgentPlugin { name: Some(name), itself: is_one.then_some(folder), skills, commands });
    }
    found
}

/// A plugin below `marketplace/plugin/version`.
fn versioned(
    agent: &AgentProfile,
    root: &Path,
    (plugin, marketplace): &(String, String),
) -> Option<AgentPlugin> {
    let is_segment = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    if !is_segment(plugin) || !is_segment(marketplace) {
        return None;
    }
    let folder = root.join(marketplace).join(plugin);
    let versions = fs::read_dir(&folder).ok()?.filter_map(Result::ok);
    let versions = versions.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let version = versions
        .filter_map(|entry| entry.file_name().into_string().ok())
        .max_by(|a, b| (a == "local").cmp(&(b == "local")).then_with(|| newer(a, b)))?;
    let folder = folder.join(version);
    let manifest =
        agent.plugins.manifests.iter().map(|name| folder.join(name)).find(|file| file.is_file())?;
    let manifest = strict(&manifest)?;
    let manifest = manifest.as_object()?;
    let name = manifest.get("name").and_then(Json::as_str).unwrap_or(plugin);
    let skills = match manifest.get("skills") {
        None => vec![folder.join("skills")],
        Some(paths) => inside(&folder, paths),
    };
    Some(AgentPlugin { name: Some(name.to_owned()), itself: None, skills, commands: Vec::new() })
}

/// Compares versions by their numbers if both have them, and otherwise as text.
fn newer(a: &str, b: &str) -> Ordering {
    match (numbers(a), numbers(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.cmp(b),
    }
}

/// The numbers of `1.2.3` or `1.2.3-beta`; a version before a release is older than the release.
fn numbers(version: &str) -> Option<(Vec<u64>, bool, &str)> {
    let version = version.split('+').next().unwrap_or(version);
    let (release, early) = version.split_once('-').map_or((version, None), |(a, b)| (a, Some(b)));
    let numbers: Vec<u64> = release.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    (numbers.len() == 3).then_some((numbers, early.is_none(), early.unwrap_or_default()))
}

/// The paths of a manifest that stay inside the plugin: one text, or a list.
fn inside(folder: &Path, paths: &Json) -> Vec<PathBuf> {
    let list = match paths {
        Json::Array(list) => list.iter().filter_map(Json::as_str).collect(),
        Json::String(path) => vec![path.as_str()],
        _ => Vec::new(),
    };
    let stays = |path: &&str| {
        Path::new(path).components().all(|part| matches!(part, Component::CurDir | Component::Normal(_)))
    };
    let clean = |path: &str| folder.join(path.trim_start_matches("./"));
    list.into_iter().filter(stays).map(clean).collect()
}

struct Registry<'a> {
    agent: &'a AgentProfile,
    setup: &'a Setup<'a>,
    known: Json,
    installed: Json,
}

impl Registry<'_> {
    fn plugin(&self, (plugin, marketplace): &(String, String)) -> Option<AgentPlugin> {
        let known = self.known.get(marketplace)?;
        let place = PathBuf::from(known.get("installLocation")?.as_str()?);
        let list = strict(&place.join(".claude-plugin/marketplace.json"))?;
        let entry = list
            .get("plugins")?
            .as_array()?
            .iter()
            .find(|entry| entry.get("name").and_then(Json::as_str) == Some(plugin))?;
        let is_here = known.pointer("/source/source").and_then(Json::as_str) == Some("directory");
        let folder = match entry.get("source").and_then(Json::as_str) {
            Some(path) if is_here => place.join(path.trim_start_matches("./")),
            _ => self.installed_at(&format!("{plugin}@{marketplace}"))?,
        };
        self.of_folder(folder, plugin, entry)
    }

    /// A plugin that the record of installed plugins names, whatever its marketplace says of it.
    fn recorded(&self, id: &str) -> Option<AgentPlugin> {
        let folder = self.installed_at(id)?;
        self.of_folder(folder, id.split('@').next().unwrap_or(id), &Json::Null)
    }

    fn of_folder(&self, folder: PathBuf, plugin: &str, entry: &Json) -> Option<AgentPlugin> {
        let manifest =
            self.agent.plugins.manifests.iter().map(|name| folder.join(name)).find(|file| file.is_file());
        let manifest = match manifest {
            Some(file) => strict(&file).filter(Json::is_object)?,
            None => Json::Null,
        };
        let name = manifest.get("name").and_then(Json::as_str).unwrap_or(plugin).to_owned();
        let mut skills = vec![folder.join("skills")];
        for from in [entry, &manifest] {
            skills.extend(from.get("skills").map(|paths| inside(&folder, paths)).into_iter().flatten());
        }
        let commands = match manifest.get("commands") {
            Some(paths) => inside(&folder, paths),
            None => vec![folder.join("commands")],
        };
        if !skills.iter().chain(&commands).any(|path| path.exists()) {
            return Some(AgentPlugin { name: Some(name), itself: Some(folder), skills, commands });
        }
        Some(AgentPlugin { name: Some(name), itself: None, skills, commands })
    }

    /// The folder of an installed plugin: the first entry that is for the user or for this project.
    fn installed_at(&self, id: &str) -> Option<PathBuf> {
        let entries = self.installed.get("plugins")?.get(id)?;
        let entries: Vec<&Json> =
            entries.as_array().map_or_else(|| vec![entries], |list| list.iter().collect());
        let applies = |entry: &&&Json| match entry.get("projectPath").and_then(Json::as_str) {
            Some(project) => self.setup.places.cwd == Path::new(project),
            None => true,
        };
        let entry = entries.iter().find(applies)?;
        let folder = PathBuf::from(entry.get("installPath")?.as_str()?);
        folder.is_dir().then_some(folder)
    }
}

/// The extensions below a root: each has a manifest with a name and a version.
fn extensions(agent: &AgentProfile, setup: &Setup<'_>, root: &Path) -> Vec<AgentPlugin> {
    let rules = strict(&root.join("extension-enablement.json")).unwrap_or(Json::Null);
    let Ok(entries) = fs::read_dir(root) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    // A later extension wins.
    folders.sort_by(|a, b| b.cmp(a));
    let mut found = Vec::new();
    for folder in folders.into_iter().filter(|folder| folder.is_dir()) {
        let record = strict(&folder.join(".gemini-extension-install.json"));
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
        if is_word(name) && is_set("version") && is_on(&rules, name, &setup.places.cwd) {
            found.push(AgentPlugin {
                name: None,
                itself: None,
                skills: vec![folder.join("skills")],
                commands: Vec::new(),
            });
        }
    }
    found
}

/// Whether an extension is on in a folder: the last rule that matches decides. `!` switches it off, and a star at the
/// end includes the folders below.
fn is_on(rules: &Json, name: &str, cwd: &Path) -> bool {
    let overrides = rules.get(name).and_then(|rule| rule.get("overrides")).and_then(Json::as_array);
    let cwd = format!("{}/", cwd.display().to_string().trim_end_matches('/'));
    let mut on = true;
    for rule in overrides.into_iter().flatten().filter_map(Json::as_str) {
        let (off, pattern) = rule.strip_prefix('!').map_or((false, rule), |rest| (true, rest));
        let matches = match pattern.strip_suffix('*') {
            Some(start) => cwd.starts_with(start),
            None => cwd == format!("{}/", pattern.trim_end_matches('/')),
        };
        if matches {
            on = !off;
        }
    }
    on
}
