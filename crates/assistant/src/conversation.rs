//! The conversation as a run holds it: items with their kinds, and the messages a model gets.

use serde::{Deserialize, Serialize};
use skillful_llm::{Message, Part, Role};
use std::collections::BTreeSet;

/// What a call gets for an answer that never came.
const INTERRUPTED: &str =
    "This call was interrupted before it ended. It may have happened in part: look before you do it again.";

/// What an item is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Kind {
    /// What the person said.
    Message,
    /// Instructions of a skill, put in beside what the person said or by a transition.
    Skill {
        /// Its address.
        name: String,
    },
    /// What the program has to say: news, context of hooks, results of sub-agents.
    Note,
    /// What the model said.
    Answer,
    /// What came of its calls. Instructions that a call loaded are named, so that they survive.
    Results {
        /// Calls that loaded a skill, and which: call, address.
        #[serde(default)]
        skills: Vec<(String, String)>,
    },
    /// What remains of what was said before.
    Summary,
}

impl Kind {
    /// A word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Skill { .. } => "skill",
            Self::Note => "note",
            Self::Answer => "answer",
            Self::Results { .. } => "results",
            Self::Summary => "summary",
        }
    }
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What it is.
    #[serde(flatten)]
    pub kind: Kind,
    /// What a model reads.
    pub message: Message,
}

impl Item {
    /// Words of the person or of the program.
    pub fn user(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, message: Message::user(text) }
    }
}

/// The messages of a conversation as both formats want them: roles alternate, every call is
/// answered at once, nothing is empty. Whatever a crash left open is closed here, not lost.
pub fn messages(items: &[Item]) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::new();
    for item in items {
        let parts: Vec<Part> = item.message.parts.iter().filter(|part| !is_blank(part)).cloned().collect();
        if parts.is_empty() {
            continue;
        }
        match out.last_mut() {
            Some(last) if last.role == item.message.role => last.parts.extend(parts),
            _ => out.push(Message { role: item.message.role, parts }),
        }
    }
    if out.first().is_some_and(|first| first.role == Role::Assistant) {
        out.insert(0, Message::user("(The beginning of this conversation is not kept.)"));
    }
    let mut closed: Vec<Message> = Vec::with_capacity(out.len() + 1);
    let mut open: Vec<String> = Vec::new();
    for mut message in out {
        if message.role == Role::User {
            answer(&mut message.parts, &mut open);
            if message.parts.is_empty() {
                message.parts.push(Part::text("(What stood here is not kept.)"));
            }
        }
        open = calls(&message);
        closed.push(message);
    }
    if !open.is_empty() {
        let mut parts = Vec::new();
        answer(&mut parts, &mut open);
        closed.push(Message { role: Role::User, parts });
    }
    closed
}

/// Puts results first, leaves those of no call out, and adds those that are missing.
fn answer(parts: &mut Vec<Part>, open: &mut Vec<String>) {
    let mut answered: BTreeSet<String> = BTreeSet::new();
    parts.retain(|part| match part {
        Part::Result { id, .. } => open.contains(id) && answered.insert(id.clone()),
        _ => true,
    });
    let missing = open.drain(..).filter(|id| !answered.contains(id));
    parts.extend(missing.map(|id| Part::Result { id, text: INTERRUPTED.to_owned(), failed: true }));
    parts.sort_by_key(|part| !matches!(part, Part::Result { .. }));
}

fn calls(message: &Message) -> Vec<String> {
    let call = |part: &Part| match part {
        Part::Call { id, .. } => Some(id.clone()),
        _ => None,
    };
    message.parts.iter().filter_map(call).collect()
}

fn is_blank(part: &Part) -> bool {
    matches!(part, Part::Text { text } if text.trim().is_empty())
}

#[cfg(test)]
mod tests;
