//! A turn without a model: which skills apply to a message, and what a model would read.

use super::{DiagnosticView, FoundView, SelectionView};
use crate::{agent_sets::key_of, workspace::Workspace};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::parallel;
use skillful_render::{
    Budget,
    menu::{MenuLoss, Truncation},
    news::News,
};
use skillful_route::{Decision, Judged, Note, Route, Stage, Tier};
use skillful_runtime::{
    Activation,
    compose::{Composition, Part, PartKind, Unread, visible},
    transcribe::Transcript,
};
use skillful_select::{selection::Selected, turn::Turn};

/// A skill that is less likely than this to be meant is not named.
pub const WORTH_NAMING: f32 = 0.05;

/// Which skills apply to a message, and what a model would read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AskView {
    /// Which skills apply, with every reason.
    #[serde(flatten)]
    pub selection: SelectionView,
    /// The message, with the text of recordings.
    pub message: String,
    /// The probability that any skill serves the message.
    pub served: f32,
    /// The skills that match the message best, available or not.
    pub nearest: Vec<FoundView>,
    /// How the best match is called in the agents found here; absent when no available skill matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_in: Option<UseIn>,
    /// The selected skills as a model gets them.
    pub skills: Vec<Activation>,
    /// Selected skills that could not be read.
    pub unread: Vec<Unread>,
    /// What a model reads.
    pub context: ContextView,
    /// How the menu fits its budget.
    pub menu_report: MenuReport,
    /// A digest of the skills that the user sees; it changes with them.
    pub fingerprint: String,
    /// What the router decided; absent when it does not decide.
    pub decision: Option<DecisionView>,
    /// What changed since the last turn of the session.
    pub news: Option<News>,
    /// The recordings among the attachments.
    pub transcripts: Vec<TranscriptView>,
}

/// Where a user can use a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UseIn {
    /// The skill.
    pub skill: String,
    /// The agents found here, those that load it first.
    pub agents: Vec<AgentCall>,
}

/// How a skill is called in one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentCall {
    /// The agent.
    pub agent: String,
    /// Its name for users.
    pub title: String,
    /// What a user writes there: the name that the agent gives the skill, behind the agent's sign when it is known.
    /// Absent when the agent does not load the skill.
    pub call: Option<String>,
}

impl UseIn {
    /// A skill of a workspace in every agent found here.
    pub fn of(workspace: &Workspace, at: usize) -> Self {
        let catalog = workspace.catalog();
        let entry = &catalog.entries[at];
        let key = key_of(entry);
        let found = workspace.agents_found();
        let mut agents = parallel::map_each(&found, |agent| {
            let view = workspace.view(agent);
            let seen = view.seen.iter().find(|seen| seen.key == key);
            AgentCall {
                agent: agent.id.clone(),
                title: agent.title.clone(),
                call: seen.map(|seen| format!("{}{}", agent.mention, seen.name)),
            }
        });
        agents.sort_by_key(|agent| agent.call.is_none());
        Self { skill: entry.address(), agents }
    }
}

/// What a model reads, in order.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContextView {
    /// Its parts.
    pub parts: Vec<Part>,
    /// The size of all parts.
    pub tokens: usize,
    /// How tokens are counted.
    pub counter: String,
}

/// How a menu fits its budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MenuReport {
    /// The number of skills.
    pub skills: usize,
    /// The size of the entries, in the unit of the budget.
    pub used: usize,
    /// The budget.
    pub budget: Budget,
    /// The skills that were shortened or omitted, by name.
    pub losses: Vec<MenuLoss>,
}

/// What the router decided.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DecisionView {
    /// The outcome.
    pub route: Route,
    /// The skill to use or to suggest first.
    pub skill: Option<String>,
    /// Confidence from 0 to 1.
    pub confidence: f32,
    /// The class of model that suits the task.
    pub tier: Tier,
    /// The stage that decided.
    pub stage: Stage,
    /// Whether a stage failed and the result of the stage before it was used.
    pub fallback: bool,
    /// Facts about how the decision was reached.
    pub notes: Vec<Note>,
}

/// A recording among the attachments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TranscriptView {
    /// The recording.
    pub file: String,
    /// Its text.
    pub text: Option<String>,
    /// Why there is no text.
    pub failed: Option<String>,
}

/// What an [`AskView`] is made of.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The turn.
    pub turn: &'a Turn,
    /// What was composed for it.
    pub composed: &'a Composition,
    /// The skills that match the message best.
    pub judged: &'a Judged,
    /// What the router decided.
    pub decision: Option<&'a Decision>,
    /// The recordings among the attachments.
    pub transcripts: &'a [Transcript],
}

impl AskView {
    /// The view of a turn in a workspace. `diagnostics` is everything that went wrong.
    pub fn of(workspace: &Workspace, asked: Asked<'_>, diagnostics: Vec<DiagnosticView>) -> Self {
        let Asked { turn, composed, judged, decision, transcripts } = asked;
        let catalog = workspace.catalog();
        let nearest: Vec<FoundView> =
            judged.found.iter().map(|found| FoundView::with_state(workspace, found)).collect();
        let first = composed.selection.selected.first().map(Selected::entry);
        // A skill that a model is not offered is no advice.
        let near = judged.found.iter().zip(&nearest).next().filter(|(_, view)| view.state.is_none());
        let near = near.filter(|(found, _)| found.probability >= WORTH_NAMING).map(|(found, _)| found.entry);
        Self {
            use_in: first.or(near).map(|at| UseIn::of(workspace, at)),
            selection: SelectionView { diagnostics, ..SelectionView::of(workspace, &composed.selection) },
            message: turn.message.clone(),
            served: judged.served,
            nearest,
            skills: composed.activations.clone(),
            unread: composed.unread.clone(),
            context: ContextView {
                parts: composed.parts.clone(),
                tokens: composed.tokens(),
                counter: composed.unit.words().to_owned(),
            },
            menu_report: MenuReport::of(&composed.disclosure),
            fingerprint: visible(&catalog, composed).fingerprint(),
            decision: decision.map(|decision| DecisionView {
                route: decision.route,
                skill: decision.skill.map(|at| catalog.entries[at].address()),
                confidence: decision.confidence,
                tier: decision.tier,
                stage: decision.stage,
                fallback: decision.is_fallback(),
                notes: decision.notes.clone(),
            }),
            news: composed.news.clone(),
            transcripts: transcripts.iter().map(TranscriptView::of).collect(),
        }
    }

    /// The size of the parts of one kind.
    pub fn tokens(&self, kind: PartKind) -> usize {
        self.context.parts.iter().filter(|part| part.kind == kind).map(|part| part.tokens).sum()
    }

    /// The size of the instructions of a selected skill; none when they could not be read.
    pub fn cost(&self, name: &str) -> Option<usize> {
        let part = self.context.parts.iter().find(|part| part.name.as_deref() == Some(name));
        part.map(|part| part.tokens)
    }
}

impl MenuReport {
    /// How a menu fits its budget.
    pub fn of(menu: &skillful_render::menu::Menu) -> Self {
        Self { skills: menu.skills, used: menu.used, budget: menu.budget, losses: menu.losses.clone() }
    }

    /// The losses in words: `2 shortened, 1 left out`, or `none left out`.
    pub fn losses_text(&self) -> String {
        let count =
            |test: fn(&Truncation) -> bool| self.losses.iter().filter(|loss| test(&loss.truncation)).count();
        let shortened = count(|one| matches!(one, Truncation::Shortened { .. } | Truncation::Capped { .. }));
        let named = count(|one| *one == Truncation::NameOnly);
        let omitted = count(|one| *one == Truncation::Omitted);
        let parts: Vec<String> = [(shortened, "shortened"), (named, "by name only"), (omitted, "left out")]
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{number} {word}"))
            .collect();
        if parts.is_empty() { "none left out".to_owned() } else { parts.join(", ") }
    }
}

impl TranscriptView {
    /// The view of a transcript.
    pub fn of(transcript: &Transcript) -> Self {
        Self {
            file: transcript.file.clone(),
            text: transcript.text.as_ref().ok().cloned(),
            failed: transcript.text.as_ref().err().cloned(),
        }
    }
}
