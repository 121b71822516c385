//! Records a session in the database as it happens, and reads it back.

use crate::{
    context::Context,
    curator::version,
    error::{Failure, failed},
    memory::title,
    output,
    turn::now,
};
use skillful_assistant::{
    journal::{Journal, JournalEntry},
    session::ChatSession,
};
use skillful_catalog::Catalog;
use skillful_database::{Database, DatabaseError, NewSession, SessionInfo, TurnId};
use skillful_llm::Usage;
use skillful_render::news::Seen;
use skillful_runtime::{
    past_turns::{FinishedTurn, TURNS},
    session::Session,
};
use std::{
    fs::{self, File, TryLockError},
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// Most attempts to find a free name.
const NAMES: usize = 8;

/// Records one session.
pub(crate) struct Recorder {
    store: Option<Database>,
    /// Its name; empty until the first turn of one that was not named.
    id: Mutex<String>,
    folder: PathBuf,
    turn: Mutex<Option<TurnId>>,
    /// Entries of the journal that this process knows.
    known: AtomicU64,
    /// Held during a turn, so that two processes on one session take turns.
    lock: Mutex<Option<File>>,
}

impl Recorder {
    /// Records nothing.
    pub(crate) fn none(folder: &Path) -> Self {
        Self::of(None, String::new(), folder)
    }

    /// Records a session from its first turn on, under the given name or a new one.
    pub(crate) fn new(store: Database, folder: &Path, id: Option<&str>) -> Self {
        Self::of(Some(store), id.unwrap_or_default().to_owned(), folder)
    }

    fn of(store: Option<Database>, id: String, folder: &Path) -> Self {
        let (turn, known, lock) = Default::default();
        Self { store, id: Mutex::new(id), folder: folder.to_owned(), turn, known, lock }
    }

    /// Continues a session: its recorder, its content, and how many entries could not be read.
    pub(crate) fn resume(store: Database, info: &SessionInfo) -> Result<(Self, ChatSession, usize), Failure> {
        let (session, unread, known) = read(&store, &info.id)?;
        let recorder = Self::of(Some(store), info.id.clone(), &info.folder);
        recorder.known.store(known, Ordering::Relaxed);
        Ok((recorder, session, unread))
    }

    /// Waits until no other process has a turn of this session, and reads what others added meanwhile; `None` when
    /// nothing was added. The turn of this process ends with [`Recorder::release`].
    pub(crate) fn take_turn(&self) -> Result<Option<ChatSession>, Failure> {
        let (Some(store), Some(id)) = (&self.store, self.id()) else { return Ok(None) };
        let lock = lock(store, &id).map_err(failed("wait for the session"))?;
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = Some(lock);
        let known = self.known.load(Ordering::Relaxed);
        let is_new = !store.journal(&id, known).map_err(|error| failure(&error))?.is_empty();
        if !is_new {
            return Ok(None);
        }
        let (session, _, known) = read(store, &id)?;
        self.known.store(known, Ordering::Relaxed);
        Ok(Some(session))
    }

    /// Lets other processes have their turn.
    pub(crate) fn release(&self) {
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The session's name; `None` before its first turn and when it is not recorded.
    pub(crate) fn id(&self) -> Option<String> {
        Some(self.id.lock().unwrap_or_else(PoisonError::into_inner).clone()).filter(|id| !id.is_empty())
    }

    /// Records the start of a turn, and with the first one the session.
    pub(crate) fn turn_began(&self, message: &str) -> Result<(), Failure> {
        let Some(store) = &self.store else { return Ok(()) };
        let title = title(message);
        let begin = |id: &str| {
            let new = NewSession { id, folder: &self.folder, title: &title, at: now(), parent: None };
            store.create(new).map_err(|error| failure(&error))
        };
        let mut id = self.id.lock().unwrap_or_else(PoisonError::into_inner);
        if id.is_empty() {
            for _ in 0..NAMES {
                let name = format!("{:08x}", RandomState::new().hash_one(now()) >> 32);
                if begin(&name)? {
                    *id = name;
                    break;
                }
            }
        } else {
            begin(&id)?;
        }
        let turn = store.turn_began(&id, now(), message).map_err(|error| failure(&error))?;
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = Some(turn);
        Ok(())
    }

    /// Records the end of a turn: the skills that stay active, and the menu that the user saw.
    pub(crate) fn turn_ended(
        &self,
        roots: &[String],
        user: &str,
        seen: Option<&Seen>,
    ) -> Result<(), Failure> {
        let Some(store) = &self.store else { return Ok(()) };
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(turn) = turn {
            store.turn_ended(turn, roots, now()).map_err(|error| failure(&error))?;
        }
        if let Some(seen) = seen {
            store.set_seen(user, &serde_json::json!(seen).to_string()).map_err(|error| failure(&error))?;
        }
        Ok(())
    }

    /// The menu at the end of the user's last turn.
    pub(crate) fn last_seen(&self, user: &str) -> Option<Seen> {
        let text = self.store.as_ref()?.seen(user).ok()??;
        serde_json::from_str(&text).ok()
    }

    /// The turns so far.
    pub(crate) fn past(&self) -> Result<Vec<FinishedTurn>, Failure> {
        let (Some(store), Some(id)) = (&self.store, self.id()) else { return Ok(Vec::new()) };
        let turns = store.turns(&id, TURNS).map_err(|error| failure(&error))?.into_iter();
        Ok(turns.map(|turn| FinishedTurn { at: turn.at, message: turn.message, roots: turn.roots }).collect())
    }

    /// The journal of a turn.
    pub(crate) fn journal<'a>(&'a self, catalog: &'a Catalog) -> DatabaseJournal<'a> {
        DatabaseJournal { recorder: self, catalog }
    }
}

/// The content of a session, how many entries could not be read, and the number of its last entry.
fn read(store: &Database, id: &str) -> Result<(ChatSession, usize, u64), Failure> {
    let (mut entries, mut unread, mut after) = (Vec::new(), 0, 0);
    loop {
        let page = store.journal(id, after).map_err(|error| failure(&error))?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for kept in &page {
            match serde_json::from_str::<JournalEntry>(&kept.entry.json) {
                Ok(entry) => entries.push(entry),
                Err(_) => unread += 1,
            }
        }
    }
    let state = store.state(id).map_err(|error| failure(&error))?;
    let session = match state.as_deref().map(serde_json::from_str::<Session>) {
        Some(Ok(state)) => ChatSession::resume(entries, state),
        // Without its state the messages are still useful.
        Some(Err(_)) => {
            unread += 1;
            ChatSession::resume(entries, ChatSession::new().state().clone())
        }
        None => ChatSession::resume(entries, ChatSession::new().state().clone()),
    };
    Ok((session, unread, after))
}

/// The lock of a session's turns. A wait is reported once.
fn lock(store: &Database, id: &str) -> io::Result<File> {
    let folder = store.path().with_extension("turns");
    fs::create_dir_all(&folder)?;
    // A name may hold what a file name cannot.
    let name: String = id.bytes().map(|byte| format!("{byte:02x}")).collect();
    let file = File::options().create(true).append(true).open(folder.join(&name[..name.len().min(200)]))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            output::tell("note: another process has a turn of this session; waiting for its end\n");
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    Ok(file)
}

/// The journal of a turn, in the database.
pub(crate) struct DatabaseJournal<'a> {
    recorder: &'a Recorder,
    catalog: &'a Catalog,
}

impl DatabaseJournal<'_> {
    fn with(&self, work: impl FnOnce(&Database, &str) -> Result<(), DatabaseError>) -> Result<(), String> {
        let (Some(store), Some(id)) = (&self.recorder.store, self.recorder.id()) else { return Ok(()) };
        work(store, &id).map_err(|error| error.to_string())
    }
}

impl Journal for DatabaseJournal<'_> {
    fn append(&self, entries: &[JournalEntry], state: &Session) -> Result<(), String> {
        let (kept, state) = written(entries, state)?;
        self.with(|store, id| {
            let last = store.commit(id, &kept, Some(&state))?;
            self.recorder.known.store(last, Ordering::Relaxed);
            Ok(())
        })
    }

    fn sub_agent(&self, skill: &str) -> Result<Option<Box<dyn Journal + '_>>, String> {
        let (Some(store), Some(parent)) = (&self.recorder.store, self.recorder.id()) else { return Ok(None) };
        let title = format!("sub-agent {skill}");
        for _ in 0..NAMES {
            let id = format!("{:08x}", RandomState::new().hash_one(now()) >> 32);
            let folder = &self.recorder.folder;
            let new = NewSession { id: &id, folder, title: &title, at: now(), parent: Some(&parent) };
            if store.create(new).map_err(|error| error.to_string())? {
                return Ok(Some(Box::new(SubAgentSession { store, id })));
            }
        }
        Err("no free name was found".to_owned())
    }

    fn record_use(&self, skill: &str) -> Result<(), String> {
        let entry = self.catalog.entries.iter().find(|entry| entry.address() == skill);
        let version = entry.map(version).unwrap_or_default();
        self.with(|store, id| store.skill_used(skill, &version, Some(id), now()))
    }

    fn record_usage(&self, model: &str, usage: Usage, cost: Option<f64>) -> Result<(), String> {
        let turn = *self.recorder.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let spent = skillful_database::Usage {
            model: model.to_owned(),
            input: usage.input,
            output: usage.output,
            cached: usage.cached,
            stored: usage.stored,
            cost_micros: micros(cost.unwrap_or(0.0)),
        };
        self.with(|store, id| store.add_usage(id, turn, &spent))
    }
}

/// The session of a sub-agent. Uses and tokens are counted with its parent.
struct SubAgentSession<'a> {
    store: &'a Database,
    id: String,
}

impl Journal for SubAgentSession<'_> {
    fn append(&self, entries: &[JournalEntry], state: &Session) -> Result<(), String> {
        let (kept, state) = written(entries, state)?;
        self.store.commit(&self.id, &kept, Some(&state)).map(|_| ()).map_err(|error| error.to_string())
    }

    fn record_use(&self, _skill: &str) -> Result<(), String> {
        Ok(())
    }

    fn record_usage(&self, _model: &str, _usage: Usage, _cost: Option<f64>) -> Result<(), String> {
        Ok(())
    }
}

/// Entries and state as the database keeps them.
fn written(
    entries: &[JournalEntry],
    state: &Session,
) -> Result<(Vec<skillful_database::JournalEntry>, String), String> {
    let at = now();
    let kept: Result<Vec<_>, serde_json::Error> = entries
        .iter()
        .map(|entry| {
            let json = serde_json::to_string(entry)?;
            Ok(skillful_database::JournalEntry { kind: entry.kind().to_owned(), json, at })
        })
        .collect();
    let kept = kept.map_err(|error| error.to_string())?;
    Ok((kept, serde_json::to_string(state).map_err(|error| error.to_string())?))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded right before")]
fn micros(cost: f64) -> u64 {
    (cost * 1e6).round().clamp(0.0, 1e15) as u64
}

/// The recorder and the content of a session: a new one, or the one with this name.
pub(crate) fn open(
    context: &Context,
    no_session: bool,
    id: Option<&str>,
) -> Result<(Recorder, ChatSession), Failure> {
    let folder = &context.workspace.environment().cwd;
    if no_session {
        if id.is_some() {
            return Err(Failure::usage("--no-session cannot be combined with --session"));
        }
        return Ok((Recorder::none(folder), ChatSession::new()));
    }
    let store = Database::open(&context.workspace.paths().data).map_err(|error| failure(&error))?;
    let Some(id) = id else { return Ok((Recorder::new(store, folder, None), ChatSession::new())) };
    match store.session(id).map_err(|error| failure(&error))?.filter(|info| info.id == id) {
        Some(info) => reopened(store, &info),
        None => Ok((Recorder::new(store, folder, Some(id)), ChatSession::new())),
    }
}

/// The session with this name, or the last one of this folder.
pub(crate) fn find(
    context: &Context,
    word: Option<&str>,
) -> Result<(Recorder, ChatSession, SessionInfo), Failure> {
    let store = Database::open_existing(&context.workspace.paths().data).map_err(|error| failure(&error))?;
    let none = || match word {
        Some(word) => Failure::new(format!("no session named `{word}`"))
            .hint("skillful sessions list --all lists all sessions"),
        None => Failure::new("no session of this folder").hint("skillful chat starts one"),
    };
    let store = store.ok_or_else(none)?;
    let found = match word {
        Some(word) => store.session(word),
        None => store.latest(&context.workspace.environment().cwd),
    };
    let info = found.map_err(|error| failure(&error))?.ok_or_else(none)?;
    let (recorder, session) = reopened(store, &info)?;
    Ok((recorder, session, info))
}

fn reopened(store: Database, info: &SessionInfo) -> Result<(Recorder, ChatSession), Failure> {
    let (recorder, session, unread) = Recorder::resume(store, info)?;
    if unread > 0 {
        output::tell(&format!(
            "note: {} of the session could not be read\n",
            if unread == 1 { "1 entry".to_owned() } else { format!("{unread} entries") }
        ));
    }
    Ok((recorder, session))
}

/// The failure of the database.
fn failure(error: &DatabaseError) -> Failure {
    Failure::new(format!("sessions cannot be recorded: {error}"))
        .hint("--no-session continues without recording")
}
