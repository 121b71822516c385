//! Hooks of a skill: commands that run at the events of a run, for as long as the skill is active.
//!
//! A hook narrows or amends; it never allows what the rules forbid. A guard (an event that comes
//! before something happens) that cannot be run blocks, because a guard that is missing in silence
//! guards nothing.

mod answer;
mod event;
mod live;
mod matcher;
mod read;
#[cfg(test)]
mod tests;

pub use answer::HookAnswer;
pub use event::Event;
pub use live::{Fired, Happening, Live};
pub use matcher::Matcher;

use serde::Serialize;
use skillful_format::{Diagnostic, Manifest};
use std::{collections::BTreeSet, time::Duration};

/// How long a hook may take by default.
pub const HOOK_TIME: Duration = Duration::from_mins(1);
/// The longest that a hook may ask for.
pub const HOOK_TIME_LIMIT: Duration = Duration::from_mins(10);
/// Hooks of one skill.
pub const HOOKS: usize = 64;

/// One command at one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hook {
    /// When.
    pub event: Event,
    /// For which tools.
    pub matcher: Matcher,
    /// What: text for a shell, always the author's own. What happened comes by standard input.
    pub command: String,
    /// How long it may take.
    #[serde(serialize_with = "seconds")]
    pub timeout: Duration,
    /// Whether it ends after its first success.
    pub once: bool,
}

/// The hooks of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Hooks(pub Vec<Hook>);

impl Hooks {
    /// Reads the hooks of frontmatter. What cannot be read is a diagnostic; an unreadable guard blocks its event
    /// for every tool, since it is not known what it would have refused.
    pub fn of(manifest: &Manifest) -> (Self, Vec<Diagnostic>) {
        manifest.hooks.as_ref().map_or_else(Default::default, read::read)
    }

    /// The events that they wait for, each once.
    pub fn events(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|hook| hook.event.name()).collect::<BTreeSet<_>>().into_iter()
    }
}

fn seconds<S: serde::Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(time.as_secs())
}
