//! The database of a user: sessions with their journals, turns and usage, uses of skills, and what the user
//! saw last. One SQLite file in the data folder.
//!
//! Only this crate and `skillful-team` use sqlx. Arguments and results are plain values; JSON is passed through as
//! text. Every method blocks, and can be called from any thread, also inside an asynchronous runtime. A file
//! that is damaged, or newer than this program, is never written to.

mod database;
mod error;
mod journal;
mod open;
mod sessions;
mod skills;
mod turns;
mod usage;

pub use database::Database;
pub use error::DatabaseError;
pub use journal::{ENTRY_LIMIT, JournalEntry, JournalRecord, PAGE, PAGE_BYTES, STATE_LIMIT};
pub use open::FILE;
pub use sessions::{ID_LIMIT, LIST_LIMIT, NewSession, SessionFilter, SessionInfo, SessionState, TITLE_LIMIT};
pub use skills::{Authored, AuthoredState, SkillUse};
pub use turns::{MESSAGE_LIMIT, TurnId, TurnRecord};
pub use usage::{FIGURE_LIMIT, Usage};
