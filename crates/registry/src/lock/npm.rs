//! Locks of npm `skills`: `skills-lock.json` of a project and `.skill-lock.json` of a user.
//!
//! They name the source of a skill, but neither a commit nor a digest that distinguishes two trees. So
//! their entries are requests, not locked skills: each must be fetched once to be pinned.
//!
//! An existing file of this kind is updated with our lock; none is created.

mod file;
mod hash;
#[cfg(test)]
mod tests;
mod write;

pub use file::{NpmError, import_file, keep_file_in_step};
pub use hash::computed_hash;
pub use write::{InStep, NpmFile, keep_in_step};

use super::SkillKey;
use crate::source::{Ref, Source, SourceLocation};
use serde_json::{Map, Value};
use skillful_format::{Limits, TreePath};

/// A larger file is refused.
pub const NPM_LOCK_LIMIT: usize = 16 << 20;
/// The names of the files: of a project, of a user.
pub const NPM_LOCK_FILES: [&str; 2] = ["skills-lock.json", ".skill-lock.json"];

/// The [`Loss::what`] of their digests, which are not needed where the files themselves are at hand.
pub const HASHES: &str = "computedHash, skillFolderHash";

/// What a lock of npm `skills` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Skills that can be fetched, by name.
    pub wanted: Vec<Wanted>,
    /// What could not be taken over.
    pub losses: Vec<Loss>,
}

/// A skill to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The name it has there.
    pub name: SkillKey,
    /// Where it comes from.
    pub source: Source,
}

/// Something that could not be taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The skill, or the key of the file.
    pub what: String,
    /// Why, and what to do.
    pub why: String,
}

/// The file is not a lock of npm `skills`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpmFault {
    /// Too many bytes.
    #[error("is larger than {NPM_LOCK_LIMIT} bytes, which no lock is")]
    TooLarge,
    /// Not JSON.
    #[error("is not JSON: {0}")]
    Json(String),
    /// Another shape.
    #[error("has no object `skills`, so it is not a lock of npm `skills`")]
    Shape,
    /// From another npm `skills`.
    #[error("is of a version that is not known here")]
    Version,
}

/// Reads either file.
pub fn import(text: &str) -> Result<Imported, NpmFault> {
    if text.len() > NPM_LOCK_LIMIT {
        return Err(NpmFault::TooLarge);
    }
    let value: Value = serde_json::from_str(text).map_err(|error| NpmFault::Json(error.to_string()))?;
    let Some(skills) = value.get("skills").and_then(Value::as_object) else { return Err(NpmFault::Shape) };
    let mut imported = Imported::default();
    for (name, entry) in skills {
        let read = name.parse::<SkillKey>().map_err(|why| format!("the name {why}")).and_then(|name| {
            let entry = entry.as_object().ok_or("its entry is not an object")?;
            Ok(Wanted { name, source: source_of(entry)? })
        });
        match read {
            Ok(wanted) => imported.wanted.push(wanted),
            Err(why) => imported.losses.push(Loss { what: name.clone(), why }),
        }
    }
    imported.wanted.sort_by(|a, b| a.name.cmp(&b.name));
    imported.losses.sort_by(|a, b| a.what.cmp(&b.what));
    if !imported.wanted.is_empty() {
        imported.losses.push(Loss {
            what: HASHES.to_owned(),
            why: "these do not identify a tree and name no commit; each skill is pinned when it is fetched"
                .to_owned(),
        });
    }
    Ok(imported)
}

fn source_of(entry: &Map<String, Value>) -> Result<Source, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let kind = text("sourceType").unwrap_or("github");
    let written = text("source").ok_or("it has no `source`")?;
    let address = text("sourceUrl").unwrap_or(written);
    let spelled = match kind {
        "github" => written.to_owned(),
        "gitlab" if !written.contains(':') => format!("gitlab:{written}"),
        "local" if written.starts_with(['/', '.', '~']) => written.to_owned(),
        "local" => format!("./{written}"),
        "git" if address.starts_with("http") && !address.ends_with(GIT) => format!("git+{address}"),
        "gitlab" | "git" | "well-known" => address.to_owned(),
        other => return Err(format!("sources of the type `{}` are not known", other.escape_debug())),
    };
    let mut source: Source = spelled.parse().map_err(|error| format!("{error}"))?;
    let is_repository = matches!(source.place, SourceLocation::Git(_) | SourceLocation::Forge { .. });
    if let Some(reference) = text("ref").filter(|_| is_repository && source.reference.is_none()) {
        source.reference = Some(Ref::new(reference).map_err(|error| error.to_string())?);
    }
    let folder = text("skillPath").map(|path| path.trim_end_matches("SKILL.md").trim_matches('/'));
    if let Some(folder) = folder.filter(|folder| is_repository && !folder.is_empty()) {
        let folder = TreePath::new(folder, &Limits::default());
        source.folder = Some(folder.map_err(|fault| format!("its folder {fault}"))?);
    }
    Ok(source)
}

const GIT: &str = ".git";
