//! The only model names that are built in: the default model when a key is set and no model is named, and the
//! models behind the short names that skills use. They apply only at the vendors' own addresses, and the
//! configuration overrides them.

use skillful_llm::Wire;

/// Short names that skills for Claude Code use.
pub(super) const ALIASES: &[(&str, &str)] =
    &[("haiku", "claude-haiku-5-5"), ("opus", "claude-opus-5-5"), ("sonnet", "claude-sonnet-5-5")];

/// The default model of a vendor.
pub(super) fn usual(wire: Wire) -> &'static str {
    match wire {
        Wire::Anthropic => "claude-sonnet-5-5",
        Wire::OpenAi | Wire::Responses => "gpt-5.5",
    }
}

/// The context window in tokens, when the model's family is known.
pub(super) fn window(model: &str) -> Option<usize> {
    if is_anthropic(model) {
        return Some(200_000);
    }
    model.starts_with("gpt-5").then_some(272_000)
}

/// Whether a name is one that Anthropic gives.
pub(super) fn is_anthropic(model: &str) -> bool {
    model.to_lowercase().starts_with("claude")
}
