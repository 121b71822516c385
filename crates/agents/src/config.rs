//! Reads the agent's own configuration files, each as one tree of values.

use super::{
    json::{self, JsonForm},
    setup,
};
use serde_json::Value as Json;
use skillful_catalog::bounded::{self, ReadError};
use skillful_profiles::{AgentProfile, BrokenConfig, ConfigRule};
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
    /// The files of the project, which some keys are not read from.
    of_project: Vec<PathBuf>,
    /// The first file that cannot be read, and why.
    pub(super) broken: Option<(PathBuf, String)>,
    /// Whether no skill loads because of it.
    pub(super) stops: bool,
}

impl Config {
    /// Reads the configuration files of an agent that exist.
    pub(super) fn read(agent: &AgentProfile, places: &setup::Places<'_>) -> Self {
        let mut config = Self::default();
        let form = match (agent.config.comments, agent.config.trailing_commas) {
            (false, _) => JsonForm::Strict,
            (true, false) => JsonForm::Comments,
            (true, true) => JsonForm::TrailingCommas,
        };
        for rule in &agent.config.files {
            // The nearest folder wins, so it comes last.
            let paths = places.resolve(&rule.path, rule.walk, None).into_iter().rev();
            for path in paths.flat_map(all_of) {
                match read(&path, form) {
                    Ok(Some(mut value)) => {
                        rule.ignored.iter().for_each(|key| remove(&mut value, key));
                        if rule.path.is_relative() {
                            config.of_project.push(path.clone());
                        }
                        config.files.push((path, value));
                    }
                    Ok(None) => {}
                    Err(why) => config.refuse(path, why, rule.broken.unwrap_or(agent.config.broken)),
                }
            }
        }
        config.check(&agent.config);
        config
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

    fn refuse(&mut self, path: PathBuf, why: String, effect: BrokenConfig) {
        if effect == BrokenConfig::NothingLoads && !self.stops {
            self.stops = true;
            self.broken = Some((path, why));
        } else {
            self.broken.get_or_insert((path, why));
        }
    }

    /// Every value of a dotted key with its file, lowest precedence first.
    pub(super) fn all<'a>(&'a self, key: &'a str) -> impl DoubleEndedIterator<Item = (&'a Path, &'a Json)> {
        self.files.iter().filter_map(move |(path, value)| Some((path.as_path(), get(value, key)?)))
    }

    /// The value of an entry of a mapping with the highest precedence, and its file.
    pub(super) fn entry<'a>(&'a self, key: &'a str, name: &'a str) -> Option<(&'a Path, &'a Json)> {
        self.all(key).filter_map(|(path, map)| Some((path, map.get(name)?))).next_back()
    }

    /// The value of a dotted key with the highest precedence.
    pub(super) fn last<'a>(&'a self, key: &'a str) -> Option<&'a Json> {
        self.all(key).next_back().map(|(_, value)| value)
    }

    /// Whether the value of a key is `false` in a file that a project cannot change.
    pub(super) fn is_off_for_user(&self, key: &str) -> bool {
        let mut own =
            self.all(key).filter(|(path, _)| !self.of_project.iter().any(|project| project == path));
        own.next_back().is_some_and(|(_, value)| *value == Json::Bool(false))
    }

    /// Whether the value of a key is `false`.
    pub(super) fn is_off(&self, key: &str) -> bool {
        self.last(key) == Some(&Json::Bool(false))
    }
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
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    paths.sort();
    paths
}

fn get<'a>(value: &'a Json, key: &str) -> Option<&'a Json> {
    key.split('.').try_fold(value, |value, part| value.get(part))
}

/// The values of a file; `None` when the file does not exist.
pub(super) fn read(path: &Path, form: JsonForm) -> Result<Option<Json>, String> {
    let text = match bounded::read_text(path, FILE_LIMIT, None) {
        Ok(text) => text,
        Err(ReadError::Missing) => return Ok(None),
        Err(ReadError::NotAFile | ReadError::TooLarge(_)) => {
            return Err("it is not a regular file, or it is larger than 1 MiB".to_owned());
        }
        Err(error) => return Err(error.to_string()),
    };
    let value = if path.extension().is_some_and(|ending| ending == "toml") {
        toml::from_str(&text).map_err(|error| error.message().to_owned())?
    } else {
        json::parse(&text, form)?
    };
    Ok(Some(value))
}
