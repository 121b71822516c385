//! Three versions of a skill become one: what was installed, what a user made of it, and what is new.
//!
//! A value in, a value out: nothing is read or written here. Whatever is not exactly as the user had it is
//! named in the result, and where both sides changed the same thing differently nothing is guessed.

pub(crate) mod lines;
#[cfg(test)]
mod tests;

use skillful_catalog::capability;
use skillful_format::{Document, Limits, Sidecars, Tree, TreeFile, TreePath, document::Soundness};
use std::collections::{BTreeMap, BTreeSet};

/// Whose version a conflict gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The user's.
    Mine,
    /// The new one.
    Theirs,
}

/// What three trees came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The files.
    pub tree: Tree,
    /// Every file that changed, in order of the paths, and how it was merged.
    pub files: Vec<FileMerge>,
}

/// How one file was merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMerge {
    /// Which one.
    pub path: TreePath,
    /// How it was merged.
    pub how: How,
}

/// How a file that was changed, added or removed was merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Only the user did; it is theirs.
    Mine,
    /// Only the new version did; it is that.
    Theirs,
    /// Both did the same.
    Same,
    /// Both changed it in different places; it has both changes.
    Joined,
    /// Both did, and not the same: it is as the preferred side has it.
    Conflict(Conflict),
}

/// Why two changes are not made one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// The same lines.
    #[error("you and the new version changed the same lines")]
    Lines,
    /// No lines to speak of.
    #[error("you and the new version changed it, and it is not text")]
    NotText,
    /// Too many lines.
    #[error("you and the new version changed it, and it is too large to be merged")]
    TooLarge,
    /// Two new files of one name.
    #[error("you and the new version added it with different contents")]
    Added,
    /// Gone here, changed there.
    #[error("you removed it, and the new version changed it")]
    RemovedHere,
    /// Changed here, gone there.
    #[error("you changed it, and the new version removed it")]
    RemovedThere,
    /// On some disks the two names are one, or a file would have to be a folder too.
    #[error("your files and the new ones cannot stand side by side under this name")]
    Clash,
    /// The frontmatter would be broken, or ask for more than either version does.
    #[error("your changes and the new ones together are not a valid skill")]
    Unsound,
    /// The installed files are not known, so that the changes are not known.
    #[error(
        "what was installed is no longer known, so your changes cannot be distinguished from the new ones"
    )]
    NoBase,
}

impl Merged {
    /// The files that the two sides disagree about.
    pub fn conflicts(&self) -> impl Iterator<Item = (&TreePath, Conflict)> {
        self.files.iter().filter_map(|file| match file.how {
            How::Conflict(why) => Some((&file.path, why)),
            _ => None,
        })
    }
}

/// Merges. Laws: without a change of theirs it is mine, without one of mine it is theirs, and when both are
/// the same it is that; `prefer` decides about conflicts only.
pub fn merge(base: &Tree, mine: &Tree, theirs: &Tree, prefer: Side) -> Merged {
    let merging = Merging { base: files(base), mine: files(mine), theirs: files(theirs), prefer };
    let limit = || merging.whole(if prefer == Side::Mine { mine } else { theirs }, Conflict::TooLarge);
    let merged = merging.merge(true).unwrap_or_else(limit);
    let joined = merged.files.iter().any(|file| file.how == How::Joined);
    if joined && !is_sound(&merged.tree, mine, theirs) {
        return merging.merge(false).unwrap_or_else(limit);
    }
    merged
}

/// The two sides as one conflict, when it is not known what was installed: what is the same on both sides is
/// not a conflict, and nothing of the preferred side gives way.
pub fn merge_without_base(mine: &Tree, theirs: &Tree, prefer: Side) -> Merged {
    let empty = BTreeMap::new();
    let merging = Merging { base: empty, mine: files(mine), theirs: files(theirs), prefer };
    merging.whole(if prefer == Side::Mine { mine } else { theirs }, Conflict::NoBase)
}

/// Lines of two valid frontmatters can make an invalid one, or one with a capability that neither has.
fn is_sound(merged: &Tree, mine: &Tree, theirs: &Tree) -> bool {
    let broken = |tree: &Tree| {
        let read = |(_, file): (_, &TreeFile)| Document::read(&file.bytes, &Sidecars::default()).soundness;
        tree.skill_file().map(read) == Some(Soundness::Broken)
    };
    if broken(merged) && !(broken(mine) || broken(theirs)) {
        return false;
    }
    let [merged, mine, theirs] = [merged, mine, theirs].map(capability::declared_in);
    let gained = |before: &BTreeSet<String>| -> BTreeSet<String> {
        capability::gained(before, &merged).into_iter().collect()
    };
    gained(&mine).is_disjoint(&gained(&theirs))
}

type Files<'a> = BTreeMap<&'a TreePath, &'a TreeFile>;

fn files(tree: &Tree) -> Files<'_> {
    tree.iter().collect()
}

struct Merging<'a> {
    base: Files<'a>,
    mine: Files<'a>,
    theirs: Files<'a>,
    prefer: Side,
}

impl<'a> Merging<'a> {
    fn paths(&self) -> BTreeSet<&'a TreePath> {
        [&self.base, &self.mine, &self.theirs].into_iter().flat_map(|files| files.keys().copied()).collect()
    }

    /// All files, unless together they go beyond the limits of a skill.
    fn merge(&self, by_lines: bool) -> Option<Merged> {
        let limits = Limits::default();
        let mut changes: BTreeMap<&TreePath, How> = BTreeMap::new();
        let mut kept = Vec::new();
        for path in self.paths() {
            let (how, file) = self.file(path, by_lines);
            changes.extend(how.map(|how| (path, how)));
            kept.extend(file.map(|file| (self.rank(path), path, file)));
        }
        // A file that cannot exist beside another is one that only one side has, and the preferred side
        // decides.
        kept.sort_by_key(|(rank, path, _)| (*rank, *path));
        let mut tree = Tree::default();
        for (_, path, file) in kept {
            if let Err(found) = tree.insert(path.clone(), file, &limits) {
                if found.code != skillful_format::Code::EntryClash {
                    return None;
                }
                changes.insert(path, How::Conflict(Conflict::Clash));
            }
        }
        let files = changes.into_iter().map(|(path, how)| FileMerge { path: path.clone(), how }).collect();
        Some(Merged { tree, files })
    }

    fn rank(&self, path: &TreePath) -> u8 {
        let (mine, theirs) = (self.mine.contains_key(path), self.theirs.contains_key(path));
        match self.prefer {
            _ if mine && theirs => 0,
            Side::Mine if mine => 1,
            Side::Theirs if theirs => 1,
            _ => 2,
        }
    }

    fn file(&self, path: &TreePath, by_lines: bool) -> (Option<How>, Option<TreeFile>) {
        let (base, mine, theirs) = (self.base.get(path), self.mine.get(path), self.theirs.get(path));
        let own = |file: Option<&&TreeFile>| file.map(|file| (*file).clone());
        if mine == theirs {
            return ((mine != base).then_some(How::Same), own(mine));
        }
        if mine == base {
            return (Some(How::Theirs), own(theirs));
        }
        if theirs == base {
            return (Some(How::Mine), own(mine));
        }
        let joined = match (base, mine, theirs) {
            (Some(_), None, _) => Err(Conflict::RemovedHere),
            (Some(_), _, None) => Err(Conflict::RemovedThere),
            (Some(base), Some(mine), Some(theirs)) => joined(base, mine, theirs, by_lines),
            (None, ..) => Err(Conflict::Added),
        };
        match joined {
            Ok(file) => (Some(How::Joined), Some(file)),
            Err(why) => {
                let chosen = if self.prefer == Side::Mine { mine } else { theirs };
                (Some(How::Conflict(why)), own(chosen))
            }
        }
    }

    /// One side as it is; every file that differs is a conflict.
    fn whole(&self, chosen: &Tree, why: Conflict) -> Merged {
        let differs = |path: &&TreePath| self.mine.get(*path) != self.theirs.get(*path);
        let named = |path: &TreePath| FileMerge { path: path.clone(), how: How::Conflict(why) };
        Merged { tree: chosen.clone(), files: self.paths().into_iter().filter(differs).map(named).collect() }
    }
}

/// One file with both changes. Two changes of the permission to execute are always the same one.
fn joined(base: &TreeFile, mine: &TreeFile, theirs: &TreeFile, by_lines: bool) -> Result<TreeFile, Conflict> {
    let executable = if mine.executable == base.executable { theirs.executable } else { mine.executable };
    let bytes = if mine.bytes == base.bytes {
        theirs.bytes.clone()
    } else if theirs.bytes == base.bytes || theirs.bytes == mine.bytes {
        mine.bytes.clone()
    } else if by_lines {
        lines::merge(&base.bytes, &mine.bytes, &theirs.bytes)?
    } else {
        return Err(Conflict::Unsound);
    };
    Ok(TreeFile { bytes, executable })
}
