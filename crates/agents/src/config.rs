//! Reads the agent's own configuration files, each as one tree of values.

use super::{
    json::{self, JsonForm},
    setup,
};
use serde_json::Value as Json;
use skillful_catalog::bounded::{self, ReadError};
use skillful_profiles::{AgentProfile, ConfigRule};
use std::path::{Path, PathBuf};

/// A larger configuration file counts as broken.
const FILE_LIMIT: u64 = 1 << 20;

/// The values of the files, lowest precedence first.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    files: Vec<(PathBuf, Json)>,
    /// The first file that cannot be read, and why.
    pub(super) broken: Option<(PathBuf, String)>,
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
            for path in places.resolve(&rule.path, rule.walk, None).into_iter().rev() {
                match read(&path, form) {
                    Ok(Some(value)) => config.files.push((path, value)),
                    Ok(None) => {}
                    Err(why) => config.refuse(path, why),
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
        if let Some((path, why)) = found {
            self.refuse(path, why);
        }
    }

    fn refuse(&mut self, path: PathBuf, why: String) {
        self.broken.get_or_insert((path, why));
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

    /// Whether the value of a key is `false`.
    pub(super) fn is_off(&self, key: &str) -> bool {
        self.last(key) == Some(&Json::Bool(false))
    }
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
