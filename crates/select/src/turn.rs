//! A turn: the user's message, the folder, the attachments, and the turns before it.

use std::path::PathBuf;

/// Kinds of turn in which skills stay selected.
pub const STICKY_SOURCES: [&str; 4] = ["talk", "email", "repl", "web"];
/// Completed turns that are looked at.
pub const STICKY_TURNS: usize = 2;
/// How old such a turn may be.
pub const STICKY_SECONDS: u64 = 30 * 60;

/// One message to an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// The message.
    pub message: String,
    /// The working folder.
    pub folder: PathBuf,
    /// Names or paths of attached files.
    pub attachments: Vec<String>,
    /// Files that were touched, relative to the folder.
    pub touched: Vec<String>,
    /// Kind of turn: `talk`, `email`, `repl`, `web`, `briefing`, …
    pub source_type: Option<String>,
    /// Kinds of resources the agent has at hand; `None` when it does not name them.
    pub resources: Option<Vec<String>>,
    /// Paths of skills that the agent gives as data, beside the text.
    pub given: Vec<String>,
    /// Names of the agent's connectors, which a plain mention means first.
    pub connectors: Vec<String>,
    /// The address of the skill that the router decided for, when it is asked to decide.
    pub routed: Option<String>,
    /// What came before in this session, the oldest first; empty without a session.
    pub past: Vec<PastTurn>,
    /// The turn this one answers, however old.
    pub reply_to: Option<PastTurn>,
}

/// An earlier turn, as far as it matters now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PastTurn {
    /// Skills that were selected for it by a rule or a mention. Companions are not kept: they are
    /// derived again, or they would bring companions of their own, turn after turn.
    pub roots: Vec<String>,
    /// The start of its message, with the arguments of the skills that it called.
    pub message: String,
    /// Whether it came to its end.
    pub completed: bool,
    /// Seconds since then.
    pub age: u64,
}

impl Turn {
    /// Whether a user takes part, unlike in a scheduled one.
    pub fn is_interactive(&self) -> bool {
        self.source_type.as_deref().is_some_and(|source| STICKY_SOURCES.contains(&source))
    }

    /// The skills that stay selected from earlier turns, in order, each once.
    pub fn sticky(&self) -> Vec<&str> {
        if !self.is_interactive() {
            return Vec::new();
        }
        // The newest first: of two turns within one second the later one counts.
        let newest = self.past.iter().rev();
        let mut recent: Vec<&PastTurn> =
            newest.filter(|turn| turn.completed && turn.age <= STICKY_SECONDS).collect();
        recent.sort_by_key(|turn| turn.age);
        let mut names: Vec<&str> = Vec::new();
        for name in recent.into_iter().take(STICKY_TURNS).chain(&self.reply_to).flat_map(|turn| &turn.roots) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }
}

/// The ending of a file's name, lower-case: `V.WAV` has `wav`.
pub(crate) fn extension(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).filter(|ending| !ending.is_empty())
}
