//! Reads the agent's own configuration files, each as one tree of values.

use super::{
    json::{self, JsonForm},
    merge, permission, role_file,
    roots::plain,
    setup, substitute, switched,
};
use serde_json::Value as Json;
use skillful_catalog::bounded::{self, ReadError};
use skillful_profiles::{
    AgentProfile, BrokenConfig, ConfigFile, ConfigKind, ConfigRule, ConfigShape, Merge, Substitution, Wins,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A larger configuration file counts as broken.
const FILE_LIMIT: u64 = 1 << 20;

/// The values of the files, lowest precedence first.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    files: Vec<(PathBuf, Json)>,
    /// The values of all files as one, for agents that merge them.
    merged: Option<Json>,
    /// The files of the project, which some keys are not read from.
    of_project: Vec<PathBuf>,
    /// Whether 0 and the text `false` are false too.
    loose_false: bool,
    /// The first file that cannot be read, and why.
    pub(super) broken: Option<(PathBuf, String)>,
    /// Whether no skill loads because of it.
    pub(super) stops: bool,
}

impl Config {
    /// Reads the configuration files of an agent that exist.
    pub(super) fn read(agent: &AgentProfile, places: &setup::Places<'_>) -> Self {
        let mut config = Self { loose_false: agent.config.loose_false, ..Self::default() };
        for (name, why) in switched::unknown(agent, places.environment) {
            config.refuse(PathBuf::from(name), why, BrokenConfig::NothingLoads);
        }
        for rule in &agent.config.files {
            if switched::first(agent, places.environment, &rule.unless).is_some() {
                continue;
            }
            for source in sources(rule, places) {
                if !config.trusts(rule, &source, places) {
                    continue;
                }
                let effect = rule.broken.unwrap_or(agent.config.broken);
                for (path, value) in values(agent, rule, places, source) {
                    match value {
                        Ok(value) => config.add(rule, path, renamed(&agent.config, value)),
                        Err(why) => config.refuse(path, why, effect),
                    }
                }
            }
        }
        config.merge(&agent.config, places);
        config.check(&agent.config);
        config
    }

    /// Whether the files that were read before trust the folder of a file, or the project when they say nothing of the folder.
    fn trusts(&self, rule: &ConfigFile, source: &Source, places: &setup::Places<'_>) -> bool {
        let (Some(by), Source::File(path)) = (&rule.trusted_by, source) else { return true };
        let folder = path.ancestors().nth(rule.path.as_str().split('/').count());
        let word = |folder: &Path| {
            let name = folder.to_str()?;
            let entries = self.files.iter().filter_map(|(_, value)| get(value, &by.key)?.get(name));
            entries.filter_map(|entry| entry.get(&by.field)?.as_str()).next_back()
        };
        folder.and_then(word).or_else(|| word(places.project())) == Some(by.word.as_str())
    }

    fn add(&mut self, rule: &ConfigFile, path: PathBuf, mut value: Json) {
        rule.ignored.iter().for_each(|key| remove(&mut value, key));
        if rule.path.is_relative() {
            self.of_project.push(path.clone());
        }
        self.files.push((path, value));
    }

    /// Leaves out the files of the project.
    pub(super) fn drop_project(&mut self) {
        self.files.retain(|(path, _)| !self.of_project.contains(path));
    }

    fn merge(&mut self, rule: &ConfigRule, places: &setup::Places<'_>) {
        if rule.merge != Merge::Deep {
            return;
        }
        let mut merged = Json::Object(serde_json::Map::new());
        for (_, value) in &self.files {
            merge::deep(&mut merged, value.clone());
        }
        let Some(permissions) = &rule.permissions else {
            self.merged = Some(merged);
            return;
        };
        let old = permissions.old_roles.as_ref().and_then(|key| merged.get(key)).cloned();
        for (name, role) in old.as_ref().and_then(Json::as_object).into_iter().flatten() {
            let mut role = role.clone();
            merge::deep(&mut role, serde_json::json!({ "mode": "primary" }));
            let roles =
                serde_json::json!({ permissions.roles.as_deref().unwrap_or_default(): { name: role } });
            merge::deep(&mut merged, roles);
        }
        let text = permissions.variable.as_ref().and_then(|name| places.environment.variable(name));
        let value = text.and_then(|text| serde_json::from_str::<Json>(&text).ok()).filter(Json::is_object);
        if let Some(value) = value {
            merge::deep(&mut merged, serde_json::json!({ &permissions.key: value }));
        }
        self.merged = Some(merged);
        if let Err(why) = permission::Permissions::read(permissions, self) {
            let place = permissions.first_role.as_ref().and_then(|key| self.file_of(key));
            let place = place.or_else(|| self.files.last().map(|(path, _)| path.as_path()));
            self.refuse(place.unwrap_or(Path::new("")).to_path_buf(), why, rule.broken);
        }
    }

    /// Reports values of the wrong type.
    fn check(&mut self, rule: &ConfigRule) {
        let is_rule = |rule: &Json| rule.get("enabled").is_some_and(Json::is_boolean);
        let is_rules = |list: &Json| list.as_array().is_some_and(|list| list.iter().all(is_rule));
        let wrong = |key: &Option<String>, is_sound: &dyn Fn(&Json) -> bool| {
            let key = key.as_deref()?;
            let (path, _) = self.all(key).find(|(_, value)| !is_sound(value))?;
            Some((path.to_path_buf(), format!("`{key}` has a value of the wrong type")))
        };
        let found = wrong(&rule.rules, &is_rules).or_else(|| wrong(&rule.markers, &Json::is_array));
        let refused = rule.refused.iter().find_map(|key| {
            let (path, _) = self.all(key).next()?;
            Some((path.to_path_buf(), format!("`{key}` is not allowed there")))
        });
        if let Some((path, why)) = found.or(refused) {
            self.refuse(path, why, rule.broken);
        }
    }

    pub(super) fn refuse(&mut self, path: PathBuf, why: String, effect: BrokenConfig) {
        if effect == BrokenConfig::NothingLoads && !self.stops {
            self.stops = true;
            self.broken = Some((path, why));
        } else {
            self.broken.get_or_insert((path, why));
        }
    }

    /// Every value of a dotted key with its file, lowest precedence first; one value for agents that merge them.
    pub(super) fn all<'a>(
        &'a self,
        key: &str,
    ) -> impl DoubleEndedIterator<Item = (&'a Path, &'a Json)> + use<'a> {
        let value = |(path, value): &'a (PathBuf, Json)| Some((path.as_path(), get(value, key)?));
        let found: Vec<(&'a Path, &'a Json)> = match &self.merged {
            None => self.files.iter().filter_map(value).collect(),
            Some(merged) => {
                let place = self.file_of(key).unwrap_or(Path::new(""));
                get(merged, key).map(|value| (place, value)).into_iter().collect()
            }
        };
        found.into_iter()
    }

    /// The file with the highest precedence that has a dotted key.
    pub(super) fn file_of(&self, key: &str) -> Option<&Path> {
        let has = |(_, value): &&(PathBuf, Json)| get(value, key).is_some();
        self.files.iter().rfind(has).map(|(path, _)| path.as_path())
    }

    /// The value of an entry of a mapping with the highest precedence, and its file.
    pub(super) fn entry<'a>(&'a self, key: &str, name: &'a str) -> Option<(&'a Path, &'a Json)> {
        self.all(key).filter_map(|(path, map)| Some((path, map.get(name)?))).next_back()
    }

    /// The value of a dotted key with the highest precedence.
    pub(super) fn last(&self, key: &str) -> Option<&Json> {
        self.all(key).next_back().map(|(_, value)| value)
    }

    /// Whether the value of a key is `false` in a file that a project cannot change.
    pub(super) fn is_off_for_user(&self, key: &str) -> bool {
        let mut own =
            self.all(key).filter(|(path, _)| !self.of_project.iter().any(|project| project == path));
        own.next_back().is_some_and(|(_, value)| self.is_false(value))
    }

    /// Whether the value of a key is `true`, or a list with one of the words.
    pub(super) fn names_one(&self, key: &str, words: &[String]) -> bool {
        let is_word =
            |value: &Json| value.as_str().is_some_and(|word| words.iter().any(|known| known == word));
        self.last(key).is_some_and(|value| {
            *value == Json::Bool(true) || value.as_array().is_some_and(|list| list.iter().any(is_word))
        })
    }

    /// Whether the value of a key is `false`.
    pub(super) fn is_off(&self, key: &str) -> bool {
        self.last(key).is_some_and(|value| self.is_false(value))
    }

    fn is_false(&self, value: &Json) -> bool {
        let loosely = || match value {
            Json::Number(number) => number.as_f64() == Some(0.0),
            Json::String(text) => text.eq_ignore_ascii_case("false"),
            _ => false,
        };
        *value == Json::Bool(false) || (self.loose_false && loosely())
    }
}

/// The values with other names of keys replaced by the names that the profile uses.
fn renamed(rule: &ConfigRule, mut value: Json) -> Json {
    for (other, key) in &rule.aliases {
        if let Some(map) = value.as_object_mut()
            && !map.contains_key(key)
            && let Some(found) = map.remove(other)
        {
            map.insert(key.clone(), found);
        }
    }
    value
}

fn remove(value: &mut Json, key: &str) {
    let (above, last) = key.rsplit_once('.').unwrap_or(("", key));
    let parent =
        above.split('.').filter(|part| !part.is_empty()).try_fold(value, |value, part| value.get_mut(part));
    if let Some(map) = parent.and_then(Json::as_object_mut) {
        map.remove(last);
    }
}

/// The files that a path stands for.
fn all_of(path: PathBuf) -> Vec<PathBuf> {
    let Some(folder) = path.parent().filter(|_| path.file_name().is_some_and(|name| name == "*.json")) else {
        return vec![path];
    };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "json") && !is_hidden(path))
        .collect();
    paths.sort();
    paths
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn get<'a>(value: &'a Json, key: &str) -> Option<&'a Json> {
    key.split('.').try_fold(value, |value, part| value.get(part))
}

/// Where settings come from.
enum Source {
    File(PathBuf),
    Folder(PathBuf),
    Text(PathBuf, String),
}

/// The files that a rule stands for, lowest precedence first.
fn sources(rule: &ConfigFile, places: &setup::Places<'_>) -> Vec<Source> {
    if rule.kind == ConfigKind::Content {
        let name = rule.path.as_str().trim_start_matches("${").trim_end_matches('}');
        let text = places.environment.variable(name);
        return text.map(|text| Source::Text(PathBuf::from(name), text)).into_iter().collect();
    }
    let mut paths = places.resolve(&rule.path, rule.walk, None);
    if rule.wins == Wins::Nearest {
        paths.reverse();
    }
    let mut found = Vec::new();
    for path in paths {
        let path = plain(&path);
        if rule.kind != ConfigKind::Settings {
            found.push(Source::Folder(path));
            continue;
        }
        let beside = rule.beside.iter().filter_map(|name| Some(path.parent()?.join(name)));
        let files: Vec<PathBuf> = beside.collect();
        found.extend(all_of(path).into_iter().chain(files).map(Source::File));
    }
    found
}

type ReadValue = (PathBuf, Result<Json, String>);

/// The values of a source; a file that does not exist has none.
fn values(
    agent: &AgentProfile,
    rule: &ConfigFile,
    places: &setup::Places<'_>,
    source: Source,
) -> Vec<ReadValue> {
    let sound = |value: Json| sound(&agent.config, value);
    let settings = |path: PathBuf, text: &str| {
        let value = settings(&agent.config, places, &path, text).and_then(sound);
        (path, value)
    };
    match source {
        Source::Text(name, text) => vec![settings(name, &text)],
        Source::File(path) => match read_text(&path) {
            Ok(Some(text)) if text.is_empty() && agent.config.empty_file => Vec::new(),
            Ok(Some(text)) => vec![settings(path, &text)],
            Ok(None) => Vec::new(),
            Err(why) => vec![(path, Err(why))],
        },
        Source::Folder(path) => {
            let Some(permissions) = &agent.config.permissions else { return Vec::new() };
            let roles = role_file::read(agent, permissions, &path, rule.kind == ConfigKind::OldRoles);
            roles.into_iter().map(|(path, value)| (path, sound(value))).collect()
        }
    }
}

/// The values of the text of a file.
fn settings(rule: &ConfigRule, places: &setup::Places<'_>, path: &Path, text: &str) -> Result<Json, String> {
    let form = match (rule.comments, rule.trailing_commas) {
        (false, _) => JsonForm::Strict,
        (true, false) => JsonForm::Comments,
        (true, true) => JsonForm::TrailingCommas,
    };
    if text.starts_with('\u{feff}') && !rule.byte_order_mark {
        return Err("it starts with a byte order mark".to_owned());
    }
    let folder = path.parent().filter(|folder| folder.is_absolute()).unwrap_or(&places.cwd);
    let mut value = match rule.substitute {
        Some(Substitution::Braces) => {
            parse(path, &substitute::braces(text, folder, places.environment)?, form)?
        }
        _ => parse(path, text, form)?,
    };
    if rule.substitute == Some(Substitution::Dollar) {
        substitute::dollars(&mut value, places.environment);
    }
    Ok(value)
}

/// Checks the types of values, and brings permissions into one form.
fn sound(rule: &ConfigRule, mut value: Json) -> Result<Json, String> {
    if !value.is_object() {
        return Err("it is not a mapping".to_owned());
    }
    let is_text = |value: &Json| value.is_string();
    let are_texts = |value: &Json| value.as_array().is_some_and(|list| list.iter().all(is_text));
    for (key, shape) in &rule.shapes {
        let is_sound = get(&value, key).is_none_or(|value| match shape {
            ConfigShape::Text => is_text(value),
            ConfigShape::Texts => are_texts(value),
            ConfigShape::TextOrTexts => is_text(value) || are_texts(value),
            ConfigShape::Map => value.is_object(),
            ConfigShape::Switches => value
                .as_object()
                .is_some_and(|map| map.values().all(|value| value.is_boolean() || value.is_array())),
        });
        if !is_sound {
            return Err(format!("`{key}` has a value of the wrong type"));
        }
    }
    if let Some(permissions) = &rule.permissions {
        permission::normalise(&mut value, permissions)?;
    }
    Ok(value)
}

/// The values of a file; `None` when the file does not exist.
pub(super) fn read(path: &Path, form: JsonForm) -> Result<Option<Json>, String> {
    read_text(path)?.map(|text| parse(path, &text, form)).transpose()
}

fn read_text(path: &Path) -> Result<Option<String>, String> {
    match bounded::read_text(path, FILE_LIMIT, None) {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::Missing) => Ok(None),
        Err(ReadError::NotAFile | ReadError::TooLarge(_)) => {
            Err("it is not a regular file, or it is larger than 1 MiB".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

fn parse(path: &Path, text: &str, form: JsonForm) -> Result<Json, String> {
    if path.extension().is_some_and(|ending| ending == "toml") {
        return toml::from_str(text).map_err(|error| error.message().to_owned());
    }
    json::parse(text, form)
}
