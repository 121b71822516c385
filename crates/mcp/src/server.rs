//! Skills for any agent: tools, prompts, resources and the Skills extension (SEP-2640).
//!
//! [`Served`] names the workspace; a [`Live`] keeps its newest [`Snapshot`] and reports when it changes; a
//! [`Skills`] answers one connection. `initialize` needs no snapshot, and `tools/list` waits for it only a
//! moment, so that a client waits for the disk only when it asks for a skill.

mod address;
mod completion;
mod extension;
mod files;
mod handler;
pub mod http;
mod live;
mod page;
mod parts;
mod prompts;
mod reply;
mod resources;
mod snapshot;
mod stdio;
mod tools;
pub use tools::{SkillTool, skill_tools};

pub use handler::Skills;
pub use live::Live;
pub use snapshot::{Served, Snapshot};
pub use stdio::{Ended, serve_stdio};
