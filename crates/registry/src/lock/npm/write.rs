//! Our changes, in a lock of npm `skills` that is already there.
//!
//! An entry of another source is not ours and stays. Unknown keys stay. A pending skill has
//! no entry, since npm would install it without a review.

use super::{Loss, NPM_LOCK_LIMIT, NpmFault, computed_hash, source_of};
use crate::{
    lock::{Lock, Locked, SkillKey},
    source::{Forge, SourceLocation},
};
use serde_json::{Map, Value};
use skillful_format::{Digest, Tree};
use std::collections::BTreeSet;

/// Which of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NpmFile {
    /// `skills-lock.json` of a project: sorted, without times.
    Project,
    /// `.skill-lock.json` of a user: with times.
    User,
}

impl NpmFile {
    /// The version of the format that is written.
    fn version(self) -> u64 {
        match self {
            Self::Project => 1,
            Self::User => 3,
        }
    }
}

/// What keeping a file in step came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InStep {
    /// The new text, when it is another.
    pub text: Option<String>,
    /// What could not be written in that file.
    pub losses: Vec<Loss>,
}

/// The text of a lock of npm `skills` after ours changed from `before` to `after`. `tree` gives the files of a
/// locked skill, and `now` is the time as JavaScript writes it.
pub fn keep_in_step(
    text: &str,
    file: NpmFile,
    (before, after): (&Lock, &Lock),
    tree: &dyn Fn(&Digest) -> Option<Tree>,
    now: &str,
) -> Result<InStep, NpmFault> {
    if text.len() > NPM_LOCK_LIMIT {
        return Err(NpmFault::TooLarge);
    }
    let mut value: Value = serde_json::from_str(text).map_err(|error| NpmFault::Json(error.to_string()))?;
    let version = value.get("version").and_then(Value::as_u64);
    let Some(skills) = value.get_mut("skills").and_then(Value::as_object_mut) else {
        return Err(NpmFault::Shape);
    };
    if version != Some(file.version()) {
        return Err(NpmFault::Version);
    }
    let mut writing = Writing { file, tree, now, losses: Vec::new(), changed: false };
    let names: BTreeSet<&SkillKey> = before.skills.keys().chain(after.skills.keys()).collect();
    for name in names {
        let (old, new) = (before.skills.get(name), after.skills.get(name));
        if old != new {
            writing.skill(skills, name, old, new);
        }
    }
    let Writing { losses, changed, .. } = writing;
    if !changed {
        return Ok(InStep { text: None, losses });
    }
    if file == NpmFile::Project {
        let mut sorted: Vec<(String, Value)> = std::mem::take(skills).into_iter().collect();
        sorted.sort_by_cached_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
        skills.extend(sorted);
    }
    let mut written =
        serde_json::to_string_pretty(&value).map_err(|error| NpmFault::Json(error.to_string()))?;
    if text.ends_with('\n') || file == NpmFile::Project {
        written.push('\n');
    }
    Ok(InStep { text: Some(written), losses })
}

struct Writing<'a> {
    file: NpmFile,
    tree: &'a dyn Fn(&Digest) -> Option<Tree>,
    now: &'a str,
    losses: Vec<Loss>,
    changed: bool,
}

impl Writing<'_> {
    fn skill(
        &mut self,
        skills: &mut Map<String, Value>,
        name: &SkillKey,
        old: Option<&Locked>,
        new: Option<&Locked>,
    ) {
        let there = skills.get(name.as_str()).and_then(Value::as_object);
        let is_ours = |there: &Map<String, Value>| {
            let place = |entry: &Map<String, Value>| source_of(entry).ok().map(|source| source.place);
            let ours = [old, new].into_iter().flatten().filter_map(origin);
            place(there).is_some_and(|there| ours.filter_map(|own| place(&own)).any(|own| own == there))
        };
        if there.is_some_and(|there| !is_ours(there)) {
            return self.lose(name, "its entry there names another source and was left as it is");
        }
        let Some(new) = new else {
            self.changed |= skills.shift_remove(name.as_str()).is_some();
            return;
        };
        if new.pending {
            return;
        }
        let Some(entry) = self.entry(name, there, new) else { return };
        if there != Some(&entry) {
            skills.insert(name.as_str().to_owned(), Value::Object(entry));
            self.changed = true;
        }
    }

    fn entry(
        &mut self,
        name: &SkillKey,
        there: Option<&Map<String, Value>>,
        new: &Locked,
    ) -> Option<Map<String, Value>> {
        let Some(origin) = origin(new) else {
            self.lose(name, "npm `skills` cannot name its source");
            return None;
        };
        let hash = match self.file {
            NpmFile::Project => {
                let hash = (self.tree)(&new.tree).as_ref().and_then(computed_hash);
                if hash.is_none() {
                    self.lose(name, "npm's hash depends on the reader's language for its file names");
                }
                ("computedHash", hash?)
            }
            // The hash is one that only the forge knows; without it npm leaves the skill alone.
            NpmFile::User => ("skillFolderHash", String::new()),
        };
        let mut entry = there.cloned().unwrap_or_default();
        for key in ["ref", "skillPath"] {
            if !origin.contains_key(key) {
                entry.shift_remove(key);
            }
        }
        for (key, value) in origin {
            if matches!(key.as_str(), "ref" | "skillPath") || there.is_none() {
                entry.insert(key, value);
            }
        }
        entry.insert(hash.0.to_owned(), Value::String(hash.1));
        if self.file == NpmFile::User {
            let now = Value::String(self.now.to_owned());
            entry.entry("installedAt").or_insert_with(|| now.clone());
            entry.insert("updatedAt".to_owned(), now);
        }
        Some(entry)
    }

    fn lose(&mut self, name: &SkillKey, why: &str) {
        self.losses.push(Loss { what: name.to_string(), why: why.to_owned() });
    }
}

/// The source of a skill, as npm `skills` writes it.
fn origin(locked: &Locked) -> Option<Map<String, Value>> {
    let url = locked.source.git_address();
    let (kind, source, url) = match &locked.source.place {
        SourceLocation::Forge { forge: Forge::GitHub, owner, repository } => {
            ("github", format!("{owner}/{repository}"), url)
        }
        SourceLocation::Forge { forge: Forge::GitLab, owner, repository } => {
            ("gitlab", format!("{owner}/{repository}"), url)
        }
        SourceLocation::Git(_) | SourceLocation::Forge { .. } => ("git", url.clone()?, url),
        // Each entry there is one skill, so that the path is the skill's own.
        SourceLocation::Path(path) => match &locked.folder {
            Some(folder) => ("local", format!("{}/{folder}", path.trim_end_matches('/')), None),
            None => ("local", path.clone(), None),
        },
        SourceLocation::WellKnown(address) => {
            ("well-known", address.as_str().to_owned(), Some(address.to_string()))
        }
        SourceLocation::Archive(_) | SourceLocation::Registry { .. } | SourceLocation::Starter => {
            return None;
        }
    };
    let is_repository = locked.source.git_address().is_some();
    let folder = locked.folder.as_ref().filter(|_| is_repository);
    let path = if is_repository {
        Some(folder.map_or_else(|| "SKILL.md".to_owned(), |folder| format!("{folder}/SKILL.md")))
    } else {
        None
    };
    let parts = [
        ("source", Some(source)),
        ("sourceUrl", url),
        ("ref", locked.source.reference.as_ref().map(ToString::to_string)),
        ("sourceType", Some(kind.to_owned())),
        ("skillPath", path),
    ];
    let parts = parts.into_iter().filter_map(|(key, part)| Some((key.to_owned(), Value::String(part?))));
    Some(parts.collect())
}
