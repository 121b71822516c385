//! Which of the skills that models wrote are archived because they are not used. Only the decision:
//! the caller brings the clock and the records, and an archived skill can be restored.

use schemars::JsonSchema;
use serde::Serialize;

const DAY: u64 = 24 * 60 * 60;
/// Seconds without a use after which a skill is stale.
pub const STALE_AFTER: u64 = 30 * DAY;
/// Seconds without a use after which a skill is archived.
pub const ARCHIVE_AFTER: u64 = 90 * DAY;
/// Seconds between two automatic checks.
pub const EVERY: u64 = DAY;

/// The state of a skill that a model wrote and a user approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UsageState {
    /// In use.
    Active,
    /// Not used for long, and still there.
    Stale,
    /// Archived.
    Archived,
}

impl UsageState {
    /// One word for a table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Stale => "stale",
            Self::Archived => "archived",
        }
    }
}

/// What is known of a skill that a model wrote and a user approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// When it was approved, in seconds since 1970.
    pub accepted: u64,
    /// When it was used last since.
    pub last_used: Option<u64>,
    /// The user wants it kept.
    pub pinned: bool,
    /// Its state.
    pub state: UsageState,
}

impl Known {
    /// Seconds since it was used, or approved when it never was. A clock that was set back makes
    /// nothing older.
    pub fn idle(&self, now: u64) -> u64 {
        now.saturating_sub(self.last_used.unwrap_or(0).max(self.accepted))
    }

    /// The state it should have now; `None` when it has that state. An archived skill stays archived
    /// until the user restores it.
    pub fn next(&self, now: u64) -> Option<UsageState> {
        let idle = self.idle(now);
        let next = match self.state {
            UsageState::Archived => UsageState::Archived,
            _ if self.pinned || idle < STALE_AFTER => UsageState::Active,
            _ if idle < ARCHIVE_AFTER => UsageState::Stale,
            _ => UsageState::Archived,
        };
        (next != self.state).then_some(next)
    }
}

#[cfg(test)]
mod tests;
