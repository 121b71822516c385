//! The section `[router]` of the configuration: whether and how messages are decided about.

use serde::Deserialize;
use skillful_route::Settings;
use std::time::Duration;

/// The section as written.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RouterSection {
    /// Whether the router chooses, or only ranks.
    pub decide: Option<bool>,
    top_k: Option<usize>,
    min_served: Option<f32>,
    skip_threshold: Option<f32>,
    cache_minutes: Option<u64>,
    timeout_seconds: Option<u64>,
    /// A model that chooses where words leave it open.
    pub classifier: Option<ModelSection>,
    /// A model of vectors.
    pub embeddings: Option<ModelSection>,
}

/// A model and where it answers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSection {
    /// The format it speaks; `OpenAI`'s when nothing is said.
    #[serde(default)]
    pub provider: ProviderWord,
    /// Its name.
    #[serde(default)]
    pub model: String,
    /// For vectors: the folder of a model on this machine, instead of a server.
    pub folder: Option<std::path::PathBuf>,
    /// Where it listens; else the variable that everybody uses, else its inventor's address.
    pub base_url: Option<String>,
    /// The variable that holds its key; else the one that everybody uses. The key itself is never written
    /// here.
    pub key_variable: Option<String>,
    /// How long to wait.
    pub timeout_seconds: Option<u64>,
}

/// A wire format by its word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderWord {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions and embeddings as `OpenAI` has them.
    #[default]
    Openai,
    /// `OpenAI` Responses.
    OpenaiResponses,
}

impl RouterSection {
    /// What the router takes, and each value that was set with its key.
    pub fn settings(&self) -> (Settings, Vec<(&'static str, String)>) {
        let mut settings = Settings::default();
        let mut set = Vec::new();
        if let Some(decide) = self.decide {
            settings.enabled = decide;
            set.push(("router.decide", decide.to_string()));
        }
        if let Some(top_k) = self.top_k {
            settings.top_k = top_k.clamp(1, 50);
            set.push(("router.top_k", settings.top_k.to_string()));
        }
        for (key, from, to) in [
            ("router.min_served", self.min_served, &mut settings.min_served),
            ("router.skip_threshold", self.skip_threshold, &mut settings.skip_threshold),
        ] {
            if let Some(share) = from {
                *to = share.clamp(0.0, 1.0);
                set.push((key, to.to_string()));
            }
        }
        if let Some(minutes) = self.cache_minutes {
            settings.cache_minutes = minutes;
            set.push(("router.cache_minutes", minutes.to_string()));
        }
        if let Some(seconds) = self.timeout_seconds {
            settings.timeout = Duration::from_secs(seconds);
            set.push(("router.timeout_seconds", seconds.to_string()));
        }
        let named =
            [("router.classifier.model", &self.classifier), ("router.embeddings.model", &self.embeddings)];
        for (key, section) in named {
            if let Some(section) = section {
                let folder = section.folder.as_ref().map(|folder| folder.display().to_string());
                set.push((key, format!("{:?}", folder.as_ref().unwrap_or(&section.model))));
            }
        }
        let seconds =
            |section: &Option<ModelSection>| section.as_ref()?.timeout_seconds.map(Duration::from_secs);
        if let Some(timeout) = seconds(&self.classifier) {
            settings.classifier.timeout = timeout;
        }
        if let Some(timeout) = seconds(&self.embeddings) {
            settings.embeddings.timeout = timeout;
        }
        (settings, set)
    }
}
