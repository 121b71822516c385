//! Compaction of a session that outgrows its model: older messages become a summary, the instructions of
//! skills stay within their budget, and the newest exchange stays unchanged. The menu is written again for
//! each turn and is never lost.

use crate::{
    event::Event,
    history::{Item, ItemKind},
    journal::JournalEntry,
    model_set::{ModelChoice, ModelSpec},
    prompts, skills,
    turn::TurnError,
    turn_loop::{TurnLoop, happening},
};
use skillful_llm::{Arguments, Error, Message, Part, Request, Role};
use skillful_render::compaction::{Active, compact};
use skillful_runtime::hooks::Event as HookEvent;

/// Percentage of the model's context window that a session may fill.
const FILLED: usize = 85;
/// Percentage of the window that the newest exchange may keep unchanged.
const KEPT: usize = 20;
/// Percentage of the window that the text to summarise may fill.
const SUMMARISED: usize = 60;
/// Longest summary, in tokens.
const SUMMARY: u32 = 4_096;
/// Characters of one tool result that go into the summary.
const RESULT_SHOWN: usize = 2_000;
/// Estimated bytes per token.
const TOKEN: usize = 4;
/// Tokens of an image, about what providers count for a large one.
const IMAGE: usize = 1_600;

/// Estimated tokens of a request.
pub(crate) fn estimate(request: &Request) -> usize {
    let system = request.system.as_ref().map_or(0, String::len);
    let tools: usize =
        request.tools.iter().map(|tool| tool.description.len() + tool.schema.to_string().len()).sum();
    (system + tools + size(&request.messages)) / TOKEN
}

fn size<'a>(messages: impl IntoIterator<Item = &'a Message>) -> usize {
    messages.into_iter().flat_map(|message| &message.parts).map(part_size).sum()
}

fn part_size(part: &Part) -> usize {
    match part {
        Part::Text { text } | Part::Thinking { text, .. } | Part::Result { text, .. } => text.len(),
        Part::Call { name, arguments, .. } => name.len() + arguments_text(arguments).len(),
        Part::Image { .. } => IMAGE * TOKEN,
        _ => 0,
    }
}

fn arguments_text(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Read(arguments) => serde_json::to_string(arguments).unwrap_or_default(),
        Arguments::Unread(text) => text.clone(),
    }
}

/// Whether the server's error means that the request is too long for its model.
pub(crate) fn is_too_long(error: &Error) -> bool {
    let Error::Status { status: 400 | 413 | 422, message, .. } = error else { return false };
    let message = message.to_lowercase();
    let about = [
        "context length",
        "context_length",
        "context window",
        "too long",
        "maximum context",
        "too many tokens",
        "exceeds the available context",
    ];
    about.iter().any(|words| message.contains(words))
}

/// Whether a request of this estimate would not leave room for an answer.
pub(crate) fn is_needed(counted: Option<(usize, usize)>, ours: usize, line: &ModelSpec) -> bool {
    // The server's count differs from ours by about the same factor as last time; but some servers count only
    // the tokens that were not cached.
    let expected = match counted {
        Some((counted, estimated)) if estimated > 0 => {
            (ours.saturating_mul(counted) / estimated).clamp(ours * 2 / 3, ours.saturating_mul(3))
        }
        _ => ours,
    };
    expected > line.window.saturating_sub(line.answer as usize).min(line.window * FILLED / 100)
}

/// Compacts the session and keeps the newest exchanges.
pub(crate) fn now(turn_loop: &mut TurnLoop<'_, '_, '_, '_>, line: &ModelSpec) -> Result<(), TurnError> {
    but_for(turn_loop, line, line.window * KEPT / 100 * TOKEN)
}

/// Compacts everything but the newest exchange and what fits into `room` bytes with it.
pub(crate) fn but_for(
    turn_loop: &mut TurnLoop<'_, '_, '_, '_>,
    line: &ModelSpec,
    room: usize,
) -> Result<(), TurnError> {
    let before = size(turn_loop.session.items.iter().map(|item| &item.message)) / TOKEN;
    let tail = tail(&turn_loop.session.items, room);
    if size(turn_loop.session.items[tail..].iter().map(|item| &item.message)) > room {
        // One exchange alone is too long: its tool results are shortened.
        turn_loop.session.items[tail..].iter_mut().for_each(shorten);
    }
    if tail == 0 {
        let items = turn_loop.session.items.clone();
        return turn_loop.append(&[JournalEntry::Compacted { items }]);
    }
    let fired = turn_loop.fire(&happening(HookEvent::PreCompact));
    let old: Vec<Item> = turn_loop.session.items[..tail].to_vec();
    let mut text = summary(turn_loop, &old, line);
    for words in fired.context {
        text.push_str(&format!("\n\n{words}"));
    }
    let unit = turn_loop.setup.unit;
    let kept = compact(&instructions(&old), unit);
    let mut items = vec![Item::user(ItemKind::Summary, text)];
    for skill in &kept.kept {
        let mut text = skill.text.clone();
        if skill.cut {
            text.push_str(&format!("\n(The rest was removed; `use_skill` loads `{}` again.)\n", skill.name));
        }
        items.push(Item::user(ItemKind::Skill { name: skill.name.clone() }, text));
    }
    if !kept.lost.is_empty() {
        let names = kept.lost.join("`, `");
        let words = format!("The instructions of `{names}` were removed; `use_skill` loads them again.");
        items.push(Item::user(ItemKind::Note, words));
    }
    items.extend_from_slice(&turn_loop.session.items[tail..]);
    turn_loop.session.items.clone_from(&items);
    turn_loop.session.counted = None;
    turn_loop.append(&[JournalEntry::Compacted { items }])?;
    let after = size(turn_loop.session.items.iter().map(|item| &item.message)) / TOKEN;
    let kept_names = kept.kept.into_iter().map(|skill| skill.name).collect();
    turn_loop.setup.observe(&Event::Compacted { before, after, kept: kept_names, lost: kept.lost });
    Ok(())
}

/// Index of the first item that stays unchanged: always a message or an answer, never between a call and its
/// result. The last such item stays even when it exceeds the room.
fn tail(items: &[Item], room: usize) -> usize {
    let mut used = 0;
    let mut start = items.len();
    for (at, item) in items.iter().enumerate().rev() {
        used += size([&item.message]);
        if used > room && start < items.len() {
            break;
        }
        if matches!(item.kind, ItemKind::Message | ItemKind::Answer) {
            start = at;
        }
    }
    start
}

/// Keeps the beginning and the end of long results.
fn shorten(item: &mut Item) {
    let loaded = skills::loaded(std::slice::from_ref(item));
    for part in &mut item.message.parts {
        if let Part::Result { text, .. } = part
            && text.len() > 3 * RESULT_SHOWN
            && loaded.is_empty()
        {
            let head = text.floor_char_boundary(RESULT_SHOWN);
            let end = text.ceil_char_boundary(text.len() - RESULT_SHOWN);
            *text = format!("{}\n(… {} bytes removed …)\n{}", &text[..head], end - head, &text[end..]);
        }
    }
}

/// The instructions of skills in these items, in the order of use.
fn instructions(items: &[Item]) -> Vec<Active> {
    let mut active = Vec::new();
    for item in items {
        match &item.kind {
            ItemKind::Skill { name } => {
                let text = item.message.parts.iter().filter_map(|part| match part {
                    Part::Text { text } => Some(text.as_str()),
                    _ => None,
                });
                active.push(Active { name: name.clone(), text: text.collect() });
            }
            ItemKind::Results { skills } => {
                for (call, name) in skills {
                    let of = item.message.parts.iter().find_map(|part| match part {
                        Part::Result { id, text, .. } if id == call => Some(text.clone()),
                        _ => None,
                    });
                    active.extend(of.map(|text| Active { name: name.clone(), text }));
                }
            }
            _ => {}
        }
    }
    active
}

/// A summary of the items, written by the model; when the model fails, the beginning and the end of the text.
fn summary(turn_loop: &mut TurnLoop<'_, '_, '_, '_>, items: &[Item], line: &ModelSpec) -> String {
    const HEAD: &str = "Summary of the session so far:\n\n";
    let transcript = transcript(items, line.window * SUMMARISED / 100 * TOKEN);
    let request = Request {
        max_tokens: SUMMARY.min(line.answer),
        effort: None,
        ..Request::new(prompts::SUMMARISE, transcript.clone(), SUMMARY)
    };
    let choice = ModelChoice { line: line.clone(), note: None };
    match turn_loop.ask_silently(&choice, &request) {
        Ok(text) if !text.trim().is_empty() => format!("{HEAD}{}", text.trim()),
        failed => {
            let why = failed
                .err()
                .map_or_else(|| "the model returned no text".to_owned(), |error| error.to_string());
            turn_loop.setup.observe(&Event::Note(format!(
                "the model could not summarise the session ({why}); its beginning and end are kept"
            )));
            let half = RESULT_SHOWN * 2;
            let head = transcript.floor_char_boundary(half);
            let end = transcript.ceil_char_boundary(transcript.len().saturating_sub(half).max(head));
            format!("{HEAD}{}\n(…)\n{}", &transcript[..head], &transcript[end..])
        }
    }
}

/// The items as text; a long text keeps its end.
fn transcript(items: &[Item], limit: usize) -> String {
    let mut text = String::new();
    for item in items {
        if matches!(item.kind, ItemKind::Skill { .. }) {
            text.push_str(&format!(
                "[the skill {} was loaded]\n\n",
                skills::loaded(std::slice::from_ref(item)).join(", ")
            ));
            continue;
        }
        let who = if item.message.role == Role::User { "user" } else { "you" };
        for part in &item.message.parts {
            match part {
                Part::Text { text: words } => text.push_str(&format!("[{who}] {}\n\n", words.trim())),
                Part::Call { name, arguments, .. } => {
                    text.push_str(&format!("[you call {name}] {}\n\n", shown(&arguments_text(arguments))));
                }
                Part::Result { text: words, .. } => text.push_str(&format!("[result] {}\n\n", shown(words))),
                Part::Image { media, .. } => text.push_str(&format!("[an image, {media}]\n\n")),
                _ => {}
            }
        }
    }
    let start = text.ceil_char_boundary(text.len().saturating_sub(limit));
    text.split_off(start)
}

fn shown(text: &str) -> String {
    let end = text.floor_char_boundary(RESULT_SHOWN);
    let more = if end < text.len() { " (…)" } else { "" };
    format!("{}{more}", &text[..end])
}

#[cfg(test)]
mod tests;
