//! The files that a skill brings, as a model is told of them.

use cap_std::{ambient_authority, fs::Dir};
use skillful_catalog::{Entry, host::RootKind};
use skillful_render::envelope::Files;
use std::io;

/// Folders below folders that are looked into.
const DEPTH: usize = 8;
/// Files that are counted; beyond them a skill has "many more".
const COUNTED: usize = 2_000;
/// Folders that belong to tools and never to a skill.
const NOISE: [&str; 3] = [".git", "__pycache__", "node_modules"];

/// The files of a skill's folder: its instructions, links, hidden files and skills inside it left out.
pub fn of(entry: &Entry) -> io::Result<Files> {
    if entry.origin.kind == RootKind::Commands {
        return Ok(Files::default());
    }
    let mut paths = Vec::new();
    let folder = Dir::open_ambient_dir(entry.folder(), ambient_authority())?;
    walk(&folder, "", 0, &mut paths)?;
    Ok(Files::new(paths))
}

fn walk(folder: &Dir, above: &str, depth: usize, paths: &mut Vec<String>) -> io::Result<()> {
    let mut entries: Vec<_> = folder.entries()?.collect::<Result<_, _>>()?;
    entries.sort_by_key(cap_std::fs::DirEntry::file_name);
    let is_skill = |name: &std::ffi::OsStr| name.eq_ignore_ascii_case("SKILL.md");
    if depth > 0 && entries.iter().any(|entry| is_skill(&entry.file_name())) {
        return Ok(());
    }
    for entry in entries {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if paths.len() >= COUNTED {
            return Ok(());
        }
        if name.starts_with('.') || NOISE.contains(&name) || (depth == 0 && is_skill(name.as_ref())) {
            continue;
        }
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_dir() && depth < DEPTH {
            walk(&entry.open_dir()?, &path, depth + 1, paths)?;
        } else if kind.is_file() {
            paths.push(path);
        }
    }
    Ok(())
}
