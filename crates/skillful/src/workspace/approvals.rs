//! What is installed for this folder and this user, and what of it the user approved.

use super::Workspace;
use skillful_catalog::roots::repository_of;
use skillful_format::{Code, Diagnostic};
use skillful_registry::{
    Lock, approvals,
    install::{Site, places},
    lock::LOCK_FILE,
};
use skillful_runtime::approvals::Approvals;
use std::path::PathBuf;

impl Workspace {
    /// What is installed and approved, for the question whether a skill may be activated. Read once.
    pub fn approvals(&self) -> &Approvals {
        &self.approvals.get_or_init(|| self.read_approvals()).0
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

    fn read_approvals(&self) -> (Approvals, Vec<Diagnostic>) {
        let (mut folders, mut closed, mut diagnostics) = (Vec::<PathBuf>::new(), Vec::new(), Vec::new());
        for site in self.sites() {
            match Lock::load(&site.lock) {
                Ok(lock) => {
                    let installed = lock.skills.values().flat_map(places);
                    folders.extend(installed.map(|(place, _)| site.path(place)));
                }
                Err(error) => {
                    let message = format!("no skill below `{}` is used: {error}", site.base.display());
                    let found =
                        Diagnostic::new(Code::ConfigInvalid, message).in_path(site.lock.join(LOCK_FILE));
                    diagnostics.push(found.help("repair the lock, or restore it from version control"));
                    closed.push((site.base, error.to_string()));
                }
            }
        }
        let approved = match approvals::Approvals::load(&self.paths.data) {
            Ok(approvals) => approvals.trees.into_keys().collect(),
            Err(error) => {
                let message = format!("no installed skill is used: {error}");
                let found = Diagnostic::new(Code::ConfigInvalid, message).in_path(error.path);
                diagnostics.push(found.help("repair the file, or remove it and approve your skills again"));
                Vec::new()
            }
        };
        let mut approvals = Approvals::new(folders, approved);
        for (folder, why) in closed {
            approvals.close(&folder, why);
        }
        (approvals, diagnostics)
    }
}
