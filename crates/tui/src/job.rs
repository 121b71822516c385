//! What the model asks of its workers, and what they answer.

use crate::item::Item;
use ratatui::text::Line;
use skillful::{
    library::{
        AppliedFix, Decided, FixPlan, FixRequest, InstallPlan, ReviewItem, Scope, TrustPlan, UpdatePlan,
    },
    views::{ReviewCard, SkillMatrix},
};
use std::{collections::HashMap, path::PathBuf, sync::Arc};

/// One state of everything on the disk that the interface shows.
pub(crate) struct Snapshot {
    /// Counts up; an answer about an older one is dropped.
    pub(crate) number: u64,
    pub(crate) matrix: SkillMatrix,
    pub(crate) items: Arc<Vec<Item>>,
    /// The folder as a user writes it.
    pub(crate) folder: String,
    /// How many skills wait for a review.
    pub(crate) reviews: usize,
}

/// The pages about one skill.
#[derive(Default)]
pub(crate) struct Preview {
    pub(crate) snapshot: u64,
    pub(crate) row: usize,
    pub(crate) width: u16,
    /// Titles of the tabs with their numbers, and the lines of each.
    pub(crate) tabs: Vec<(String, Vec<Line<'static>>)>,
    /// Short lines: where it lies, what it can do, what agents make of it.
    pub(crate) facts: Vec<Line<'static>>,
}

/// The pages about one skill that waits for a review.
pub(crate) struct CardPages {
    pub(crate) card: ReviewCard,
    pub(crate) at: usize,
    pub(crate) width: u16,
    pub(crate) title: String,
    pub(crate) tabs: Vec<(String, Vec<Line<'static>>)>,
}

/// Work that only reads.
#[derive(Debug)]
pub(crate) enum Job {
    /// Reads everything again. A quiet one reports no changes, since the user caused them.
    Refresh { quiet: bool },
    /// Makes the pages about a row.
    Preview { snapshot: u64, row: usize, width: u16 },
    /// Finds the bodies with all these words.
    SearchBodies { words: Vec<String> },
    /// Lists the skills that wait.
    Reviews,
    /// Makes the pages about one of them.
    Card { item: Box<ReviewItem>, at: usize, width: u16 },
}

/// Work that writes, or that asks sources.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Switch { row_name: String, path: PathBuf, enabled: bool },
    PlanTrust { folder: Option<PathBuf>, width: u16 },
    Trust { plan: Box<TrustPlan> },
    PlanUpdate { name: String, scope: Scope, width: u16 },
    Update { plan: Box<UpdatePlan>, scope: Scope },
    CheckUpdates,
    PlanFix { request: FixRequest, width: u16 },
    Fix { plan: Box<FixPlan> },
    UndoFix { applied: Box<AppliedFix> },
    PlanRemove { name: String, scope: Scope, width: u16 },
    Create { name: String },
    PlanStarter { width: u16 },
    InstallStarter { plan: Box<InstallPlan>, agents: Vec<String> },
    RemoveNamed { names: Vec<String>, scope: Scope },
    Remove { plan: Box<InstallPlan>, scope: Scope },
    SearchSources { words: String, width: u16 },
    ShowAgents { width: u16 },
    Approve { card: Box<ReviewCard>, despite_findings: bool },
    Reject { card: Box<ReviewCard> },
}

/// A plan that the user sees before it is carried out.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) title: String,
    pub(crate) lines: Vec<Line<'static>>,
    /// What a yes does; none when there is nothing to do.
    pub(crate) deed: Option<Deed>,
    /// What a yes does, in words.
    pub(crate) yes: String,
}

/// What a worker reports.
pub(crate) enum Answer {
    Snapshot {
        snapshot: Arc<Snapshot>,
        changed: Option<String>,
    },
    Preview(Box<Preview>),
    Bodies {
        words: Vec<String>,
        snapshot: u64,
        hits: Vec<(usize, String)>,
    },
    Reviews(Result<Vec<ReviewItem>, String>),
    Card(Box<CardPages>),
    NoCard {
        at: usize,
        why: String,
    },
    TrustPlan(Box<Plan>),
    UpdatePlan(Box<Plan>),
    FixPlan(Box<Plan>),
    RemovePlan(Box<Plan>),
    StarterPlan(Box<Plan>),
    /// A skill was created: its file, and the message.
    Created {
        file: String,
        message: String,
    },
    /// A page that needs no answer.
    Page(Box<Plan>),
    /// Newer versions, by name and scope.
    Updates {
        found: HashMap<String, String>,
        message: String,
    },
    Done {
        message: String,
        undo: Option<Deed>,
        decided: Option<Box<Decided>>,
    },
    Failed(String),
}
