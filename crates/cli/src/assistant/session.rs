//! A session over the store: what happens is kept as it happens, and read back whole.

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
    conversation::{Record, TURNS},
    session::Session,
};
use std::{
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Times that a new name is tried before giving up.
const NAMES: usize = 8;

/// Where a conversation is kept.
pub(crate) struct Keeper {
    store: Option<Database>,
    /// Its name; empty until the first turn of one that was not named.
    id: Mutex<String>,
    folder: PathBuf,
    turn: Mutex<Option<TurnId>>,
}

impl Keeper {
    /// Keeps nothing.
    pub(crate) fn none(folder: &Path) -> Self {
        Self { store: None, id: Mutex::default(), folder: folder.to_owned(), turn: Mutex::default() }
    }

    /// Keeps a session that begins with its first turn, under a name that somebody chose or a new one.
    pub(crate) fn new(store: Database, folder: &Path, id: Option<&str>) -> Self {
        let id = Mutex::new(id.unwrap_or_default().to_owned());
        Self { store: Some(store), id, folder: folder.to_owned(), turn: Mutex::default() }
    }

    /// Goes on with a session: where it is kept, its conversation, and how many entries could not be read.
    pub(crate) fn resume(store: Database, info: &SessionInfo) -> Result<(Self, ChatSession, usize), Failure> {
        let (mut entries, mut unread, mut after) = (Vec::new(), 0, 0);
        loop {
            let page = store.journal(&info.id, after).map_err(|error| told(&error))?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            for kept in &page {
                match serde_json::from_str::<JournalEntry>(&kept.entry.json) {
                    Ok(entry) => entries.push(entry),
                    Err(_) => unread += 1,
                }
            }
        }
        let state = store.state(&info.id).map_err(|error| told(&error))?;
        let run = match state.as_deref().map(serde_json::from_str::<Session>) {
            Some(Ok(session)) => ChatSession::resume(entries, session),
            // Without its state the words are still worth going on with.
            Some(Err(_)) => {
                unread += 1;
                ChatSession::resume(entries, ChatSession::new().state().clone())
            }
            None => ChatSession::resume(entries, ChatSession::new().state().clone()),
        };
        let id = Mutex::new(info.id.clone());
        let memory = Self { store: Some(store), id, folder: info.folder.clone(), turn: Mutex::default() };
        Ok((memory, run, unread))
    }

    /// The session's name; nothing when none is kept, or none began.
    pub(crate) fn id(&self) -> Option<String> {
        Some(self.id.lock().unwrap_or_else(PoisonError::into_inner).clone()).filter(|id| !id.is_empty())
    }

    /// A turn begins, and with the first one the session.
    pub(crate) fn turn_began(&self, message: &str) -> Result<(), Failure> {
        let Some(store) = &self.store else { return Ok(()) };
        let title = title(message);
        let begin = |id: &str| {
            let new = NewSession { id, folder: &self.folder, title: &title, at: now(), parent: None };
            store.create(new).map_err(|error| told(&error))
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
        let turn = store.turn_began(&id, now(), message).map_err(|error| told(&error))?;
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = Some(turn);
        Ok(())
    }

    /// A turn came to its end: which skills stay on, and what the person saw.
    pub(crate) fn turn_ended(
        &self,
        roots: &[String],
        person: &str,
        seen: Option<&Seen>,
    ) -> Result<(), Failure> {
        let Some(store) = &self.store else { return Ok(()) };
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(turn) = turn {
            store.turn_ended(turn, roots, now()).map_err(|error| told(&error))?;
        }
        if let Some(seen) = seen {
            store.set_seen(person, &serde_json::json!(seen).to_string()).map_err(|error| told(&error))?;
        }
        Ok(())
    }

    /// What a person saw at the end of their last turn.
    pub(crate) fn last_seen(&self, person: &str) -> Option<Seen> {
        let text = self.store.as_ref()?.seen(person).ok()??;
        serde_json::from_str(&text).ok()
    }

    /// The turns before.
    pub(crate) fn past(&self) -> Result<Vec<Record>, Failure> {
        let (Some(store), Some(id)) = (&self.store, self.id()) else { return Ok(Vec::new()) };
        let turns = store.turns(&id, TURNS).map_err(|error| told(&error))?.into_iter();
        Ok(turns.map(|turn| Record { at: turn.at, message: turn.message, roots: turn.roots }).collect())
    }

    /// For a turn over a catalogue.
    pub(crate) fn journal<'a>(&'a self, catalog: &'a Catalog) -> Kept<'a> {
        Kept { memory: self, catalog }
    }
}

/// The journal of a turn.
pub(crate) struct Kept<'a> {
    memory: &'a Keeper,
    catalog: &'a Catalog,
}

impl Kept<'_> {
    fn with(&self, work: impl FnOnce(&Database, &str) -> Result<(), DatabaseError>) -> Result<(), String> {
        let (Some(store), Some(id)) = (&self.memory.store, self.memory.id()) else { return Ok(()) };
        work(store, &id).map_err(|error| error.to_string())
    }
}

impl Journal for Kept<'_> {
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
        let turn = *self.memory.turn.lock().unwrap_or_else(PoisonError::into_inner);
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

/// Where a conversation is kept, and what was said in it: a new one, or the one of that name.
pub(crate) fn open(
    context: &Context,
    no_session: bool,
    id: Option<&str>,
) -> Result<(Keeper, ChatSession), Failure> {
    let folder = &context.workspace.environment().cwd;
    if no_session {
        if id.is_some() {
            return Err(Failure::usage(
                "--no-session keeps nothing, and --conversation goes on with what is kept",
            ));
        }
        return Ok((Keeper::none(folder), ChatSession::new()));
    }
    let store = Database::open(&context.workspace.paths().data).map_err(|error| told(&error))?;
    let Some(id) = id else { return Ok((Keeper::new(store, folder, None), ChatSession::new())) };
    match store.session(id).map_err(|error| told(&error))?.filter(|info| info.id == id) {
        Some(info) => reopened(store, &info),
        None => Ok((Keeper::new(store, folder, Some(id)), ChatSession::new())),
    }
}

/// The session that a word names, or the last one of this folder.
pub(crate) fn find(
    context: &Context,
    word: Option<&str>,
) -> Result<(Keeper, ChatSession, SessionInfo), Failure> {
    let store = Database::open_existing(&context.workspace.paths().data).map_err(|error| told(&error))?;
    let none = || match word {
        Some(word) => Failure::new(format!("there is no session `{word}`"))
            .hint("`skillful sessions list --all` lists them"),
        None => Failure::new("there is no session of this folder yet").hint("`skillful chat` begins one"),
    };
    let store = store.ok_or_else(none)?;
    let found = match word {
        Some(word) => store.session(word),
        None => store.latest(&context.workspace.environment().cwd),
    };
    let info = found.map_err(|error| told(&error))?.ok_or_else(none)?;
    let (memory, run) = reopened(store, &info)?;
    Ok((memory, run, info))
}

fn reopened(store: Database, info: &SessionInfo) -> Result<(Keeper, ChatSession), Failure> {
    let (memory, run, unread) = Keeper::resume(store, info)?;
    if unread > 0 {
        output::tell(&format!("note: {unread} entries of the session could not be read and are left out\n"));
    }
    Ok((memory, run))
}

/// A store that failed, for a person.
fn told(error: &DatabaseError) -> Failure {
    Failure::new(format!("the sessions cannot be used: {error}"))
        .hint("`--no-session` goes on without keeping anything")
}
