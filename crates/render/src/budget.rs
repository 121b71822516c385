//! How much room a catalogue has, and how room is counted.

use serde::Serialize;

/// Characters when nothing is known about the model's window.
pub const DEFAULT_CHARACTERS: usize = 16_000;
/// Share of the window when it is known, in thousandths.
pub const DEFAULT_PERMILLE: usize = 20;
/// Longest description that is shown.
pub const DESCRIPTION_CAP: usize = 1_536;

/// What room is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Unicode characters.
    Characters,
    /// Tokens, estimated as a quarter of the bytes, rounded up: the rule of thumb that Codex uses,
    /// good to about a fifth for English and too small for other scripts by less than that.
    EstimatedTokens,
    /// Tokens of the vocabulary `o200k_base`, counted.
    #[cfg(feature = "tokenizer")]
    Tokens,
}

impl Unit {
    /// The unit in words, with the rule by which it is counted.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Characters => "characters",
            Self::EstimatedTokens => "tokens (estimated as a quarter of the bytes)",
            #[cfg(feature = "tokenizer")]
            Self::Tokens => "tokens (counted with o200k_base)",
        }
    }

    /// The rule by which it is counted.
    pub const fn rule(self) -> &'static str {
        match self {
            Self::Characters => "one for each character",
            Self::EstimatedTokens => "estimated as a quarter of the bytes",
            #[cfg(feature = "tokenizer")]
            Self::Tokens => "counted with o200k_base",
        }
    }

    /// What a text costs.
    pub fn cost(self, text: &str) -> usize {
        match self {
            Self::Characters => text.chars().count(),
            Self::EstimatedTokens => text.len().div_ceil(4),
            #[cfg(feature = "tokenizer")]
            Self::Tokens => tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len(),
        }
    }

    /// The size of a text on a scale on which sizes add up: a quarter of a token is not lost at each
    /// line.
    pub(crate) fn size(self, text: &str) -> usize {
        if self == Self::EstimatedTokens { text.len() } else { self.cost(text) }
    }

    /// The size of so many units.
    pub(crate) fn size_of(self, units: usize) -> usize {
        if self == Self::EstimatedTokens { units.saturating_mul(4) } else { units }
    }

    /// The units of a size, rounded up.
    pub(crate) fn units(self, size: usize) -> usize {
        if self == Self::EstimatedTokens { size.div_ceil(4) } else { size }
    }
}

/// The room of a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// How much.
    pub limit: usize,
    /// Of what.
    pub unit: Unit,
    /// Longest description, in characters.
    pub description: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { limit: DEFAULT_CHARACTERS, unit: Unit::Characters, description: DESCRIPTION_CAP }
    }
}

impl Budget {
    /// Two hundredths of a window of that many tokens.
    pub fn of_window(tokens: usize) -> Self {
        let limit = (tokens * DEFAULT_PERMILLE / 1000).max(1);
        Self { limit, unit: Unit::EstimatedTokens, ..Self::default() }
    }
}

#[cfg(all(test, feature = "tokenizer"))]
mod tests {
    use super::Unit;

    #[test]
    fn a_real_tokenizer_counts_what_the_estimator_estimates() {
        let english = "Turns the notes of a week into a report that the team can read in two minutes.";
        assert_eq!(Unit::Tokens.cost("hello world"), 2);
        let (real, guess) = (Unit::Tokens.cost(english), Unit::EstimatedTokens.cost(english));
        assert!(real.abs_diff(guess) * 3 <= real, "{real} {guess}");
    }
}
