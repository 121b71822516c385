//! Which of the skills that models wrote are set aside because nobody uses them. Only the decision:
//! the clock and the memory belong to whoever asks, and what is set aside can be brought back.

use schemars::JsonSchema;
use serde::Serialize;

const DAY: u64 = 24 * 60 * 60;
/// Seconds without a use after which a skill is stale.
pub const STALE_AFTER: u64 = 30 * DAY;
/// Seconds without a use after which a skill is archived.
pub const ARCHIVE_AFTER: u64 = 90 * DAY;
/// Seconds between two looks that nobody asked for.
pub const EVERY: u64 = DAY;

/// Where a skill stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// In use.
    Active,
    /// Not used for long, and still there.
    Stale,
    /// Put away.
    Archived,
}

impl Standing {
    /// One word for a table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Stale => "stale",
            Self::Archived => "archived",
        }
    }
}

/// What is known of a skill that a model wrote and a person accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// When it was accepted, in seconds since 1970.
    pub accepted: u64,
    /// When it was used last since.
    pub last_used: Option<u64>,
    /// A person wants it kept.
    pub pinned: bool,
    /// Where it stands.
    pub standing: Standing,
}

impl Known {
    /// Seconds since it was used, or accepted when it never was. A clock that was set back makes
    /// nothing older.
    pub fn idle(&self, now: u64) -> u64 {
        now.saturating_sub(self.last_used.unwrap_or(0).max(self.accepted))
    }

    /// Where it should stand now; `None` when that is where it stands. What is archived stays so
    /// until a person brings it back.
    pub fn next(&self, now: u64) -> Option<Standing> {
        let idle = self.idle(now);
        let next = match self.standing {
            Standing::Archived => Standing::Archived,
            _ if self.pinned || idle < STALE_AFTER => Standing::Active,
            _ if idle < ARCHIVE_AFTER => Standing::Stale,
            _ => Standing::Archived,
        };
        (next != self.standing).then_some(next)
    }
}

#[cfg(test)]
mod tests;
