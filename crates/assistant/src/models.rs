//! From the configuration and the variables to the models that answer.
//!
//! The name of the model is taken from the first of: `--model`, `SKILLFUL_MODEL`, `assistant.model`, then
//! `ANTHROPIC_MODEL` or `OPENAI_MODEL` of the provider that the variables describe. A key is only sent to the
//! address it was set for.

mod known;

use crate::model_set::{ModelSet, ModelSpec};
use skillful::{
    Workspace,
    config::assistant::{ModelEntry, ModelTable},
};
use skillful_llm::{Client, Provider, SecretString, Wire, from_environment};
use std::collections::BTreeMap;

/// How to connect a model, in one line.
pub const CONNECT: &str = "connect a model: set ANTHROPIC_API_KEY, or OPENAI_API_KEY, or \
     OPENAI_BASE_URL=http://127.0.0.1:11434/v1 for Ollama, :8080/v1 for llama.cpp, :8000/v1 for vLLM";
/// The variable that names a model above the configuration.
pub const MODEL_VARIABLE: &str = "SKILLFUL_MODEL";
/// Most models of a server that are listed for the user.
const NAMED: usize = 8;

/// The connected models, with notes about the choice.
#[derive(Debug)]
pub struct Connected {
    /// The models.
    pub models: ModelSet,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// A provider without a model yet.
#[derive(Clone, Debug)]
struct ProviderEntry {
    name: String,
    provider: Provider,
    /// The model that its variable names.
    model: Option<String>,
}

impl ProviderEntry {
    fn is_official(&self) -> bool {
        self.provider.base_url.as_str() == self.provider.wire.home()
    }

    /// The provider's default model and where that name comes from. `None` for a server other than the vendor's
    /// own, which has to be asked for its models.
    fn own_model(&self) -> Option<(String, &'static str)> {
        let variable = match self.provider.wire {
            Wire::Anthropic => "ANTHROPIC_MODEL",
            Wire::OpenAi | Wire::Responses => "OPENAI_MODEL",
        };
        let default = || (known::usual(self.provider.wire).to_owned(), "default");
        self.model.clone().map(|model| (model, variable)).or_else(|| self.is_official().then(default))
    }

    fn with(&self, model: &str) -> Provider {
        Provider { model: model.to_owned(), ..self.provider.clone() }
    }
}

/// Why no model is available, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
    /// Whether the configuration or the options are wrong, and not the server.
    pub is_usage: bool,
}

impl ModelError {
    fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, is_usage: true }
    }

    fn new(message: impl Into<String>) -> Self {
        Self { is_usage: false, ..Self::usage(message) }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// The models that a workspace and its variables describe.
#[derive(Clone, Copy, Debug)]
pub struct Models<'a> {
    workspace: &'a Workspace,
}

impl<'a> Models<'a> {
    /// The models of a workspace.
    pub fn of(workspace: &'a Workspace) -> Self {
        Self { workspace }
    }

    /// The user's models; `None` when no provider is configured. Asks a server for its models only when nothing
    /// names one.
    pub fn connect(self, wanted: Option<&str>) -> Result<Option<Connected>, ModelError> {
        let client = self.workspace.model_client().map_err(|error| {
            ModelError::usage(error.to_string()).hint("set HTTPS_PROXY to `http://host:port`, or unset it")
        })?;
        let named = self.model_word(wanted);
        let providers = self.providers()?;
        let mut notes = Vec::new();
        let usual = match (&named, providers.first()) {
            (Some((word, origin)), _) => self.line(word, &providers, true).map_err(|failure| ModelError {
                message: format!("{} ({origin})", failure.message),
                ..failure
            })?,
            (None, None) => return Ok(None),
            (None, Some(provider_entry)) => {
                let model = match provider_entry.own_model() {
                    Some((model, _)) => model,
                    None => served(&client, provider_entry, &mut notes)?,
                };
                self.usual(provider_entry.with(&model))
            }
        };
        let mut models = ModelSet { client, usual, named: BTreeMap::new() };
        if let Some(provider_entry) = providers.iter().find(|provider_entry| {
            provider_entry.provider.wire == Wire::Anthropic && provider_entry.is_official()
        }) {
            for (alias, model) in known::ALIASES {
                models.named.insert((*alias).to_owned(), bare(provider_entry.with(model)));
            }
        }
        for name in self.workspace.config().assistant.models.keys() {
            match self.line(name, &providers, false) {
                Ok(line) => {
                    models.named.insert(name.clone(), line);
                }
                Err(failure) => notes.push(format!("models.{name} is ignored: {}", failure.message)),
            }
        }
        Ok(Some(Connected { models, notes }))
    }

    /// The model and its address, as far as they are known without asking a server.
    pub fn connection(self) -> Result<Option<(String, String)>, ModelError> {
        let providers = self.providers()?;
        if let Some((word, _)) = self.model_word(None) {
            let line = self.line(&word, &providers, true)?;
            return Ok(Some((line.provider.model, line.provider.base_url.as_str().to_owned())));
        }
        let Some(provider_entry) = providers.first() else { return Ok(None) };
        let model = provider_entry.own_model().map(|(model, _)| model);
        let model = model.unwrap_or_else(|| "the first model that the server names".to_owned());
        Ok(Some((model, provider_entry.provider.base_url.as_str().to_owned())))
    }

    /// The model in effect and where its name comes from, unless the configuration names it.
    pub fn named_by_variables(self) -> Option<(String, &'static str)> {
        match self.model_word(None) {
            Some((_, "assistant.model")) => None,
            Some(named) => Some(named),
            None => self.providers().ok().and_then(|providers| providers.first()?.own_model()),
        }
    }

    /// The name of the model and where it comes from.
    fn model_word(self, wanted: Option<&str>) -> Option<(String, &'static str)> {
        let word = |text: Option<String>, origin| {
            let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
            text.map(|text| (text, origin))
        };
        word(wanted.map(str::to_owned), "--model")
            .or_else(|| word(self.workspace.environment().variable(MODEL_VARIABLE), MODEL_VARIABLE))
            .or_else(|| word(self.workspace.config().assistant.assistant.model.clone(), "assistant.model"))
    }

    /// All configured providers: those of the configuration, then those of the variables.
    fn providers(self) -> Result<Vec<ProviderEntry>, ModelError> {
        let mut providers = Vec::new();
        for (name, section) in &self.workspace.config().assistant.providers {
            let wire = section.wire();
            let bad = |fault: skillful_llm::BadUrl| ModelError::usage(format!("providers.{name}: {fault}"));
            let key =
                section.key_variable.as_deref().and_then(|name| self.workspace.environment().variable(name));
            let provider = match &section.base_url {
                Some(address) => {
                    let key = key.as_deref().map(SecretString::from);
                    Provider::new(wire, address, "", key).map_err(bad)?
                }
                None => {
                    let shared = self.workspace.environment().variable(match wire {
                        Wire::Anthropic => "ANTHROPIC_API_KEY",
                        Wire::OpenAi | Wire::Responses => "OPENAI_API_KEY",
                    });
                    let key = if section.key_variable.is_some() { key } else { shared };
                    let Some(key) = key else { continue };
                    Provider::new(wire, wire.home(), "", Some(SecretString::from(key))).map_err(bad)?
                }
            };
            let provider = Provider { allow_plain_key: section.allow_plain_key, ..provider };
            providers.push(ProviderEntry { name: name.clone(), provider, model: None });
        }
        for (wire, name, model) in
            [(Wire::Anthropic, "anthropic", "ANTHROPIC_MODEL"), (Wire::OpenAi, "openai", "OPENAI_MODEL")]
        {
            let found = from_environment(&self.workspace.environment().variables, wire, "")
                .map_err(|fault| ModelError::usage(format!("the variables of {name}: {fault}")))?;
            let model = self.workspace.environment().variable(model).map(|model| model.trim().to_owned());
            let model = model.filter(|model| !model.is_empty());
            providers.extend(found.map(|provider| ProviderEntry { name: name.to_owned(), provider, model }));
        }
        Ok(providers)
    }

    /// The model with this name: one of `[models]`, `provider/model`, or a name at the provider that such names
    /// belong to. Settings of `[assistant]` apply to the default model.
    fn line(self, word: &str, providers: &[ProviderEntry], usual: bool) -> Result<ModelSpec, ModelError> {
        let entry = self.workspace.config().assistant.models.get(&word.to_lowercase());
        let table = match entry {
            Some(ModelEntry::Table(table)) => table.clone(),
            Some(ModelEntry::Word(word)) => split(word, providers),
            None => split(word, providers),
        };
        let provider_entry = match &table.provider {
            Some(name) => providers.iter().find(|provider_entry| provider_entry.name == *name),
            None => {
                let native = |provider_entry: &&ProviderEntry| {
                    (provider_entry.provider.wire == Wire::Anthropic) == known::is_anthropic(&table.model)
                };
                providers.iter().find(native).or(providers.first())
            }
        };
        let Some(provider_entry) = provider_entry else {
            let message = match &table.provider {
                Some(name) => {
                    format!("the provider `{name}` of the model `{}` is not connected", table.model)
                }
                None => format!("no provider is connected for the model `{}`", table.model),
            };
            return Err(ModelError::usage(message).hint(CONNECT));
        };
        let provider = provider_entry.with(&table.model);
        let mut line = if usual { self.usual(provider) } else { bare(provider) };
        line.window = table.window.filter(|window| *window > 0).unwrap_or(line.window);
        line.answer = table.answer.filter(|answer| *answer > 0).unwrap_or(line.answer);
        line.effort = table.effort.or(line.effort);
        line.price = table.price;
        Ok(line)
    }

    /// A model with the settings of `[assistant]`.
    fn usual(self, provider: Provider) -> ModelSpec {
        let agent = &self.workspace.config().assistant.assistant;
        let mut line = bare(provider);
        line.window = agent.window.unwrap_or(line.window);
        line.answer = agent.max_tokens.unwrap_or(line.answer);
        line.effort = agent.effort;
        line
    }
}

/// A model with the context window of its family.
fn bare(provider: Provider) -> ModelSpec {
    let window = known::window(&provider.model);
    let mut line = ModelSpec::new(provider);
    line.window = window.unwrap_or(line.window);
    line
}

/// Splits `provider/model` where that provider is known; other names with slashes stay whole.
fn split(word: &str, providers: &[ProviderEntry]) -> ModelTable {
    let own = |name: &str| {
        providers.iter().any(|provider_entry| provider_entry.name == name)
            || matches!(name, "anthropic" | "openai")
    };
    let (provider, model) = match word.split_once('/') {
        Some((name, model)) if own(name) && !model.is_empty() => (Some(name.to_owned()), model),
        _ => (None, word),
    };
    ModelTable { provider, model: model.to_owned(), ..ModelTable::default() }
}

/// The first model that a server names.
fn served(
    client: &Client,
    provider_entry: &ProviderEntry,
    notes: &mut Vec<String>,
) -> Result<String, ModelError> {
    let address = provider_entry.provider.base_url.as_str();
    let models = client.models(&provider_entry.provider).map_err(|error| {
        ModelError::new(format!("cannot list the models at {address}: {error}"))
            .hint("start the server, or name a model with --model or SKILLFUL_MODEL")
    })?;
    let Some(model) = models.first() else {
        return Err(ModelError::new(format!("the server at {address} has no models"))
            .hint("load one there, or name one with --model"));
    };
    if models.len() > 1 {
        let others: Vec<&str> = models.iter().skip(1).take(NAMED).map(String::as_str).collect();
        let more = if models.len() > NAMED + 1 { ", …" } else { "" };
        notes.push(format!(
            "using {model}, the first model at {address}; --model chooses another: {}{more}",
            others.join(", ")
        ));
    } else {
        notes.push(format!("using {model}, the only model at {address}"));
    }
    Ok(model.clone())
}

#[cfg(test)]
mod tests;
