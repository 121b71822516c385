//! The model: everything that is drawn, and nothing else.

use crate::{
    job::{CardPages, Deed, Plan, Preview, Snapshot},
    keys::{Action, KeyPlace, Keys},
    list::{List, Query},
    theme::Theme,
};
use skillful::library::ReviewItem;
use std::{collections::HashMap, sync::Arc};

/// The tab about agents.
pub(crate) const AGENTS_TAB: usize = 4;
/// Columns from which on the preview stands beside the list.
pub(crate) const WIDE: u16 = 100;
/// The smallest window that shows more than the list, and the smallest at all.
pub(crate) const ROOMY: (u16, u16) = (60, 15);
pub(crate) const SMALLEST: (u16, u16) = (30, 8);

/// A page that is scrolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scroll {
    pub(crate) tab: usize,
    pub(crate) top: usize,
}

/// What fills the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Screen {
    List,
    Detail,
    Matrix,
    Review,
    /// A plan to trust, to update or to fix, before the answer.
    Trust,
    Update,
    Fix,
    Remove,
    Starter,
    /// What was asked for and needs no answer: skills of sources, agents.
    Answer,
}

impl Screen {
    /// Whether it shows a plan or an answer over another screen.
    pub(crate) fn is_plan(self) -> bool {
        matches!(self, Self::Trust | Self::Update | Self::Fix | Self::Remove | Self::Starter | Self::Answer)
    }

    pub(crate) fn place(self) -> KeyPlace {
        match self {
            Self::List => KeyPlace::List,
            Self::Detail => KeyPlace::Detail,
            Self::Matrix => KeyPlace::Matrix,
            Self::Review => KeyPlace::Review,
            Self::Trust => KeyPlace::Trust,
            Self::Update => KeyPlace::Update,
            Self::Fix => KeyPlace::Fix,
            Self::Remove => KeyPlace::Remove,
            Self::Starter => KeyPlace::Starter,
            Self::Answer => KeyPlace::Answer,
        }
    }
}

/// What lies over the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// Every key; filters as the user types.
    Help { filter: String },
    /// What can be done with the selected skill.
    Actions { cursor: usize },
    /// The name of a skill with blocking findings, typed to approve it.
    TypeName { typed: String },
    /// The name of a skill to create.
    NewSkill { typed: String },
}

/// The reviews.
#[derive(Default)]
pub(crate) struct Reviews {
    /// None while they are read.
    pub(crate) items: Option<Vec<ReviewItem>>,
    pub(crate) at: usize,
    pub(crate) card: Option<CardPages>,
    /// Why the card could not be made.
    pub(crate) failed: Option<String>,
    pub(crate) scroll: Scroll,
}

/// A line above the keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) is_problem: bool,
}

/// Everything that is drawn.
pub(crate) struct State {
    pub(crate) theme: Theme,
    pub(crate) keys: Arc<Keys>,
    pub(crate) size: (u16, u16),
    pub(crate) screen: Screen,
    /// Where Esc leads from a detail or a plan.
    pub(crate) back: Screen,
    pub(crate) overlay: Option<Overlay>,
    /// Whether keys go into the search.
    pub(crate) searching: bool,
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    pub(crate) list: List,
    pub(crate) preview: Option<Preview>,
    pub(crate) detail: Scroll,
    /// The selected column of the matrix, and whether only rows that differ are shown.
    pub(crate) column: usize,
    pub(crate) only_different: bool,
    pub(crate) reviews: Reviews,
    pub(crate) plan: Option<Plan>,
    pub(crate) plan_top: usize,
    pub(crate) updates: HashMap<String, String>,
    pub(crate) message: Message,
    /// What undoes the deeds of this session, the last one at the end.
    pub(crate) undo: Vec<Deed>,
    /// The file of a skill that was just created: the cursor goes there when the list has it.
    pub(crate) created: Option<String>,
    /// Deeds that are being carried out.
    pub(crate) busy: usize,
    /// Counts the moves of the cursor, so that a preview is asked for when it rests.
    pub(crate) moves: u64,
    /// Whether the query changed since texts were searched.
    pub(crate) wants_bodies: bool,
}

impl State {
    pub(crate) fn new(theme: Theme, size: (u16, u16)) -> Self {
        let mut state = Self {
            theme,
            keys: Arc::default(),
            size,
            screen: Screen::List,
            back: Screen::List,
            overlay: None,
            searching: false,
            snapshot: None,
            list: List::new(Arc::default()),
            preview: None,
            detail: Scroll::default(),
            column: 0,
            only_different: false,
            reviews: Reviews::default(),
            plan: None,
            plan_top: 0,
            updates: HashMap::new(),
            message: Message::default(),
            undo: Vec::new(),
            created: None,
            busy: 0,
            moves: 0,
            wants_bodies: false,
        };
        state.measure();
        state
    }

    pub(crate) fn is_wide(&self) -> bool {
        self.size.0 >= WIDE && self.is_roomy()
    }

    pub(crate) fn is_roomy(&self) -> bool {
        self.size.0 >= ROOMY.0 && self.size.1 >= ROOMY.1
    }

    pub(crate) fn is_too_small(&self) -> bool {
        self.size.0 < SMALLEST.0 || self.size.1 < SMALLEST.1
    }

    /// Rows that a list or a page has on this screen.
    pub(crate) fn measure(&mut self) {
        let height = usize::from(self.size.1);
        self.list.height = match (self.screen, self.is_roomy(), self.is_wide()) {
            (Screen::Matrix, _, _) => height.saturating_sub(10),
            (_, false, _) => height.saturating_sub(3),
            (_, true, false) => height.saturating_sub(12),
            (_, true, true) => height.saturating_sub(7),
        };
        self.list.follow();
    }

    /// Columns of the pages about a skill.
    pub(crate) fn page_width(&self) -> u16 {
        if self.is_wide() && self.screen == Screen::List {
            self.size.0 - self.list_width() - 2
        } else {
            self.size.0
        }
    }

    /// Columns of the list beside a preview.
    pub(crate) fn list_width(&self) -> u16 {
        if self.is_wide() { (self.size.0 * 48 / 100).clamp(52, 90) } else { self.size.0 }
    }

    /// Lines of a page that are visible.
    pub(crate) fn page_height(&self) -> usize {
        let height = usize::from(self.size.1);
        match self.screen {
            Screen::List => height.saturating_sub(12),
            Screen::Detail
            | Screen::Review
            | Screen::Trust
            | Screen::Update
            | Screen::Fix
            | Screen::Remove
            | Screen::Starter
            | Screen::Answer => height.saturating_sub(5),
            Screen::Matrix => height.saturating_sub(10),
        }
    }

    /// The selected row of the matrix, when the snapshot has it.
    pub(crate) fn selected(&self) -> Option<&skillful::views::MatrixSkill> {
        let snapshot = self.snapshot.as_ref()?;
        snapshot.matrix.skills.get(self.list.selected()?)
    }

    /// The preview, when it is about the selected row.
    pub(crate) fn current_preview(&self) -> Option<&Preview> {
        let (preview, snapshot) = (self.preview.as_ref()?, self.snapshot.as_ref()?);
        (Some(preview.row) == self.list.selected() && preview.snapshot == snapshot.number).then_some(preview)
    }

    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.message = Message { text: text.into(), is_problem: false };
    }

    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.message = Message { text: text.into(), is_problem: true };
    }

    /// What can be done with the selected skill, and why not what cannot.
    pub(crate) fn actions(&self) -> Vec<(Action, String, String, Option<String>)> {
        let is_disabled = self.selected().is_some_and(|row| row.skill.state == "disabled");
        let all: [(Action, &str); 11] = [
            (Action::Open, "open"),
            (Action::Toggle, if is_disabled { "enable" } else { "disable" }),
            (Action::Trust, "trust this repository"),
            (Action::Review, "review"),
            (Action::Update, "update"),
            (Action::Fix, "fix"),
            (Action::Remove, "remove"),
            (Action::Editor, "open in $EDITOR"),
            (Action::CopyMention, "copy the mention"),
            (Action::CopyPath, "copy the path"),
            (Action::Undo, "undo the last action"),
        ];
        let one = |(action, label): (Action, &str)| {
            (action, self.keys.shown(action).to_owned(), label.to_owned(), self.why_not(action))
        };
        all.into_iter().map(one).collect()
    }

    /// Why an action is not possible now.
    pub(crate) fn why_not(&self, action: Action) -> Option<String> {
        let row = match self.selected() {
            Some(row) => row,
            None if matches!(
                action,
                Action::Review | Action::Undo | Action::Trust | Action::SearchSources | Action::Agents
            ) =>
            {
                return self.why_not_here(action);
            }
            None => return Some("no skill is selected".to_owned()),
        };
        let name = self.list.selected_item().map_or_else(String::new, |item| item.name.clone());
        match action {
            Action::Toggle => match row.skill.state.as_str() {
                "pending" => Some(format!("{name} is pending; review it first (r)")),
                "untrusted" => Some(format!("{name} is untrusted; trust it first (t)")),
                "invalid" => Some(format!("{name} is invalid and not used by anything; fix it first (x)")),
                _ => None,
            },
            Action::Update if row.source.is_none() => {
                Some(format!("{name} was not installed by Skillful, so it has no source"))
            }
            Action::Remove if row.source.is_none() => {
                Some(format!("{name} was not installed by Skillful; disable it (e), or delete its folder"))
            }
            Action::Fix => {
                let is_cell = self.screen == Screen::Matrix && row.agents.get(self.column).is_some();
                let has_fix = !self.agents_to_fix().is_empty()
                    || !is_cell && (row.skill.fix.is_some() || row.skill.state == "invalid");
                (!has_fix).then(|| format!("{name} needs no fix"))
            }
            Action::FixColumn if self.screen != Screen::Matrix || row.agents.get(self.column).is_none() => {
                Some("it fixes what an agent misses; select an agent of the matrix".to_owned())
            }
            Action::Editor if row.at.is_none() => Some(format!("{name} is not installed yet; review it (r)")),
            _ => self.why_not_here(action),
        }
    }

    /// The agents that could be made to load the selected skill: that of the selected cell, else all that miss it.
    pub(crate) fn agents_to_fix(&self) -> Vec<String> {
        let (Some(snapshot), Some(row)) = (&self.snapshot, self.selected()) else { return Vec::new() };
        let is_meant = |at: usize| self.screen != Screen::Matrix || at == self.column;
        let cells = snapshot.matrix.agents.iter().zip(&row.agents).enumerate();
        cells
            .filter(|(at, (_, cell))| {
                let is_missed = cell.word == "misses" || cell.word == "disabled";
                is_meant(*at) && (is_missed || self.screen == Screen::Matrix && !cell.loads())
            })
            .map(|(_, (agent, _))| agent.id.clone())
            .collect()
    }

    fn why_not_here(&self, action: Action) -> Option<String> {
        match action {
            Action::Undo if self.undo.is_empty() => Some("nothing was changed in this session".to_owned()),
            Action::SearchSources if Query::parse(&self.list.query).words.is_empty() => {
                let search = self.keys.shown(Action::Search);
                Some(format!("type {search}, the words to search for and enter first"))
            }
            Action::Review if self.snapshot.as_ref().is_some_and(|one| one.reviews == 0) => {
                Some("nothing to review".to_owned())
            }
            _ => None,
        }
    }
}
