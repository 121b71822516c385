//! Reads from the agent's files whether it trusts the working folder.

use super::{
    config::{self, Config},
    json::JsonForm,
    setup::Places,
};
use serde_json::Value as Json;
use skillful_profiles::{AgentProfile, TrustRule, TrustSource, Walk};
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
    pub(super) fn read(agent: &AgentProfile, places: &Places<'_>, config: &Config) -> Self {
        match (agent.trust, &agent.trust_source) {
            (TrustRule::Ignored, _) => Self::Yes,
            (TrustRule::Needed, None) => Self::Unknown,
            (TrustRule::Needed, Some(source)) if asked(source, places, config) => Self::Yes,
            (TrustRule::Needed, Some(_)) => Self::No,
        }
    }
}

fn asked(source: &TrustSource, places: &Places<'_>, config: &Config) -> bool {
    let setting = source.variable.as_ref().and_then(|name| places.environment.variable(name));
    match setting.as_deref() {
        Some("true") => return true,
        Some("false") => return false,
        _ => {}
    }
    if source.needed.as_ref().is_some_and(|key| config.is_off_for_user(key)) {
        return true;
    }
    let file = places.resolve(&source.folders, Walk::Here, None).into_iter().next();
    let folders = file.and_then(|file| config::read(&file, JsonForm::Comments).ok().flatten());
    folders.is_some_and(|folders| nearest(source, &folders, &places.cwd))
}

/// The rule of the nearest folder decides.
fn nearest(source: &TrustSource, folders: &Json, cwd: &Path) -> bool {
    let mut best: Option<(usize, bool)> = None;
    for (path, word) in folders.as_object().into_iter().flatten() {
        let Some(word) = word.as_str() else { continue };
        let is = |words: &[String]| words.iter().any(|known| known == word);
        let (folder, trusts) = match Path::new(path).parent() {
            Some(parent) if is(&source.trusted_parent) => (parent, true),
            _ => (Path::new(path), is(&source.trusted)),
        };
        let folder: PathBuf = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        let depth = folder.components().count();
        // Of two rules for one folder, the one that refuses wins.
        let stronger = best.is_none_or(|(known, yes)| depth > known || (depth == known && yes));
        if cwd.starts_with(&folder) && stronger {
            best = Some((depth, trusts));
        }
    }
    best.is_some_and(|(_, trusts)| trusts)
}
