//! Whether the files of a skill are files that its user approved, by installing, reviewing or trusting it. It is
//! asked each time a skill is activated: files that changed since are not what the user agreed to.

use crate::{
    disk,
    entry::Entry,
    folder::{FileRead, Folder},
    profile::{RootKind, Scope},
    state::PendingReason,
    variables,
};
use skillful_format::{
    Digest, Limits, Tree, TreeFile, TreePath, path_text, sidecar::SIDECAR_LIMIT, source::FILE_LIMIT,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

/// Where the file of a project that overrides a skill stands among the files of that skill.
pub(crate) const OVERRIDE_FILE: &str = ".override/skill.toml";

/// The folders that locks name, and the trees that the user approved. The default knows no lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvals {
    /// Folders of installed skills, the folder above each with links resolved.
    installed: BTreeSet<PathBuf>,
    /// Digests of approved trees.
    approved: BTreeSet<Digest>,
    /// The names that trees were approved under. A tree that is not here is approved under every name.
    names: BTreeMap<Digest, BTreeSet<String>>,
    /// Folders whose record of installed skills cannot be read, and why: nothing below them is activated.
    unreadable: BTreeMap<PathBuf, String>,
    auditor: Auditor,
}

/// Names the blocking findings of a skill that its user writes and that changed. The audit is not part of
/// this crate; the workspace gives it.
#[derive(Clone, Copy)]
pub struct Auditor(pub fn(&Tree) -> Vec<String>);

impl Default for Auditor {
    fn default() -> Self {
        Self(|_| Vec::new())
    }
}

impl fmt::Debug for Auditor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Auditor")
    }
}

/// Two auditors are equal: their findings follow from the files.
impl PartialEq for Auditor {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Auditor {}

/// Why an installed skill may not be activated.
#[derive(Debug, thiserror::Error)]
pub enum NotApproved {
    /// Its files are not files that the user approved.
    #[error("you have not approved its files as they are now ({now})")]
    Files {
        /// What the folder holds now.
        now: Digest,
    },
    /// The user approved its files under another name.
    #[error("you have not approved it under the name `{name}`, which is not written in its file")]
    Name {
        /// The name that it has now.
        name: String,
    },
    /// Its files cannot be read.
    #[error("its files cannot be compared with those you approved: {0}")]
    Unreadable(#[from] io::Error),
    /// The record of what is installed or approved cannot be read.
    #[error("it is not known whether you approved it: {0}")]
    NoRecord(String),
}

impl NotApproved {
    /// Why the skill waits for its user.
    pub(crate) fn pending(&self) -> PendingReason {
        match self {
            Self::Files { .. } | Self::Name { .. } => PendingReason::NotApproved,
            Self::Unreadable(error) => PendingReason::NoRecord { problem: error.to_string() },
            Self::NoRecord(problem) => PendingReason::NoRecord { problem: problem.clone() },
        }
    }
}

impl Approvals {
    /// The approvals of a machine on which no lock names a skill.
    pub fn none() -> &'static Arc<Self> {
        static NONE: LazyLock<Arc<Approvals>> = LazyLock::new(Arc::default);
        &NONE
    }

    /// From what locks name as installed, and what the user approved.
    pub fn new(
        folders: impl IntoIterator<Item = PathBuf>,
        approved: impl IntoIterator<Item = Digest>,
    ) -> Self {
        let mut parents = BTreeMap::new();
        let installed = folders.into_iter().map(|folder| resolved(&folder, &mut parents)).collect();
        let approved = approved.into_iter().collect();
        Self { installed, approved, ..Self::default() }
    }

    /// The same with the names that trees were approved under. They count for skills whose files have no name.
    #[must_use]
    pub fn named(self, names: BTreeMap<Digest, BTreeSet<String>>) -> Self {
        Self { names, ..self }
    }

    /// The same with an audit of skills that their user writes.
    #[must_use]
    pub fn audited_by(self, auditor: Auditor) -> Self {
        Self { auditor, ..self }
    }

    /// The blocking findings of a skill that its user writes.
    pub(crate) fn blocking_findings(&self, tree: &Tree) -> Vec<String> {
        (self.auditor.0)(tree)
    }

    /// Closes everything below a folder, since what is installed there cannot be read.
    pub fn close(&mut self, folder: &Path, why: String) {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        self.unreadable.insert(folder, why);
    }

    /// Whether a lock names this folder.
    pub fn is_installed(&self, folder: &Path) -> bool {
        if self.installed.is_empty() {
            return false;
        }
        // A link at an installed place must not lead past the question, nor one to it.
        self.installed.contains(&resolved(folder, &mut BTreeMap::new()))
            || folder.canonicalize().is_ok_and(|real| self.installed.contains(&real))
    }

    /// Whether the user approved these files.
    pub fn is_approved(&self, files: &Digest) -> bool {
        self.approved.contains(files)
    }

    /// Whether the user approved these files for a skill. The name of one whose file says none is that of its
    /// folder, and the name of its plugin stands before it; the digest covers neither, so that it must be a name that
    /// the user saw.
    pub fn is_approved_for(&self, entry: &Entry, files: &Digest) -> bool {
        let is_written = entry.loaded.manifest.name.as_deref().is_some_and(|name| !name.trim().is_empty());
        let is_of_plugin = entry.origin.scope == Scope::Plugin && entry.qualifier.is_some();
        let is_known = |name: &str| self.names.get(files).is_none_or(|names| names.contains(name));
        self.is_approved(files)
            && (is_written || is_known(&entry.name))
            && (!is_of_plugin || is_known(&entry.address()))
    }

    /// Whether the user approved anything.
    pub fn is_empty(&self) -> bool {
        self.approved.is_empty()
    }

    /// Counts further files as approved.
    pub fn approve(&mut self, files: impl IntoIterator<Item = Digest>) {
        self.approved.extend(files);
    }

    /// Refuses a folder whose record of installed skills cannot be read.
    pub fn check_record(&self, folder: &Path) -> Result<(), NotApproved> {
        if self.unreadable.is_empty() {
            return Ok(());
        }
        let real = folder.canonicalize()?;
        match self.unreadable.iter().find(|(closed, _)| real.starts_with(closed)) {
            Some((_, why)) => Err(NotApproved::NoRecord(why.clone())),
            None => Ok(()),
        }
    }

    /// Whether a skill may be activated: no lock names its folder, or the user approved the files that it has now.
    pub fn check(&self, entry: &Entry) -> Result<(), NotApproved> {
        match self.installed_files(entry.folder())? {
            Some(files) => self.check_files(entry, files),
            None => Ok(()),
        }
    }

    /// The digest of the files of a folder that a lock names; none for another folder.
    fn installed_files(&self, folder: &Path) -> Result<Option<Digest>, NotApproved> {
        self.check_record(folder)?;
        Ok(if self.is_installed(folder) { Some(digest(folder)?) } else { None })
    }

    /// Whether a folder has files that may be used: no lock names it, or the user approved them under some name.
    pub fn check_folder(&self, folder: &Path) -> Result<(), NotApproved> {
        match self.installed_files(folder)? {
            Some(now) if !self.is_approved(&now) => Err(NotApproved::Files { now }),
            _ => Ok(()),
        }
    }

    /// Whether these are files that the user approved for a skill.
    pub fn check_files(&self, entry: &Entry, now: Digest) -> Result<(), NotApproved> {
        if self.is_approved_for(entry, &now) {
            Ok(())
        } else if self.is_approved(&now) {
            Err(NotApproved::Name { name: entry.address() })
        } else {
            Err(NotApproved::Files { now })
        }
    }
}

/// The digest of the files of a skill, by which it is approved.
pub fn files_of(entry: &Entry) -> io::Result<Digest> {
    Ok(tree_of(entry)?.digest())
}

/// The files of a skill that its user approves. A command file is the only file of its skill.
pub fn tree_of(entry: &Entry) -> io::Result<Tree> {
    if entry.origin.kind != RootKind::Commands {
        return with_override(entry, tree(&entry.origin.real)?);
    }
    let name = entry.origin.real.file_name().and_then(|name| name.to_str());
    let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why.to_owned());
    let (Some(folder), Some(name)) = (entry.origin.real.parent(), name) else {
        return Err(invalid("its file has no name that is UTF-8"));
    };
    let bytes = match Folder::open(folder)?.read(name, FILE_LIMIT)? {
        FileRead::Bytes(bytes, _) => bytes,
        FileRead::TooLarge(_) => return Err(invalid("its file is too large")),
        FileRead::NotAFile | FileRead::Outside(_) => return Err(invalid("it is not a regular file")),
    };
    let limits = Limits::default();
    let path = TreePath::new(name, &limits).map_err(|fault| invalid(&fault.to_string()))?;
    let mut tree = Tree::default();
    let file = TreeFile { bytes, executable: false };
    tree.insert(path, file, &limits).map_err(|found| invalid(&found.message))?;
    Ok(tree)
}

/// The files of a skill with the file of its project that overrides it.
fn with_override(entry: &Entry, mut tree: Tree) -> io::Result<Tree> {
    let Some(file) = entry.overridden.as_ref().and_then(|from| from.project_file.as_deref()) else {
        return Ok(tree);
    };
    let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
    let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
        return Err(invalid("its override has no name that is UTF-8".to_owned()));
    };
    let FileRead::Bytes(bytes, _) = Folder::open(folder)?.read(name, SIDECAR_LIMIT)? else {
        return Err(invalid("its override is not a regular file, or too large".to_owned()));
    };
    let limits = Limits::default();
    let path = TreePath::new(OVERRIDE_FILE, &limits).map_err(|fault| invalid(fault.to_string()))?;
    let file = TreeFile { bytes, executable: false };
    tree.insert(path, file, &limits).map_err(|found| invalid(found.message))?;
    Ok(tree)
}

/// The files of a skill that an audit can read, with the text that the catalog loaded. A link and what else cannot be
/// a part of a skill is not among them.
pub(crate) fn readable_files(entry: &Entry) -> io::Result<Tree> {
    if entry.origin.kind == RootKind::Commands {
        return tree_of(entry);
    }
    let limits = Limits::default();
    let (mut tree, _) = disk::read_folder(&entry.origin.real, &limits)?;
    if tree.skill_file().is_none() {
        let file = entry.origin.file.canonicalize()?;
        let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str()))
        else {
            return Err(invalid("its file has no name that is UTF-8".to_owned()));
        };
        let FileRead::Bytes(bytes, _) = Folder::open(folder)?.read(name, FILE_LIMIT)? else {
            return Err(invalid("its file cannot be read".to_owned()));
        };
        let path = TreePath::new("SKILL.md", &limits).map_err(|fault| invalid(fault.to_string()))?;
        let file = TreeFile { bytes, executable: false };
        tree.insert(path, file, &limits).map_err(|found| invalid(found.message))?;
    }
    with_override(entry, tree)
}

/// A folder with the links above it resolved. Of many in one folder, what is above is resolved once.
fn resolved(folder: &Path, parents: &mut BTreeMap<PathBuf, PathBuf>) -> PathBuf {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return folder.to_path_buf();
    };
    if parent.as_os_str().is_empty() {
        return folder.to_path_buf();
    }
    let real = || parent.canonicalize().unwrap_or_else(|_| parent.to_path_buf());
    parents.entry(parent.to_path_buf()).or_insert_with(real).join(name)
}

/// The digest of a folder.
fn digest(folder: &Path) -> io::Result<Digest> {
    Ok(tree(folder)?.digest())
}

/// The files of a folder. What cannot be a part of a skill (links, devices, files beyond the limits) would be missing
/// in it, so its presence is an error, and so is a package that the code would load and that is not part of it.
fn tree(folder: &Path) -> io::Result<Tree> {
    let (tree, left_out) = disk::read_folder(folder, &Limits::default())?;
    let refused = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    if let Some(first) = left_out.first() {
        return Err(refused(format!("{}; remove it from {}", first.message, path_text(folder))));
    }
    if let Some(packages) = packages_of(folder, &tree) {
        return Err(refused(format!(
            "`{packages}` is not part of it, and its code would load it; remove it"
        )));
    }
    // The user may set values beside a skill at any time.
    Ok(variables::without_values(tree, &Limits::default()).0)
}

/// A folder of packages that JavaScript of the skill would load from. It is never read with a skill.
fn packages_of(folder: &Path, tree: &Tree) -> Option<String> {
    let is_script = |path: &str| [".js", ".mjs", ".cjs", ".ts"].iter().any(|ending| path.ends_with(ending));
    let scripts = tree.iter().filter(|(path, _)| is_script(path.as_str()));
    let parents: BTreeSet<&str> = scripts.flat_map(|(path, _)| path.parents().chain([""])).collect();
    let mut names = parents.into_iter().map(|parent| match parent {
        "" => "node_modules".to_owned(),
        parent => format!("{parent}/node_modules"),
    });
    names.find(|name| folder.join(name).symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_folder_is_used_only_with_files_that_were_approved() {
        let top = tempfile::tempdir().unwrap();
        let (skill, own) = (top.path().join("skills/a"), top.path().join("skills/b"));
        for folder in [&skill, &own] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("SKILL.md"), "text").unwrap();
        }
        let approved = digest(&skill).unwrap();
        let approvals = Approvals::new([skill.clone()], [approved]);
        assert!(approvals.check_folder(&skill).is_ok() && approvals.is_installed(&skill));
        std::fs::write(skill.join("SKILL.md"), "other").unwrap();
        std::fs::write(own.join("SKILL.md"), "other").unwrap();
        assert!(matches!(approvals.check_folder(&skill), Err(NotApproved::Files { .. })));
        assert!(approvals.check_folder(&own).is_ok(), "no lock names it");
    }

    #[test]
    fn a_link_in_the_place_of_an_installed_folder_does_not_pass() {
        let top = tempfile::tempdir().unwrap();
        let (skill, elsewhere) = (top.path().join("skills/a"), top.path().join("elsewhere"));
        std::fs::create_dir_all(top.path().join("skills")).unwrap();
        std::fs::create_dir_all(&elsewhere).unwrap();
        std::fs::write(elsewhere.join("SKILL.md"), "text").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &skill).unwrap();
        assert!(Approvals::new([skill.clone()], []).check_folder(&skill).is_err());
    }

    #[test]
    fn a_record_that_cannot_be_read_closes_what_is_below_it() {
        let top = tempfile::tempdir().unwrap();
        let (inside, outside) = (top.path().join("p/a"), top.path().join("q/a"));
        for folder in [&inside, &outside] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let mut approvals = Approvals::default();
        approvals.close(&top.path().join("p"), "broken".to_owned());
        assert!(matches!(approvals.check_folder(&inside), Err(NotApproved::NoRecord(_))));
        assert!(approvals.check_folder(&outside).is_ok());
    }
}
