//! The full-screen interface of Skillful, and the picker that other commands use.
//!
//! A face of the engine, without rules about skills: `state` is everything that is drawn, `update` turns one event into
//! the next state and what is to be done, `draw` turns a state into cells, and `worker` does everything that touches
//! the disk in threads of its own, so that a key press never waits.

mod backend;
#[doc(hidden)]
pub mod bench;
mod draw;
mod error;
mod item;
mod job;
mod keys;
mod list;
mod markdown;
mod pages;
mod picker;
mod run;
mod state;
mod terminal;
pub mod text;
mod theme;
mod update;
mod worker;

pub use error::UiError;
pub use item::{Badge, Item};
pub use keys::Keys;
pub use picker::{Picker, pick};
pub use run::{Ended, Options, run};
pub use theme::{Palette, Role, Theme};
