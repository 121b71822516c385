//! The library: installs, reviews, updates and removes skills, and decides what is used.
//!
//! A request and the answers of its user come in as data; a plan goes out, which can be shown; [`Library::apply`]
//! carries it out. The library enforces these rules; a caller cannot skip them:
//!
//! - a plan writes only into folders in which an agent reads skills;
//! - everything that is installed is audited, and what has blocking findings needs an answer that names it;
//! - what comes from another machine is pending until its user approved it;
//! - what comes into use is approved by its digest before it is written;
//! - a signer is never replaced unseen;
//! - a plan is carried out only while the lock is the one that it was made from.

mod add;
mod agent_settings;
mod bindings;
mod clean;
mod create;
mod error;
mod fix;
mod known_updates;
mod links;
mod npm;
mod own_config;
mod plan;
mod push;
mod repair_files;
mod review;
mod review_card;
mod servers;
mod share;
mod sign;
mod sign_in;
mod sources;
mod status;
mod switch;
mod sync;
mod team;
mod trust;
mod update;

pub use add::{AddRequest, Download};
pub use agent_settings::{AgentSettingsChange, SERVER_NAME};
pub use create::{NewSkill, NotReading};
pub use error::{FailureKind, LibraryError};
pub use fix::{AppliedFix, FixPlan, FixRequest};
pub use links::{LeftLink, LinksUndone};
pub use own_config::SettingChanged;
pub use plan::{Answers, Applied, Cards, InstallPlan};
pub use push::{PushAction, PushReport, PushRequest, PushedView};
pub use repair_files::{RepairPlan, RepairedFile, repairable};
pub use review::{Decided, ReviewItem, ReviewKind, Reviewed};
pub use share::{Exported, PublishRequest, Published, PublishedSkill};
pub use sign::{KeyLine, KnownKeys, SignRequest, SignatureCheck, SignatureState, SignedFolder};
pub use sign_in::{SavedSignIn, ServerState, SignedIn};
pub use sources::SourceAnswers;
pub(crate) use status::PENDING;
pub use status::{version, word};
pub use switch::{Ambiguous, Switch, SwitchPlan, SwitchRequest, Switched};
use switch::{read_settings, write_settings};
pub use team::{TeamAnswer, TeamRequest, WantedSkill};
pub use trust::{TrustPlan, TrustedSkill, Untrusted};
pub use update::{UpdateOutcome, UpdatePlan, UpdateRequest};

use crate::{calendar, workspace::Workspace};
use skillful_catalog::Environment;
use skillful_format::TreePath;
use skillful_registry::{
    AtomicWriter, ContentStore, Lock,
    approvals::{Approvals, ApprovedBy, Approver},
    fetch::{Bounds, Outside, Progress, Web},
    install::{self, Reach, Site},
    lock::{
        LOCK_FILE, SkillKey,
        npm::{self as npm_lock, NpmFile},
    },
    sign::{Allowed, Signing},
    sources::Sources,
};
use std::{
    collections::BTreeSet,
    path::PathBuf,
    time::{Duration, SystemTime},
};

/// How often a request is planned again while other processes change the lock, and how much longer it waits each
/// time.
const TURNS: u32 = 32;
const PAUSE: Duration = Duration::from_millis(5);

/// For whom skills are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For everybody who works in the repository.
    Project,
    /// For the user, in every folder.
    User,
}

/// Installs, reviews, updates and removes skills of one scope.
///
/// ```
/// use skillful::{Environment, Library, Options, Workspace};
/// use skillful::library::{AddRequest, Answers, Cards, Scope};
/// use std::{fs, time::SystemTime};
///
/// let folder = tempfile::tempdir()?;
/// let path = |below: &str| folder.path().join(below);
/// fs::create_dir_all(path("work/lib/pdf"))?;
/// fs::write(path("work/lib/pdf/SKILL.md"), "---\nname: pdf\ndescription: Read PDF files.\n---\nRead it.\n")?;
/// let environment = Environment { cwd: path("work"), home: path("home"), ..Environment::default() };
/// let workspace = Workspace::open(environment, Options::default());
///
/// let library = Library::open(&workspace, Scope::Project, SystemTime::UNIX_EPOCH)?;
/// let download = library.download(&AddRequest { source: "./lib".to_owned(), ..AddRequest::default() })?;
/// let plan = library.plan_add(&download, &Answers::default())?;
/// assert!(plan.refused().next().is_none() && plan.pending().is_empty());
/// library.apply(&plan, Cards::NotShown)?;
/// assert!(path("work/.agents/skills/pdf/SKILL.md").is_file());
/// assert!(library.verify()?.is_clean());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Library<'w> {
    workspace: &'w Workspace,
    site: Site,
    store: ContentStore,
    writer: AtomicWriter,
    now: SystemTime,
    progress: Progress,
}

impl<'w> Library<'w> {
    /// Opens the library of a workspace. `now` is the time that approvals and signatures are judged by.
    pub fn open(workspace: &'w Workspace, scope: Scope, now: SystemTime) -> Result<Self, LibraryError> {
        let site = match scope {
            Scope::Project => workspace.project_site(),
            Scope::User => workspace.user_site(),
        };
        let writer = AtomicWriter::default();
        let store = ContentStore::open(&workspace.paths().contents(), writer.clone())?;
        Ok(Self { workspace, site, store, writer, now, progress: Progress::default() })
    }

    /// Reports the progress of downloads.
    #[must_use]
    pub fn with_progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// The folder of the lock, and what its places are relative to.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The content store.
    pub fn store(&self) -> &ContentStore {
        &self.store
    }

    /// The file of the lock.
    pub fn lock_file(&self) -> PathBuf {
        self.site.lock.join(LOCK_FILE)
    }

    /// The lock as it is now.
    pub fn lock(&self) -> Result<Lock, LibraryError> {
        Ok(Lock::load(&self.site.lock)?)
    }

    /// The same for what compares with a lock: without one there is nothing to compare with.
    fn existing_lock(&self) -> Result<Lock, LibraryError> {
        if self.lock_file().symlink_metadata().is_ok() {
            return self.lock();
        }
        Err(LibraryError::new(format!("there is no {LOCK_FILE} here")).fix("skillful add makes one"))
    }

    /// What the user approved until now.
    pub fn approvals(&self) -> Result<Approvals, LibraryError> {
        Ok(Approvals::load(&self.workspace.paths().data)?)
    }

    /// The names of a lock that are meant; all when none is given.
    pub fn chosen(lock: &Lock, names: &[String]) -> Result<BTreeSet<SkillKey>, LibraryError> {
        if names.is_empty() {
            return Ok(lock.skills.keys().cloned().collect());
        }
        names.iter().map(|name| Self::installed(lock, name)).collect()
    }

    fn installed(lock: &Lock, name: &str) -> Result<SkillKey, LibraryError> {
        let key: SkillKey = name.parse().map_err(|why| LibraryError::usage(format!("`{name}` {why}")))?;
        if lock.skills.contains_key(&key) {
            return Ok(key);
        }
        Err(LibraryError::new(format!("`{name}` was not installed by skillful"))
            .fix("skillful update --check lists the installed skills"))
    }

    /// Where agents read skills in this scope; nothing else is ever written to.
    fn agent_folders(&self) -> BTreeSet<TreePath> {
        let Environment { home, variables, .. } = self.workspace.environment();
        install::skills_folders(self.workspace.agents().iter(), &self.site, home, variables)
    }

    /// The signers that the user knows. Lines that cannot be used come as warnings.
    pub fn signers(&self, warnings: &mut Vec<String>) -> Result<Allowed, LibraryError> {
        let path = self.workspace.paths().allowed_signers();
        let allowed = Allowed::load(&path)?;
        warnings.extend(allowed.losses.iter().map(|loss| format!("{} {loss}", path.display())));
        Ok(allowed)
    }

    fn signing<'a>(&self, allowed: &'a Allowed, signer: Option<&'a str>) -> Signing<'a> {
        Signing { allowed: Some(allowed), now: self.seconds(), agreed: signer }
    }

    /// The day that approvals are dated with.
    fn date(&self) -> String {
        calendar::date(calendar::seconds(self.now))
    }

    /// The time, in seconds since 1970.
    fn seconds(&self) -> i64 {
        i64::try_from(calendar::seconds(self.now)).unwrap_or(i64::MAX)
    }

    /// What a fetch may use. A file of sources that cannot be read allows no registry and no further host.
    fn outside(&self, warnings: &mut Vec<String>) -> Outside {
        let Environment { home, variables, .. } = self.workspace.environment();
        let web = match Sources::load(&self.workspace.paths().sources()) {
            Ok(sources) => sources.web_with(|address| self.team_token(address)),
            Err(error) => {
                warnings.push(error.to_string());
                Web::default()
            }
        };
        Outside {
            base: self.site.base.clone(),
            home: home.clone(),
            variables: variables.clone(),
            scratch: self.workspace.paths().cache.join("fetch"),
            bounds: Bounds::default(),
            web: Web { progress: self.progress.clone(), ..web },
        }
    }

    /// Carries out a plan: all of it, or nothing when the plan refuses anything or the lock changed since. A yes of a user
    /// who saw the cards allows what they name.
    pub fn apply(&self, plan: &InstallPlan, cards: Cards) -> Result<Applied, LibraryError> {
        self.record_team(plan, false)?;
        let data = &self.workspace.paths().data;
        let saved = plan.save_backups(&data.join("backups"), &self.writer)?;
        let date = self.date();
        let approver = Approver { data, date: &date, how: plan.how };
        let done = install::apply(&plan.inner, &self.site, &self.store, approver, &self.writer)?;
        if cards == Cards::Shown {
            self.bind_shown(plan)?;
        }
        self.record_team(plan, true)?;
        // An entry that only came into our lock is for other installers as it was.
        let warnings = if done.changed.is_empty() { Vec::new() } else { self.follow_npm(&plan.inner) };
        Ok(Applied {
            changed: done.changed,
            left: done.left,
            lock_written: done.lock_written,
            saved,
            warnings,
        })
    }

    /// Records what a plan with nothing to do confirms: which of the skills that are here a team server has on for the user.
    /// [`Library::apply`] does so itself.
    pub fn confirm(&self, plan: &InstallPlan) -> Result<(), LibraryError> {
        self.record_team(plan, true)
    }

    /// Plans and applies, and plans again while other processes change the lock in between. The user saw no card of the plan
    /// that is carried out in the end, so that it allows no secret, variable or server.
    pub fn apply_planned<P: AsRef<InstallPlan>>(
        &self,
        mut plan: impl FnMut() -> Result<P, LibraryError>,
    ) -> Result<(P, Applied), LibraryError> {
        for turn in 1..=TURNS {
            let planned = plan()?;
            match self.apply(planned.as_ref(), Cards::NotShown) {
                Err(error) if error.kind == FailureKind::LockChanged && turn < TURNS => {
                    std::thread::sleep(PAUSE * turn);
                }
                done => return done.map(|applied| (planned, applied)),
            }
        }
        Err(LibraryError::new(install::InstallError::LockChanged))
    }

    /// Where npm `skills` would have its lock for the same scope.
    pub fn npm_lock(&self) -> (PathBuf, NpmFile) {
        let environment = self.workspace.environment();
        let [of_project, of_user] = npm_lock::NPM_LOCK_FILES;
        match self.site.reach {
            Reach::Project => (self.site.base.join(of_project), NpmFile::Project),
            Reach::User => {
                let state = environment.variables.get("XDG_STATE_HOME").filter(|folder| !folder.is_empty());
                let folder = match state {
                    Some(state) => PathBuf::from(state).join("skills"),
                    None => environment.home.join(".agents"),
                };
                (folder.join(of_user), NpmFile::User)
            }
        }
    }

    /// Keeps a lock of npm `skills` in step, when there is one. Ours is whole already, so that a failure is a
    /// warning.
    fn follow_npm(&self, plan: &install::PlacementPlan) -> Vec<String> {
        let (path, file) = self.npm_lock();
        let (locks, now) = ((&plan.before, &plan.after), calendar::timestamp(self.now));
        match npm_lock::keep_file_in_step(&path, file, locks, &self.store, &self.writer, &now) {
            Ok(losses) => losses
                .into_iter()
                .map(|loss| format!("{}: {}: {}", path.display(), loss.what, loss.why))
                .collect(),
            Err(error) => vec![error.to_string()],
        }
    }

    fn new_plan(&self, inner: install::PlacementPlan, how: ApprovedBy) -> Result<InstallPlan, LibraryError> {
        InstallPlan::new(self, inner, how)
    }
}
