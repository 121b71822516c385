//! The items of a session with their kinds, and the messages that are sent to a model.

use serde::{Deserialize, Serialize};
use skillful_llm::{Message, Part, Role};
use std::collections::BTreeSet;

/// The result of a call that was interrupted by a crash.
const INTERRUPTED: &str =
    "This call was interrupted before it finished and may be partly done. Check before you repeat it.";

/// The kind of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum ItemKind {
    /// The user's message.
    Message,
    /// Instructions of a skill, selected for the message or reached by a transition.
    Skill {
        /// Its address.
        name: String,
    },
    /// A note of the program: changes of the menu, context of hooks, results of sub-agents.
    Note,
    /// The model's answer.
    Answer,
    /// Results of the model's calls. Skills that a call loaded are named, so that compaction keeps them.
    Results {
        /// Calls that loaded a skill: call id and address of the skill.
        #[serde(default)]
        skills: Vec<(String, String)>,
    },
    /// A summary of older items.
    Summary,
}

impl ItemKind {
    /// The kind as one word, for the database.
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
    /// The kind.
    #[serde(flatten)]
    pub kind: ItemKind,
    /// The message as the model reads it.
    pub message: Message,
}

impl Item {
    /// An item with the role `user`: text of the user or of the program.
    pub fn user(kind: ItemKind, text: impl Into<String>) -> Self {
        Self { kind, message: Message::user(text) }
    }
}

/// The messages in the form both wire formats require: roles alternate, every call is followed by its
/// result, nothing is empty. A call that a crash left without a result gets one here.
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
        out.insert(0, Message::user("(The beginning of this session was not saved.)"));
    }
    let mut closed: Vec<Message> = Vec::with_capacity(out.len() + 1);
    let mut open: Vec<String> = Vec::new();
    for mut message in out {
        if message.role == Role::User {
            answer(&mut message.parts, &mut open);
            if message.parts.is_empty() {
                message.parts.push(Part::text("(This message was not saved.)"));
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

/// Makes the ids of calls unique: some servers number their calls from 1 in every answer.
pub(crate) fn make_call_ids_unique(items: &[Item], parts: &mut [Part]) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for part in items.iter().flat_map(|item| &item.message.parts) {
        if let Part::Call { id, .. } = part {
            known.insert(id.clone());
        }
    }
    for part in parts {
        if let Part::Call { id, .. } = part {
            let plain = id.clone();
            let mut number = 2;
            while id.is_empty() || !known.insert(id.clone()) {
                *id = format!("{plain}_{number}");
                number += 1;
            }
        }
    }
}

/// Moves results to the front, drops results without a call, and adds missing ones.
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
