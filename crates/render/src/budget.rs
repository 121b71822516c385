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
}

impl Unit {
    /// What a text costs.
    pub fn cost(self, text: &str) -> usize {
        match self {
            Self::Characters => text.chars().count(),
            Self::EstimatedTokens => text.len().div_ceil(4),
        }
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
