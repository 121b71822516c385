//! Everything that touches the disk or the network, in threads of its own: one reads, one carries out deeds, one
//! watches. A key press never waits for them.

mod bodies;
mod deeds;
mod watch;

use crate::{
    item::Item,
    job::{Answer, Deed, Job, Snapshot},
    pages,
    theme::Theme,
};
pub(crate) use bodies::Bodies;
use skillful::{
    Library, Workspace,
    library::{LibraryError, Scope},
    views::{ChangesView, SkillMatrix},
    visible::{sentence, short_path},
};
use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, RwLock,
        mpsc::{Receiver, Sender, TryRecvError, channel},
    },
    thread::{self, JoinHandle},
    time::SystemTime,
};

/// Threads of the interface carry this prefix, so that a panic in one is reported on the screen and not over it.
pub(crate) const THREAD: &str = "ui-";

/// The newest workspace, shared by the threads.
type Shared = Arc<RwLock<Arc<Workspace>>>;

/// The threads behind the interface.
pub(crate) struct Workers {
    jobs: Sender<Job>,
    deeds: Option<Sender<Deed>>,
    doer: Option<JoinHandle<()>>,
}

impl Workers {
    /// Starts the threads. `answer` is called with what they report.
    pub(crate) fn start(
        workspace: Workspace,
        theme: Theme,
        answer: impl Fn(Answer) + Clone + Send + 'static,
    ) -> std::io::Result<Self> {
        let shared: Shared = Arc::new(RwLock::new(Arc::new(workspace)));
        let (jobs, todo) = channel();
        let (deeds, asked) = channel();
        let (snapshots, watched) = channel();
        let reader = Reader {
            shared: Arc::clone(&shared),
            theme,
            snapshot: None,
            bodies: Bodies::default(),
            snapshots,
            words: None,
        };
        let report = answer.clone();
        thread::Builder::new().name(format!("{THREAD}reader")).spawn(move || reader.work(&todo, &report))?;
        let doer = thread::Builder::new()
            .name(format!("{THREAD}doer"))
            .spawn(move || deeds::work(&shared, theme, &asked, &answer))?;
        let refresh = jobs.clone();
        thread::Builder::new()
            .name(format!("{THREAD}watch"))
            .spawn(move || watch::work(&watched, &refresh))?;
        Ok(Self { jobs, deeds: Some(deeds), doer: Some(doer) })
    }

    /// Asks for something to be read.
    pub(crate) fn read(&self, job: Job) {
        let _gone = self.jobs.send(job);
    }

    /// Asks for a deed.
    pub(crate) fn carry_out(&self, deed: Deed) {
        if let Some(deeds) = &self.deeds {
            let _gone = deeds.send(deed);
        }
    }

    /// Waits until deeds that were begun are whole.
    pub(crate) fn finish(&mut self) {
        self.deeds = None;
        if let Some(doer) = self.doer.take() {
            let _reported = doer.join();
        }
    }
}

/// Runs a piece of work; a panic in it becomes an answer.
fn guarded(report: &impl Fn(Answer), work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        report(Answer::Failed("an internal error stopped this; the program goes on".to_owned()));
    }
}

/// An error of the library in one line, with its first fix.
fn in_words(error: &LibraryError) -> String {
    let fix = error.fixes.first().map_or_else(String::new, |fix| format!("   fix: {fix}"));
    sentence(&format!("{}{fix}", error.message))
}

fn newest(shared: &Shared) -> Arc<Workspace> {
    Arc::clone(&shared.read().unwrap_or_else(std::sync::PoisonError::into_inner))
}

struct Reader {
    shared: Shared,
    theme: Theme,
    snapshot: Option<Arc<Snapshot>>,
    bodies: Bodies,
    snapshots: Sender<Arc<Workspace>>,
    /// The words that bodies are searched for.
    words: Option<Vec<String>>,
}

impl Reader {
    fn work(mut self, todo: &Receiver<Job>, report: &impl Fn(Answer)) {
        guarded(report, || self.refresh(None, report));
        let mut queue = VecDeque::new();
        loop {
            match todo.try_recv() {
                Ok(job) => {
                    put(&mut queue, job);
                    continue;
                }
                Err(TryRecvError::Disconnected) => return,
                Err(TryRecvError::Empty) => {}
            }
            if let Some(job) = queue.pop_front() {
                guarded(report, || self.carry_out(job, report));
                continue;
            }
            // Nothing is asked for: bodies are read in small steps.
            if let Some(snapshot) = self.snapshot.clone().filter(|_| !self.bodies.is_complete()) {
                guarded(report, || self.read_bodies(&snapshot, report));
                continue;
            }
            match todo.recv() {
                Ok(job) => put(&mut queue, job),
                Err(_) => return,
            }
        }
    }

    fn carry_out(&mut self, job: Job, report: &impl Fn(Answer)) {
        match job {
            Job::Refresh { quiet } => self.refresh(Some(quiet), report),
            Job::Preview { snapshot, row, width } => {
                let Some(current) = self.snapshot.as_ref().filter(|one| one.number == snapshot) else {
                    return;
                };
                if row < current.items.len() {
                    let preview =
                        pages::skill::preview(&newest(&self.shared), current, row, width, self.theme);
                    report(Answer::Preview(Box::new(preview)));
                }
            }
            Job::SearchBodies { words } => {
                self.words = Some(words);
                self.search_bodies(report);
            }
            Job::Reviews => {
                let workspace = newest(&self.shared);
                let items = Library::open(&workspace, Scope::User, SystemTime::now())
                    .and_then(|library| library.reviews())
                    .map_err(|error| in_words(&error));
                report(Answer::Reviews(items));
            }
            Job::Card { item, at, width } => {
                let workspace = newest(&self.shared);
                let card = Library::open(&workspace, Scope::User, SystemTime::now())
                    .and_then(|library| library.review_card(&item));
                let environment = workspace.environment();
                let folders = (environment.cwd.as_path(), environment.home.as_path());
                report(match card {
                    Ok(card) => {
                        Answer::Card(Box::new(pages::review::pages(card, folders, at, width, self.theme)))
                    }
                    Err(error) => Answer::NoCard { at, why: in_words(&error) },
                });
            }
        }
    }

    /// Reads everything again, or for the first time.
    fn refresh(&mut self, quiet: Option<bool>, report: &impl Fn(Answer)) {
        let before = newest(&self.shared);
        let (workspace, changed) = match quiet {
            None => (before, None),
            Some(quiet) => {
                let (next, changes) = before.refresh();
                let text =
                    (!quiet && !changes.is_empty()).then(|| in_a_line(&ChangesView::of(&changes), &next));
                (Arc::new(next), text)
            }
        };
        let number = self.snapshot.as_ref().map_or(1, |snapshot| snapshot.number + 1);
        let snapshot = Arc::new(read_snapshot(&workspace, number));
        self.bodies.begin(snapshot.items.len());
        self.snapshot = Some(Arc::clone(&snapshot));
        *self.shared.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::clone(&workspace);
        let _gone = self.snapshots.send(workspace);
        report(Answer::Snapshot { snapshot, changed });
    }

    fn read_bodies(&mut self, snapshot: &Arc<Snapshot>, report: &impl Fn(Answer)) {
        self.bodies.read_some(&newest(&self.shared), snapshot);
        if self.bodies.is_complete() {
            self.search_bodies(report);
        }
    }

    fn search_bodies(&self, report: &impl Fn(Answer)) {
        let (Some(words), Some(snapshot)) = (&self.words, &self.snapshot) else { return };
        let hits = self.bodies.search(words);
        report(Answer::Bodies { words: words.clone(), snapshot: snapshot.number, hits });
    }
}

/// Everything that the interface shows of a workspace.
pub(crate) fn read_snapshot(workspace: &Workspace, number: u64) -> Snapshot {
    let matrix = SkillMatrix::of(workspace);
    let items = Arc::new(matrix.skills.iter().map(|row| Item::of(row, &matrix.agents)).collect::<Vec<_>>());
    let reviews = Library::open(workspace, Scope::User, SystemTime::now())
        .and_then(|library| library.reviews())
        .map_or(0, |items| items.len());
    let environment = workspace.environment();
    let folder = short_path(&environment.cwd, Path::new("/nowhere"), &environment.home);
    Snapshot { number, matrix, items, folder, reviews }
}

/// Of several requests for the same thing only the last one counts.
fn put(queue: &mut VecDeque<Job>, job: Job) {
    queue.retain(|waiting| {
        std::mem::discriminant(waiting) != std::mem::discriminant(&job) || matches!(waiting, Job::Reviews)
    });
    queue.push_back(job);
}

/// What changed on the disk, in one line.
fn in_a_line(changes: &ChangesView, workspace: &Workspace) -> String {
    let environment = workspace.environment();
    let all = [("changed", &changes.changed), ("added", &changes.added), ("removed", &changes.removed)];
    let total: usize = all.iter().map(|(_, list)| list.len()).sum();
    let first = all.iter().find_map(|(verb, list)| list.first().map(|one| (verb, one)));
    let Some((verb, one)) = first else { return String::new() };
    let folder = one.path.parent().unwrap_or(&one.path);
    let more = if total > 1 { format!(", and {} more", total - 1) } else { String::new() };
    format!("Updated: {} was {verb} on disk{more}", short_path(folder, &environment.cwd, &environment.home))
}
