//! The one table of names that this program brings: who answers when a key is set and no model is named,
//! and what the short names stand for that skills are written with. Used only at the addresses of those who
//! made the models. Everything in it gives way to the configuration.

use skillful_llm::Wire;

/// Short names that skills for Claude Code use.
pub(super) const ALIASES: &[(&str, &str)] =
    &[("haiku", "claude-haiku-5-5"), ("opus", "claude-opus-5-5"), ("sonnet", "claude-sonnet-5-5")];

/// Who answers when nobody is named.
pub(super) fn usual(wire: Wire) -> &'static str {
    match wire {
        Wire::Anthropic => "claude-sonnet-5-5",
        Wire::OpenAi => "gpt-5.5",
    }
}

/// Tokens that a model can read, where its family tells.
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
