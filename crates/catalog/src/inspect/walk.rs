//! The walk below a folder that the user names. Each folder is opened and listed once, and what is done with a skill is
//! done while its folder is open, so that a check needs no second look at it.

use super::{SKILL_FILES, is_own_folder};
use crate::{
    bounded::{self, Boundary},
    folder::{FileKind, Folder, RawName},
    parallel,
};
use rustix::io::Errno;
use std::{
    cmp::Ordering,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{self, AtomicUsize},
    },
};

/// Levels below a given folder that are searched for skills.
const DEPTH: usize = 16;
/// Folders that hold code of other authors, or no code.
const SKIP: [&str; 5] = [".git", "node_modules", "target", "__pycache__", ".venv"];
/// A folder with fewer folders in it is not kept open for them.
const MANY: usize = 8;
/// Folders that are kept open at most: a process has a limit of open files.
const MOST_OPEN: usize = 128;

/// A folder with a skill file, while it is open.
pub(super) struct SkillFolder<'a> {
    pub(super) folder: &'a Folder,
    /// Everything that is in the folder.
    pub(super) names: &'a [RawName],
    /// The path of the skill file.
    pub(super) file: &'a Path,
    /// The repository around the folder.
    pub(super) within: Option<&'a Boundary>,
    /// Whether the folder is known to be inside of it, so that a file which is not a link is inside, too.
    pub(super) is_inside: bool,
}

/// What is below a skill.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Inner {
    /// Nothing: the search stops at a skill.
    Stop,
    /// Further skills; those in folders such as `assets` are files of the skill.
    Search,
}

/// What a walk found, by path.
pub(super) struct Walked<T> {
    pub(super) skills: Vec<(PathBuf, T)>,
    /// Skill files that are files of another skill.
    pub(super) skipped: Vec<PathBuf>,
    /// Folders that could not be opened or listed, which may hold a skill.
    pub(super) unreadable: Vec<PathBuf>,
}

/// One folder to visit.
struct WalkedFolder {
    path: PathBuf,
    /// The open folder above it and its name there.
    above: Option<(Arc<Kept>, OsString)>,
    within: Option<Arc<Boundary>>,
    is_inside: bool,
    /// Whether it is the folder that was named.
    is_first: bool,
    /// Levels that may still be searched below it.
    depth: usize,
    /// Whether it is in a folder of a skill whose files belong to that skill.
    is_own: bool,
}

struct Visit<T> {
    skill: Option<(PathBuf, Option<T>)>,
    next: Vec<WalkedFolder>,
    is_unreadable: bool,
}

/// A folder that is kept open for those in it, and the count of them.
struct Kept {
    folder: Folder,
    open: Arc<AtomicUsize>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.open.fetch_sub(1, atomic::Ordering::Relaxed);
    }
}

/// Visits the folder and those below it, and does `each` with every skill. Links to folders are not followed.
pub(super) fn walk<T: Send>(
    path: &Path,
    inner: Inner,
    each: impl Fn(&SkillFolder<'_>) -> T + Sync,
) -> Walked<T> {
    let open = Arc::new(AtomicUsize::new(0));
    let within = bounded::around(&path.join(SKILL_FILES[0])).map(Arc::new);
    let first = WalkedFolder {
        path: path.to_path_buf(),
        above: None,
        within,
        is_inside: false,
        is_first: true,
        depth: DEPTH,
        is_own: false,
    };
    let mut level = vec![first];
    let mut walked = Walked { skills: Vec::new(), skipped: Vec::new(), unreadable: Vec::new() };
    while !level.is_empty() {
        let visits = parallel::map(&level, |place| visit(place, inner, &open, &each));
        let unreadable = level.iter().zip(&visits).filter(|(_, visit)| visit.is_unreadable);
        walked.unreadable.extend(unreadable.map(|(place, _)| place.path.clone()));
        level.clear();
        for Visit { skill, next, .. } in visits {
            match skill {
                Some((file, Some(done))) => walked.skills.push((file, done)),
                Some((file, None)) => walked.skipped.push(file),
                None => {}
            }
            level.extend(next);
        }
    }
    walked.skills.sort_by(|(one, _), (other, _)| by_parts(one, other));
    walked.skipped.sort_by(|one, other| by_parts(one, other));
    walked.unreadable.sort_by(|one, other| by_parts(one, other));
    walked
}

/// The order of paths, which is that of their parts: a slash comes before every letter. All of them begin with the folder
/// that was named, so that nothing has to be cut into parts.
fn by_parts(one: &Path, other: &Path) -> Ordering {
    let (one, other) = (one.as_os_str().as_encoded_bytes(), other.as_os_str().as_encoded_bytes());
    let differs = one.iter().zip(other).position(|(a, b)| a != b);
    match differs.map(|at| (one[at], other[at])) {
        Some((b'/', _)) => Ordering::Less,
        Some((_, b'/')) => Ordering::Greater,
        Some((a, b)) => a.cmp(&b),
        None => one.len().cmp(&other.len()),
    }
}

fn visit<T>(
    place: &WalkedFolder,
    inner: Inner,
    open: &Arc<AtomicUsize>,
    each: &(impl Fn(&SkillFolder<'_>) -> T + Sync),
) -> Visit<T> {
    let none = Visit { skill: None, next: Vec::new(), is_unreadable: false };
    let opened = match &place.above {
        Some((above, name)) => above.folder.open_folder_in(name),
        None => Folder::open(&place.path),
    };
    let (folder, names) = match opened.and_then(|folder| folder.raw_names().map(|names| (folder, names))) {
        Ok(read) => read,
        // It went away meanwhile, or is not a folder.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return none,
        Err(_) => return Visit { is_unreadable: true, ..none },
    };
    // A repository in a repository has its own boundary; the one of the first folder is known.
    let is_repository = !place.is_first && names.iter().any(|name| name.text == ".git");
    let within = if is_repository { Some(Arc::new(Boundary::of(&place.path))) } else { place.within.clone() };
    let is_inside =
        place.is_inside && !is_repository || folder.leaves(&place.path, within.as_deref()).is_none();
    let skill = skill_file(&folder, &names);
    if skill.is_some() && (inner == Inner::Stop || place.is_own) || skill.is_none() && place.depth == 0 {
        return Visit {
            skill: skill.map(|name| done(place, &folder, &names, name, within.as_deref(), is_inside, each)),
            ..none
        };
    }
    let is_sub =
        |name: &&RawName| name.kind == FileKind::Folder && !SKIP.iter().any(|skip| name.text == *skip);
    let mut subfolders: Vec<&OsStr> = names.iter().filter(is_sub).map(|name| name.text.as_os_str()).collect();
    // Names are short: what they lead to is then nearly in order, and whole paths are hardly compared.
    subfolders.sort_unstable();
    let found = skill.map(|name| done(place, &folder, &names, name, within.as_deref(), is_inside, each));
    let keeps = subfolders.len() >= MANY && open.fetch_add(1, atomic::Ordering::Relaxed) < MOST_OPEN;
    if subfolders.len() >= MANY && !keeps {
        open.fetch_sub(1, atomic::Ordering::Relaxed);
    }
    let kept = keeps.then(|| Arc::new(Kept { folder, open: Arc::clone(open) }));
    let next = subfolders.into_iter().map(|name| WalkedFolder {
        path: place.path.join(name),
        above: kept.as_ref().map(|kept| (Arc::clone(kept), name.to_os_string())),
        within: within.clone(),
        // Without the handle of this folder the path is followed again.
        is_inside: is_inside && kept.is_some(),
        is_first: false,
        depth: if found.is_some() { DEPTH } else { place.depth - 1 },
        is_own: place.is_own || found.is_some() && is_own_folder(name),
    });
    let next = next.collect();
    Visit { skill: found, next, is_unreadable: false }
}

fn done<T>(
    place: &WalkedFolder,
    folder: &Folder,
    names: &[RawName],
    name: &str,
    within: Option<&Boundary>,
    is_inside: bool,
    each: &(impl Fn(&SkillFolder<'_>) -> T + Sync),
) -> (PathBuf, Option<T>) {
    let file = place.path.join(name);
    let done = (!place.is_own).then(|| each(&SkillFolder { folder, names, file: &file, within, is_inside }));
    (file, done)
}

/// The name of the skill file. A file system that ignores case may have it in another spelling.
fn skill_file(folder: &Folder, names: &[RawName]) -> Option<&'static str> {
    let has = |skill: &str| names.iter().any(|name| name.text == skill);
    if let Some(name) = SKILL_FILES.into_iter().find(|skill| has(skill)) {
        return Some(name);
    }
    let is_other = names.iter().any(|name| name.text.eq_ignore_ascii_case(SKILL_FILES[0]));
    if is_other { SKILL_FILES.into_iter().find(|skill| folder.kind_of(skill).is_some()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_the_order_of_their_parts() {
        let names = [
            "a",
            "a/b",
            "a/SKILL.md",
            "a-b/SKILL.md",
            "a b/SKILL.md",
            "a!/x",
            "A/x",
            "ab/x",
            "a/b/c",
            "é/x",
            "b",
        ];
        for one in names {
            for other in names {
                let (one, other) = (Path::new("/skills/.").join(one), Path::new("/skills/.").join(other));
                assert_eq!(by_parts(&one, &other), one.cmp(&other), "{} {}", one.display(), other.display());
            }
        }
    }
}
