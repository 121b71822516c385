//! Getting skills: sources, the content store, the lock, fetching, installing.
//!
//! Invariants: no terminal, no clock but for the bound of a fetch, no process environment; the outside
//! comes in as arguments. Nothing that was fetched is ever run. Every write is staged, synced and renamed,
//! so that a crash leaves the old or the new. Nothing is overwritten that was not installed from here.

pub mod approvals;
pub mod atomic_write;
pub mod bindings;
pub mod content_store;
pub mod fetch;
pub mod install;
pub mod lock;
pub mod publish;
pub mod record_file;
pub mod review;
pub mod sign;
pub mod source;
pub mod sources;
pub mod team_record;
pub mod trusted_folders;

pub use atomic_write::AtomicWriter;
pub use content_store::ContentStore;
pub use lock::{Lock, Locked};
pub use source::Source;
