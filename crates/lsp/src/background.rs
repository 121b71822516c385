//! What concerns the whole workspace: every skill, and which agents load the open ones. A thread of its own reads it and
//! reads it again when a file changes, so that no keystroke waits for it.

use skillful::{SkillState, Workspace, views::AgentVerdict, workspace::Watcher};
use skillful_agents::View;
use skillful_catalog::AgentProfile;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, Sender, TryRecvError, channel},
    thread,
    time::Duration,
};

/// How long a request for the thread may wait while it watches.
const STEP: Duration = Duration::from_millis(200);

/// A skill that can be named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownSkill {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) file: PathBuf,
    /// `available`, `untrusted`, …
    pub(crate) state: &'static str,
}

/// What was read, at one time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    /// By name.
    pub(crate) skills: Vec<KnownSkill>,
    /// For each open skill, each agent of this machine.
    pub(crate) verdicts: BTreeMap<PathBuf, Vec<AgentVerdict>>,
}

impl Snapshot {
    /// The skill that a name means.
    pub(crate) fn skill(&self, name: &str) -> Option<&KnownSkill> {
        self.skills.iter().find(|skill| skill.name == name)
    }
}

/// A request for the thread.
enum Command {
    Open(PathBuf),
    Close(PathBuf),
    Refresh,
}

/// The thread, as the server sees it.
pub(crate) struct Background {
    commands: Sender<Command>,
}

impl Background {
    /// Starts to read a workspace. `send` gets every snapshot; the thread ends when `send` returns `false`.
    pub(crate) fn start(workspace: Workspace, send: impl Fn(Snapshot) -> bool + Send + 'static) -> Self {
        let (commands, received) = channel();
        thread::spawn(move || run(workspace, &received, &send));
        Self { commands }
    }

    /// The client opened a skill.
    pub(crate) fn open(&self, path: PathBuf) {
        self.tell(Command::Open(path));
    }

    /// The client closed a skill.
    pub(crate) fn close(&self, path: PathBuf) {
        self.tell(Command::Close(path));
    }

    /// Files changed.
    pub(crate) fn refresh(&self) {
        self.tell(Command::Refresh);
    }

    fn tell(&self, command: Command) {
        // Without the thread the lenses stay as they are.
        let _ended = self.commands.send(command);
    }
}

fn run(mut workspace: Workspace, commands: &Receiver<Command>, send: &dyn Fn(Snapshot) -> bool) {
    let mut watcher = Watcher::new(&workspace);
    let mut views = views(&workspace);
    let mut open = BTreeSet::new();
    let (mut is_new, mut is_stale) = (true, false);
    loop {
        loop {
            match commands.try_recv() {
                Ok(Command::Open(path)) => is_new |= open.insert(path),
                Ok(Command::Close(path)) => {
                    open.remove(&path);
                }
                Ok(Command::Refresh) => is_stale = true,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return,
            }
        }
        if is_stale {
            (workspace, _) = workspace.refresh();
            watcher.follow(&workspace);
            views = self::views(&workspace);
            is_new = true;
        }
        if is_new {
            if !send(snapshot(&workspace, &views, &open)) {
                return;
            }
            is_new = false;
        }
        is_stale = watcher.changed(STEP);
    }
}

/// What each agent of this machine loads.
fn views(workspace: &Workspace) -> Vec<(AgentProfile, View)> {
    workspace.agents_found().into_iter().map(|agent| (agent.clone(), workspace.view(agent))).collect()
}

fn snapshot(workspace: &Workspace, views: &[(AgentProfile, View)], open: &BTreeSet<PathBuf>) -> Snapshot {
    let catalog = workspace.catalog();
    let mut skills: Vec<KnownSkill> = catalog
        .entries
        .iter()
        .enumerate()
        .map(|(at, entry)| (entry, workspace.state(at)))
        .filter(|(_, state)| !matches!(state, SkillState::Shadowed { .. }))
        .map(|(entry, state)| KnownSkill {
            name: entry.address(),
            description: entry.description().unwrap_or_default().to_owned(),
            file: entry.origin.file.clone(),
            state: state.word(),
        })
        .collect();
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    skills.dedup_by(|a, b| a.name == b.name);
    let mut verdicts: BTreeMap<PathBuf, Vec<AgentVerdict>> = BTreeMap::new();
    for path in open {
        let own = path.canonicalize().ok();
        let is_it = |other: &Path| other == path || own.is_some() && other.canonicalize().ok() == own;
        let all = views.iter().map(|(agent, view)| AgentVerdict::in_view(agent, view, &is_it));
        verdicts.insert(path.clone(), all.collect());
    }
    Snapshot { skills, verdicts }
}
