//! The curator over the real memory and the real folders: what it decided, and what came of it.

use crate::{commands::tell_diagnostics, context::Context, memory::lost, turn::now};
use skillful::views::unused::CuratedSkill;
use skillful_catalog::Entry;
use skillful_database::{Authored, AuthoredState, Database, DatabaseError};
use skillful_format::{Code, Diagnostic};
use skillful_runtime::curate::{EVERY, Known, UsageState};

/// The name under which the memory knows when it was last done.
const CHORE: &str = "curate";

impl Context {
    /// Archives what is not used, or only reports what would be done. Only changes are reported.
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
                // Moved by a run that did not end, or by a person.
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

    /// Does so once a day; for commands that begin a session. A failure is reported
    /// and stops nothing.
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

    /// Remembers that a skill was used, when anything is remembered at all: a use keeps a skill from
    /// being set aside, and without a memory nothing is.
    pub(crate) fn used(&mut self, entry: &Entry) {
        let Some(store) = self.known() else { return };
        if let Err(error) = store.skill_used(&entry.address(), &version(entry), None, now()) {
            tell_diagnostics(self, &[lost(&error)]);
        }
    }
}

/// Identifies a version of a skill, cheaply: by its path.
pub(crate) fn version(entry: &Entry) -> String {
    entry.origin.file.display().to_string()
}

/// Writes down where a skill stands.
fn follow(store: &Database, name: &str, to: Option<UsageState>) -> Result<(), DatabaseError> {
    match to {
        Some(UsageState::Active) => store.set_state(name, AuthoredState::Active).map(drop),
        Some(UsageState::Stale) => store.set_state(name, AuthoredState::Stale).map(drop),
        Some(UsageState::Archived) => store.set_state(name, AuthoredState::Archived).map(drop),
        None => store.remove_authored(name).map(drop),
    }
}

/// What the memory knows, in the curator's words.
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
