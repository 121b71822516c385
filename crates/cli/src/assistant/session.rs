//! Records a session in the database as it happens, and reads it back.

use crate::{context::Context, curator::version, error::Failure, memory::title, output, turn::now};
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
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
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
}

impl Recorder {
    /// Records nothing.
    pub(crate) fn none(folder: &Path) -> Self {
        Self { store: None, id: Mutex::default(), folder: folder.to_owned(), turn: Mutex::default() }
    }

    /// Records a session from its first turn on, under the given name or a new one.
    pub(crate) fn new(store: Database, folder: &Path, id: Option<&str>) -> Self {
        let id = Mutex::new(id.unwrap_or_default().to_owned());
        Self { store: Some(store), id, folder: folder.to_owned(), turn: Mutex::default() }
    }

    /// Continues a session: its recorder, its content, and how many entries could not be read.
    pub(crate) fn resume(store: Database, info: &SessionInfo) -> Result<(Self, ChatSession, usize), Failure> {
        let (mut entries, mut unread, mut after) = (Vec::new(), 0, 0);
        loop {
            let page = store.journal(&info.id, after).map_err(|error| failure(&error))?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            for kept in &page {
                match serde_json::from_str::<JournalEntry>(&kept.entry.json) {
                    Ok(entry) => entries.push(entry),
                    Err(_) => unread += 1,
                }
            }
        }
        let state = store.state(&info.id).map_err(|error| failure(&error))?;
        let session = match state.as_deref().map(serde_json::from_str::<Session>) {
            Some(Ok(state)) => ChatSession::resume(entries, state),
            // Without its state the messages are still useful.
            Some(Err(_)) => {
                unread += 1;
                ChatSession::resume(entries, ChatSession::new().state().clone())
            }
            None => ChatSession::resume(entries, ChatSession::new().state().clone()),
        };
        let id = Mutex::new(info.id.clone());
        let recorder = Self { store: Some(store), id, folder: info.folder.clone(), turn: Mutex::default() };
        Ok((recorder, session, unread))
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
        let at = now();
        let kept: Result<Vec<_>, serde_json::Error> = entries
            .iter()
            .map(|entry| {
                let json = serde_json::to_string(entry)?;
                Ok(skillful_database::JournalEntry { kind: entry.kind().to_owned(), json, at })
            })
            .collect();
        let kept = kept.map_err(|error| error.to_string())?;
        let state = serde_json::to_string(state).map_err(|error| error.to_string())?;
        self.with(|store, id| store.commit(id, &kept, Some(&state)).map(|_| ()))
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
