//! A journal as text: messages, answers, tool calls and loaded skills.

use crate::output::{DIM, HEAD, Output, cut, harmless, harmless_lines};
use serde::Deserialize as _;
use skillful::views::session::{JournalView, TurnView};
use skillful_assistant::{
    history::{Item, ItemKind},
    journal,
};
use skillful_llm::{Arguments, Part, Role};

/// Most bytes of arguments or of a result that are read for one line.
const GLANCE: usize = 2_000;

/// Converts a journal to text, one entry after the other.
pub(super) struct Transcript<'a> {
    output: &'a Output,
    /// The calls of the last answer: their ids and tools.
    calls: Vec<(String, String)>,
}

impl<'a> Transcript<'a> {
    pub(super) fn new(output: &'a Output) -> Self {
        Self { output, calls: Vec::new() }
    }

    /// The next entry.
    pub(super) fn text(&mut self, entry: &JournalView) -> String {
        let output = self.output;
        match journal::JournalEntry::deserialize(&entry.entry) {
            Ok(journal::JournalEntry::Item(one)) => self.item(&one),
            Ok(journal::JournalEntry::Compacted { items }) => {
                let parts = counted(items.len(), "part");
                aside(output, &format!("the session was compacted to {parts}"))
            }
            Ok(journal::JournalEntry::Note { text }) => aside(output, &harmless(&text)),
            // Written by another version: it is named, and the rest is shown.
            Err(_) => aside(
                output,
                &format!("an entry of kind `{}` that this version cannot read", harmless(&entry.kind)),
            ),
        }
    }

    fn item(&mut self, item: &Item) -> String {
        let output = self.output;
        match &item.kind {
            ItemKind::Skill { name } => {
                let lines = item.message.parts.iter().map(lines_of).sum();
                aside(output, &format!("skill {} loaded: {}", harmless(name), counted(lines, "line")))
            }
            ItemKind::Note => aside(output, &format!("note: {}", glance(output, &words(item)))),
            ItemKind::Summary => spoken(output, "summary of the session so far", &indented(&words(item))),
            ItemKind::Message | ItemKind::Answer | ItemKind::Results { .. } => {
                if item.message.role == Role::Assistant {
                    self.calls.clear();
                }
                let said: String = item.message.parts.iter().map(|one| self.part(one)).collect();
                match (&item.kind, item.message.role) {
                    (ItemKind::Results { .. }, _) => spoken(output, "tools", &said),
                    (_, Role::User) => spoken(output, "you", &said),
                    (_, Role::Assistant) => spoken(output, "model", &said),
                }
            }
        }
    }

    fn part(&mut self, part: &Part) -> String {
        let output = self.output;
        match part {
            Part::Text { text } => indented(text),
            Part::Thinking { text, .. } if text.is_empty() => String::new(),
            Part::Thinking { text, .. } => {
                let lines = counted(text.lines().count(), "line");
                format!("  {}\n", output.paint(DIM, &format!("reasoning: {lines}")))
            }
            Part::Call { id, name, arguments } => {
                self.calls.push((id.clone(), name.clone()));
                let given = match arguments {
                    Arguments::Read(given) => serde_json::json!(given).to_string(),
                    Arguments::Unread(text) => text.clone(),
                };
                format!("  calls {} {}\n", output.paint(HEAD, &harmless(name)), glance(output, &given))
            }
            Part::Result { id, text, failed } => {
                let tool = self.calls.iter().find(|(call, _)| call == id).map_or("a tool", |(_, name)| name);
                let lines = counted(text.lines().count(), "line");
                let what = if *failed { "failed".to_owned() } else { format!("returned {lines}") };
                format!("  {} {what}: {}\n", harmless(tool), glance(output, text))
            }
            _ => String::new(),
        }
    }
}

/// A turn of a session without a journal.
pub(super) fn turn(output: &Output, turn: &TurnView) -> String {
    let said = spoken(output, "you", &indented(&turn.message));
    if turn.skills.is_empty() {
        return said;
    }
    said + &aside(output, &format!("skills: {}", harmless(&turn.skills.join(", "))))
}

fn words(item: &Item) -> String {
    let text = |part: &Part| if let Part::Text { text } = part { Some(text.clone()) } else { None };
    item.message.parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

fn lines_of(part: &Part) -> usize {
    if let Part::Text { text } = part { text.lines().count() } else { 0 }
}

fn spoken(output: &Output, who: &str, said: &str) -> String {
    format!("{}\n{said}\n", output.paint(HEAD, who))
}

fn aside(output: &Output, text: &str) -> String {
    format!("{}\n\n", output.paint(DIM, text))
}

fn indented(text: &str) -> String {
    harmless_lines(text).lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}

/// The beginning, on what is left of a line.
fn glance(output: &Output, text: &str) -> String {
    let end = text.floor_char_boundary(GLANCE);
    cut(&harmless(&text[..end]), output.width.saturating_sub(30))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
