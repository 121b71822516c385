//! Places below a root where Skillful does not load skills and some agents do: hidden folders, folders of packages,
//! and the inside of another skill. Skills there are listed, so that a user learns of everything that an agent loads.

use crate::scan::FolderRecord;
use serde::Serialize;
use skillful_format::path_text;
use std::{collections::HashSet, fmt, path::Path};

/// Folders of packages and of caches.
const SKIPPED: [&str; 2] = ["node_modules", "__pycache__"];

/// Why Skillful does not load a skill from its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "place")]
pub enum SkippedPlace {
    /// A folder on the way is hidden, or holds packages.
    Folder {
        /// Its path below the root.
        folder: String,
    },
    /// It is a README beside commands.
    Readme,
    /// It is a command whose file does not end with `.md` in lower case.
    Ending,
    /// It lies inside another skill, whose file it is.
    Inside {
        /// The folder of that skill below the root.
        folder: String,
    },
}

impl fmt::Display for SkippedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { folder } => write!(f, "it is in `{folder}`, where only some agents load skills"),
            Self::Readme => f.write_str("it is a README, which only some agents read as a command"),
            Self::Ending => {
                f.write_str("its name does not end with `.md`, and only some agents read it as a command")
            }
            Self::Inside { folder } if folder.is_empty() => {
                f.write_str("it is inside a plugin that is a skill, where only some agents load skills")
            }
            Self::Inside { folder } => {
                write!(f, "it is inside the skill `{folder}`, where only some agents load skills")
            }
        }
    }
}

/// Whether a folder of this name is one in which Skillful loads no skills.
pub(crate) fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || SKIPPED.contains(&name)
}

/// The place of a command file, where it is one that Skillful skips.
pub(crate) fn of_command(root: &Path, file: &Path) -> Option<SkippedPlace> {
    let below = path_text(file.strip_prefix(root).unwrap_or(file));
    let readme = || file.file_stem().is_some_and(|stem| stem == "README").then_some(SkippedPlace::Readme);
    let ending = || file.extension().is_none_or(|ending| ending != "md").then_some(SkippedPlace::Ending);
    place(&below, &HashSet::new()).or_else(readme).or_else(ending)
}

/// The place of each record of a walk, where it is one that Skillful skips. `is_skill`: the root is a skill itself, and what
/// lies below it is its own.
pub(crate) fn places(records: &[Box<FolderRecord>], is_skill: bool) -> Vec<Option<SkippedPlace>> {
    if is_skill {
        let inside = |record: &FolderRecord| {
            let is_below = record.skill.is_some() && !record.path.is_empty();
            is_below.then(|| SkippedPlace::Inside { folder: String::new() })
        };
        return records.iter().map(|record| inside(record)).collect();
    }
    let is_deep = records.iter().any(|record| record.path.contains('/'));
    let skills: HashSet<&str> = records
        .iter()
        .filter(|record| is_deep && record.skill.is_some() && !record.path.is_empty())
        .map(|record| record.path.as_str())
        .collect();
    records.iter().map(|record| record.skill.as_ref().and_then(|_| place(&record.path, &skills))).collect()
}

fn place(path: &str, skills: &HashSet<&str>) -> Option<SkippedPlace> {
    let mut start = 0;
    for end in path.match_indices('/').map(|(at, _)| at).chain([path.len()]) {
        if is_skipped(&path[start..end]) {
            return Some(SkippedPlace::Folder { folder: path[..end].to_owned() });
        }
        if end < path.len() && skills.contains(&path[..end]) {
            return Some(SkippedPlace::Inside { folder: path[..end].to_owned() });
        }
        start = end + 1;
    }
    None
}
