//! Settings of the decider.

use crate::ranking::{MIN_SERVED, SKIP_THRESHOLD};
use std::time::Duration;

/// When the decider suggests or activates a skill.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whether the decider runs at all.
    pub enabled: bool,
    /// Largest number of suggested skills.
    pub top_k: usize,
    /// A request gets no skill when the probability that any skill serves it is below this.
    pub min_served: f32,
    /// The best skill is activated without asking the classifier when its probability is at least this.
    pub skip_threshold: f32,
    /// Settings of the classifier.
    pub classifier: ClassifierSettings,
    /// Settings of the embeddings.
    pub embeddings: EmbeddingSettings,
    /// How long a verdict of the classifier stays cached, in minutes.
    pub cache_minutes: u64,
    /// Time limit of one decision, all stages together.
    pub timeout: Duration,
}

/// When and how to ask the classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassifierSettings {
    /// The classifier is not asked when the probability that any skill serves the request is below this.
    pub ask_from: f32,
    /// The same where the user may use at most [`ClassifierSettings::few`] skills: short texts of few skills often have
    /// only one word of a request.
    pub ask_from_few: f32,
    /// How many skills are few.
    pub few: usize,
    /// Number of candidates that the classifier chooses from.
    pub candidates: usize,
    /// A choice with less confidence is suggested instead of activated.
    pub activate_from: f32,
    /// Longest answer in tokens.
    pub max_tokens: u32,
    /// Time limit of one call.
    pub timeout: Duration,
}

/// How to use embedding vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingSettings {
    /// Number of most similar skills that join the candidates.
    pub candidates: usize,
    /// What a similarity of 1 adds to a score; the weight fitted with `MiniLM` when absent. Models whose
    /// cosines lie closer together need a larger weight.
    pub weight: Option<f32>,
    /// The classifier is asked when the best skill is at least this similar, even if no words match. Only
    /// this way are skills found for requests in another language.
    pub ask_from: f32,
    /// Time limit for the vector of a request.
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
            ask_from_few: 0.02,
            few: 20,
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
