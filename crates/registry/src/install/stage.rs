//! The folder beside an agent's folder in which new skills are made whole before they get their names, so that
//! no agent ever reads half of one.
//!
//! Names in it decide about what is left there after a crash: `new-` and `old-` are ours and are removed;
//! `swap-` may hold what was replaced and not compared yet, and is removed only when the content store has the same.

use super::{
    InstallError, Site, alias,
    apply::name_of,
    place::{self, Now, Seen, Values},
    site::split,
};
use crate::{
    atomic_write::{AtomicWriter, Modes, Syncing, temporary_name},
    content_store::ContentStore,
    lock::Locked,
};
use cap_std::fs::Dir;
use skillful_format::{Digest, Limits, Tree, TreePath, digest_bytes};
use std::{borrow::Cow, io, path::PathBuf};

const NEW: &str = "new-";
const SWAP: &str = "swap-";
const OLD: &str = "old-";

pub(super) struct Stage<'a> {
    site: &'a Site,
    contents: &'a ContentStore,
    writer: &'a AtomicWriter,
    /// The agent's folder.
    folder: Dir,
    /// The folder above it, which holds the stage.
    above: Dir,
    /// The stage, and its name.
    dir: Dir,
    name: String,
    path: PathBuf,
}

impl<'a> Stage<'a> {
    /// Opens the stage of an agent's folder; makes both when they are not there.
    pub(super) fn open(
        site: &'a Site,
        contents: &'a ContentStore,
        writer: &'a AtomicWriter,
        folder: &str,
    ) -> Result<Self, InstallError> {
        let (above_path, _) = split(folder);
        let name = stage_name(site);
        let open = || {
            writer.make_folders(&site.top()?, folder).or_else(|error| {
                // A user's own links may lead out of the base; then it is there already.
                site.folder(folder).map(drop).map_err(|_| error)
            })?;
            let above = site.folder(above_path)?;
            writer.make_folders(&above, &name)?;
            let dir = above.open_dir(&name)?;
            Ok((site.folder(folder)?, above, dir))
        };
        let path = site.base.join(folder);
        let (folder, above, dir) = open().map_err(|error: io::Error| InstallError::Disk {
            path: path.clone(),
            action: "written",
            error,
        })?;
        let path = path.parent().map(|above| above.join(&name)).unwrap_or_default();
        Ok(Self { site, contents, writer, folder, above, dir, name, path })
    }

    /// Sweeps the stage of a folder, when there is one.
    pub(super) fn sweep_if_there(
        site: &'a Site,
        contents: &'a ContentStore,
        writer: &'a AtomicWriter,
        folder: &str,
    ) -> Result<Vec<PathBuf>, InstallError> {
        if !site.folder(split(folder).0).is_ok_and(|above| above.is_dir(stage_name(site))) {
            return Ok(Vec::new());
        }
        let stage = Self::open(site, contents, writer, folder)?;
        let left = stage.sweep()?;
        stage.close();
        Ok(left)
    }

    /// Removes what an earlier run left, but for what a user may have made; returns that.
    pub(super) fn sweep(&self) -> Result<Vec<PathBuf>, InstallError> {
        let sweep = || {
            let mut left = Vec::new();
            for entry in self.dir.entries()? {
                let name = entry?.file_name();
                let Some(name) = name.to_str() else { continue };
                if name.starts_with(SWAP) && !self.is_stored(name)? {
                    left.push(self.path.join(name));
                } else {
                    self.writer.remove(&self.dir, name)?;
                }
            }
            left.sort();
            Ok(left)
        };
        sweep().map_err(|error: io::Error| InstallError::Disk {
            path: self.path.clone(),
            action: "removed",
            error,
        })
    }

    fn is_stored(&self, name: &str) -> io::Result<bool> {
        let now = place::look_in(&self.dir, name)?;
        Ok(match &now {
            Now::Absent | Now::Link(_) => true,
            Now::Folder { values: None, .. } => {
                now.digest().is_some_and(|digest| self.contents.read(&digest).is_ok())
            }
            Now::Folder { .. } | Now::Other => false,
        })
    }

    /// The stage goes with the last thing in it.
    pub(super) fn close(self) {
        let names: Vec<_> =
            self.dir.entries().into_iter().flatten().flatten().map(|e| e.file_name()).collect();
        for name in names.iter().filter_map(|name| name.to_str()) {
            if !name.starts_with(SWAP) {
                let _next_time = self.writer.remove(&self.dir, name);
            }
        }
        let is_empty = self.dir.entries().is_ok_and(|mut entries| entries.next().is_none());
        if is_empty {
            let _next_time = self.writer.remove(&self.above, &self.name);
        }
    }

    pub(super) fn path(&self, place: &TreePath) -> PathBuf {
        self.site.path(place)
    }

    fn failed<'p>(
        &'p self,
        place: &'p TreePath,
        action: &'static str,
    ) -> impl Fn(io::Error) -> InstallError + Copy + 'p {
        move |error| InstallError::Disk { path: self.path(place), action, error }
    }

    fn random(&self, place: &TreePath) -> Result<String, InstallError> {
        let name = temporary_name().map_err(self.failed(place, "written"))?;
        Ok(name.trim_start_matches(crate::atomic_write::STAGED).to_owned())
    }

    /// A new link to a tree of the content store.
    pub(super) fn link(&self, digest: &Digest, place: &TreePath) -> Result<String, InstallError> {
        let name = self.random(place)?;
        self.writer
            .link(&self.dir, &self.contents.path(digest), &format!("{NEW}{name}"))
            .map_err(self.failed(place, "written"))?;
        Ok(name)
    }

    /// A new link to a copy of the same skill.
    pub(super) fn alias(&self, place: &TreePath, locked: Option<&Locked>) -> Result<String, InstallError> {
        let copy = locked.and_then(|locked| locked.copied.first());
        let copy =
            copy.ok_or_else(|| InstallError::Refused(format!("{place}: there is no copy to link to")))?;
        let name = self.random(place)?;
        self.writer
            .link(&self.dir, &alias::target(place, copy), &format!("{NEW}{name}"))
            .map_err(self.failed(place, "written"))?;
        Ok(name)
    }

    /// The values that lie at a place now.
    pub(super) fn values(&self, place: &TreePath) -> Result<Option<Values>, InstallError> {
        let now = place::look_in(&self.folder, name_of(place)).map_err(self.failed(place, "read"))?;
        Ok(now.values().cloned())
    }

    /// Records a copy that [`Self::write`] makes.
    pub(super) fn copy_later<'t>(
        &self,
        tree: &'t Tree,
        values: Option<&Values>,
        place: &TreePath,
        copies: &mut Vec<(String, Cow<'t, Tree>)>,
    ) -> Result<String, InstallError> {
        let mut tree = Cow::Borrowed(tree);
        if let Some((path, file)) = values {
            let with_values = tree.to_mut().insert(path.clone(), file.clone(), &Limits::default());
            with_values.map_err(|found| InstallError::Refused(format!("{place}: {}", found.message)))?;
        }
        let name = self.random(place)?;
        copies.push((format!("{NEW}{name}"), tree));
        Ok(name)
    }

    /// Makes all copies.
    pub(super) fn write(
        &self,
        copies: &[(String, Cow<'_, Tree>)],
        syncing: Syncing,
    ) -> Result<(), InstallError> {
        let written = self.writer.write_trees(&self.dir, copies, Modes::Usual, syncing);
        written.map_err(|error| InstallError::Disk { path: self.path.clone(), action: "written", error })
    }

    /// A folder of the file system that has to be settled between staging and naming.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Gives something new a name that nothing has.
    pub(super) fn create(&self, name: &str, place: &TreePath) -> Result<(), InstallError> {
        let new = format!("{NEW}{name}");
        let made = self.writer.rename_new((&self.dir, &new), (&self.folder, name_of(place)));
        if made.map_err(self.failed(place, "written"))? {
            Ok(())
        } else {
            Err(InstallError::Edited(self.path(place)))
        }
    }

    /// Puts something new in the place of what the plan saw there; when it is something else by now, that
    /// gets its place back.
    pub(super) fn replace(
        &self,
        name: &str,
        place: &TreePath,
        seen: Option<&Seen>,
        values: Option<&Values>,
    ) -> Result<(), InstallError> {
        let failed = self.failed(place, "written");
        let (new, swap, old) = (format!("{NEW}{name}"), format!("{SWAP}{name}"), format!("{OLD}{name}"));
        let at = (&self.folder, name_of(place));
        self.writer.rename_new((&self.dir, &new), (&self.dir, &swap)).map_err(failed)?;
        if let Err(error) = self.writer.exchange((&self.dir, &swap), at) {
            // Nothing changed, so that what is staged is ours.
            let _next_time = self.writer.rename_new((&self.dir, &swap), (&self.dir, &new));
            return Err(failed(error));
        }
        if !self.is_as_seen(&swap, seen, values).map_err(failed)? {
            self.writer.exchange((&self.dir, &swap), at).map_err(failed)?;
            let _next_time = self.writer.rename_new((&self.dir, &swap), (&self.dir, &new));
            return Err(InstallError::Edited(self.path(place)));
        }
        self.writer.rename_new((&self.dir, &swap), (&self.dir, &old)).map_err(failed)?;
        self.writer.remove(&self.dir, &old).map_err(failed)
    }

    /// Takes away what the plan saw; when it is something else by now, it gets its place back.
    pub(super) fn remove(&self, place: &TreePath, seen: Option<&Seen>) -> Result<(), InstallError> {
        let failed = self.failed(place, "removed");
        let name = self.random(place)?;
        let (swap, old) = (format!("{SWAP}{name}"), format!("{OLD}{name}"));
        let at = (&self.folder, name_of(place));
        self.writer.rename_new(at, (&self.dir, &swap)).map_err(failed)?;
        if !self.is_as_seen(&swap, seen, None).map_err(failed)? {
            self.writer.rename_new((&self.dir, &swap), at).map_err(failed)?;
            return Err(InstallError::Edited(self.path(place)));
        }
        self.writer.rename_new((&self.dir, &swap), (&self.dir, &old)).map_err(failed)?;
        self.writer.remove(&self.dir, &old).map_err(failed)
    }

    fn is_as_seen(&self, name: &str, seen: Option<&Seen>, values: Option<&Values>) -> io::Result<bool> {
        let now = place::look_in(&self.dir, name)?;
        Ok(now.seen().as_ref() == seen && now.values() == values)
    }

    /// Makes the names of the agent's folder last.
    pub(super) fn sync(&self) -> Result<(), InstallError> {
        let synced = self.writer.sync_folder(&self.folder);
        synced.map_err(|error| InstallError::Disk { path: self.path.clone(), action: "written", error })
    }
}

/// Each lock has its own, and only the process that holds the lock's guard writes in it.
fn stage_name(site: &Site) -> String {
    let own = digest_bytes(site.lock.as_os_str().as_encoded_bytes()).to_hex();
    format!(".skillful-stage-{}", &own[..16])
}
