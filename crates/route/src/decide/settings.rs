//! What a person can set about decisions.

use crate::ranking::{MIN_SERVED, SKIP_THRESHOLD};
use std::time::Duration;

/// When and how far to decide.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whether messages are decided about at all.
    pub enabled: bool,
    /// Skills to suggest at most.
    pub top_k: usize,
    /// A request that is less likely to be served by any skill gets none.
    pub min_served: f32,
    /// A best skill at least this likely is taken without asking a model.
    pub skip_threshold: f32,
    /// The model that chooses.
    pub classifier: ClassifierSettings,
    /// The model of vectors.
    pub embeddings: EmbeddingSettings,
    /// How long a verdict is remembered.
    pub cache_minutes: u64,
    /// All of a decision.
    pub timeout: Duration,
}

/// When and how to ask a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassifierSettings {
    /// A request that is less likely to be served is not worth a question.
    pub ask_from: f32,
    /// Skills that it chooses among.
    pub candidates: usize,
    /// A choice it is less sure of is only suggested.
    pub activate_from: f32,
    /// Longest answer.
    pub max_tokens: u32,
    /// How long to wait.
    pub timeout: Duration,
}

/// How to use vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingSettings {
    /// Most similar skills that join the candidates.
    pub candidates: usize,
    /// What a similarity of 1 adds to a score; the weight fitted with `MiniLM` when absent. Models whose
    /// cosines lie closer together need more.
    pub weight: Option<f32>,
    /// A best skill at least this similar is worth asking the classifier about, whatever the words say:
    /// the only way for a request in another language than the skill's.
    pub ask_from: f32,
    /// How long to wait for the vector of a request.
    pub timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            top_k: 5,
            min_served: MIN_SERVED,
            skip_threshold: SKIP_THRESHOLD,
            classifier: ClassifierSettings::default(),
            embeddings: EmbeddingSettings::default(),
            cache_minutes: 60,
            timeout: Duration::from_secs(15),
        }
    }
}

impl Default for ClassifierSettings {
    fn default() -> Self {
        Self {
            ask_from: 0.15,
            candidates: 10,
            activate_from: 0.5,
            max_tokens: 300,
            timeout: Duration::from_secs(10),
        }
    }
}

impl Default for EmbeddingSettings {
    fn default() -> Self {
        Self { candidates: 50, weight: None, ask_from: 0.5, timeout: Duration::from_secs(5) }
    }
}
