//! Providers: a wire format, an address, a model and a key.

use crate::{
    base_url::{BadUrl, BaseUrl},
    key,
};
use secrecy::SecretString;

/// Default base URL of the Anthropic API.
pub(crate) const ANTHROPIC: &str = "https://api.anthropic.com";
/// Default base URL of the `OpenAI` API. It includes the version, because `OPENAI_BASE_URL` usually does.
pub(crate) const OPENAI: &str = "https://api.openai.com/v1";

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` chat completions and embeddings, which most other servers support too.
    OpenAi,
    /// `OpenAI` Responses.
    Responses,
}

impl Wire {
    /// The default base URL of the vendor.
    pub fn home(self) -> &'static str {
        match self {
            Self::Anthropic => ANTHROPIC,
            Self::OpenAi | Self::Responses => OPENAI,
        }
    }
}

/// A model and how to reach it.
#[derive(Clone, Debug)]
pub struct Provider {
    /// The wire format.
    pub wire: Wire,
    /// The address of the server.
    pub base_url: BaseUrl,
    /// The model's name on that server.
    pub model: String,
    /// The API key; local servers need none.
    pub key: Option<SecretString>,
    /// Allows sending the key unencrypted to another machine. Off unless the user enables it.
    pub allow_plain_key: bool,
    /// Asks the server to cache the prompt, where the format supports it. On unless the user disables it, for
    /// servers that refuse the field.
    pub caches: bool,
}

impl Provider {
    /// Makes a provider. Spaces and line ends around a key come from pasting and are removed.
    pub fn new(wire: Wire, base_url: &str, model: &str, key: Option<SecretString>) -> Result<Self, BadUrl> {
        let base_url = BaseUrl::new(base_url)?;
        let key = key.and_then(key::pasted);
        Ok(Self { wire, base_url, model: model.to_owned(), key, allow_plain_key: false, caches: true })
    }

    /// Identifies the model in caches. Includes the address, because another server may serve another model
    /// under the same name.
    pub fn id(&self) -> String {
        format!("{} {}", self.base_url.as_str(), self.model)
    }

    /// The URL of a chat call.
    pub fn chat_url(&self) -> String {
        match self.wire {
            // `ANTHROPIC_BASE_URL` is meant without the version, but users write it both ways.
            Wire::Anthropic if self.base_url.as_str().ends_with("/v1") => self.base_url.join("/messages"),
            Wire::Anthropic => self.base_url.join("/v1/messages"),
            Wire::OpenAi => self.base_url.join("/chat/completions"),
            Wire::Responses => self.base_url.join("/responses"),
        }
    }

    /// The URL of the list of models.
    pub fn models_url(&self) -> String {
        match self.wire {
            Wire::Anthropic if !self.base_url.as_str().ends_with("/v1") => self.base_url.join("/v1/models"),
            _ => self.base_url.join("/models"),
        }
    }

    /// The URL of an embeddings call.
    pub fn embeddings_url(&self) -> String {
        self.base_url.join("/embeddings")
    }
}
