//! Real paths: links are followed as far as something exists, also in the parent folders of a file that does
//! not exist yet. The result is what is judged and what is opened, by handles that follow no links.

use crate::{tool_environment::ToolEnvironment, tools::path_access::holds_variables};
use std::{
    collections::{HashMap, VecDeque},
    ffi::OsString,
    io,
    path::{Component, Path, PathBuf},
};

/// Most links on the way to one file, as in the kernel.
const LINKS: usize = 40;
/// Most bytes of a path.
const LENGTH: usize = 4096;

/// The real path of a model's argument: relative to the working folder; `~` is the home.
pub(super) fn resolve_argument(env: &ToolEnvironment<'_>, word: &str) -> Result<PathBuf, String> {
    if word.trim().is_empty() {
        return Err("the path is empty; name a file or a folder, `.` is the working folder".to_owned());
    }
    if word.contains('\0') || word.len() > LENGTH {
        return Err(format!("this is not a path: it has a NUL byte or more than {LENGTH} bytes"));
    }
    let path = match word.strip_prefix('~') {
        Some("") => env.home.clone(),
        Some(rest) if rest.starts_with('/') => env.home.join(rest.trim_start_matches('/')),
        _ => env.folder.join(word),
    };
    let real =
        resolve(&path).map_err(|error| format!("`{}` cannot be resolved: {error}", printable(word)))?;
    if holds_variables(&real) {
        return Err(format!(
            "`{}` holds the values of variables, some of them secret; no tool reads or changes it, the user \
             edits it",
            printable(word)
        ));
    }
    Ok(real)
}

/// Follows links as far as something exists. The path must be absolute.
pub(super) fn resolve(path: &Path) -> io::Result<PathBuf> {
    enum Step {
        Root,
        Up,
        Down(OsString),
    }
    fn steps(path: &Path) -> impl DoubleEndedIterator<Item = Step> {
        path.components().filter_map(|component| match component {
            Component::RootDir => Some(Step::Root),
            Component::ParentDir => Some(Step::Up),
            Component::Normal(name) => Some(Step::Down(name.to_owned())),
            Component::CurDir | Component::Prefix(_) => None,
        })
    }
    let mut left: VecDeque<Step> = steps(path).collect();
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(step) = left.pop_front() {
        match step {
            Step::Root => real = PathBuf::from("/"),
            Step::Up => {
                real.pop();
            }
            Step::Down(name) => {
                let next = real.join(name);
                match next.symlink_metadata() {
                    Ok(meta) if meta.is_symlink() => {
                        links += 1;
                        if links > LINKS {
                            return Err(io::Error::other("too many symbolic links"));
                        }
                        for step in steps(&next.read_link()?).rev() {
                            left.push_front(step);
                        }
                    }
                    Ok(_) => real = next,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => real = next,
                    Err(error) => return Err(error),
                }
            }
        }
        if real.as_os_str().len() > LENGTH {
            return Err(io::Error::other("the resolved path is too long"));
        }
    }
    Ok(real)
}

/// Resolves many paths. Most share their folders, which are resolved once; a path that cannot be resolved stays
/// unchanged.
pub(super) fn resolve_all(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders: HashMap<&Path, Option<PathBuf>> = HashMap::new();
    let real = |path: &'_ PathBuf| resolve(path).unwrap_or_else(|_| path.clone());
    let mut all = Vec::with_capacity(paths.len());
    for path in paths {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            all.push(real(path));
            continue;
        };
        let folder = folders.entry(parent).or_insert_with(|| resolve(parent).ok());
        let next = folder.as_ref().map(|folder| folder.join(name)).filter(|next| !next.is_symlink());
        all.push(next.unwrap_or_else(|| real(path)));
    }
    all
}

/// A path for users and models: relative to the working folder when it is below it, else to the home, else
/// absolute.
pub(super) fn display_path(env: &ToolEnvironment<'_>, path: &Path) -> String {
    match (path.strip_prefix(&env.folder), path.strip_prefix(&env.home)) {
        (Ok(rest), _) if rest.as_os_str().is_empty() => ".".to_owned(),
        (Ok(rest), _) => printable(&rest.to_string_lossy()),
        (_, Ok(rest)) if rest.as_os_str().is_empty() => "~".to_owned(),
        (_, Ok(rest)) => printable(&format!("~/{}", rest.to_string_lossy())),
        _ => printable(&path.to_string_lossy()),
    }
}

/// Replaces control characters, which could change the line.
pub(super) fn printable(text: &str) -> String {
    let plain = |character: char| if character.is_control() { '\u{fffd}' } else { character };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests;
