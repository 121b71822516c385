//! The text of a turn without a model. Everything in it is in the view.

use crate::{
    commands::{explain, search},
    context::Context,
    output::{BAD, DIM, GOOD, HEAD, Output, WARN, harmless, wrapped},
};
use skillful::views::{
    FoundView, NotOffered,
    ask::{AgentCall, AskView, UseIn, WORTH_NAMING},
};
use skillful_route::{Note, Route, Stage};
use skillful_runtime::compose::PartKind;

/// Matching words that a line names.
const WORDS_SHOWN: usize = 6;
/// Agents that a line names.
const AGENTS_SHOWN: usize = 4;
/// The column of the lines behind the skills.
const KEY: usize = 15;

pub(super) fn text(context: &Context, view: &AskView) -> String {
    let mut out = String::new();
    for transcript in &view.transcripts {
        if let Some(reason) = &transcript.failed {
            out.push_str(&format!("{} was not transcribed: {reason}\n", harmless(&transcript.file)));
        }
    }
    out.push_str(&selected(context, view));
    out.push_str(&decided(view));
    out.push_str(&not_selected(context, view));
    out.push_str(&nearest(context, view));
    out.push_str(&reads(context, view));
    out
}

/// The first line about a skill: its name and the reasons.
fn head(output: &Output, name: &str, style: anstyle::Style, parts: &[&str]) -> String {
    let parts: Vec<String> =
        parts.iter().filter(|part| !part.is_empty()).map(|part| format!("   {}", harmless(part))).collect();
    let line = format!("{}{}", harmless(name), parts.concat());
    let text = wrapped(&line, output.width, "  ");
    match text.strip_prefix(harmless(name).as_str()) {
        Some(rest) => format!("{}{rest}", output.paint(style, &harmless(name))),
        None => text,
    }
}

/// A sentence below the first line.
fn below(output: &Output, sentence: Option<&str>) -> String {
    sentence.map_or_else(String::new, |words| wrapped(&harmless(words), output.width, ""))
}

fn selected(context: &Context, view: &AskView) -> String {
    let output = &context.output;
    let mut out = String::new();
    for one in &view.selection.selected {
        let cost = view.cost(&one.name).map(tokens);
        let cost = cost.as_deref().unwrap_or("cannot be read");
        out.push_str(&head(output, &one.name, GOOD, &["selected", &one.why.join("; "), cost]));
        let skill = view.skills.iter().find(|skill| skill.name == one.name);
        out.push_str(&below(output, skill.and_then(|skill| skill.description.as_deref())));
        for command in skill.iter().flat_map(|skill| &skill.commands) {
            out.push_str(&format!("  runs on load: {}\n", harmless(&command.shell.text)));
        }
        for word in skill.iter().flat_map(|skill| &skill.unfilled) {
            out.push_str(&format!("  placeholder without a value: {}\n", harmless(word)));
        }
    }
    out
}

/// What the router decided, and which of its stages failed.
fn decided(view: &AskView) -> String {
    let Some(decision) = &view.decision else { return String::new() };
    let by = match decision.stage {
        Stage::Off | Stage::Words => "by words",
        Stage::Embeddings => "by words and vectors",
        Stage::Classifier => "by a model",
    };
    let mut out = match (decision.route, &decision.skill) {
        (Route::Activate, Some(name)) => {
            let sure = search::percent(decision.confidence);
            format!("The router selected {}, {sure} sure, {by}.\n", harmless(name))
        }
        (Route::Suggest, Some(name)) => format!("The router suggests {}, {by}.\n", harmless(name)),
        _ => format!("The router selected no skill, {by}.\n"),
    };
    for note in &decision.notes {
        let words = match note {
            Note::Joined { messages } => format!("the last {messages} messages were read as one"),
            Note::NotEmbedded { skills: 1 } => "1 skill has no vector yet".to_owned(),
            Note::NotEmbedded { skills } => format!("{skills} skills have no vector yet"),
            Note::EmbeddingsFailed { why } => format!("the vector of the message failed: {why}"),
            Note::ClassifierFailed { why } => format!("the model gave no answer: {why}"),
            Note::UnknownName { name } => format!("the model named `{name}`, which it was not offered"),
            Note::Fallback => "fallback: the match by words counts".to_owned(),
            Note::Cached => "cached answer of the model".to_owned(),
        };
        out.push_str(&format!("  {}\n", harmless(&words)));
    }
    out
}

/// Everything that the message asks for and that is not selected, each with its reason.
fn not_selected(context: &Context, view: &AskView) -> String {
    let (output, selection) = (&context.output, &view.selection);
    let mut out = String::new();
    for one in selection.not_offered.iter().filter(|one| !one.asked_by.is_empty()) {
        let state = if one.state == "available" { "REFUSED".to_owned() } else { one.state.to_uppercase() };
        out.push_str(&head(output, &one.name, BAD, &[&one.asked_by.join("; "), &state]));
        out.push_str(&why_not(context, one));
    }
    for one in &selection.excluded {
        out.push_str(&head(output, &one.name, WARN, &["excluded", &format!("by {}", one.by)]));
    }
    for missing in &selection.missing_companions {
        let why = format!("companion of {}: {}", missing.of, missing.reason);
        out.push_str(&head(output, &missing.name, WARN, &["missing", &why]));
    }
    for mention in selection.mentions.iter().filter(|mention| mention.means.is_none()) {
        out.push_str(&head(output, &mention.name, WARN, &["not found", &explain::problem(mention)]));
    }
    for unread in &view.unread {
        out.push_str(&head(output, &unread.name, BAD, &["cannot be read", &unread.reason]));
    }
    out
}

fn why_not(context: &Context, one: &NotOffered) -> String {
    let width = context.output.width;
    let why = harmless(&context.short_paths(&one.reasons.join("; ")));
    let mut out = wrapped(&format!("  why: {why}"), width, "       ");
    if let Some(fix) = &one.fix {
        out.push_str(&wrapped(&format!("  fix: {}", harmless(fix)), width, "       "));
    }
    out
}

/// The skills that the message is about, with the reason for each that a model is not offered.
fn nearest(context: &Context, view: &AskView) -> String {
    let output = &context.output;
    let is_selected = |found: &FoundView| view.selection.selected.iter().any(|one| one.path == found.path);
    let is_named = |found: &FoundView| {
        let asked = view.selection.not_offered.iter().filter(|one| !one.asked_by.is_empty());
        asked.into_iter().any(|one| one.path == found.path)
    };
    let near: Vec<&FoundView> = view
        .nearest
        .iter()
        .filter(|found| !is_selected(found) && !is_named(found) && found.probability >= WORTH_NAMING)
        .collect();
    let mut out = String::new();
    let mut available = !view.selection.selected.is_empty();
    for (at, found) in near.iter().enumerate() {
        let refused = view.selection.not_offered.iter().find(|one| one.path == found.path);
        let state = refused.map(|one| format!("{}, not offered to a model", one.state.to_uppercase()));
        let likely = search::percent(found.probability);
        let state_words = state.as_deref().unwrap_or_default();
        let style = if refused.is_some() { WARN } else { HEAD };
        let words = found.words(WORDS_SHOWN);
        out.push_str(&head(output, &found.address, style, &[&likely, &words, state_words]));
        if at == 0 || refused.is_some() {
            out.push_str(&below(output, found.description.as_deref()));
        }
        match refused {
            Some(one) => out.push_str(&why_not(context, one)),
            None => available = true,
        }
    }
    if !available && !near.is_empty() {
        out.push_str("\nNo available skill matches this message.\n");
    } else if !available {
        let best = view.nearest.iter().find(|found| !is_named(found));
        let best = best.map_or_else(String::new, |found| {
            format!(" (best: {}, {})", harmless(&found.address), search::percent(found.probability))
        });
        out.push_str(&format!("No skill matches this message{best}.\n"));
    }
    out
}

/// What a model would read, and where to look further.
fn reads(context: &Context, view: &AskView) -> String {
    let output = &context.output;
    let menu = &view.menu_report;
    let listed = skills(menu.skills);
    let size = tokens(view.tokens(PartKind::Menu));
    let is_near = view.nearest.iter().any(|found| found.probability >= WORTH_NAMING);
    if view.selection.selected.is_empty() && !is_near {
        let menu = if menu.skills == 0 {
            "and without a menu".to_owned()
        } else {
            format!("with {listed} in its menu ({size})")
        };
        let line = wrapped(&format!("A model would answer without a skill, {menu}."), output.width, "");
        return format!("{line}\nLook further: skillful search \"…\" --sources\n");
    }
    let mut out = String::from("\n");
    let mut line = |key: &str, words: &str| {
        let text = wrapped(&format!("{key:<KEY$}{words}"), output.width, &" ".repeat(KEY));
        out.push_str(&output.paint(DIM, key));
        out.push_str(&text[key.len()..]);
    };
    if let Some(used) = view.use_in.as_ref().filter(|used| !used.agents.is_empty()) {
        line("Use it in", &use_in(used));
    }
    match menu.skills {
        0 => line("A model sees", "no skill in the menu"),
        _ => line("A model sees", &format!("{listed} in the menu, {size}, {}", menu.losses_text())),
    }
    if let Some(news) = &view.news {
        let (added, changed, removed) = (news.added.len(), news.changed.len(), news.removed.len());
        let size = tokens(view.tokens(PartKind::News));
        line("What is new", &format!("{added} added, {changed} changed, {removed} removed, {size}"));
    }
    if !view.skills.is_empty() {
        let loaded = skills(view.skills.len());
        line("Instructions", &format!("{loaded}, {}", tokens(view.tokens(PartKind::Skill))));
    }
    out.push_str("More: skillful explain \"…\"     exact text: skillful ask --raw \"…\"\n");
    out
}

/// How the first agents call a skill, and how many more were found here.
fn use_in(used: &UseIn) -> String {
    let agent =
        |one: &AgentCall| format!("{}: {}", one.title, harmless(one.call.as_deref().unwrap_or("not loaded")));
    let mut words: Vec<String> = used.agents.iter().take(AGENTS_SHOWN).map(agent).collect();
    if used.agents.len() > AGENTS_SHOWN {
        words.push(format!("{} more", used.agents.len() - AGENTS_SHOWN));
    }
    words.join("    ")
}

fn skills(count: usize) -> String {
    if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") }
}

/// A number of tokens: `1,240 tokens`.
fn tokens(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + if count == 1 { " token" } else { " tokens" }
}
