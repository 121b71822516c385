//! Providers from the usual environment variables, which the caller passes as a map.

use crate::{
    base_url::BadUrl,
    provider::{Provider, Wire},
};
use secrecy::SecretString;
use std::collections::BTreeMap;

/// The provider that `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`, `OPENAI_API_KEY` and `OPENAI_BASE_URL`
/// describe for a wire format; without a base URL, that of the vendor. `None` when neither key nor base URL
/// is set, because the provider is then not configured.
pub fn from_environment(
    variables: &BTreeMap<String, String>,
    wire: Wire,
    model: &str,
) -> Result<Option<Provider>, BadUrl> {
    let (key, base) = match wire {
        Wire::Anthropic => ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
        Wire::OpenAi | Wire::Responses => ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    };
    let value = |name: &str| variables.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    let (key, base) = (value(key), value(base));
    if key.is_none() && base.is_none() {
        return Ok(None);
    }
    Provider::new(wire, base.unwrap_or(wire.home()), model, key.map(SecretString::from)).map(Some)
}
