//! The panels beside the text: check, preview, try, card, difference.

use super::EditorAddress;
use crate::{
    api::blocking,
    page::{
        Visitor,
        diff_table::{self, DiffOffers, DiffShape},
        errors::PageError,
        explain_picture, markdown,
        marks::Markup,
        skill::{CanRow, absent, can_rows, finding_words},
        words,
    },
    state::App,
};
use skillful::side_by_side::compare;
use skillful_team::{
    TeamError,
    authoring::{DraftCheck, check_draft},
    drafts::{Draft, tree_of},
    judged::{CheckedView, FindingView, explain},
    preview::{PreviewAgent, SkillPreview, TryInput, TryReport},
};
use std::{collections::BTreeSet, time::Instant};

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Panel {
    /// Problems with their fixes.
    Check,
    /// How an agent shows it.
    Preview,
    /// Which skill a message selects.
    Try,
    /// What it can do, and the audit.
    Card,
    /// The difference to a version.
    Diff,
}

impl Panel {
    fn of(word: &str) -> Self {
        match word {
            "preview" => Self::Preview,
            "try" => Self::Try,
            "card" => Self::Card,
            "diff" => Self::Diff,
            _ => Self::Check,
        }
    }
}

/// A file of the difference.
pub(crate) struct DiffPart {
    pub(crate) path: String,
    pub(crate) counts: String,
    pub(crate) table: Markup,
}

/// Everything that the panels show.
pub(crate) struct Panels {
    pub(crate) open: Panel,
    pub(crate) problems: Vec<CheckedView>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) notes: usize,
    /// Why nothing could be checked.
    pub(crate) unchecked: String,
    pub(crate) took: String,
    pub(crate) tokens: String,
    pub(crate) agents: Vec<PreviewAgent>,
    pub(crate) agent: String,
    pub(crate) preview: Option<SkillPreview>,
    pub(crate) message: String,
    pub(crate) tried: Option<TryReport>,
    pub(crate) picture: Markup,
    pub(crate) can: Vec<CanRow>,
    pub(crate) gained: Vec<String>,
    pub(crate) absent: String,
    pub(crate) findings: Vec<FindingView>,
    pub(crate) finding_words: String,
    pub(crate) is_blocked: bool,
    pub(crate) base: Option<i64>,
    pub(crate) versions: Vec<(String, String, bool)>,
    pub(crate) diff: Vec<DiffPart>,
    pub(crate) diff_words: String,
    /// Why a panel has nothing to show.
    pub(crate) failed: String,
}

impl Panels {
    /// The panels of a draft. Only the open one is worked out in full; the check always is.
    pub(crate) async fn of(
        app: &App,
        visitor: &Visitor,
        draft: &Draft,
        path: &str,
        asked: &EditorAddress,
    ) -> Result<Self, PageError> {
        let (team, actor) = (&app.team, &visitor.actor);
        let open = Panel::of(asked.panel.as_deref().unwrap_or_default());
        let began = Instant::now();
        let base = team.draft_base(actor, draft).await.unwrap_or_default();
        let name = draft.name.clone();
        let checked = match team.draft_tree(actor, draft).await {
            Ok(tree) => {
                let before = base.clone();
                blocking(move || {
                    let folder = Some(name.as_str()).filter(|name| !name.is_empty());
                    check_draft(&tree, before.as_ref(), folder).map(|checked| {
                        (explain(&checked.capabilities, Some(&tree)), absent(&checked.capabilities), checked)
                    })
                })
                .await?
            }
            Err(error) => Err(error),
        };
        let took = format!("checked in {} ms", began.elapsed().as_millis().max(1));
        let (can, absent, checked, unchecked) = match checked {
            Ok((can, absent, checked)) => (can, absent, Some(checked), String::new()),
            Err(error @ (TeamError::Invalid { .. } | TeamError::Conflict { .. })) => {
                (Vec::new(), String::new(), None, error.to_string())
            }
            Err(error) => return Err(error.into()),
        };
        let gained: BTreeSet<String> = checked.iter().flat_map(|one| one.gained.iter().cloned()).collect();
        let is_new = base.is_none();
        let mut panels = Self {
            open,
            took,
            unchecked,
            can: can_rows(&can, if is_new { &EMPTY } else { &gained }),
            absent,
            base: draft.base.filter(|_| !is_new),
            agents: team.preview_agents(),
            agent: asked.agent.clone().unwrap_or_else(|| "claude-code".to_owned()),
            message: asked.message.clone().unwrap_or_default(),
            ..Self::empty(open)
        };
        if let Some(checked) = checked {
            panels.fill(checked);
        }
        if !is_new {
            panels.gained = gained.into_iter().collect();
        }
        panels.choose_versions(app, visitor, draft, asked).await?;
        match open {
            Panel::Preview => match team.preview_files(actor, tree_of(&draft.files)?, &panels.agent).await {
                Ok(preview) => panels.preview = Some(preview),
                Err(error) => panels.failed = refusal(error)?,
            },
            Panel::Try if !panels.message.trim().is_empty() => {
                let input =
                    TryInput { message: panels.message.clone(), draft: Some(draft.id.clone()), agent: None };
                match team.try_message(actor, &input).await {
                    Ok(report) => {
                        panels.picture = explain_picture::of_try(&report);
                        panels.tried = Some(report);
                    }
                    Err(error) => panels.failed = refusal(error)?,
                }
            }
            Panel::Diff => panels.compare(app, visitor, draft, path, asked).await?,
            _ => {}
        }
        Ok(panels)
    }

    fn empty(open: Panel) -> Self {
        Self {
            open,
            problems: Vec::new(),
            errors: 0,
            warnings: 0,
            notes: 0,
            unchecked: String::new(),
            took: String::new(),
            tokens: String::new(),
            agents: Vec::new(),
            agent: String::new(),
            preview: None,
            message: String::new(),
            tried: None,
            picture: Markup::default(),
            can: Vec::new(),
            gained: Vec::new(),
            absent: String::new(),
            findings: Vec::new(),
            finding_words: String::new(),
            is_blocked: false,
            base: None,
            versions: Vec::new(),
            diff: Vec::new(),
            diff_words: String::new(),
            failed: String::new(),
        }
    }

    fn fill(&mut self, checked: DraftCheck) {
        let count = |word: &str| checked.problems.iter().filter(|found| found.severity == word).count();
        (self.errors, self.warnings, self.notes) = (count("error"), count("warning"), count("note"));
        self.tokens =
            format!("Body {} tokens", words::number(i64::try_from(checked.body_tokens).unwrap_or(0)));
        self.finding_words = finding_words(&checked.findings);
        self.problems = checked.problems;
        self.findings = checked.findings;
        self.is_blocked = checked.is_blocked;
    }

    /// What a draft can be compared with: published versions of its skill, newest first, and its save before.
    async fn choose_versions(
        &mut self,
        app: &App,
        visitor: &Visitor,
        draft: &Draft,
        asked: &EditorAddress,
    ) -> Result<(), PageError> {
        let chosen = against(draft, asked);
        if !draft.skill_id.is_empty() {
            for version in
                app.team.versions(&visitor.actor, &draft.skill_id).await.unwrap_or_default().iter().take(50)
            {
                let value = version.number.to_string();
                let word = format!("Version {value}, {}", version.state.word());
                let is_chosen = chosen == value;
                self.versions.push((value, word, is_chosen));
            }
        }
        if draft.revision > 1 {
            self.versions.push(("saved".to_owned(), "The save before".to_owned(), chosen == "saved"));
        }
        Ok(())
    }

    async fn compare(
        &mut self,
        app: &App,
        visitor: &Visitor,
        draft: &Draft,
        path: &str,
        asked: &EditorAddress,
    ) -> Result<(), PageError> {
        let (team, actor) = (&app.team, &visitor.actor);
        let chosen = against(draft, asked);
        let before = match chosen.parse::<i64>() {
            Ok(number) => team.contents(actor, &draft.skill_id, number).await.unwrap_or_default(),
            Err(_) => {
                let before = team.draft_at(actor, &draft.id, draft.revision - 1).await?;
                before.map(|files| tree_of(&files)).transpose()?.unwrap_or_default()
            }
        };
        let after =
            if chosen == "saved" { tree_of(&draft.files)? } else { team.draft_tree(actor, draft).await? };
        let mut files = blocking(move || compare(&before, &after, &|_, _| false)).await?;
        files.sort_by_key(|file| file.path != path);
        let sum =
            |of: fn(&skillful::side_by_side::FileComparison) -> usize| files.iter().map(of).sum::<usize>();
        self.diff_words = format!(
            "{}, {} added, {} removed",
            words::count(files.len(), "file", "files"),
            words::count(sum(|file| file.added), "line", "lines"),
            words::count(sum(|file| file.removed), "line", "lines")
        );
        self.diff = files
            .iter()
            .map(|file| DiffPart {
                path: file.path.clone(),
                counts: diff_table::counts(file),
                table: diff_table::table(
                    file,
                    DiffShape::Unified,
                    "draft against the chosen version",
                    &|_| String::new(),
                    &DiffOffers::default(),
                ),
            })
            .collect();
        Ok(())
    }

    /// The message of a problem as markup.
    #[expect(clippy::unused_self, reason = "templates call it on the page")]
    pub(crate) fn shown(&self, text: &str) -> Markup {
        markdown::text(text)
    }

    /// The title of a fix with a capital.
    #[expect(clippy::unused_self, reason = "templates call it on the page")]
    pub(crate) fn sentence(&self, text: &str) -> Markup {
        let mut letters = text.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        markdown::text(&(first + letters.as_str()))
    }

    /// Whether a panel is open.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.open == Panel::of(word)
    }
}

static EMPTY: BTreeSet<String> = BTreeSet::new();

/// What the difference is to: the chosen one, else the version it began with, else the save before.
fn against(draft: &Draft, asked: &EditorAddress) -> String {
    let base = draft.base.filter(|_| !draft.skill_id.is_empty()).map(|base| base.to_string());
    asked.against.clone().filter(|word| !word.is_empty()).or(base).unwrap_or_else(|| "saved".to_owned())
}

/// A refusal that a panel shows; other errors are those of the page.
fn refusal(error: TeamError) -> Result<String, PageError> {
    match error {
        TeamError::Invalid { .. } | TeamError::Conflict { .. } | TeamError::Unavailable(_) => {
            Ok(error.to_string())
        }
        other => Err(other.into()),
    }
}
