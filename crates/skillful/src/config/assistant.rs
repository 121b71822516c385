//! The sections `[assistant]`, `[providers]` and `[models]` of the configuration: who answers, and how far the
//! agent goes without asking. Only the user's own file and the administrator's count: a repository that
//! chose the model would choose who reads everything.

use super::router::ProviderWord;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};
use skillful_llm::{Effort, Price, Wire};
use std::{collections::BTreeMap, fmt};

/// Times that a model is asked in a turn, at most, whatever the configuration says.
pub const STEPS: std::ops::RangeInclusive<u32> = 1..=1000;

/// Steps of one turn when the configuration names no number.
pub const DEFAULT_STEPS: u32 = 60;

/// When the user is asked before a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalMode {
    /// Before anything that changes or leaves the project.
    Ask,
    /// Before anything that leaves the project.
    #[default]
    AutoSafe,
    /// Only before a change of what agents and tools run or outside the project, a read of keys, or a command
    /// with the network.
    Autonomous,
}

/// `[assistant]` as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AssistantSection {
    /// A model, an alias of `[models]`, or `provider/model`.
    pub model: Option<String>,
    /// When the user is asked.
    pub mode: Option<ApprovalMode>,
    /// Whether commands may use the network without asking for it.
    pub network: Option<bool>,
    /// Whether pages of this machine and of private networks may be fetched.
    pub private_web: Option<bool>,
    /// Whether a model can go on only to the skills that the active one names.
    pub strict_targets: Option<bool>,
    /// Times that the model is asked in a turn.
    pub steps: Option<u32>,
    /// The address of a `SearXNG`, for searches of the web.
    pub search: Option<String>,
    /// Tokens of one answer.
    pub max_tokens: Option<u32>,
    /// Tokens that the model can read.
    pub window: Option<usize>,
    /// How hard it thinks.
    pub effort: Option<Effort>,
}

/// `[providers.NAME]`: where models answer. The key itself is never written in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderSection {
    /// The format it speaks.
    pub wire: ProviderWord,
    /// Where it listens; the address of the format's inventor when nothing is said.
    pub base_url: Option<String>,
    /// The variable that holds its key.
    pub key_variable: Option<String>,
    /// Lets the key travel without encryption to another machine.
    pub allow_plain_key: bool,
}

impl ProviderSection {
    /// The format it speaks.
    pub fn wire(&self) -> Wire {
        match self.wire {
            ProviderWord::Anthropic => Wire::Anthropic,
            ProviderWord::Openai => Wire::OpenAi,
            ProviderWord::OpenaiResponses => Wire::Responses,
        }
    }
}

/// One of `[models]`: what a class or an alias stands for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelTable {
    /// One of `[providers]`, or `anthropic` or `openai`; the usual one when nothing is said.
    pub provider: Option<String>,
    /// Its name there.
    pub model: String,
    /// Tokens it can read.
    pub window: Option<usize>,
    /// Tokens of one answer.
    pub answer: Option<u32>,
    /// How hard it thinks.
    pub effort: Option<Effort>,
    /// What it costs.
    pub price: Option<Price>,
}

/// A model as a word or as a table.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEntry {
    /// `model` or `provider/model`.
    Word(String),
    /// All of it.
    Table(ModelTable),
}

/// By hand, since an untagged enum would hide which key of the table is wrong.
impl<'de> Deserialize<'de> for ModelEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ModelEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`\"provider/model\"` or a table with `model`")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<ModelEntry, E> {
                Ok(ModelEntry::Word(word.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ModelEntry, A::Error> {
                ModelTable::deserialize(MapAccessDeserializer::new(map)).map(ModelEntry::Table)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// What the files say about the agent, together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantRules {
    /// `[assistant]`.
    pub assistant: AssistantSection,
    /// `[providers]`.
    pub providers: BTreeMap<String, ProviderSection>,
    /// `[models]`, by names in small letters.
    pub models: BTreeMap<String, ModelEntry>,
}

/// Every key with its value when nothing is set.
pub(super) fn defaults() -> [(&'static str, String); 5] {
    let steps = DEFAULT_STEPS;
    [
        ("assistant.mode", word(&ApprovalMode::default())),
        ("assistant.network", "false".to_owned()),
        ("assistant.private_web", "false".to_owned()),
        ("assistant.steps", steps.to_string()),
        ("assistant.strict_targets", "false".to_owned()),
    ]
}

impl AssistantRules {
    /// Takes one file in. Returns each value that was set, and what is wrong with it.
    pub(super) fn put(
        &mut self,
        assistant: Option<AssistantSection>,
        providers: BTreeMap<String, ProviderSection>,
        models: BTreeMap<String, ModelEntry>,
    ) -> (Vec<(String, String)>, Vec<String>) {
        let (mut set, mut wrong) = (Vec::new(), Vec::new());
        let mut show = |key: &str, value: String| set.push((key.to_owned(), value));
        if let Some(section) = assistant {
            let mine = &mut self.assistant;
            if let Some(model) = section.model {
                show("assistant.model", format!("{model:?}"));
                mine.model = Some(model);
            }
            if let Some(mode) = section.mode {
                show("assistant.mode", word(&mode));
                mine.mode = Some(mode);
            }
            if let Some(network) = section.network {
                show("assistant.network", network.to_string());
                mine.network = Some(network);
            }
            if let Some(private) = section.private_web {
                show("assistant.private_web", private.to_string());
                mine.private_web = Some(private);
            }
            if let Some(strict) = section.strict_targets {
                show("assistant.strict_targets", strict.to_string());
                mine.strict_targets = Some(strict);
            }
            if let Some(steps) = section.steps {
                let steps = steps.clamp(*STEPS.start(), *STEPS.end());
                show("assistant.steps", steps.to_string());
                mine.steps = Some(steps);
            }
            if let Some(search) = section.search {
                match skillful_llm::BaseUrl::new(&search) {
                    Ok(_) => {
                        show("assistant.search", format!("{search:?}"));
                        mine.search = Some(search);
                    }
                    Err(fault) => wrong.push(format!("assistant.search has no effect: {fault}")),
                }
            }
            if let Some(tokens) = section.max_tokens.filter(|tokens| *tokens > 0) {
                show("assistant.max_tokens", tokens.to_string());
                mine.max_tokens = Some(tokens);
            }
            if let Some(window) = section.window.filter(|window| *window > 0) {
                show("assistant.window", window.to_string());
                mine.window = Some(window);
            }
            if let Some(effort) = section.effort {
                show("assistant.effort", word(&effort));
                mine.effort = Some(effort);
            }
        }
        for (name, provider) in providers {
            let at = provider.base_url.as_deref().unwrap_or(provider.wire().home());
            show(&format!("providers.{name}"), format!("{at:?}"));
            self.providers.insert(name, provider);
        }
        for (name, model) in models {
            let shown = match &model {
                ModelEntry::Word(word) => word.clone(),
                ModelEntry::Table(table) => match &table.provider {
                    Some(provider) => format!("{provider}/{}", table.model),
                    None => table.model.clone(),
                },
            };
            show(&format!("models.{name}"), format!("{shown:?}"));
            self.models.insert(name.to_lowercase(), model);
        }
        (set, wrong)
    }
}

/// A value of ours as its configuration has it.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::json!(value).as_str().unwrap_or_default().to_owned()
}
