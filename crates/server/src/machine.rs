//! The skills of the machine that the server runs on, for the one user whose machine it is.
//!
//! Invariants: a [`Machine`] exists only for a server that no other machine reaches and that has no name besides loopback.
//! Everything is read and written on threads of its own, by the engine, with the user's consent as on the command line: an answer
//! names the digest that was shown.

use skillful::{
    Library, Workspace,
    agent_links::LinkPlan,
    agent_sets::AgentSets,
    library::{LibraryError, ReviewItem, Reviewed, Scope, Switch},
    views::{ReviewCard, SelectionView, SkillMatrix, overview::Overview},
    visible::sentence,
    workspace::Watcher,
};
use skillful_format::Digest;
use skillful_team::TeamError;
use std::{
    fmt,
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

/// How long a reading counts at most, since not every folder can be watched.
const STALE: Duration = Duration::from_secs(30);

/// The machine of one user.
pub struct Machine {
    state: Mutex<ReadState>,
}

struct ReadState {
    workspace: Arc<Workspace>,
    reading: Option<(Arc<MachineReading>, Instant)>,
    watcher: Option<Watcher>,
}

/// Everything that the page shows of a machine, read at one time.
pub(crate) struct MachineReading {
    /// What it was read from.
    pub(crate) workspace: Arc<Workspace>,
    /// Skills × agents.
    pub(crate) matrix: SkillMatrix,
    /// Agents, states and what needs attention.
    pub(crate) overview: Overview,
    /// What waits for an answer.
    pub(crate) reviews: Vec<ReviewItem>,
    /// When it was read.
    pub(crate) at: SystemTime,
    /// How long that took.
    pub(crate) took: Duration,
}

impl Machine {
    /// The machine of a workspace, for a server that listens at `socket`. A server that other machines reach, or that is known by
    /// another name, has none: its visitors are not the user of the machine.
    pub fn of_one_user(workspace: Workspace, socket: SocketAddr, is_named: bool) -> Option<Self> {
        if !socket.ip().is_loopback() || is_named {
            return None;
        }
        Some(Self {
            state: Mutex::new(ReadState { workspace: Arc::new(workspace), reading: None, watcher: None }),
        })
    }

    /// What the machine has now. It is read again when something changed, or when `fresh` asks for it.
    pub(crate) async fn read(self: &Arc<Self>, fresh: bool) -> Result<Arc<MachineReading>, TeamError> {
        let machine = Arc::clone(self);
        aside(move || Ok(machine.reading(fresh))).await
    }

    fn reading(&self, fresh: bool) -> Arc<MachineReading> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((reading, since)) = state.reading.clone()
            && !fresh
            && since.elapsed() < STALE
            && !state.watcher.as_mut().is_some_and(|watcher| watcher.changed(Duration::ZERO))
        {
            return reading;
        }
        let began = Instant::now();
        let workspace = match state.reading {
            Some(_) => Arc::new(state.workspace.refresh().0),
            None => Arc::clone(&state.workspace),
        };
        match &mut state.watcher {
            Some(watcher) => watcher.follow(&workspace),
            none => *none = Some(Watcher::new(&workspace)),
        }
        let now = SystemTime::now();
        let reviews = Library::open(&workspace, Scope::User, now).and_then(|library| library.reviews());
        let reading = Arc::new(MachineReading {
            matrix: SkillMatrix::of(&workspace),
            overview: Overview::of(&workspace, env!("CARGO_PKG_VERSION"), now),
            reviews: reviews.unwrap_or_default(),
            at: now,
            took: began.elapsed(),
            workspace: Arc::clone(&workspace),
        });
        state.workspace = workspace;
        state.reading = Some((Arc::clone(&reading), Instant::now()));
        reading
    }

    /// Runs something of the library on the newest workspace, and forgets what was read.
    async fn change<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Workspace) -> Result<T, LibraryError> + Send + 'static,
    ) -> Result<T, TeamError> {
        let machine = Arc::clone(self);
        aside(move || {
            let workspace = {
                let state = machine.state.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::new(state.workspace.refresh().0)
            };
            let done = work(&workspace).map_err(|error| refused(&error));
            let mut state = machine.state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, since)) = &mut state.reading {
                *since = since.checked_sub(STALE).unwrap_or(*since);
            }
            done
        })
        .await
    }

    /// Enables or disables a skill by one rule: about its name, or about its path when several skills have the name.
    pub(crate) async fn switch(
        self: &Arc<Self>,
        name: String,
        path: String,
        enabled: bool,
    ) -> Result<String, TeamError> {
        self.change(move |workspace| {
            let library = Library::open(workspace, Scope::User, SystemTime::now())?;
            let request = library.switch_of(&name, Path::new(&path), enabled);
            let done = library.apply_switch(library.plan_switch(&request)?)?;
            let name = sentence(&name);
            Ok(match done.skills.iter().find_map(Switch::not_as_asked) {
                Some(why) => format!("{name} {}.", sentence(&why)),
                None if enabled => format!("{name} is enabled."),
                None => format!("{name} is disabled."),
            })
        })
        .await
    }

    /// What would be linked for an agent. Nothing is written.
    pub(crate) async fn link_plan(self: &Arc<Self>, agent: String) -> Result<LinkPlan, TeamError> {
        let reading = self.read(false).await?;
        aside(move || {
            let workspace = &reading.workspace;
            let profile = workspace.agent(&agent).map_err(|_| TeamError::NotFound)?;
            Ok(LinkPlan::of(workspace, &AgentSets::with(workspace, profile), &profile.id, false))
        })
        .await
    }

    /// Links exactly the skills that the user saw for an agent; returns the sentence, and the name of the record that undoes it.
    pub(crate) async fn link(
        self: &Arc<Self>,
        agent: String,
        seen: Vec<String>,
    ) -> Result<(String, Option<String>), TeamError> {
        self.change(move |workspace| {
            let library = Library::open(workspace, Scope::User, SystemTime::now())?;
            let mut plan = library.plan_links(&agent, false)?;
            plan.keep(|link| seen.iter().any(|path| *path == link.to.to_string()));
            if plan.links().is_empty() {
                return Err(LibraryError::new("nothing of what was shown can be linked any more")
                    .fix("look at the list again"));
            }
            library.apply_links(&mut plan)?;
            let skills = if plan.links().len() == 1 {
                "1 skill".to_owned()
            } else {
                format!("{} skills", plan.links().len())
            };
            Ok((format!("Linked {skills} for {}.", plan.title()), plan.undo().map(str::to_owned)))
        })
        .await
    }

    /// Takes links back.
    pub(crate) async fn unlink(self: &Arc<Self>, record: String) -> Result<String, TeamError> {
        self.change(move |workspace| {
            let undone = Library::open(workspace, Scope::User, SystemTime::now())?.undo_links(&record)?;
            Ok(format!(
                "{} removed.",
                if undone.removed.len() == 1 {
                    "1 link was".to_owned()
                } else {
                    format!("{} links were", undone.removed.len())
                }
            ))
        })
        .await
    }

    /// The card of a skill that waits: `user:NAME`, `project:NAME` or `proposed:NAME`.
    pub(crate) async fn card(self: &Arc<Self>, word: String) -> Result<ReviewCard, TeamError> {
        let reading = self.read(false).await?;
        aside(move || {
            let library = Library::open(&reading.workspace, Scope::User, SystemTime::now())
                .map_err(|error| refused(&error))?;
            let item = library.find_review(&reading.reviews, &word).map_err(|_| TeamError::NotFound)?;
            library.review_card(item).map_err(|error| refused(&error))
        })
        .await
    }

    /// Approves or rejects exactly the files of the digest that was shown.
    pub(crate) async fn decide(
        self: &Arc<Self>,
        word: String,
        digest: Digest,
        approves: bool,
        despite_findings: bool,
    ) -> Result<String, TeamError> {
        self.change(move |workspace| {
            let library = Library::open(workspace, Scope::User, SystemTime::now())?;
            let items = library.reviews()?;
            let item = library.find_review(&items, &word)?;
            let reviewed = Reviewed::Card(digest);
            let done = if approves {
                library.approve(item, reviewed, despite_findings)?
            } else {
                library.reject(item, reviewed)?
            };
            let verb = if approves { "approved" } else { "rejected" };
            Ok(format!("{} is {verb}.", sentence(&done.name)))
        })
        .await
    }

    /// Which skills a message would select here, and why.
    pub(crate) async fn explain(self: &Arc<Self>, message: String) -> Result<SelectionView, TeamError> {
        let reading = self.read(false).await?;
        aside(move || {
            let workspace = &reading.workspace;
            let mut turn = workspace.turn(&message);
            workspace.route(&mut turn, &[], SystemTime::now());
            Ok(workspace.explain(&turn).selection)
        })
        .await
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Machine")
    }
}

/// Runs what reads the disk beside the threads that answer requests.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, TeamError> + Send + 'static,
) -> Result<T, TeamError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| TeamError::Internal(error.to_string()))?
}

/// An error of the library, with its first fix.
fn refused(error: &LibraryError) -> TeamError {
    let fix = error.fixes.first().map_or_else(String::new, |fix| format!(" ({fix})"));
    TeamError::conflict("refused", sentence(&format!("{}{fix}", error.message)))
}
