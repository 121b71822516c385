//! Whether what is installed is still what the lock names.

use super::{
    Difference, InstallError, Mode, Site, What, alias, differences,
    place::{Folders, Now},
};
use crate::{
    content_store::{ContentStore, ContentStoreError},
    lock::{Lock, Locked, SkillKey},
};
use skillful_catalog::parallel;
use skillful_format::{Digest, TreePath};
use std::collections::BTreeMap;

/// A place that differs from the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The skill.
    pub name: SkillKey,
    /// Its place.
    pub place: TreePath,
    /// What is different; never empty.
    pub changes: Vec<Change>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Change {
    /// Nothing is there.
    #[error("it is not there")]
    Missing,
    /// A link where files should be, or the other way round, or a link to elsewhere.
    #[error("it is not what was installed there")]
    Other,
    /// The tree in the content store, which a link leads to, was changed.
    #[error("the files in the content store were changed")]
    Store,
    /// Other files; which ones is not known, since the content store does not have those of the lock.
    #[error("its files are not those of the lock")]
    Files,
    /// A new file.
    #[error("`{0}` was added")]
    Added(TreePath),
    /// A file that is gone.
    #[error("`{0}` was removed")]
    Removed(TreePath),
    /// A file with other bytes, or another permission to execute it.
    #[error("`{0}` was changed")]
    Changed(TreePath),
    /// It is pending, and yet installed.
    #[error("it is installed although it is pending review")]
    NotReviewed,
}

/// Hashes everything that is installed again, and compares. No drift means that every byte is as locked.
pub fn verify(lock: &Lock, site: &Site, contents: &ContentStore) -> Result<Vec<Drift>, InstallError> {
    let mut folders = Folders::new(site);
    let mut places = Vec::new();
    let unreadable =
        |place: &TreePath, error| InstallError::Disk { path: site.path(place), action: "read", error };
    for (name, locked) in &lock.skills {
        for (place, mode) in super::plan::places(locked) {
            folders.open(place).map_err(|error| unreadable(place, error))?;
            places.push((name, locked, place, mode));
        }
    }
    let compared = parallel::map(&places, |&(name, locked, place, mode)| {
        let now = folders.look(place).map_err(|error| unreadable(place, error))?;
        let changes = changes(locked, (place, mode), &now, (site, contents))?;
        Ok((!changes.is_empty()).then(|| Drift { name: name.clone(), place: place.clone(), changes }))
    });
    compared.into_iter().filter_map(Result::transpose).collect()
}

/// The tree that each installed skill has now, where it is a folder: of its places, one that is not as locked when
/// there is any. Only reads.
pub fn verify_places(lock: &Lock, site: &Site) -> Result<BTreeMap<SkillKey, Digest>, InstallError> {
    let mut folders = Folders::new(site);
    let mut places = Vec::new();
    let unreadable =
        |place: &TreePath, error| InstallError::Disk { path: site.path(place), action: "read", error };
    for (name, locked) in lock.skills.iter().filter(|(_, locked)| !locked.pending) {
        for place in &locked.copied {
            folders.open(place).map_err(|error| unreadable(place, error))?;
            places.push((name, place));
        }
        // A link into the content store holds what the lock names, or is found by `verify`.
    }
    let read = parallel::map(&places, |&(name, place)| {
        let now = folders.look(place).map_err(|error| unreadable(place, error))?;
        Ok::<_, InstallError>((name, now.digest()))
    });
    let mut found: BTreeMap<SkillKey, Digest> = lock
        .skills
        .iter()
        .filter(|(_, locked)| !locked.pending && !locked.linked.is_empty())
        .map(|(name, locked)| (name.clone(), locked.installed()))
        .collect();
    for one in read {
        let (name, digest) = one?;
        let Some(digest) = digest else { continue };
        let is_locked = lock.skills.get(name).is_some_and(|locked| locked.installed() == digest);
        if !is_locked || !found.contains_key(name) {
            found.insert(name.clone(), digest);
        }
    }
    Ok(found)
}

fn changes(
    locked: &Locked,
    (place, mode): (&TreePath, Mode),
    now: &Now,
    (site, contents): (&Site, &ContentStore),
) -> Result<Vec<Change>, InstallError> {
    Ok(match (now, mode) {
        (Now::Absent, _) if locked.pending => Vec::new(),
        (Now::Absent, _) => vec![Change::Missing],
        (_, _) if locked.pending => vec![Change::NotReviewed],
        (Now::Link(to), Mode::Link) if *to == contents.path(&locked.installed()) => {
            match contents.read_folder(&locked.installed()) {
                Ok(_) => Vec::new(),
                Err(ContentStoreError::Missing(_) | ContentStoreError::Damaged { .. }) => vec![Change::Store],
                Err(error) => return Err(error.into()),
            }
        }
        (Now::Folder { tree, .. }, Mode::Copy) if tree.digest() == locked.installed() => Vec::new(),
        (Now::Folder { tree, .. }, Mode::Copy) => match contents.read(&locked.installed()) {
            Ok(base) => differences(&base, tree).into_iter().map(Change::from).collect(),
            Err(_) => vec![Change::Files],
        },
        (Now::Link(to), Mode::Alias) if alias::leads_to_copy(site, place, to, locked) => Vec::new(),
        _ => vec![Change::Other],
    })
}

impl From<Difference> for Change {
    fn from(one: Difference) -> Self {
        match one.what {
            What::Added => Self::Added(one.path),
            What::Removed => Self::Removed(one.path),
            What::Changed => Self::Changed(one.path),
        }
    }
}
