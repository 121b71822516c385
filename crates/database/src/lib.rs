//! What must survive: sessions with their journals, turns and usage, which skills were used, and
//! what a person saw last. One SQLite file below the data folder.
//!
//! The only crate that names sqlx. Plain values go in and come out; JSON is text that only its
//! writer understands. Every method blocks, and may be called from any thread, also from within an
//! asynchronous runtime. A file that is damaged, or newer than this program, is never written to.

mod error;
mod journal;
mod open;
mod sessions;
mod skills;
mod store;
mod turns;
mod usage;

pub use error::StoreError;
pub use journal::{ENTRY_LIMIT, Entry, Kept, PAGE, PAGE_BYTES, STATE_LIMIT};
pub use open::FILE;
pub use sessions::{ID_LIMIT, LIST_LIMIT, NewSession, SessionInfo, SessionState, TITLE_KEPT, Which};
pub use skills::{Authored, AuthoredState, SkillUse};
pub use store::Store;
pub use turns::{MESSAGE_KEPT, TurnId, TurnRecord};
pub use usage::{FIGURE_LIMIT, Usage};
