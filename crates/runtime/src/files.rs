//! The files that a skill brings, as a model sees them.

use cap_std::fs::Dir;
use skillful_catalog::{AdmittedSkill, Entry, disk, profile::RootKind, variables};
use skillful_format::{Code, Diagnostic, Limits, Tree};
use skillful_render::envelope::Files;
use std::io;

/// Folders below folders that are looked into.
const DEPTH: usize = 8;
/// Files that are counted; beyond them a skill has "or more".
const COUNTED: usize = 2_000;
/// Folders that belong to tools and never to a skill.
const NOISE: [&str; 3] = [".git", "__pycache__", "node_modules"];

/// Whether a file or folder of that name is for a model to read. The values of variables may be secrets.
pub fn is_served(name: &str, depth: usize) -> bool {
    let holds_values = depth == 0 && name.eq_ignore_ascii_case(variables::SKILL_FILE);
    !holds_values && !name.starts_with('.') && !NOISE.contains(&name)
}

/// Whether a path of a skill, and what it leads to, is for a model to read. A path that leads outside is
/// another question.
pub fn is_part(skill: &AdmittedSkill<'_>, path: &str) -> bool {
    let entry = skill.entry();
    let named = path.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    let meant = || -> Option<Vec<String>> {
        let folder = std::fs::canonicalize(entry.folder()).ok()?;
        let real = std::fs::canonicalize(folder.join(path)).ok()?;
        let inner = real.strip_prefix(&folder).ok()?.components();
        inner.map(|part| part.as_os_str().to_str().map(str::to_owned)).collect()
    };
    let all_served =
        |parts: &mut dyn Iterator<Item = &str>| parts.enumerate().all(|(depth, part)| is_served(part, depth));
    if skill.approved_files().is_some() {
        return all_served(&mut named.into_iter());
    }
    all_served(&mut named.into_iter())
        && meant().is_none_or(|meant| all_served(&mut meant.iter().map(String::as_str)))
}

/// Files of a skill besides its own, relative and sorted, for its user; at most a thousand.
pub fn beside(entry: &Entry) -> Vec<String> {
    if entry.origin.kind == RootKind::Commands {
        return Vec::new();
    }
    let opened = entry.open_folder().and_then(|folder| disk::read_dir(&folder, &Limits::default()));
    let Ok((tree, _)) = opened else {
        return Vec::new();
    };
    let own = entry.origin.file.file_name().map(|name| name.to_string_lossy().into_owned());
    let files = tree.iter().map(|(path, _)| path.as_str().to_owned());
    files.filter(|path| Some(path) != own.as_ref()).take(1000).collect()
}

/// The files of a skill's folder, without its instructions, links, hidden files and skills inside it.
/// A folder that cannot be read is a diagnostic; the rest is listed.
pub fn of(skill: &AdmittedSkill<'_>) -> (Files, Vec<Diagnostic>) {
    let entry = skill.entry();
    if entry.origin.kind == RootKind::Commands {
        return (Files::default(), Vec::new());
    }
    if let Some(files) = skill.approved_files() {
        return (approved(files), Vec::new());
    }
    let mut walk = Walk::default();
    if let Err(error) = entry.open_folder().and_then(|folder| walk.folder(&folder, "", 0)) {
        walk.unreadable("", &error);
    }
    for diagnostic in &mut walk.diagnostics {
        diagnostic.path.get_or_insert_with(|| entry.folder().into());
    }
    (Files { uncounted: walk.uncounted, ..Files::new(walk.paths) }, walk.diagnostics)
}

/// The same of approved files.
fn approved(files: &Tree) -> Files {
    let is_skill = |name: &str| name.eq_ignore_ascii_case("SKILL.md");
    let nested: Vec<&str> = (files.iter())
        .filter_map(|(path, _)| path.as_str().rsplit_once('/').filter(|(_, name)| is_skill(name)))
        .map(|(folder, _)| folder)
        .collect();
    let is_listed = |path: &str| {
        let mut parts = path.split('/').enumerate();
        !is_skill(path)
            && parts.all(|(depth, part)| is_served(part, depth))
            && !nested
                .iter()
                .any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    };
    let mut paths: Vec<String> = files
        .iter()
        .map(|(path, _)| path.as_str())
        .filter(|path| is_listed(path))
        .map(str::to_owned)
        .collect();
    let is_deep = |path: &String| path.matches('/').count() > DEPTH;
    let uncounted = paths.len() > COUNTED || paths.iter().any(is_deep);
    paths.retain(|path| !is_deep(path));
    paths.truncate(COUNTED);
    Files { uncounted, ..Files::new(paths) }
}

#[derive(Default)]
struct Walk {
    paths: Vec<String>,
    uncounted: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Walk {
    fn folder(&mut self, folder: &Dir, above: &str, depth: usize) -> io::Result<()> {
        let mut entries: Vec<_> = folder.entries()?.collect::<Result<_, _>>()?;
        entries.sort_by_key(cap_std::fs::DirEntry::file_name);
        let is_skill = |name: &std::ffi::OsStr| name.eq_ignore_ascii_case("SKILL.md");
        if depth > 0 && entries.iter().any(|entry| is_skill(&entry.file_name())) {
            return Ok(());
        }
        for entry in entries {
            if self.paths.len() >= COUNTED {
                self.uncounted = true;
                return Ok(());
            }
            let name = entry.file_name();
            // A name that is not UTF-8 cannot be given to a model; its file still counts.
            let name = name.to_string_lossy();
            if !is_served(&name, depth) || (depth == 0 && is_skill(name.as_ref().as_ref())) {
                continue;
            }
            let path = if above.is_empty() { name.into_owned() } else { format!("{above}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_file() {
                self.paths.push(path);
            } else if kind.is_dir() && depth < DEPTH {
                if let Err(error) = entry.open_dir().and_then(|inner| self.folder(&inner, &path, depth + 1)) {
                    self.unreadable(&path, &error);
                }
            } else if kind.is_dir() {
                self.uncounted = true;
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, path: &str, error: &io::Error) {
        self.uncounted = true;
        let what = if path.is_empty() { "the skill's folder".to_owned() } else { format!("`{path}`") };
        let message = format!("the files of {what} could not be listed: {error}");
        self.diagnostics.push(Diagnostic::new(Code::FolderUnreadable, message));
    }
}
