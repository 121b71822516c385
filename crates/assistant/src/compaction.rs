//! A conversation that outgrows its model: what was said becomes a summary, the instructions of skills stay
//! within their budget, the newest exchange stays as it is. The catalogue is written anew for each turn and
//! is never lost.

use crate::{
    conversation::{Item, Kind},
    event::Event,
    flow::{Flow, happening},
    journal::Entry,
    roster::{Choice, Line},
    run::TurnError,
    skills, words,
};
use skillful_llm::{Arguments, Error, Message, Part, Request, Role};
use skillful_render::compaction::{Active, compact};
use skillful_runtime::hooks::Event as HookEvent;

/// Of a hundred tokens that a model can read, those that a conversation may fill.
const FILLED: usize = 85;
/// Of a hundred, those that the newest exchange may keep as it is.
const KEPT: usize = 20;
/// Of a hundred, those that the text to be summarised may fill.
const SUMMARISED: usize = 60;
/// Longest summary, in tokens.
const SUMMARY: u32 = 4_096;
/// Characters of one result that are summarised.
const RESULT_SHOWN: usize = 2_000;
/// Bytes of a token, about.
const TOKEN: usize = 4;

/// Tokens of a request, about.
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
        _ => 0,
    }
}

fn arguments_text(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Read(arguments) => serde_json::to_string(arguments).unwrap_or_default(),
        Arguments::Unread(text) => text.clone(),
    }
}

/// Whether a server says that the conversation is too long for its model.
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

/// Shortens the conversation when the next request would not leave room for an answer.
pub(crate) fn if_needed(flow: &mut Flow<'_, '_, '_, '_>, line: &Line) -> Result<(), TurnError> {
    let choice = Choice { line: line.clone(), note: None };
    let ours = estimate(&flow.request(&choice));
    // A server counts otherwise than we do, by about the same factor as last time; but some count only what
    // was not in their cache.
    let expected = match flow.run.counted {
        Some((counted, estimated)) if estimated > 0 => {
            (ours.saturating_mul(counted) / estimated).clamp(ours * 2 / 3, ours.saturating_mul(3))
        }
        _ => ours,
    };
    let room = line.window.saturating_sub(line.answer as usize).min(line.window * FILLED / 100);
    if expected <= room { Ok(()) } else { now(flow, line) }
}

/// Shortens the conversation, as little as makes sense.
pub(crate) fn now(flow: &mut Flow<'_, '_, '_, '_>, line: &Line) -> Result<(), TurnError> {
    but_for(flow, line, line.window * KEPT / 100 * TOKEN)
}

/// Shortens all but the newest exchange and what fits into so many bytes with it.
pub(crate) fn but_for(flow: &mut Flow<'_, '_, '_, '_>, line: &Line, room: usize) -> Result<(), TurnError> {
    let before = size(flow.run.items.iter().map(|item| &item.message)) / TOKEN;
    let tail = tail(&flow.run.items, room);
    if size(flow.run.items[tail..].iter().map(|item| &item.message)) > room {
        // One exchange alone is too long: what its tools brought in is shortened.
        flow.run.items[tail..].iter_mut().for_each(shorten);
    }
    if tail == 0 {
        let items = flow.run.items.clone();
        return flow.keep(&[Entry::Compacted { items }]);
    }
    let fired = flow.fire(&happening(HookEvent::PreCompact));
    let old: Vec<Item> = flow.run.items[..tail].to_vec();
    let mut text = summary(flow, &old, line);
    for words in fired.context {
        text.push_str(&format!("\n\n{words}"));
    }
    let unit = flow.world.unit;
    let kept = compact(&instructions(&old), unit);
    let mut items = vec![Item::user(Kind::Summary, text)];
    for skill in &kept.kept {
        let mut text = skill.text.clone();
        if skill.cut {
            text.push_str(&format!("\n(The rest was left out; `use_skill` loads `{}` again.)\n", skill.name));
        }
        items.push(Item::user(Kind::Skill { name: skill.name.clone() }, text));
    }
    if !kept.lost.is_empty() {
        let names = kept.lost.join("`, `");
        let words = format!("The instructions of `{names}` were left out; `use_skill` loads them again.");
        items.push(Item::user(Kind::Note, words));
    }
    items.extend_from_slice(&flow.run.items[tail..]);
    flow.run.items.clone_from(&items);
    flow.run.counted = None;
    flow.keep(&[Entry::Compacted { items }])?;
    let after = size(flow.run.items.iter().map(|item| &item.message)) / TOKEN;
    let kept_names = kept.kept.into_iter().map(|skill| skill.name).collect();
    flow.world.see(&Event::Compacted { before, after, kept: kept_names, lost: kept.lost });
    Ok(())
}

/// Where the newest exchange begins that may stay as it is: at something said, never between a call and its
/// result. At least the last such place, whatever it costs.
fn tail(items: &[Item], room: usize) -> usize {
    let mut used = 0;
    let mut start = items.len();
    for (at, item) in items.iter().enumerate().rev() {
        used += size([&item.message]);
        if used > room && start < items.len() {
            break;
        }
        if matches!(item.kind, Kind::Message | Kind::Answer) {
            start = at;
        }
    }
    start
}

/// Leaves the beginning and the end of long results.
fn shorten(item: &mut Item) {
    let loaded = skills::loaded(std::slice::from_ref(item));
    for part in &mut item.message.parts {
        if let Part::Result { text, .. } = part
            && text.len() > 3 * RESULT_SHOWN
            && loaded.is_empty()
        {
            let head = text.floor_char_boundary(RESULT_SHOWN);
            let end = text.ceil_char_boundary(text.len() - RESULT_SHOWN);
            *text = format!("{}\n(… {} bytes were left out …)\n{}", &text[..head], end - head, &text[end..]);
        }
    }
}

/// Instructions in a conversation, in the order of their use.
fn instructions(items: &[Item]) -> Vec<Active> {
    let mut active = Vec::new();
    for item in items {
        match &item.kind {
            Kind::Skill { name } => {
                let text = item.message.parts.iter().filter_map(|part| match part {
                    Part::Text { text } => Some(text.as_str()),
                    _ => None,
                });
                active.push(Active { name: name.clone(), text: text.collect() });
            }
            Kind::Results { skills } => {
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

/// What remains of what was said: in the words of the model, or the beginning and the end of it.
fn summary(flow: &mut Flow<'_, '_, '_, '_>, items: &[Item], line: &Line) -> String {
    const HEAD: &str = "What was said before, in short:\n\n";
    let transcript = transcript(items, line.window * SUMMARISED / 100 * TOKEN);
    let request = Request {
        max_tokens: SUMMARY.min(line.answer),
        effort: None,
        ..Request::new(words::SUMMARISE, transcript.clone(), SUMMARY)
    };
    let choice = Choice { line: line.clone(), note: None };
    match flow.quietly(&choice, &request) {
        Ok(text) if !text.trim().is_empty() => format!("{HEAD}{}", text.trim()),
        failed => {
            let why =
                failed.err().map_or_else(|| "the model said nothing".to_owned(), |error| error.to_string());
            flow.world.see(&Event::Note(format!(
                "no summary could be had ({why}); a part of the conversation is kept"
            )));
            let half = RESULT_SHOWN * 2;
            let head = transcript.floor_char_boundary(half);
            let end = transcript.ceil_char_boundary(transcript.len().saturating_sub(half).max(head));
            format!("{HEAD}{}\n(…)\n{}", &transcript[..head], &transcript[end..])
        }
    }
}

/// A conversation as text; of a long one the end.
fn transcript(items: &[Item], limit: usize) -> String {
    let mut text = String::new();
    for item in items {
        if matches!(item.kind, Kind::Skill { .. }) {
            text.push_str(&format!(
                "[the skill {} was loaded]\n\n",
                skills::loaded(std::slice::from_ref(item)).join(", ")
            ));
            continue;
        }
        let who = if item.message.role == Role::User { "person" } else { "you" };
        for part in &item.message.parts {
            match part {
                Part::Text { text: words } => text.push_str(&format!("[{who}] {}\n\n", words.trim())),
                Part::Call { name, arguments, .. } => {
                    text.push_str(&format!("[you call {name}] {}\n\n", shown(&arguments_text(arguments))));
                }
                Part::Result { text: words, .. } => text.push_str(&format!("[result] {}\n\n", shown(words))),
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
