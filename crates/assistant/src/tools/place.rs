//! Where a path really leads: links followed as far as something exists, also in the folders above a
//! file that is not there yet. What comes out is what is judged and what is opened, by handles that
//! follow no link any more.

use crate::scene::Scene;
use std::{
    collections::{HashMap, VecDeque},
    ffi::OsString,
    io,
    path::{Component, Path, PathBuf},
};

/// Links on the way to one file; the kernel stops at as many.
const LINKS: usize = 40;
/// Bytes of a path.
const LENGTH: usize = 4096;

/// The real path that a word of a model means: relative to the folder of the scene, `~` is the home.
pub(super) fn real(scene: &Scene<'_>, word: &str) -> Result<PathBuf, String> {
    if word.trim().is_empty() {
        return Err("the path is empty; name a file or a folder, `.` is the folder you work in".to_owned());
    }
    if word.contains('\0') || word.len() > LENGTH {
        return Err(format!("this is no path: it holds a NUL byte or more than {LENGTH} bytes"));
    }
    let path = match word.strip_prefix('~') {
        Some("") => scene.home.clone(),
        Some(rest) if rest.starts_with('/') => scene.home.join(rest.trim_start_matches('/')),
        _ => scene.folder.join(word),
    };
    resolve(&path).map_err(|error| format!("`{}` cannot be followed: {error}", shown(word)))
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
                            return Err(io::Error::other("there are too many links on the way"));
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
            return Err(io::Error::other("it leads to a path that is too long"));
        }
    }
    Ok(real)
}

/// Where many paths lead. Most of them share their folders, which are followed once; one that cannot be followed
/// stays as it is.
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

/// A path for people and models: relative to the folder of the scene where it lies below it, else to
/// the home, else whole.
pub(super) fn told(scene: &Scene<'_>, path: &Path) -> String {
    match (path.strip_prefix(&scene.folder), path.strip_prefix(&scene.home)) {
        (Ok(rest), _) if rest.as_os_str().is_empty() => ".".to_owned(),
        (Ok(rest), _) => shown(&rest.to_string_lossy()),
        (_, Ok(rest)) if rest.as_os_str().is_empty() => "~".to_owned(),
        (_, Ok(rest)) => shown(&format!("~/{}", rest.to_string_lossy())),
        _ => shown(&path.to_string_lossy()),
    }
}

/// Without characters that would change the line they stand in.
pub(super) fn shown(text: &str) -> String {
    let plain = |character: char| if character.is_control() { '\u{fffd}' } else { character };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests;
