//! Skills for any agent: tools, prompts, resources and the Skills extension (SEP-2640).
//!
//! A [`Library`] says where skills come from; a [`Live`] keeps its newest [`Snapshot`] and tells when it
//! changes; a [`Skills`] answers one connection. `initialize` and `tools/list` need no snapshot, so that
//! nobody waits for the disk before they must.

mod address;
mod completion;
mod extension;
mod files;
mod handler;
pub mod http;
mod library;
mod live;
mod page;
mod prompts;
mod reply;
mod resources;
mod stdio;
mod tools;
pub use tools::{SkillTool, skill_tools};

pub use handler::Skills;
pub use library::{Hit, Library, Snapshot, Workshop};
pub use live::Live;
pub use stdio::{Ended, serve_stdio};
