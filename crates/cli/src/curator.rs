//! Archives unused skills of the assistant: reads the database, decides, moves the folders.

use crate::{commands::tell_diagnostics, context::Context, memory::lost, turn::now};
use skillful::views::unused::CuratedSkill;
use skillful_catalog::Entry;
use skillful_database::{Authored, AuthoredState, Database, DatabaseError};
use skillful_format::{Code, Diagnostic};
use skillful_runtime::curate::{EVERY, Known, UsageState};

/// The name of the chore in the database.
const CHORE: &str = "curate";

impl Context {
    /// Archives unused skills, or only lists what would change. Returns the changes.
    pub(crate) fn curate(&mut self, now: u64, dry_run: bool) -> Result<Vec<CuratedSkill>, DatabaseError> {
        let folders = self.workspace.paths().authored_skills();
        let Some(store) = self.known() else { return Ok(Vec::new()) };
        let mut done = Vec::new();
        for authored in store.authored_skills()? {
            let known = known(&authored);
            let name = &authored.name;
            let mut to = known.next(now).or(Some(known.state));
            let mut failed = None;
            if known.state != UsageState::Archived && !folders.is_own(name) {
                // Moved by a run that did not end, or by the user.
                to = folders.is_archived(name).then_some(UsageState::Archived);
                if !dry_run {
                    follow(store, name, to)?;
                }
            } else if to == Some(known.state) {
                continue;
            } else if !dry_run {
                if to == Some(UsageState::Archived) {
                    failed = folders.archive(name).err().map(|error| error.to_string());
                }
                if failed.is_none() {
                    follow(store, name, to)?;
                }
            }
            let idle_days = known.idle(now) / EVERY;
            done.push(CuratedSkill { name: name.clone(), from: known.state, to, idle_days, failed });
        }
        Ok(done)
    }

    /// Does so at most once a day, for commands that begin a session. A failure is a diagnostic and stops
    /// nothing.
    pub(crate) fn curate_daily(&mut self, now: u64) -> Vec<CuratedSkill> {
        let due = match self.known().map(|store| store.is_due(CHORE, now, EVERY)) {
            None | Some(Ok(false)) => return Vec::new(),
            Some(Ok(true)) => self.curate(now, false),
            Some(Err(error)) => Err(error),
        };
        let done = due.unwrap_or_else(|error| {
            self.own_diagnostics.push(lost(&error));
            Vec::new()
        });
        for curated in &done {
            if let Some(why) = &curated.failed {
                let message = format!("`{}` was not archived: {why}", curated.name);
                self.own_diagnostics.push(Diagnostic::new(Code::MemoryLost, message));
            }
        }
        done
    }

    /// Records the use of a skill when the database exists, so that the skill is not archived.
    pub(crate) fn used(&mut self, entry: &Entry) {
        crate::team_usage::note(self, &entry.address());
        let Some(store) = self.known() else { return };
        if let Err(error) = store.skill_used(&entry.address(), &version(entry), None, now()) {
            tell_diagnostics(self, &[lost(&error)]);
        }
    }
}

/// A cheap version of a skill: the path of its file.
pub(crate) fn version(entry: &Entry) -> String {
    entry.origin.file.display().to_string()
}

/// Stores the state of a skill.
fn follow(store: &Database, name: &str, to: Option<UsageState>) -> Result<(), DatabaseError> {
    match to {
        Some(UsageState::Active) => store.set_state(name, AuthoredState::Active).map(drop),
        Some(UsageState::Stale) => store.set_state(name, AuthoredState::Stale).map(drop),
        Some(UsageState::Archived) => store.set_state(name, AuthoredState::Archived).map(drop),
        None => store.remove_authored(name).map(drop),
    }
}

/// A record of the database in the terms of the curator.
pub(crate) fn known(authored: &Authored) -> Known {
    Known {
        accepted: authored.created,
        last_used: authored.last_used,
        pinned: authored.pinned,
        state: match authored.state {
            AuthoredState::Active => UsageState::Active,
            AuthoredState::Stale => UsageState::Stale,
            AuthoredState::Archived => UsageState::Archived,
        },
    }
}
