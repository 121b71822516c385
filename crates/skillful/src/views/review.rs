//! Skills that wait for a review, and decisions about them.

use super::{
    DiagnosticView,
    install::{CardView, DifferenceView},
};
use crate::library::{Decided, ReviewItem};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_format::{Digest, Tree};
use skillful_registry::review::Card;

/// Skills that wait for a review.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewList {
    /// The version of this object.
    pub schema: u32,
    /// The skills.
    pub pending: Vec<ReviewEntry>,
    /// Problems of the configuration.
    pub diagnostics: Vec<DiagnosticView>,
}

/// A skill that waits for a review; with its card and files when it was named.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewEntry {
    /// The skill.
    #[serde(flatten)]
    pub item: ReviewItem,
    /// What it can do, and the findings of the audit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardView>,
    /// Its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<ReviewFile>>,
}

/// A file of a skill that waits for a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewFile {
    /// Its path in the skill.
    pub path: String,
    /// Its text; absent when it is not text.
    pub text: Option<String>,
}

/// Decisions of a review.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewDecisions {
    /// The version of this object.
    pub schema: u32,
    /// One per skill.
    pub decided: Vec<Decided>,
    /// Problems of the configuration.
    pub diagnostics: Vec<DiagnosticView>,
}

impl ReviewFile {
    /// The files of a tree, in order.
    pub fn all(tree: &Tree) -> Vec<Self> {
        let file = |(path, file): (&skillful_format::TreePath, &skillful_format::TreeFile)| Self {
            path: path.to_string(),
            text: std::str::from_utf8(&file.bytes).ok().map(str::to_owned),
        };
        tree.iter().map(file).collect()
    }
}

impl ReviewEntry {
    /// The view of an item, with the files that wait and their card when they were read.
    pub fn new(item: &ReviewItem, read: Option<(&Tree, &Card)>) -> Self {
        Self {
            item: item.clone(),
            card: read.map(|(_, card)| CardView::new(card)),
            files: read.map(|(tree, _)| ReviewFile::all(tree)),
        }
    }
}

/// Everything that a user sees before deciding about one skill. The answer is bound to `digest`.
#[derive(Clone, Debug)]
pub struct ReviewCard {
    /// The skill.
    pub item: ReviewItem,
    /// The digest of the files that are shown.
    pub digest: Digest,
    /// What it can do, and the findings of the audit; of a changed skill what is new.
    pub card: CardView,
    /// What changed since the version that the user approved, when that is known.
    pub differences: Vec<DifferenceView>,
    /// Its files.
    pub files: Vec<ReviewFile>,
    /// The secrets and the server that an approval allows, one phrase each.
    pub asks: Vec<String>,
    /// Whether blocking findings require an answer that names the skill.
    pub is_blocked: bool,
}
