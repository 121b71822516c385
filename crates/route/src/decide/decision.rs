//! What was decided, and how it came about.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What to do about a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The outcome.
    pub route: Route,
    /// The skill to use or to suggest first, by its place in the catalogue.
    pub skill: Option<usize>,
    /// All skills to suggest, best first.
    pub suggested: Vec<usize>,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
    /// The class of model that suits the work.
    pub tier: Tier,
    /// What decided.
    pub stage: Stage,
    /// What else there is to know: losses, failures, shortcuts.
    pub notes: Vec<Note>,
    /// How long it took.
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

    /// Whether a stage failed and what came before it stands in.
    pub fn is_fallback(&self) -> bool {
        self.notes.contains(&Note::Fallback)
    }
}

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// No skill; the catalogue still stands.
    None,
    /// Offer these.
    Suggest,
    /// Use it.
    Activate,
}

/// A class of model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Everyday work.
    #[default]
    Balanced,
    /// Hard questions.
    Smart,
    /// Code.
    Coding,
    /// Long thought.
    Deep,
}

impl Tier {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Balanced, "balanced"),
        (Self::Smart, "smart"),
        (Self::Coding, "coding"),
        (Self::Deep, "deep"),
    ];

    /// Reads a name as people and models write it.
    pub fn read(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        Self::ALL.iter().find(|(_, word)| *word == name).map(|(tier, _)| *tier)
    }

    /// Its name.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(tier, _)| *tier == self).map_or("", |(_, word)| word)
    }
}

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Deciding is switched off.
    Off,
    /// Words alone.
    Words,
    /// Words and vectors.
    Embeddings,
    /// A model's choice.
    Classifier,
}

/// Something to know about a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "note")]
pub enum Note {
    /// The request came in several messages.
    Joined {
        /// How many.
        messages: usize,
    },
    /// Some skills have no vector yet and were judged by words alone.
    NotEmbedded {
        /// How many.
        skills: usize,
    },
    /// The vector of the request could not be had; words alone decided.
    EmbeddingsFailed {
        /// In words.
        why: String,
    },
    /// The classifier gave no usable answer.
    ClassifierFailed {
        /// In words.
        why: String,
    },
    /// The classifier named a skill that was not offered to it; no skill was chosen.
    UnknownName {
        /// What it said, cut.
        name: String,
    },
    /// A stage failed, and what the stages before it are sure enough of stands in.
    Fallback,
    /// The classifier said so earlier and was not asked again.
    Remembered,
}
