//! Who answers: a format, an address, a model and a key.

use crate::{
    base_url::{BadUrl, BaseUrl},
    key,
};
use secrecy::SecretString;

/// Anthropic's own address.
pub(crate) const ANTHROPIC: &str = "https://api.anthropic.com";
/// `OpenAI`'s own address; the version is part of it, as its variable is used everywhere.
pub(crate) const OPENAI: &str = "https://api.openai.com/v1";

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` chat completions and embeddings, which most other servers speak too.
    OpenAi,
}

impl Wire {
    /// The address of its inventor.
    pub fn home(self) -> &'static str {
        match self {
            Self::Anthropic => ANTHROPIC,
            Self::OpenAi => OPENAI,
        }
    }
}

/// A model that can be asked.
#[derive(Clone, Debug)]
pub struct Provider {
    /// The format it speaks.
    pub wire: Wire,
    /// Where it listens.
    pub base_url: BaseUrl,
    /// The model's name there.
    pub model: String,
    /// The key; local servers need none.
    pub key: Option<SecretString>,
    /// Lets the key travel without TLS to another machine. Off unless a person says so.
    pub allow_plain_key: bool,
    /// Lets the server remember what it read, where the format has a word for it. On unless a person says
    /// otherwise, for servers that refuse the word.
    pub caches: bool,
}

impl Provider {
    /// A model at an address. Blanks and line ends around a key come from pasting and are left out.
    pub fn new(wire: Wire, base_url: &str, model: &str, key: Option<SecretString>) -> Result<Self, BadUrl> {
        let base_url = BaseUrl::new(base_url)?;
        let key = key.and_then(key::pasted);
        Ok(Self { wire, base_url, model: model.to_owned(), key, allow_plain_key: false, caches: true })
    }

    /// Names the model for a cache: another server may serve another model under the same name.
    pub fn id(&self) -> String {
        format!("{} {}", self.base_url.as_str(), self.model)
    }

    /// The address of a chat call.
    pub fn chat_url(&self) -> String {
        match self.wire {
            // Its variable is used without the version, but people write it both ways.
            Wire::Anthropic if self.base_url.as_str().ends_with("/v1") => self.base_url.join("/messages"),
            Wire::Anthropic => self.base_url.join("/v1/messages"),
            Wire::OpenAi => self.base_url.join("/chat/completions"),
        }
    }

    /// The address of the list of models.
    pub fn models_url(&self) -> String {
        match self.wire {
            Wire::Anthropic if !self.base_url.as_str().ends_with("/v1") => self.base_url.join("/v1/models"),
            _ => self.base_url.join("/models"),
        }
    }

    /// The address of an embeddings call.
    pub fn embeddings_url(&self) -> String {
        self.base_url.join("/embeddings")
    }
}
