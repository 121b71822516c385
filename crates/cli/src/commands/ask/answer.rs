//! The account of a turn, as text and as JSON.

use crate::{
    commands::{explain, search},
    context::Context,
    output::{BAD, Cell, DIM, GOOD, HEAD, Table, WARN, harmless},
    shape,
};
use serde_json::json;
use skillful::views::SelectionView;
use skillful_catalog::Catalog;
use skillful_render::menu::Truncation;
use skillful_route::{Decision, FoundSkill, Judged, Note, Route, Stage};
use skillful_runtime::{
    compose::{Composition, Kind, visible},
    transcribe::Transcript,
};
use skillful_select::turn::Turn;

/// A skill that is less likely than this to be meant is not named.
const WORTH_NAMING: f32 = 0.05;

/// Everything there is to say about a turn.
pub(super) struct Answer<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) view: &'a SelectionView,
    pub(super) composed: &'a Composition,
    /// The skills that come nearest to the message.
    pub(super) judged: &'a Judged,
    /// What the router decided, when it is asked to.
    pub(super) decision: Option<&'a Decision>,
    pub(super) transcripts: &'a [Transcript],
}

impl Answer<'_> {
    pub(super) fn text(&self, context: &Context) -> String {
        let mut out = String::new();
        for transcript in self.transcripts {
            if let Err(reason) = &transcript.text {
                out.push_str(&format!("{} was not transcribed: {reason}\n", harmless(&transcript.file)));
            }
        }
        out.push_str(&self.chosen(context));
        out.push_str(&self.decided());
        out.push_str(&self.not_chosen(context));
        out.push_str(&self.nearest(context));
        out.push_str(&self.commands(context));
        out.push_str(&self.unfilled(context));
        out.push_str(&self.reads(context));
        out
    }

    /// What the router decided, and what stood in its way.
    fn decided(&self) -> String {
        let Some(decision) = self.decision else { return String::new() };
        let by = match decision.stage {
            Stage::Off | Stage::Words => "by words",
            Stage::Embeddings => "by words and vectors",
            Stage::Classifier => "by a model",
        };
        let name = |at: usize| harmless(&self.catalog.entries[at].address());
        let mut out = match (decision.route, decision.skill) {
            (Route::Activate, Some(at)) => {
                format!(
                    "\nThe router selected {}, {} sure, {by}.\n",
                    name(at),
                    search::percent(decision.confidence)
                )
            }
            (Route::Suggest, Some(at)) => format!("\nThe router suggests {}, {by}.\n", name(at)),
            _ => format!("\nThe router selected no skill, {by}.\n"),
        };
        for note in &decision.notes {
            let words = match note {
                Note::Joined { messages } => format!("the last {messages} messages were read as one"),
                Note::NotEmbedded { skills } => format!("{skills} skills have no vector yet"),
                Note::EmbeddingsFailed { why } => format!("vectors could not be had: {why}"),
                Note::ClassifierFailed { why } => format!("the model gave no answer: {why}"),
                Note::UnknownName { name } => format!("the model named `{name}`, which it was not offered"),
                Note::Fallback => "fallback: the match by words counts".to_owned(),
                Note::Cached => "cached answer of the model".to_owned(),
            };
            out.push_str(&format!("  {}\n", harmless(&words)));
        }
        out
    }

    fn address(&self, entry: usize) -> String {
        self.catalog.entries[entry].address()
    }

    fn name(&self, entry: usize) -> Cell {
        Cell::plain(self.address(entry))
    }

    fn chosen(&self, context: &Context) -> String {
        let selection = &self.composed.selection;
        if selection.selected.is_empty() {
            return "No rule and no mention selects a skill for this message.\n".to_owned();
        }
        let rows = selection.selected.iter().map(|chosen| {
            let address = self.catalog.entries[chosen.entry()].address();
            let part = self.composed.parts.iter().find(|part| part.name.as_ref() == Some(&address));
            let tokens = part.map_or_else(|| "cannot be read".to_owned(), |part| tokens(part.tokens));
            vec![Cell::styled(address, GOOD), Cell::plain(tokens), Cell::plain(explain::join(&chosen.why))]
        });
        Table { heads: vec!["SELECTED", "COST", "WHY"], rows: rows.collect() }.render(&context.output)
    }

    /// Everything that was asked for and does not come, each with its reason.
    fn not_chosen(&self, context: &Context) -> String {
        let selection = &self.composed.selection;
        let mut rows = Vec::new();
        for refused in &selection.refused {
            let why = explain::join(&refused.verdict.reasons);
            rows.push(vec![self.name(refused.entry), Cell::styled("refused", BAD), Cell::plain(why)]);
        }
        for (whom, by) in &selection.excluded {
            let why = format!("{} excludes it", self.catalog.entries[*by].address());
            rows.push(vec![self.name(*whom), Cell::styled("excluded", WARN), Cell::plain(why)]);
        }
        for missing in &selection.missing {
            let why = format!("companion of {}: {}", missing.of, missing.words());
            rows.push(vec![Cell::plain(&missing.name), Cell::styled("missing", WARN), Cell::plain(why)]);
        }
        for mention in self.view.mentions.iter().filter(|mention| mention.means.is_none()) {
            rows.push(vec![
                Cell::plain(&mention.name),
                Cell::styled("not found", WARN),
                Cell::plain(explain::problem(mention)),
            ]);
        }
        for unread in &self.composed.unread {
            let cells = [Cell::plain(&unread.name), Cell::styled("unread", BAD), Cell::plain(&unread.reason)];
            rows.push(cells.to_vec());
        }
        if rows.is_empty() {
            return String::new();
        }
        format!("\n{}", Table { heads: vec!["NOT SELECTED", "OUTCOME", "WHY"], rows }.render(&context.output))
    }

    /// The skills that the message is about, with the reason for each that a model is not offered.
    fn nearest(&self, context: &Context) -> String {
        let chosen = |at: usize| self.composed.selection.selected.iter().any(|chosen| chosen.entry() == at);
        let near: Vec<_> = (self.judged.found.iter())
            .filter(|found| !chosen(found.entry) && found.probability >= WORTH_NAMING)
            .collect();
        if near.is_empty() {
            return match self.composed.selection.menu.len() {
                0 => String::new(),
                _ => "\nNo available skill matches this message.\n".to_owned(),
            };
        }
        let not_offered = |found: &&&FoundSkill| {
            self.view.not_offered.iter().find(|one| one.name == self.address(found.entry))
        };
        let unavailable: Vec<_> = near
            .iter()
            .filter_map(|found| not_offered(&found))
            .map(|one| (one.name.clone(), one.state.clone(), one.reasons.join("; "), one.fix.clone()))
            .collect();
        let none_available = unavailable.len() == near.len();
        let rows = near.into_iter().map(|found| {
            let entry = &self.catalog.entries[found.entry];
            vec![
                Cell::plain(entry.address()),
                Cell::plain(search::percent(found.probability)),
                Cell::styled(search::words(found), DIM),
                Cell::plain(entry.description().unwrap_or_default()),
            ]
        });
        let heads = vec!["MATCH", "LIKELY", "WORDS", "DESCRIPTION"];
        let mut out = format!("\n{}", Table { heads, rows: rows.collect() }.render(&context.output));
        for (name, state, why, fix) in unavailable {
            out.push_str(&format!("{} is {state}, not offered to a model\n", harmless(&name)));
            out.push_str(&format!("  why: {}\n", harmless(&context.short_paths(&why))));
            if let Some(fix) = fix {
                out.push_str(&format!("  fix: {}\n", harmless(&fix)));
            }
        }
        if none_available {
            out.push_str("\nNo available skill matches this message.\n");
        }
        out
    }

    fn commands(&self, context: &Context) -> String {
        let rows: Vec<Vec<Cell>> = self
            .composed
            .activations
            .iter()
            .flat_map(|one| one.commands.iter().map(move |command| (one, command)))
            .map(|(one, command)| vec![Cell::plain(&one.name), Cell::plain(&command.shell.text)])
            .collect();
        if rows.is_empty() {
            return String::new();
        }
        let heads = vec!["RUNS ON LOAD", "COMMAND"];
        format!("\n{}", Table { heads, rows }.render(&context.output))
    }

    fn unfilled(&self, context: &Context) -> String {
        let rows: Vec<Vec<Cell>> = super::compose::unfilled(self.composed)
            .map(|(name, word)| vec![Cell::plain(name), Cell::plain(word)])
            .collect();
        if rows.is_empty() {
            return String::new();
        }
        let heads = vec!["SKILL", "PLACEHOLDER WITHOUT A VALUE"];
        format!("\n{}", Table { heads, rows }.render(&context.output))
    }

    fn reads(&self, context: &Context) -> String {
        let composed = self.composed;
        let mut out = format!("\n{}\n", context.output.paint(HEAD, "WHAT A MODEL WOULD READ"));
        let mut line = |what: &str, cost: usize, note: &str| {
            let note = context.output.paint(DIM, note);
            let text = format!("{what:<13}{:>14}  {note}", tokens(cost));
            out.push_str(text.trim_end());
            out.push('\n');
        };
        let cost =
            |kind: Kind| composed.parts.iter().filter(|part| part.kind == kind).map(|part| part.tokens).sum();
        if !composed.disclosure.text.is_empty() {
            line("menu", cost(Kind::Catalogue), &self.menu_words());
        }
        line("message", cost(Kind::Message), "");
        if let Some(news) = &composed.news {
            let (added, changed, removed) = (news.added.len(), news.changed.len(), news.removed.len());
            line(
                "what is new",
                cost(Kind::News),
                &format!("{added} added, {changed} changed, {removed} removed"),
            );
        }
        if !composed.activations.is_empty() {
            line("instructions", cost(Kind::Skill), "");
        }
        line("total", composed.tokens(), composed.unit.rule());
        out.push_str("\nexact text: skillful ask --raw   every decision: skillful explain\n");
        out
    }

    fn menu_words(&self) -> String {
        let disclosure = &self.composed.disclosure;
        let count = |test: &dyn Fn(&Truncation) -> bool| {
            disclosure.losses.iter().filter(|loss| test(&loss.truncation)).count()
        };
        let skills = if disclosure.skills == 1 {
            "1 skill".to_owned()
        } else {
            format!("{} skills", disclosure.skills)
        };
        let losses: Vec<String> = [
            (
                count(&|truncation| {
                    matches!(truncation, Truncation::Shortened { .. } | Truncation::Capped { .. })
                }),
                "shortened",
            ),
            (count(&|truncation| *truncation == Truncation::NameOnly), "by name only"),
            (count(&|truncation| *truncation == Truncation::Omitted), "left out"),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
        let lost = if losses.is_empty() { "none shortened".to_owned() } else { losses.join(", ") };
        format!("{skills}, {lost}; limit {} {}", disclosure.budget.limit, disclosure.budget.unit.words())
    }

    /// Adds what a selection alone does not hold.
    pub(super) fn add_to(&self, value: &mut serde_json::Value, turn: &Turn) {
        let composed = self.composed;
        value["schema"] = json!(shape::SCHEMA);
        value["message"] = json!(turn.message);
        value["served"] = json!(self.judged.served);
        value["nearest"] = json!(
            self.judged
                .found
                .iter()
                .map(|found| skillful::views::FoundView::of(self.catalog, found))
                .collect::<Vec<_>>()
        );
        value["skills"] = json!(composed.activations);
        value["unread"] = json!(composed.unread);
        value["context"] = json!({
            "parts": composed.parts,
            "tokens": composed.tokens(),
            "counter": composed.unit.words(),
        });
        let disclosure = &composed.disclosure;
        value["menu_report"] = json!({
            "skills": disclosure.skills,
            "used": disclosure.used,
            "budget": disclosure.budget,
            "losses": disclosure.losses,
        });
        value["fingerprint"] = json!(visible(self.catalog, &composed.selection).fingerprint());
        value["decision"] = self.decision.map_or(serde_json::Value::Null, |decision| {
            json!({
                "route": decision.route,
                "skill": decision.skill.map(|at| self.catalog.entries[at].address()),
                "confidence": decision.confidence,
                "tier": decision.tier,
                "stage": decision.stage,
                "fallback": decision.is_fallback(),
                "notes": decision.notes,
            })
        });
        value["news"] = json!(composed.news);
        value["transcripts"] = json!(self.transcripts);
    }
}

/// A number of tokens as a person reads it: `1,240 tokens`.
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
