//! Reads from the agent's files whether it trusts the working folder.

use super::{
    config::{self, Config},
    json::JsonForm,
    roots::plain,
    setup::Places,
};
use serde_json::{Map, Value as Json};
use skillful_profiles::{AgentProfile, BrokenConfig, TrustRule, TrustSource, Walk};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Whether the agent trusts the working folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trusted {
    /// The agent does not ask, or the user trusted the folder.
    Yes,
    /// The agent asks, and the user has not trusted the folder.
    No,
    /// The agent asks, and its answer cannot be read from files.
    Unknown,
}

impl Trusted {
    /// Reads the trust of the working folder. The settings of a project cannot waive it; of an untrusted project they
    /// do not count, in agents that ask for trust before they read them.
    pub(super) fn read(agent: &AgentProfile, places: &Places<'_>, config: &mut Config) -> Self {
        let source = match (agent.trust, &agent.trust_source) {
            (TrustRule::Ignored, _) => return Self::Yes,
            (TrustRule::Needed, None) => return Self::Unknown,
            (TrustRule::Needed, Some(source)) => source,
        };
        let is_off = |off: &dyn Fn(&str) -> bool| source.needed.as_deref().is_some_and(off);
        match is_trusted(source, places, is_off(&|key| config.is_off_for_user(key))) {
            Err((path, why)) => {
                config.refuse(path, why, BrokenConfig::NothingLoads);
                Self::No
            }
            Ok(false) => {
                if source.settings {
                    config.drop_project();
                }
                Self::No
            }
            Ok(true) if !source.settings => Self::Yes,
            Ok(true) => match is_trusted(source, places, is_off(&|key| config.is_off(key))) {
                Ok(true) => Self::Yes,
                _ => Self::No,
            },
        }
    }
}

/// Whether the folder is trusted; an error is the file of trusted folders and why it cannot be read.
fn is_trusted(source: &TrustSource, places: &Places<'_>, is_off: bool) -> Result<bool, (PathBuf, String)> {
    let setting = source.variable.as_ref().and_then(|name| places.environment.variable(name));
    match setting.as_deref() {
        Some("true") => return Ok(true),
        Some("false") => return Ok(false),
        _ if is_off => return Ok(true),
        _ => {}
    }
    let Some(file) = places.resolve(&source.folders, Walk::Here, None).into_iter().next() else {
        return Ok(false);
    };
    let folders = match config::read(&file, JsonForm::Comments) {
        Ok(Some(folders)) => folders,
        Ok(None) => return Ok(false),
        Err(why) => return Err((file, why)),
    };
    let is_known = |word: &Json| word.as_str().is_some_and(|word| source.words.iter().any(|one| one == word));
    match folders.as_object() {
        None => Err((file, "it is not a mapping of folders".to_owned())),
        Some(map) if !source.words.is_empty() && !map.values().all(is_known) => {
            Err((file, "it has a word that is not known".to_owned()))
        }
        Some(map) => Ok(longest(source, map, &places.cwd)),
    }
}

/// The entry with the longest path decides, of those whose folder contains this one.
fn longest(source: &TrustSource, folders: &Map<String, Json>, cwd: &Path) -> bool {
    let mut best: Option<(usize, bool)> = None;
    for (path, word) in folders {
        let Some(word) = word.as_str() else { continue };
        let is = |words: &[String]| words.iter().any(|known| known == word);
        let (folder, trusts) = match Path::new(path).parent() {
            Some(parent) if is(&source.trusted_parent) => (parent, true),
            _ => (Path::new(path), is(&source.trusted)),
        };
        let folder = plain(folder);
        let folder: PathBuf = fs::canonicalize(&folder).unwrap_or(folder);
        if cwd.starts_with(&folder) && best.is_none_or(|(known, _)| path.len() > known) {
            best = Some((path.len(), trusts));
        }
    }
    best.is_some_and(|(_, trusts)| trusts)
}
