//! Which model answers: by default, by class, by the word of a skill.

use serde::{Deserialize, Serialize};
use skillful_llm::{Client, Effort, Price, Provider};
use std::collections::BTreeMap;

/// Tokens that a model can read when nobody says otherwise. Small, since too small a guess costs a
/// summary and too large a guess costs the turn.
pub const WINDOW: usize = 128_000;
/// Tokens of one answer when nobody says otherwise.
pub const ANSWER: u32 = 16_384;
/// The classes of models that skills ask for.
pub const TIERS: [&str; 4] = ["balanced", "smart", "coding", "deep"];

/// A model that can answer.
#[derive(Clone, Debug)]
pub struct Line {
    /// Where and how; its `model` is the name there.
    pub provider: Provider,
    /// Tokens it can read.
    pub window: usize,
    /// Tokens of one answer.
    pub answer: u32,
    /// How hard it thinks when a skill does not say.
    pub effort: Option<Effort>,
    /// What it costs, when that is known.
    pub price: Option<Price>,
}

impl Line {
    /// A model of which nothing more is known.
    pub fn new(provider: Provider) -> Self {
        Self { provider, window: WINDOW, answer: ANSWER, effort: None, price: None }
    }
}

/// What a skill asks for. Lasts for the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// `model`: a name, an alias, a class, or `inherit`.
    pub model: Option<String>,
    /// `model_tier`.
    pub tier: Option<String>,
    /// `effort`.
    pub effort: Option<String>,
}

/// The models of a person.
#[derive(Clone, Debug)]
pub struct Roster {
    /// Asks them.
    pub client: Client,
    /// Who answers when nothing else is said.
    pub usual: Line,
    /// By class and by alias: `smart`, `deep`, `opus`, …
    pub named: BTreeMap<String, Line>,
}

/// Who answers, and what could not be followed.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The model.
    pub line: Line,
    /// Words for the person when a wish could not be followed.
    pub note: Option<String>,
}

impl Roster {
    /// The one model there is.
    pub fn of(client: Client, usual: Line) -> Self {
        Self { client, usual, named: BTreeMap::new() }
    }

    /// Follows what a skill asks for as far as the person's configuration goes. A name that nobody
    /// configured is tried only where the provider is the one that such names belong to.
    pub fn choose(&self, wanted: &Wanted) -> Choice {
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
                _ => note = Some(format!("`{effort}` is no effort; there are low, medium and high")),
            }
        }
        Choice { line, note }
    }

    /// A model that the usual provider surely knows by this name.
    fn native(&self, name: &str) -> Option<Line> {
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

    fn line(model: &str) -> Line {
        Line::new(Provider::new(Wire::Anthropic, "http://127.0.0.1:1", model, None).unwrap())
    }

    fn roster() -> Roster {
        let named = [("smart", "claude-big"), ("opus", "claude-big"), ("deep", "claude-deep")];
        let named = named.map(|(name, model)| (name.to_owned(), line(model))).into();
        Roster { client: Client::default(), usual: line("claude-usual"), named }
    }

    fn chosen(model: &str, tier: &str) -> (String, bool) {
        let some = |word: &str| (!word.is_empty()).then(|| word.to_owned());
        let choice = roster().choose(&Wanted { model: some(model), tier: some(tier), effort: None });
        (choice.line.provider.model, choice.note.is_some())
    }

    #[test]
    fn a_class_or_a_name_of_a_skill_is_followed_as_far_as_it_is_configured() {
        assert_eq!(chosen("", ""), ("claude-usual".to_owned(), false));
        assert_eq!(chosen("inherit", ""), ("claude-usual".to_owned(), false));
        assert_eq!(chosen("", "Smart"), ("claude-big".to_owned(), false));
        assert_eq!(chosen("inherit", "deep"), ("claude-deep".to_owned(), false));
        assert_eq!(chosen("opus", "deep"), ("claude-big".to_owned(), false));
        assert_eq!(chosen("", "coding"), ("claude-usual".to_owned(), true));
    }

    #[test]
    fn a_name_that_nobody_configured_goes_only_to_its_own_provider() {
        assert_eq!(chosen("claude-other-5", ""), ("claude-other-5".to_owned(), false));
        assert_eq!(chosen("gpt-9", ""), ("claude-usual".to_owned(), true));
    }

    #[test]
    fn effort_is_one_of_three_words() {
        let effort = |word: &str| {
            let wanted = Wanted { effort: Some(word.to_owned()), ..Wanted::default() };
            let choice = roster().choose(&wanted);
            (choice.line.effort, choice.note.is_some())
        };
        assert_eq!(effort("HIGH"), (Some(Effort::High), false));
        assert_eq!(effort("max"), (Some(Effort::High), false));
        assert_eq!(effort("a lot"), (None, true));
    }
}
