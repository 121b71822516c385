//! What an author reads about a field, a value, a tool or a skill.

use skillful_format::field::{Field, FieldPart, FieldValue};
use skillful_profiles::{AgentProfiles, ToolName};

/// Titles that one list shows.
const TITLES: usize = 12;

/// About a field: what it does, its form, its limits, and which agents read it.
pub fn field(field: &Field, agents: &AgentProfiles) -> String {
    let mut out = format!("**{}** — {}\n\n{}", field.name, field.value.words(), field.meaning);
    if let FieldValue::Limited(limit) = field.value {
        out.push_str(&format!(" At most {limit} characters in the specification."));
    }
    out.push_str(&words(field.value));
    if !field.spellings.is_empty() {
        out.push_str(&format!("\n\nAlso written `{}`.", field.spellings.join("`, `")));
    }
    if field.gate {
        out.push_str("\n\nA gate: while its value cannot be read, the skill is unavailable.");
    }
    let readers = agents.readers(field);
    let origin = if field.spec { "Part of the specification." } else { "Not part of the specification." };
    out.push_str(&format!("\n\n{origin}"));
    if !readers.read_by.is_empty() {
        out.push_str(&format!(" Read by {}.", listed(&readers.read_by)));
    }
    if !readers.ignored_by.is_empty() {
        out.push_str(&format!(" Ignored by {}.", listed(&readers.ignored_by)));
    }
    if readers.unknown > 0 {
        out.push_str(&format!(" Not known for {} other agents.", readers.unknown));
    }
    let demands = agents.demands(field);
    if !demands.is_empty() {
        out.push('\n');
        for demand in demands.iter().take(TITLES) {
            out.push_str(&format!("\n- {demand}"));
        }
        if demands.len() > TITLES {
            out.push_str(&format!("\n- and {} more agents", demands.len() - TITLES));
        }
    }
    out
}

/// About a key inside of a field.
pub fn part(field: &Field, part: &FieldPart) -> String {
    let (name, form) = (part.name, part.value.words());
    format!("**{}.{name}** — {form}\n\n{}{}", field.name, part.meaning, words(part.value))
}

/// The words that a value may be.
fn words(value: FieldValue) -> String {
    let FieldValue::Word { words, .. } = value else { return String::new() };
    let mut out = String::from("\n");
    for word in words {
        out.push_str(&format!("\n- `{}`: {}", word.word, word.meaning));
    }
    out
}

/// About a tool.
pub fn tool(tool: &ToolName<'_>) -> String {
    format!("**{}** — a tool of {}\n\nSkillful's `{}`.", tool.name, listed(&tool.agents), tool.own)
}

/// Titles in a sentence.
pub fn listed(titles: &[&str]) -> String {
    match titles.len().checked_sub(TITLES) {
        None | Some(0) => titles.join(", "),
        Some(more) => format!("{} and {more} more", titles[..TITLES].join(", ")),
    }
}
