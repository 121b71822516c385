//! Which skills a turn gets, and why not the others.

use super::{DiagnosticView, PathText, SCHEMA, ask::MenuReport};
use crate::{
    refusal,
    turn::MenuRoom,
    workspace::{Searcher, Workspace},
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{
    Catalog, SkillState,
    access::{Way, admit},
    names::in_order,
};
use skillful_select::{
    mention::MentionMeaning,
    selection::{Refused, Selected, Selection, SelectionReason},
    turn::Turn,
};
use std::collections::HashMap;

/// Which skills apply to a message, with every reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SelectionView {
    /// The version of this object.
    pub schema: u32,
    /// The agent, when the message was asked about as that agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Loaded for this turn.
    pub selected: Vec<SelectedView>,
    /// In the menu that a model chooses from, by name.
    pub menu: Vec<String>,
    /// The skills of the menu that the message may mean, the likeliest first; `explain` only.
    pub likely: Vec<LikelyView>,
    /// Not offered, with the state and the reasons.
    pub not_offered: Vec<NotOffered>,
    /// Excluded by a selected skill.
    pub excluded: Vec<ExcludedView>,
    /// Companions of selected skills that did not come.
    pub missing_companions: Vec<MissingCompanionView>,
    /// Parts of the prompt that a selected skill asks to omit: `memory`, `persona`, `resources`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omit: Vec<String>,
    /// What the message names, in the order of the text.
    pub mentions: Vec<MentionView>,
    /// The two lines that Istota logs: `count=…` and `eager=… menu=…`.
    pub log: String,
    /// What is wrong with our own files and with folders.
    pub diagnostics: Vec<DiagnosticView>,
}

/// What `explain` reports: which skills apply to a message, and how the menu fits its budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainView {
    /// Which skills apply, with every reason.
    #[serde(flatten)]
    pub selection: SelectionView,
    /// How the menu fits its budget.
    pub menu_report: MenuReport,
}

/// A selected skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SelectedView {
    /// Its address.
    pub name: String,
    /// Its file.
    pub path: PathText,
    /// Every rule that fired, the strongest first.
    pub why: Vec<String>,
}

/// A skill of the menu that the message may mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LikelyView {
    /// Its address.
    pub name: String,
    /// The probability in percent.
    pub percent: u8,
    /// Words of the message that it has.
    pub words: Vec<String>,
}

/// A skill that a model is not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotOffered {
    /// Its address.
    pub name: String,
    /// Its file.
    pub path: PathText,
    /// Its state.
    pub state: String,
    /// Why it is not offered.
    pub reasons: Vec<String>,
    /// The command that changes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// What asked for it in this turn; empty when nothing did.
    pub asked_by: Vec<String>,
}

/// A skill that a selected one excludes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExcludedView {
    /// The excluded skill.
    pub name: String,
    /// The skill that excludes it.
    pub by: String,
}

/// A companion that did not come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissingCompanionView {
    /// The skill that wants it.
    pub of: String,
    /// Its name.
    pub name: String,
    /// Why not.
    pub reason: String,
}

/// A mention in the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MentionView {
    /// How it is written: `dollar`, `slash`, `at`, ….
    pub form: String,
    /// The name or path.
    pub name: String,
    /// Its first byte in the message.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// The skill it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub means: Option<String>,
    /// Why it selects nothing, when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

fn sentences<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

impl ExplainView {
    /// What a workspace selects for a turn, and the menu that a model would read besides.
    pub fn of(workspace: &Workspace, turn: &Turn) -> Self {
        let selection = SelectionView::of(workspace, &workspace.select(turn));
        Self {
            selection: selection.with_likely(workspace, &turn.message),
            menu_report: MenuReport::of(&workspace.menu(turn, MenuRoom::default())),
        }
    }
}

impl SelectionView {
    /// With the skills of the menu that the message may mean.
    #[must_use]
    pub fn with_likely(self, workspace: &Workspace, message: &str) -> Self {
        let catalog = workspace.catalog();
        let judged = workspace.search(message, self.menu.len(), Searcher::Model);
        let likely = judged.found.iter().filter_map(|one| {
            let name = catalog.entries[one.entry].address();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a percentage")]
            let percent = (one.probability.clamp(0.0, 1.0) * 100.0).round() as u8;
            let words = one.why.iter().map(|reason| reason.word.clone()).collect();
            (percent > 0 && self.menu.contains(&name)).then_some(LikelyView { name, percent, words })
        });
        Self { likely: likely.collect(), ..self }
    }

    /// The selection of a workspace.
    pub fn of(workspace: &Workspace, selection: &Selection) -> Self {
        let catalog = workspace.catalog();
        let name = |entry: usize| catalog.entries[entry].address();
        let mut menu: Vec<String> = selection.menu.iter().map(|at| name(*at)).collect();
        menu.sort_by(|one, other| in_order(one, other));
        Self {
            schema: SCHEMA,
            agent: workspace.as_agent().map(|agent| agent.id.clone()),
            selected: selection
                .selected
                .iter()
                .map(|one| SelectedView {
                    name: name(one.entry()),
                    path: PathText::from(&catalog.entries[one.entry()].origin.file),
                    why: sentences(&one.why),
                })
                .collect(),
            menu,
            likely: Vec::new(),
            not_offered: not_offered(workspace, &catalog, selection),
            excluded: selection
                .excluded
                .iter()
                .map(|(whom, by)| ExcludedView { name: name(*whom), by: name(*by) })
                .collect(),
            omit: selection.omit.names().map(str::to_owned).collect(),
            missing_companions: selection
                .missing
                .iter()
                .map(|missing| MissingCompanionView {
                    of: missing.of.clone(),
                    name: missing.name.clone(),
                    reason: match missing.reasons.as_slice() {
                        [] => "no such skill exists".to_owned(),
                        reasons => sentences(reasons).join("; "),
                    },
                })
                .collect(),
            mentions: selection.mentions.iter().map(|mention| mention_view(&catalog, mention)).collect(),
            log: format!("{}\n{}", selection.log_line(&catalog), selection.count_line()),
            diagnostics: DiagnosticView::all(workspace.diagnostics().iter().chain(&catalog.diagnostics)),
        }
    }
}

/// Every skill that is neither selected nor in the menu nor excluded.
fn not_offered(workspace: &Workspace, catalog: &Catalog, selection: &Selection) -> Vec<NotOffered> {
    let mut is_placed = vec![false; catalog.entries.len()];
    let chosen = selection.selected.iter().map(Selected::entry);
    let excluded = selection.excluded.iter().map(|(whom, _)| *whom);
    for at in chosen.chain(selection.menu.iter().copied()).chain(excluded) {
        if let Some(is_placed) = is_placed.get_mut(at) {
            *is_placed = true;
        }
    }
    let refused: HashMap<usize, &Refused> =
        selection.refused.iter().rev().map(|refused| (refused.entry, refused)).collect();
    let mut list: Vec<NotOffered> = (0..catalog.entries.len())
        .filter(|at| !is_placed[*at])
        .map(|at| {
            let entry = &catalog.entries[at];
            let state = workspace.state(at);
            let refused = refused.get(&at);
            let reasons = match (&state, refused) {
                (SkillState::Available, Some(refused)) => sentences(&refused.verdict.reasons),
                (SkillState::Available, None) => match admit(catalog, at, workspace.asker(), Way::Menu) {
                    Err(verdict) => sentences(&verdict.reasons),
                    Ok(_) => vec![
                        "a selected skill excludes it, or it needs resources that are not here".to_owned(),
                    ],
                },
                _ => state.reasons(),
            };
            NotOffered {
                name: entry.address(),
                path: PathText::from(&entry.origin.file),
                reasons,
                fix: refusal::fix(&state, entry),
                state: state.word().to_owned(),
                asked_by: refused
                    .map(|refused| sentences::<SelectionReason>(&refused.why))
                    .unwrap_or_default(),
            }
        })
        .collect();
    list.sort_by(|a, b| in_order(&a.name, &b.name).then_with(|| a.state.cmp(&b.state)));
    list
}

fn mention_view(catalog: &Catalog, resolved: &skillful_select::mention::ResolvedMention) -> MentionView {
    let form = serde_json::to_value(resolved.mention.form);
    let means = match resolved.meaning {
        MentionMeaning::Skill(at) => Some(catalog.entries[at].address()),
        _ => None,
    };
    MentionView {
        form: form.ok().and_then(|form| form.as_str().map(str::to_owned)).unwrap_or_default(),
        name: resolved.mention.name.clone(),
        start: resolved.mention.range.start,
        end: resolved.mention.range.end,
        means,
        problem: resolved.meaning.problem(),
    }
}
