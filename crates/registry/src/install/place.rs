//! What is at a place now.

use super::{Site, site::split};
use cap_std::fs::Dir;
use skillful_catalog::{disk, variables};
use skillful_format::{Digest, Limits, Tree, TreeFile, TreePath};
use std::{collections::BTreeMap, io, path::PathBuf};

/// What is at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Now {
    /// Nothing.
    Absent,
    /// A link, to there.
    Link(PathBuf),
    /// A folder with exactly these files, and the values that a user put beside them.
    Folder { tree: Box<Tree>, values: Option<Values> },
    /// A file, or a folder with something that no skill has.
    Other,
}

/// The file with a user's values, as it is spelled.
pub(super) type Values = (TreePath, TreeFile);

/// What was at a place, in a form that can be compared later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Link(PathBuf),
    Files(Digest),
}

impl Now {
    pub(super) fn digest(&self) -> Option<Digest> {
        match self {
            Self::Folder { tree, .. } => Some(tree.digest()),
            _ => None,
        }
    }

    pub(super) fn values(&self) -> Option<&Values> {
        match self {
            Self::Folder { values, .. } => values.as_ref(),
            _ => None,
        }
    }

    pub(super) fn seen(&self) -> Option<Seen> {
        match self {
            Self::Link(to) => Some(Seen::Link(to.clone())),
            Self::Folder { tree, .. } => Some(Seen::Files(tree.digest())),
            Self::Absent | Self::Other => None,
        }
    }
}

/// Looks at one place of a site.
pub(super) fn look(site: &Site, place: &TreePath) -> io::Result<Now> {
    let mut folders = Folders::new(site);
    folders.open(place)?;
    folders.look(place)
}

/// The folders of a site in which places are, each opened once.
#[derive(Debug)]
pub(super) struct Folders<'a> {
    site: &'a Site,
    open: BTreeMap<String, Option<Dir>>,
}

impl<'a> Folders<'a> {
    pub(super) fn new(site: &'a Site) -> Self {
        Self { site, open: BTreeMap::new() }
    }

    /// Opens the folder of a place, unless that was done before or it is not there.
    pub(super) fn open(&mut self, place: &TreePath) -> io::Result<()> {
        let folder = split(place.as_str()).0;
        if !self.open.contains_key(folder) {
            let dir = match self.site.folder(folder) {
                Ok(dir) => Some(dir),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            self.open.insert(folder.to_owned(), dir);
        }
        Ok(())
    }

    /// Looks at a place whose folder was opened.
    pub(super) fn look(&self, place: &TreePath) -> io::Result<Now> {
        let (folder, name) = split(place.as_str());
        self.open.get(folder).and_then(Option::as_ref).map_or(Ok(Now::Absent), |dir| look_in(dir, name))
    }
}

/// Looks at a name in a folder.
pub(super) fn look_in(dir: &Dir, name: &str) -> io::Result<Now> {
    let kind = match dir.symlink_metadata(name) {
        Ok(meta) => meta.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Now::Absent),
        Err(error) => return Err(error),
    };
    if kind.is_symlink() {
        return Ok(Now::Link(dir.read_link_contents(name)?));
    }
    if !kind.is_dir() {
        return Ok(Now::Other);
    }
    let limits = Limits::default();
    let (tree, left_out) = disk::read_dir(&dir.open_dir(name)?, &limits)?;
    // What is not in the tree would be lost with it.
    if !left_out.is_empty() {
        return Ok(Now::Other);
    }
    let of_a_person = |path: &TreePath| path.as_str().eq_ignore_ascii_case(variables::SKILL_FILE);
    let values =
        tree.iter().find(|(path, _)| of_a_person(path)).map(|(path, file)| (path.clone(), file.clone()));
    let (tree, _) = variables::without_values(tree, &limits);
    Ok(Now::Folder { tree: Box::new(tree), values })
}
