//! The database, opened only by commands that need it. A database that cannot be used is a diagnostic;
//! the command continues without it.

use crate::{context::Context, curator::version, error::Failure, turn::now};
use skillful_catalog::Entry;
use skillful_database::{Database, DatabaseError, NewSession};
use skillful_format::{Code, Diagnostic};
use skillful_render::news::Seen;
use skillful_runtime::past_turns::{FinishedTurn, TURNS};

/// Characters of a message that name its session.
const TITLE: usize = 80;

/// The database of one command.
#[derive(Debug, Default)]
pub(crate) enum Memory {
    /// Not opened yet.
    #[default]
    Closed,
    /// It does not exist, and reading does not create it.
    None,
    /// In use.
    Open(Database),
    /// It cannot be used; the diagnostic is recorded.
    Lost(DatabaseError),
}

impl Context {
    /// The database, for writing; created when it does not exist.
    pub(crate) fn store(&mut self) -> Option<&Database> {
        if matches!(self.memory, Memory::Closed | Memory::None) {
            let opened = Database::open(&self.workspace.paths().data).map(Some);
            self.opened(opened);
        }
        self.kept()
    }

    /// The database, for reading; `None` when it does not exist.
    pub(crate) fn known(&mut self) -> Option<&Database> {
        if matches!(self.memory, Memory::Closed) {
            let opened = Database::open_existing(&self.workspace.paths().data);
            self.opened(opened);
        }
        self.kept()
    }

    /// The database, for commands that fail without it; `None` when it does not exist.
    pub(crate) fn needed(&mut self) -> Result<Option<&Database>, Failure> {
        self.known();
        match &self.memory {
            Memory::Lost(error) => Err(not_read(error)),
            Memory::Open(store) => Ok(Some(store)),
            Memory::Closed | Memory::None => Ok(None),
        }
    }

    /// The database, when it was opened before.
    pub(crate) fn kept(&self) -> Option<&Database> {
        if let Memory::Open(store) = &self.memory { Some(store) } else { None }
    }

    fn opened(&mut self, result: Result<Option<Database>, DatabaseError>) {
        self.memory = match result {
            Ok(Some(store)) => Memory::Open(store),
            Ok(None) => Memory::None,
            Err(error) => {
                self.own_diagnostics.push(lost(&error));
                Memory::Lost(error)
            }
        };
    }

    /// The last finished turns of a session, the oldest first.
    pub(crate) fn history(&mut self, id: &str) -> Vec<FinishedTurn> {
        let turns = self.known().map_or(Ok(Vec::new()), |store| store.turns(id, TURNS));
        let turns = turns.unwrap_or_else(|error| {
            self.own_diagnostics.push(lost(&error));
            Vec::new()
        });
        let record = |turn: skillful_database::TurnRecord| FinishedTurn {
            at: turn.at,
            message: turn.message,
            roots: turn.roots,
        };
        turns.into_iter().map(record).collect()
    }

    /// What a user saw at the end of their last turn; `None` before the first.
    pub(crate) fn last_seen(&mut self, user: &str) -> Option<Seen> {
        let json = match self.known()?.seen(user) {
            Ok(json) => json?,
            Err(error) => {
                self.own_diagnostics.push(lost(&error));
                return None;
            }
        };
        let seen = serde_json::from_str(&json);
        if let Err(error) = &seen {
            let message = format!("what `{user}` saw last is lost: {error}");
            self.own_diagnostics.push(Diagnostic::new(Code::MemoryLost, message));
        }
        seen.ok()
    }

    /// Keeps a turn that came to its end, in a session of its conversation's name, with the skills
    /// that it was given.
    pub(crate) fn keep_turn(
        &self,
        id: &str,
        message: &str,
        roots: &[String],
        given: &[&Entry],
    ) -> Result<(), DatabaseError> {
        for entry in given {
            crate::team_usage::note(self, &entry.address());
        }
        let Some(store) = self.kept() else { return Ok(()) };
        let at = now();
        let title = title(message);
        let folder = &self.workspace.environment().cwd;
        store.create(NewSession { id, folder, title: &title, at, parent: None })?;
        let turn = store.turn_began(id, at, message)?;
        store.turn_ended(turn, roots, at)?;
        given.iter().try_for_each(|entry| store.skill_used(&entry.address(), &version(entry), Some(id), at))
    }

    /// Stores what a user saw. Only a turn that succeeded calls this.
    pub(crate) fn keep_seen(&self, user: &str, seen: &Seen) -> Result<(), DatabaseError> {
        let Some(store) = self.kept() else { return Ok(()) };
        store.set_seen(user, &serde_json::json!(seen).to_string())
    }
}

/// The first line that is not empty.
pub(crate) fn title(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(TITLE).collect()
}

/// The failure of a command that needs the database.
pub(crate) fn not_read(error: &DatabaseError) -> Failure {
    Failure::new(error.to_string())
}

/// The diagnostic for something that could not be stored or read; the command continues without it.
pub(crate) fn lost(error: &DatabaseError) -> Diagnostic {
    Diagnostic::new(Code::MemoryLost, format!("nothing is remembered: {error}"))
}
