//! Which model answers: the default, one by class, or one that a skill requests.

use serde::{Deserialize, Serialize};
use skillful_llm::{Client, Effort, Price, Provider};
use std::collections::BTreeMap;

/// Default context window in tokens. Small on purpose: a guess that is too small costs a summary, one that is
/// too large costs the turn.
pub const WINDOW: usize = 128_000;
/// Default limit of one answer, in tokens.
pub const ANSWER: u32 = 16_384;
/// The classes of models that skills request.
pub const TIERS: [&str; 4] = ["balanced", "smart", "coding", "deep"];

/// A model that can answer.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    /// The provider; its `model` is the name there.
    pub provider: Provider,
    /// Context window in tokens.
    pub window: usize,
    /// Limit of one answer, in tokens.
    pub answer: u32,
    /// Reasoning effort, unless a skill requests another.
    pub effort: Option<Effort>,
    /// Price, when it is known.
    pub price: Option<Price>,
}

impl ModelSpec {
    /// A model with default limits.
    pub fn new(provider: Provider) -> Self {
        Self { provider, window: WINDOW, answer: ANSWER, effort: None, price: None }
    }
}

/// The model that a skill or the user requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// `model`: a name, an alias, a class, or `inherit`.
    pub model: Option<String>,
    /// `model_tier`.
    pub tier: Option<String>,
    /// `effort`.
    pub effort: Option<String>,
}

/// The user's models.
#[derive(Clone, Debug)]
pub struct ModelSet {
    /// The HTTP client.
    pub client: Client,
    /// The default model.
    pub usual: ModelSpec,
    /// By class and by alias: `smart`, `deep`, `opus`, …
    pub named: BTreeMap<String, ModelSpec>,
}

/// The chosen model.
#[derive(Clone, Debug)]
pub struct ModelChoice {
    /// The model.
    pub line: ModelSpec,
    /// A note for the user when a request could not be met.
    pub note: Option<String>,
}

impl ModelSet {
    /// A set with one model.
    pub fn of(client: Client, usual: ModelSpec) -> Self {
        Self { client, usual, named: BTreeMap::new() }
    }

    /// Chooses the requested model as far as the configuration allows. A name that is not configured is tried
    /// only at the provider that such names belong to.
    pub fn choose(&self, wanted: &ModelRequest) -> ModelChoice {
        let mut note = None;
        let word = |word: &Option<String>| word.as_deref().map(str::trim).map(str::to_lowercase);
        let (model, tier) = (word(&wanted.model), word(&wanted.tier));
        let mut line = match (model.as_deref(), tier.as_deref()) {
            (None | Some("" | "inherit" | "default"), None | Some("")) => self.usual.clone(),
            (Some(name), _) if !matches!(name, "" | "inherit" | "default") => {
                match self.named.get(name).cloned().or_else(|| self.native(name)) {
                    Some(line) => line,
                    None => {
                        note = Some(format!(
                            "no model is configured for `{name}`; set `models.{name}` to choose one"
                        ));
                        self.usual.clone()
                    }
                }
            }
            (_, tier) => match tier.and_then(|tier| self.named.get(tier)) {
                Some(line) => line.clone(),
                None => {
                    let tier = tier.unwrap_or_default();
                    note = Some(format!(
                        "no model is configured for the class `{tier}`; set `models.{tier}` to choose one"
                    ));
                    self.usual.clone()
                }
            },
        };
        if let Some(effort) = word(&wanted.effort).filter(|effort| !effort.is_empty()) {
            match effort.as_str() {
                "low" | "minimal" => line.effort = Some(Effort::Low),
                "medium" => line.effort = Some(Effort::Medium),
                "high" | "xhigh" | "max" => line.effort = Some(Effort::High),
                _ => note = Some(format!("`{effort}` is not an effort; use low, medium or high")),
            }
        }
        ModelChoice { line, note }
    }

    /// A model of the same family at the default provider.
    fn native(&self, name: &str) -> Option<ModelSpec> {
        let usual = self.usual.provider.model.to_lowercase();
        let family = |model: &str| model.split(['-', ':', '/']).next().map(str::to_owned);
        let same = name.contains('-') && family(name) == family(&usual) && family(name).is_some();
        same.then(|| {
            let mut line = self.usual.clone();
            name.clone_into(&mut line.provider.model);
            line.price = None;
            line
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillful_llm::Wire;

    fn line(model: &str) -> ModelSpec {
        ModelSpec::new(Provider::new(Wire::Anthropic, "http://127.0.0.1:1", model, None).unwrap())
    }

    fn models() -> ModelSet {
        let named = [("smart", "claude-big"), ("opus", "claude-big"), ("deep", "claude-deep")];
        let named = named.map(|(name, model)| (name.to_owned(), line(model))).into();
        ModelSet { client: Client::default(), usual: line("claude-usual"), named }
    }

    fn chosen(model: &str, tier: &str) -> (String, bool) {
        let some = |word: &str| (!word.is_empty()).then(|| word.to_owned());
        let choice = models().choose(&ModelRequest { model: some(model), tier: some(tier), effort: None });
        (choice.line.provider.model, choice.note.is_some())
    }

    #[test]
    fn a_requested_class_or_name_is_used_when_it_is_configured() {
        assert_eq!(chosen("", ""), ("claude-usual".to_owned(), false));
        assert_eq!(chosen("inherit", ""), ("claude-usual".to_owned(), false));
        assert_eq!(chosen("", "Smart"), ("claude-big".to_owned(), false));
        assert_eq!(chosen("inherit", "deep"), ("claude-deep".to_owned(), false));
        assert_eq!(chosen("opus", "deep"), ("claude-big".to_owned(), false));
        assert_eq!(chosen("", "coding"), ("claude-usual".to_owned(), true));
    }

    #[test]
    fn a_name_that_is_not_configured_goes_only_to_its_own_provider() {
        assert_eq!(chosen("claude-other-5", ""), ("claude-other-5".to_owned(), false));
        assert_eq!(chosen("gpt-9", ""), ("claude-usual".to_owned(), true));
    }

    #[test]
    fn effort_is_one_of_three_words() {
        let effort = |word: &str| {
            let wanted = ModelRequest { effort: Some(word.to_owned()), ..ModelRequest::default() };
            let choice = models().choose(&wanted);
            (choice.line.effort, choice.note.is_some())
        };
        assert_eq!(effort("HIGH"), (Some(Effort::High), false));
        assert_eq!(effort("max"), (Some(Effort::High), false));
        assert_eq!(effort("a lot"), (None, true));
    }
}
