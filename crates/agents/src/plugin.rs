//! Finds the plugins that an agent loads: which are installed, which version, and which are enabled.

use super::{
    config::{self, Config},
    json::JsonForm,
    roots::AgentRoot,
    setup::Setup,
};
use crate::extension::extensions;
use serde_json::Value as Json;
use skillful_catalog::bounded;
use skillful_profiles::{AgentProfile, PluginLayout};
use std::{
    cmp::Ordering,
    fs,
    path::{Component, Path, PathBuf},
};

/// A plugin that the agent loads.
#[derive(Default)]
pub(super) struct AgentPlugin {
    /// What qualifies the names of its skills; nothing for an extension.
    pub(super) name: Option<String>,
    /// The folder of the plugin.
    pub(super) folder: Option<PathBuf>,
    /// The folder of the plugin, if that is its only skill.
    pub(super) itself: Option<PathBuf>,
    /// Folders of skills, or skills themselves.
    pub(super) skills: Vec<PathBuf>,
    /// Folders of command files, or command files themselves.
    pub(super) commands: Vec<PathBuf>,
    /// Command files that have another name than their path gives them.
    pub(super) named: Vec<(String, PathBuf)>,
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
                folder: None,
                itself: None,
                skills: plugin.skills,
                commands: Vec::new(),
                named: Vec::new(),
            };
            plugins.into_iter().map(plugin).collect()
        }
        PluginLayout::Extensions => extensions(agent, &setup.places, &setup.config, root).unwrap_or_default(),
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

pub(super) fn strict(file: &Path) -> Option<Json> {
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
        found.push(AgentPlugin {
            name: Some(name),
            folder: None,
            itself: is_one.then_some(folder),
            skills,
            commands,
            named: Vec::new(),
        });
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
    let manifest = unmarked(&manifest)?;
    let manifest = manifest.as_object()?;
    let own = || folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = match manifest.get("name") {
        None => own()?,
        Some(Json::String(name)) if name.trim().is_empty() => own()?,
        Some(name) => name.as_str()?.to_owned(),
    };
    let mut skills = manifest.get("skills").map(|paths| dotted(&folder, paths)).unwrap_or_default();
    if skills.is_empty() {
        skills.push(folder.join("skills"));
    }
    Some(AgentPlugin {
        name: Some(name),
        folder: None,
        itself: None,
        skills,
        commands: Vec::new(),
        named: Vec::new(),
    })
}

/// JSON without a byte order mark.
fn unmarked(file: &Path) -> Option<Json> {
    let (start, _) = bounded::read_start(file, '\u{feff}'.len_utf8(), None).ok()?;
    (!start.starts_with('\u{feff}')).then(|| strict(file)).flatten()
}

/// The paths of a manifest that start with `./` and stay inside the plugin; none of a list that has anything but texts.
fn dotted(folder: &Path, paths: &Json) -> Vec<PathBuf> {
    let texts = match paths {
        Json::Array(list) => list.iter().map(Json::as_str).collect::<Option<Vec<_>>>().unwrap_or_default(),
        Json::String(path) => vec![path.as_str()],
        _ => Vec::new(),
    };
    let named = texts.into_iter().filter(|path| path.strip_prefix("./").is_some_and(|rest| !rest.is_empty()));
    named.flat_map(|path| inside(folder, &Json::from(path))).collect()
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

/// Whether the skills, agents and commands of a manifest are paths that start with `./`; commands may be a mapping of names.
fn has_sound_paths(manifest: &Json) -> bool {
    let is_path = |path: &Json| path.as_str().is_some_and(|path| path.starts_with("./"));
    let are_paths = |value: &Json| match value {
        Json::Array(list) => list.iter().all(is_path),
        value => is_path(value),
    };
    ["skills", "agents"].iter().all(|key| manifest.get(key).is_none_or(are_paths))
        && manifest.get("commands").is_none_or(|commands| commands.is_object() || are_paths(commands))
}

/// The files of the commands of a manifest that has a mapping of names, each with its name.
fn named_commands(folder: &Path, commands: &Json) -> Vec<(String, PathBuf)> {
    let entries = commands.as_object().into_iter().flatten();
    let file = |entry: &Json| inside(folder, entry.get("source")?).into_iter().next();
    entries.filter_map(|(name, entry)| Some((name.clone(), file(entry)?))).collect()
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
        if !self.is_allowed(known.get("source")?) {
            return None;
        }
        let place = PathBuf::from(known.get("installLocation")?.as_str()?);
        let list = strict(&place.join(".claude-plugin/marketplace.json"))?;
        let entry = list
            .get("plugins")?
            .as_array()?
            .iter()
            .find(|entry| entry.get("name").and_then(Json::as_str) == Some(plugin))?;
        let is_here = known.pointer("/source/source").and_then(Json::as_str) == Some("directory");
        let folder = match entry.get("source").and_then(Json::as_str) {
            Some(path) if is_here => {
                let above = list.pointer("/metadata/pluginRoot").and_then(Json::as_str).unwrap_or_default();
                if above.is_empty() && !path.starts_with("./") {
                    return None;
                }
                let above = if path.starts_with("./") { "" } else { above };
                place.join(above.trim_start_matches("./")).join(path.trim_start_matches("./"))
            }
            _ => self.installed_at(&format!("{plugin}@{marketplace}"))?,
        };
        self.of_folder(folder, plugin, entry)
    }

    /// A plugin that the record of installed plugins names, whatever its marketplace says of it.
    fn recorded(&self, id: &str) -> Option<AgentPlugin> {
        let folder = self.installed_at(id)?;
        self.of_folder(folder, id.split('@').next().unwrap_or(id), &Json::Null)
    }

    /// Whether the administrator allows a source of plugins.
    fn is_allowed(&self, source: &Json) -> bool {
        let list = |key: &Option<String>| self.setup.config.last(key.as_deref()?)?.as_array();
        let rules = &self.agent.plugins;
        list(&rules.allowed_sources).is_none_or(|allowed| allowed.contains(source))
            && list(&rules.blocked_sources).is_none_or(|blocked| !blocked.contains(source))
    }

    fn of_folder(&self, folder: PathBuf, plugin: &str, entry: &Json) -> Option<AgentPlugin> {
        let manifest =
            self.agent.plugins.manifests.iter().map(|name| folder.join(name)).find(|file| file.is_file());
        let manifest = match manifest {
            Some(file) => strict(&file).filter(Json::is_object)?,
            None => Json::Null,
        };
        let name = manifest.get("name").and_then(Json::as_str).unwrap_or(plugin).to_owned();
        if self.agent.plugins.strict_manifest && (name.contains(' ') || !has_sound_paths(&manifest)) {
            return None;
        }
        let mut skills = vec![folder.join("skills")];
        for from in [entry, &manifest] {
            skills.extend(from.get("skills").map(|paths| inside(&folder, paths)).into_iter().flatten());
        }
        let (commands, named) = match manifest.get("commands") {
            Some(paths) => (inside(&folder, paths), named_commands(&folder, paths)),
            None => (vec![folder.join("commands")], Vec::new()),
        };
        let files = named.iter().map(|(_, file)| file);
        let has_any = skills.iter().chain(&commands).chain(files).any(|path| path.exists());
        let itself = (!has_any).then(|| folder.clone());
        Some(AgentPlugin { name: Some(name), folder: Some(folder), itself, skills, commands, named })
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
