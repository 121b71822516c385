//! What is installed for this folder and this user, and what of it the user approved.

use super::Workspace;
use skillful_audit::Severity;
use skillful_catalog::{
    Approvals, Scope, SkillState, approvals::Auditor, roots::repository_of, state::PendingReason,
};
use skillful_format::{Code, Diagnostic, Digest, Document, Sidecars, Tree, TreePath, path_text};
use skillful_registry::{
    AtomicWriter, ContentStore, Lock, approvals,
    install::{Reach, Site, places},
    lock::{LOCK_FILE, Locked},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The variable that approves what a lock names.
pub const APPROVE_LOCKED: &str = "SKILLFUL_APPROVE_LOCKED";

/// What the locks and the user's approvals say.
#[derive(Clone, Debug)]
pub(super) struct Installed {
    approvals: Arc<Approvals>,
    pending: Vec<PendingDownload>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A skill that a lock names and that is not installed, because its user has not reviewed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingDownload {
    /// Its name.
    pub name: String,
    /// For whom it was downloaded.
    pub scope: Scope,
    /// Where it will be installed.
    pub places: Vec<PathBuf>,
    /// The digest of its files.
    pub tree: Digest,
    /// Whether its files are on this machine. Of a lock that came with a repository they may not be.
    pub is_downloaded: bool,
}

impl PendingDownload {
    /// The state of the skill.
    pub fn state(&self) -> SkillState {
        let why = if self.is_downloaded { PendingReason::Downloaded } else { PendingReason::NotDownloaded };
        SkillState::Pending { why }
    }
}

/// Whether an entry of a lock waits for its user: it is pending there, or the user has not approved it and it is
/// nowhere.
pub(crate) fn is_waiting(locked: &Locked, site: &Site, is_approved: impl Fn(&Digest) -> bool) -> bool {
    let is_absent = |place: &TreePath| site.path(place).symlink_metadata().is_err();
    locked.pending || !is_approved(&locked.installed()) && places(locked).all(|(place, _)| is_absent(place))
}

/// The blocking findings of a skill, by rule and line.
fn blocking_findings(tree: &Tree) -> Vec<String> {
    let report = skillful_audit::audit(tree);
    let blocking = report.findings.iter().filter(|found| found.severity == Severity::Block);
    let mut all: Vec<String> =
        blocking.map(|found| format!("{} {}:{}", found.rule.id(), found.path, found.line)).collect();
    all.dedup();
    all
}

impl Workspace {
    /// What is installed and approved, for the question whether a skill may be activated. Read once.
    pub fn approvals(&self) -> &Arc<Approvals> {
        &self.installed().approvals
    }

    /// The skills that locks name for this folder and this user and that wait for a review. No agent reads them.
    pub fn pending_downloads(&self) -> &[PendingDownload] {
        &self.installed().pending
    }

    /// The description of a pending skill, from the content store.
    pub fn pending_description(&self, pending: &PendingDownload) -> Option<String> {
        let store = ContentStore::open(&self.paths.contents(), AtomicWriter::default()).ok()?;
        let tree = store.read(&pending.tree).ok()?;
        let (_, file) = tree.skill_file()?;
        Document::read(&file.bytes, &Sidecars::default()).manifest.description
    }

    /// Whether this machine approves what a lock names, without an answer of its user: by the configuration, or by
    /// the environment of the process, such as that of a CI job.
    pub fn approves_locked(&self) -> bool {
        self.config().approve_locked || self.environment().variable(APPROVE_LOCKED).as_deref() == Some("1")
    }

    /// The state of a skill of this workspace.
    pub fn state(&self, at: usize) -> SkillState {
        self.catalog().state(at, self.principal(), self.environment())
    }

    fn installed(&self) -> &Installed {
        self.installed.get_or_init(|| self.read_installed())
    }

    /// The project whose lock counts here: the repository around the folder, or the folder itself.
    pub fn project_site(&self) -> Site {
        let cwd = &self.environment.cwd;
        Site::project(repository_of(cwd).unwrap_or(cwd).to_path_buf())
    }

    /// The user's own lock, which is kept with Skillful's data.
    pub fn user_site(&self) -> Site {
        Site::user(self.environment.home.clone(), self.paths.data.clone())
    }

    /// Every place whose lock names skills of this workspace.
    pub(super) fn sites(&self) -> Vec<Site> {
        let mut sites = vec![self.project_site(), self.user_site()];
        for root in &self.options.roots {
            let top = root.ancestors().find(|folder| folder.join(LOCK_FILE).is_file());
            let site = top.map(|top| Site::project(top.to_path_buf()));
            sites.extend(site.filter(|site| !sites.contains(site)));
        }
        sites
    }

    /// The entry of a lock that installed the skill in a folder, and the file of that lock.
    pub(crate) fn locked(&self, folder: &Path) -> Option<(PathBuf, Locked)> {
        self.sites().into_iter().find_map(|site| {
            let lock = Lock::load(&site.lock).ok()?;
            let is_here = |locked: &Locked| places(locked).any(|(place, _)| site.path(place) == folder);
            let found = lock.skills.into_values().find(is_here)?;
            Some((site.lock.join(LOCK_FILE), found))
        })
    }

    /// Every folder that a lock names, with its entry.
    pub(crate) fn locked_folders(&self) -> HashMap<PathBuf, Locked> {
        let mut folders = HashMap::new();
        for site in self.sites() {
            for locked in Lock::load(&site.lock).map(|lock| lock.skills).unwrap_or_default().into_values() {
                for (place, _) in places(&locked) {
                    folders.entry(site.path(place)).or_insert_with(|| locked.clone());
                }
            }
        }
        folders
    }

    fn read_installed(&self) -> Installed {
        let mut pending = Vec::new();
        let store = ContentStore::open(&self.paths.contents(), AtomicWriter::default());
        let (mut folders, mut closed, mut diagnostics) = (Vec::<PathBuf>::new(), Vec::new(), Vec::new());
        let approved = match approvals::Approvals::load(&self.paths.data) {
            Ok(approvals) => {
                let names = |(tree, approval): (Digest, approvals::Approval)| (tree, approval.names());
                approvals.trees.into_iter().map(names).collect()
            }
            Err(error) => {
                let message = format!("no installed skill is used: {error}");
                let found = Diagnostic::new(Code::ConfigInvalid, message).in_path(error.path);
                diagnostics.push(found.help("repair the file, or remove it and approve your skills again"));
                BTreeMap::<Digest, BTreeSet<String>>::new()
            }
        };
        for site in self.sites() {
            match Lock::load(&site.lock) {
                Ok(lock) => {
                    let installed = lock.skills.values().flat_map(places);
                    folders.extend(installed.map(|(place, _)| site.path(place)));
                    let scope = match site.reach {
                        Reach::Project => Scope::Project,
                        Reach::User => Scope::User,
                    };
                    let is_waiting =
                        |locked: &Locked| is_waiting(locked, &site, |tree| approved.contains_key(tree));
                    let waiting = lock.skills.iter().filter(|(_, locked)| is_waiting(locked));
                    let is_here = |tree: &Digest| store.as_ref().is_ok_and(|store| store.has(tree));
                    pending.extend(waiting.map(|(name, locked)| PendingDownload {
                        name: name.to_string(),
                        scope,
                        places: places(locked).map(|(place, _)| site.path(place)).collect(),
                        tree: locked.tree,
                        is_downloaded: is_here(&locked.tree) || is_here(&locked.installed()),
                    }));
                }
                Err(error) => {
                    let message = format!("no skill below `{}` is used: {error}", path_text(&site.base));
                    let found =
                        Diagnostic::new(Code::ConfigInvalid, message).in_path(site.lock.join(LOCK_FILE));
                    diagnostics.push(found.help("repair the lock, or restore it from version control"));
                    closed.push((site.base, error.to_string()));
                }
            }
        }
        let mut approvals = Approvals::new(folders, approved.keys().copied())
            .named(approved)
            .audited_by(Auditor(blocking_findings));
        for (folder, why) in closed {
            approvals.close(&folder, why);
        }
        Installed { approvals: Arc::new(approvals), pending, diagnostics }
    }
}
