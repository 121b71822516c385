//! The result of a decision and how it was reached.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What to do about a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The outcome.
    pub route: Route,
    /// The skill to use or to suggest first, by its position in the catalog.
    pub skill: Option<usize>,
    /// All skills to suggest, best first.
    pub suggested: Vec<usize>,
    /// Confidence from 0 to 1.
    pub confidence: f32,
    /// The class of model that suits the task.
    pub tier: Tier,
    /// The stage that decided.
    pub stage: Stage,
    /// Failures, fallbacks, cache hits and other facts about how the decision was reached.
    pub notes: Vec<Note>,
    /// How long the decision took.
    pub took: Duration,
}

impl Decision {
    pub(crate) fn none(stage: Stage) -> Self {
        Self {
            route: Route::None,
            skill: None,
            suggested: Vec::new(),
            confidence: 0.0,
            tier: Tier::Balanced,
            stage,
            notes: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// Whether a stage failed and the result of the stage before it was used.
    pub fn is_fallback(&self) -> bool {
        self.notes.contains(&Note::Fallback)
    }
}

/// The outcome of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// No skill. The menu is not affected.
    None,
    /// Suggest the skills.
    Suggest,
    /// Activate the skill.
    Activate,
}

/// A class of model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// For everyday work.
    #[default]
    Balanced,
    /// For hard questions.
    Smart,
    /// For code.
    Coding,
    /// For long reasoning.
    Deep,
}

impl Tier {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Balanced, "balanced"),
        (Self::Smart, "smart"),
        (Self::Coding, "coding"),
        (Self::Deep, "deep"),
    ];

    /// Parses a tier name as users and models write it.
    pub fn read(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        Self::ALL.iter().find(|(_, word)| *word == name).map(|(tier, _)| *tier)
    }

    /// The name of the tier.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(tier, _)| *tier == self).map_or("", |(_, word)| word)
    }
}

/// The stage that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Deciding is disabled.
    Off,
    /// Words alone.
    Words,
    /// Words and vectors.
    Embeddings,
    /// The classifier.
    Classifier,
}

/// A fact about how a decision was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "note")]
pub enum Note {
    /// The request came in several messages.
    Joined {
        /// Number of messages.
        messages: usize,
    },
    /// Some skills have no vector yet and were ranked by words alone.
    NotEmbedded {
        /// Number of such skills.
        skills: usize,
    },
    /// The vector of the request could not be computed; words alone decided.
    EmbeddingsFailed {
        /// The reason.
        why: String,
    },
    /// The classifier gave no usable answer.
    ClassifierFailed {
        /// The reason.
        why: String,
    },
    /// The classifier named a skill that was not a candidate; no skill was selected.
    UnknownName {
        /// The name it gave, truncated.
        name: String,
    },
    /// A stage failed, and the result of the stages before it was likely enough to be used.
    Fallback,
    /// The verdict came from the cache; the classifier was not asked.
    Cached,
}
