//! The size limit of a menu, and the units in which it is measured.

use schemars::JsonSchema;
use serde::Serialize;

/// Default limit in characters, when the model's context window is unknown.
pub const DEFAULT_CHARACTERS: usize = 16_000;
/// Default share of the context window, in thousandths.
pub const DEFAULT_PERMILLE: usize = 20;
/// Maximum length of a description in the menu, in characters.
pub const DESCRIPTION_CAP: usize = 1_536;

/// The unit of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Unicode characters.
    Characters,
    /// Tokens, estimated as a quarter of the bytes, rounded up. Codex uses the same estimate. Its
    /// error is about 20 % for English; for other scripts it is too small by less than that.
    EstimatedTokens,
    /// Tokens of the vocabulary `o200k_base`, counted.
    #[cfg(feature = "tokenizer")]
    Tokens,
}

impl Unit {
    /// The name of the unit, with the rule by which it is counted.
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

    /// The size of a text in this unit.
    pub fn cost(self, text: &str) -> usize {
        match self {
            Self::Characters => text.chars().count(),
            Self::EstimatedTokens => text.len().div_ceil(4),
            #[cfg(feature = "tokenizer")]
            Self::Tokens => tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len(),
        }
    }

    /// The size of a text on an additive scale, so that no fraction of a token is lost at each
    /// line.
    pub(crate) fn size(self, text: &str) -> usize {
        if self == Self::EstimatedTokens { text.len() } else { self.cost(text) }
    }

    /// Converts units to the additive scale.
    pub(crate) fn size_of(self, units: usize) -> usize {
        if self == Self::EstimatedTokens { units.saturating_mul(4) } else { units }
    }

    /// Converts a size on the additive scale to units, rounded up.
    pub(crate) fn units(self, size: usize) -> usize {
        if self == Self::EstimatedTokens { size.div_ceil(4) } else { size }
    }
}

/// The size limit of a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Budget {
    /// The limit.
    pub limit: usize,
    /// The unit of the limit.
    pub unit: Unit,
    /// Maximum length of a description, in characters.
    pub description: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { limit: DEFAULT_CHARACTERS, unit: Unit::Characters, description: DESCRIPTION_CAP }
    }
}

impl Budget {
    /// 2 % of a context window with this many tokens.
    pub fn of_window(tokens: usize) -> Self {
        let limit = (tokens * DEFAULT_PERMILLE / 1000).max(1);
        Self { limit, unit: Unit::EstimatedTokens, ..Self::default() }
    }
}

#[cfg(all(test, feature = "tokenizer"))]
mod tests {
    use super::Unit;

    #[test]
    fn the_estimate_is_close_to_a_real_tokenizer() {
        let english = "Turns the notes of a week into a report that the team can read in two minutes.";
        assert_eq!(Unit::Tokens.cost("hello world"), 2);
        let (real, guess) = (Unit::Tokens.cost(english), Unit::EstimatedTokens.cost(english));
        assert!(real.abs_diff(guess) * 3 <= real, "{real} {guess}");
    }
}
