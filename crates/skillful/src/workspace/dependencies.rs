//! What a workspace was made from, and waiting for any of it to change. Every face watches through this.

use super::Workspace;
use crate::config::project_file;
use skillful_catalog::{
    roots::{Root, repository_of},
    watch::{Watch, Woken},
};
use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant, SystemTime},
};

/// How often files that are not below a root are looked at.
const STEP: Duration = Duration::from_secs(1);

/// Everything a workspace was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Folders of skills.
    pub roots: Vec<Root>,
    /// Skillful's own files: configuration, agent profiles, trust, variables, approvals, lock.
    pub files: Vec<PathBuf>,
}

impl Workspace {
    /// Everything whose change makes this snapshot outdated.
    pub fn dependencies(&self) -> Dependencies {
        let paths = &self.paths;
        let mut files = vec![
            paths.managed_config.clone(),
            paths.config.clone(),
            paths.agents.clone(),
            paths.trust.clone(),
            paths.variables.clone(),
            paths.data.join(skillful_registry::approvals::APPROVALS_FILE),
        ];
        files.extend(self.sites().into_iter().map(|site| site.lock.join(skillful_registry::lock::LOCK_FILE)));
        files.extend(repository_of(&self.environment.cwd).map(project_file));
        Dependencies { roots: self.catalog().roots.clone(), files }
    }
}

/// When a file was changed last, and its size.
type Stamp = Option<(SystemTime, u64)>;

/// Waits until something that a workspace was made from changes.
#[derive(Default)]
pub struct Watcher {
    watch: Option<Watch>,
    /// Whether some folder cannot be watched, so that only looking again helps.
    blind: bool,
    followed: Dependencies,
    stamps: Vec<Stamp>,
}

impl Watcher {
    /// Starts to watch what a workspace was made from. Changes made before this call are not seen.
    pub fn new(workspace: &Workspace) -> Self {
        let mut watcher = Self { watch: Watch::new().ok(), ..Self::default() };
        watcher.follow(workspace);
        watcher
    }

    /// Watches the next snapshot from now on.
    pub fn follow(&mut self, workspace: &Workspace) {
        let next = workspace.dependencies();
        let roots_moved = next.roots != self.followed.roots;
        self.stamps = next.files.iter().map(stamp).collect();
        self.followed = next;
        if roots_moved || self.blind {
            let unwatched = self.watch.as_mut().map(|watch| watch.follow(&self.followed.roots));
            self.blind = unwatched.is_none_or(|unwatched| !unwatched.is_empty());
        }
    }

    /// Whether some folder cannot be watched: its changes are seen only by reading it again.
    pub fn is_blind(&self) -> bool {
        self.blind
    }

    /// Whether anything changed by now, or within `timeout`.
    pub fn changed(&mut self, timeout: Duration) -> bool {
        let end = Instant::now() + timeout;
        loop {
            let step = STEP.min(end.saturating_duration_since(Instant::now()));
            let woken = match &mut self.watch {
                Some(watch) => watch.wait(step),
                None => {
                    thread::sleep(step);
                    Woken::TimedOut
                }
            };
            if woken == Woken::Changed
                || self.stamps.iter().ne(self.followed.files.iter().map(stamp).collect::<Vec<_>>().iter())
            {
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
        }
    }
}

impl std::fmt::Debug for Watcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} roots, {} files", self.followed.roots.len(), self.followed.files.len())
    }
}

fn stamp(path: &PathBuf) -> Stamp {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}
