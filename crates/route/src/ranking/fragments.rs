//! Joins a request that came in several messages.
//!
//! The signals and the threshold are those of golemcore. golemcore measures the pause from the oldest message
//! it looks at, so that a minute of quick messages ends every join; here the pause is measured from the
//! previous message.

use std::time::Duration;

/// Number of user messages that are considered, the current one included.
pub const WINDOW: usize = 5;
/// Points that make a message a continuation.
pub const THRESHOLD: u32 = 2;
/// Longest pause between two parts of one request.
pub const GAP: Duration = Duration::from_mins(1);
/// A message with fewer words is short.
const SHORT: usize = 4;

const BACK_REFERENCES: &[&str] = &[
    "it",
    "this",
    "that",
    "these",
    "those",
    "there",
    "here",
    "above",
    "earlier",
    "its",
    "their",
    "это",
    "этот",
    "эта",
    "эти",
    "там",
    "тут",
    "здесь",
    "выше",
    "ранее",
    "его",
    "её",
    "ее",
    "их",
];
const CONTINUATIONS: &[&str] = &[
    "and",
    "also",
    "but",
    "plus",
    "btw",
    "then",
    "additionally",
    "и",
    "также",
    "но",
    "ещё",
    "еще",
    "плюс",
    "кстати",
    "потом",
    "затем",
    "а",
];
const OPEN_ENDS: &[&str] = &["...", "…", "—", "--", ":", "-", ","];

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The user.
    User,
    /// Anyone else; these messages are ignored.
    Other,
}

/// A message with the time it was written, counted from any fixed moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The author.
    pub author: Author,
    /// The text of the message.
    pub text: &'a str,
    /// When it was written; an unknown time counts as within the gap.
    pub at: Option<Duration>,
}

/// A sign that a message continues the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Fewer than four words.
    Short,
    /// Refers to something in an earlier message.
    BackReference,
    /// Starts with a word that continues a sentence; counts two points.
    Continuation,
    /// Starts with a lower-case letter.
    SmallStart,
    /// The previous message has an open end.
    OpenEnd,
    /// Came within a minute of the previous message.
    Close,
}

impl Signal {
    fn weight(self) -> u32 {
        if self == Self::Continuation { 2 } else { 1 }
    }
}

/// A request joined from its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The parts, joined with spaces.
    pub text: String,
    /// Number of messages; 1 when nothing was joined.
    pub parts: usize,
    /// The signals of the current message, whether or not it was joined.
    pub signals: Vec<Signal>,
}

/// Joins a message with the earlier ones that it continues.
pub fn join(current: Message<'_>, history: &[Message<'_>]) -> Joined {
    let before: Vec<&Message<'_>> =
        history.iter().rev().filter(|message| message.author == Author::User).take(WINDOW - 1).collect();
    let signals = before.first().map_or_else(Vec::new, |previous| signals(current, previous));
    let mut parts = vec![current];
    for previous in before {
        let latest = parts[parts.len() - 1];
        if !continues(latest, previous) {
            break;
        }
        parts.push(*previous);
    }
    parts.reverse();
    let text: Vec<&str> = parts.iter().map(|part| part.text.trim()).collect();
    let text = if parts.len() == 1 { current.text.to_owned() } else { text.join(" ") };
    Joined { text, parts: parts.len(), signals }
}

/// Whether a message continues the previous one. A long pause ends a request whatever the words are;
/// punctuation alone ("?") is never joined.
fn continues(message: Message<'_>, previous: &Message<'_>) -> bool {
    let found = signals(message, previous);
    let has_words = message.text.chars().any(char::is_alphanumeric);
    has_words
        && found.contains(&Signal::Close)
        && found.iter().map(|signal| signal.weight()).sum::<u32>() >= THRESHOLD
        && found.iter().any(|signal| *signal != Signal::Close)
}

fn signals(message: Message<'_>, previous: &Message<'_>) -> Vec<Signal> {
    let text = message.text.trim();
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let close = match (message.at, previous.at) {
        (Some(now), Some(then)) => now.saturating_sub(then) <= GAP,
        _ => true,
    };
    let held = [
        (Signal::Short, words.len() < SHORT),
        (Signal::BackReference, words.iter().any(|word| BACK_REFERENCES.contains(word))),
        (Signal::Continuation, words.first().is_some_and(|word| CONTINUATIONS.contains(word))),
        (Signal::SmallStart, text.chars().next().is_some_and(char::is_lowercase)),
        (Signal::OpenEnd, OPEN_ENDS.iter().any(|end| previous.text.trim_end().ends_with(end))),
        (Signal::Close, close),
    ];
    held.into_iter().filter_map(|(signal, holds)| holds.then_some(signal)).collect()
}
