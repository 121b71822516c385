//! Plugins: folders with a manifest that bring skills and commands under a name of their own.
//!
//! Read are `plugin.json` and `marketplace.json` of Claude Code, Codex and Cursor. A path in a
//! manifest that leaves the plugin is refused with a diagnostic.

use crate::bounded::{self, Boundary, ReadError};
use serde_json::Value as Json;
use skillful_format::{Code, Diagnostic, Severity};
use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};

const MANIFEST_FOLDERS: [&str; 3] = [".claude-plugin", ".codex-plugin", ".cursor-plugin"];
const MANIFEST_LIMIT: u64 = 1 << 20;
/// A longer name does not qualify skills, in characters.
const NAME_LIMIT: usize = 64;
/// Levels below a folder of plugins at which a plugin may lie: marketplace, plugin, version.
const DEPTH: usize = 5;
/// Folders looked at in a folder of plugins.
const FOLDERS: usize = 20_000;

/// One plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// Its name, which qualifies its skills.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Folders of skills, or skills themselves.
    pub skills: Vec<PathBuf>,
    /// Folders of commands.
    pub commands: Vec<PathBuf>,
}

/// Whether a folder is a plugin or a marketplace of plugins.
pub(crate) fn is_plugin_folder(folder: &Path) -> bool {
    MANIFEST_FOLDERS.iter().any(|name| folder.join(name).is_dir())
}

/// The folders of the manifests of a plugin, for a watcher.
pub(crate) fn manifest_folders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    MANIFEST_FOLDERS.iter().map(move |name| folder.join(name)).filter(|folder| folder.is_dir())
}

/// All plugins at or below a folder.
pub fn plugins_in(root: &Path, within: Option<&Boundary>) -> (Vec<Plugin>, Vec<Diagnostic>) {
    let mut found = PluginSearch { within, ..PluginSearch::default() };
    let mut level = vec![root.to_path_buf()];
    let mut visited = 0;
    let mut linked = BTreeSet::new();
    for depth in 0.. {
        let mut next = Vec::new();
        if depth > DEPTH
            && let Some(folder) = level.first()
        {
            let message = format!("plugins more than {DEPTH} levels below the folder were not looked for");
            found.diagnostics.push(
                Diagnostic::new(Code::DepthLimit, message).in_path(folder).with_severity(Severity::Note),
            );
            break;
        }
        for folder in level {
            visited += 1;
            if visited > FOLDERS {
                found.diagnostics.push(
                    Diagnostic::new(
                        Code::FolderLimit,
                        format!("the search for plugins stopped after {FOLDERS} folders"),
                    )
                    .in_path(root),
                );
                return found.finish();
            }
            if within.is_some_and(|within| !fs::canonicalize(&folder).is_ok_and(|real| within.holds(&real))) {
                let message = "the link leads out of the repository and was not followed";
                let help = "copy the plugin into the repository";
                let outside = Diagnostic::new(Code::LinkOutside, message).in_path(folder).help(help);
                found.diagnostics.push(outside);
                continue;
            }
            if is_plugin_folder(&folder) {
                found.folder(&folder);
                continue;
            }
            match subfolders(&folder, &mut linked) {
                Ok(folders) => next.extend(folders),
                Err(error) => found.diagnostics.push(
                    Diagnostic::new(Code::FolderUnreadable, format!("the folder could not be read: {error}"))
                        .in_path(folder),
                ),
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    found.finish()
}

/// The folders in a folder. A linked plugin is one too; `linked` has where links have led already,
/// so that a cycle ends.
fn subfolders(folder: &Path, linked: &mut BTreeSet<PathBuf>) -> std::io::Result<Vec<PathBuf>> {
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(folder)?.filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut folders = Vec::new();
    for entry in entries {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") || name == "node_modules" {
            continue;
        }
        let path = entry.path();
        let enter = match entry.file_type() {
            Ok(kind) if kind.is_symlink() => {
                path.is_dir() && fs::canonicalize(&path).is_ok_and(|real| linked.insert(real))
            }
            Ok(kind) => kind.is_dir(),
            Err(_) => false,
        };
        if enter {
            folders.push(path);
        }
    }
    Ok(folders)
}

#[derive(Default)]
struct PluginSearch<'a> {
    /// Where manifests must be; otherwise in the folder of their plugin.
    within: Option<&'a Boundary>,
    plugins: Vec<Plugin>,
    seen: BTreeSet<PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

impl PluginSearch<'_> {
    fn finish(mut self) -> (Vec<Plugin>, Vec<Diagnostic>) {
        self.plugins.sort_by(|a, b| (&a.name, &a.folder).cmp(&(&b.name, &b.folder)));
        (self.plugins, self.diagnostics)
    }

    fn folder(&mut self, folder: &Path) {
        for name in MANIFEST_FOLDERS {
            let manifests = folder.join(name);
            if let Some(json) = self.json(&manifests.join("marketplace.json")) {
                self.marketplace(folder, &manifests.join("marketplace.json"), &json);
            }
            if let Some(json) = self.json(&manifests.join("plugin.json")) {
                self.plugin(folder, &manifests.join("plugin.json"), &json, None);
            }
        }
    }

    /// A manifest, when there is one that can be read.
    fn json(&mut self, file: &Path) -> Option<Json> {
        let problem = |message: String| Diagnostic::new(Code::PluginManifest, message).in_path(file);
        let own = || Boundary::of(file.parent().and_then(Path::parent).unwrap_or(file));
        let within = self.within.cloned().unwrap_or_else(own);
        let text = match bounded::read_text(file, MANIFEST_LIMIT, Some(&within)) {
            Ok(text) => text,
            Err(ReadError::Missing) => return None,
            Err(error) => {
                let found = problem(format!("the manifest could not be read: {error}")).help(error.help());
                self.diagnostics.push(found);
                return None;
            }
        };
        match serde_json::from_str::<Json>(text.trim_start_matches('\u{feff}')) {
            Ok(json) if json.is_object() => Some(json),
            Ok(_) => {
                self.diagnostics.push(problem("the manifest is not a JSON object".to_owned()));
                None
            }
            Err(error) => {
                self.diagnostics.push(problem(format!("the manifest is not JSON: {error}")));
                None
            }
        }
    }

    fn marketplace(&mut self, folder: &Path, file: &Path, json: &Json) {
        let base = json["metadata"]["pluginRoot"].as_str();
        for entry in json["plugins"].as_array().into_iter().flatten() {
            // A source that is not a path is fetched by the agent; there is nothing on this disk.
            let Some(source) = entry["source"].as_str() else { continue };
            let path = match base {
                Some(base) if !source.starts_with('.') => format!("{base}/{source}"),
                _ => source.to_owned(),
            };
            let Some(own) = self.inside(folder, file, &path) else { continue };
            if !own.is_dir() {
                self.report(file, format!("the source `{source}` is not a folder here"));
                continue;
            }
            let manifest = MANIFEST_FOLDERS
                .iter()
                .find_map(|name| self.json(&own.join(name).join("plugin.json")))
                .unwrap_or(Json::Null);
            self.plugin(&own, file, &manifest, Some(entry));
        }
    }

    fn report(&mut self, file: &Path, message: String) {
        self.diagnostics.push(Diagnostic::new(Code::PluginManifest, message).in_path(file));
    }

    fn plugin(&mut self, folder: &Path, file: &Path, manifest: &Json, listed: Option<&Json>) {
        let text = |key: &str| {
            let from = |json: &Json| {
                json[key].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
            };
            listed.and_then(from).or_else(|| from(manifest))
        };
        let own_name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let written = text("name");
        let sound = |name: &&String| {
            name.chars().count() <= NAME_LIMIT
                && !name.contains([':', '/', '\\'])
                && !name.contains(char::is_control)
        };
        if let Some(bad) = written.as_ref().filter(|name| !sound(name)) {
            let name = bad.escape_debug();
            self.report(file, format!("`{name}` cannot qualify a skill, so the folder's name is used"));
        }
        let Some(name) = written.filter(|name| sound(&name)).or(own_name) else { return };
        // Several plugins of a marketplace may share one folder and differ by their skills.
        if !self.seen.insert(folder.join(&name)) {
            return;
        }
        let mut paths = |key: &str, default: &str| {
            let mut paths = vec![folder.join(default)];
            for json in listed.into_iter().chain([manifest]) {
                let list: Vec<&str> = match &json[key] {
                    Json::String(path) => vec![path],
                    Json::Array(items) => items.iter().filter_map(Json::as_str).collect(),
                    // Commands by name, each with its file.
                    Json::Object(named) => named.values().filter_map(|one| one["source"].as_str()).collect(),
                    _ => continue,
                };
                let mut named = Vec::new();
                for path in list {
                    match self.inside(folder, file, path) {
                        Some(there) if there.exists() => named.push(there),
                        Some(_) => self.report(file, format!("`{path}` of `{name}` is not there")),
                        None => {}
                    }
                }
                // A marketplace entry that names its skills means just these.
                if listed.is_some_and(|listed| std::ptr::eq(listed, json)) {
                    paths = named;
                    break;
                }
                paths.extend(named);
            }
            paths.sort();
            paths.dedup();
            paths
        };
        let skills = paths("skills", "skills");
        let commands = paths("commands", "commands");
        self.plugins.push(Plugin { name, folder: folder.to_path_buf(), skills, commands });
    }

    /// A path of a manifest, inside the plugin, also when links are followed.
    fn inside(&mut self, folder: &Path, file: &Path, path: &str) -> Option<PathBuf> {
        let relative = Path::new(path);
        let sound =
            relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let joined: PathBuf = folder
            .components()
            .chain(relative.components())
            .filter(|part| *part != Component::CurDir)
            .collect();
        let leaves = || match (fs::canonicalize(&joined), fs::canonicalize(folder)) {
            (Ok(real), Ok(folder)) => !real.starts_with(folder),
            // A path that does not exist leads nowhere.
            _ => false,
        };
        if !sound || leaves() {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::PluginManifest,
                    format!("the path `{path}` leaves the plugin and was skipped"),
                )
                .in_path(file)
                .help("paths in a manifest are relative to the plugin's folder"),
            );
            return None;
        }
        Some(joined)
    }
}
