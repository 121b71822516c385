//! The files of a skill's folder, for links. The walk is bounded and follows no links.

use skillful_runtime::files::is_served;
use std::{collections::VecDeque, path::Path};

/// Files that are offered.
const FILES: usize = 1_000;
/// Names that are looked at.
const NAMES: usize = 10_000;
/// Folders below folders.
const DEPTH: usize = 8;

/// The files beside a skill file, relative to its folder and sorted.
pub(crate) fn beside(skill_file: &Path) -> Vec<String> {
    let Some(folder) = skill_file.parent() else { return Vec::new() };
    let mut found = Vec::new();
    let mut looked_at = 0;
    let mut folders = VecDeque::from([(folder.to_path_buf(), String::new(), 0)]);
    while let Some((folder, prefix, depth)) = folders.pop_front() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            looked_at += 1;
            if looked_at > NAMES || found.len() >= FILES {
                found.sort();
                return found;
            }
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            if !is_served(&name, depth) {
                continue;
            }
            let path = format!("{prefix}{name}");
            if kind.is_dir() && depth < DEPTH {
                folders.push_back((entry.path(), format!("{path}/"), depth + 1));
            } else if kind.is_file() && entry.path() != skill_file {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
