//! From the configuration and the variables to the models that answer.
//!
//! A word for a model is looked for in this order: `--model`, `SKILLFUL_MODEL`, `assistant.model`, then
//! `ANTHROPIC_MODEL` or `OPENAI_MODEL` of the provider that the variables describe. Nobody's key goes to an
//! address that it was not set for.

mod known;

use crate::roster::{Line, Roster};
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
/// Models of a server that are named to a person.
const NAMED: usize = 8;

/// The models, and what a person should know about the choice.
#[derive(Debug)]
pub struct Connected {
    /// Who answers.
    pub roster: Roster,
    /// Words for the person.
    pub notes: Vec<String>,
}

/// A provider without a model yet.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    provider: Provider,
    /// The model that its variable names.
    model: Option<String>,
}

impl Place {
    fn is_home(&self) -> bool {
        self.provider.base_url.as_str() == self.provider.wire.home()
    }

    /// The model that answers here when nobody names one, and whose word that is. Another server than the
    /// inventor's has to be asked.
    fn own_model(&self) -> Option<(String, &'static str)> {
        let variable = match self.provider.wire {
            Wire::Anthropic => "ANTHROPIC_MODEL",
            Wire::OpenAi => "OPENAI_MODEL",
        };
        let default = || (known::usual(self.provider.wire).to_owned(), "default");
        self.model.clone().map(|model| (model, variable)).or_else(|| self.is_home().then(default))
    }

    fn with(&self, model: &str) -> Provider {
        Provider { model: model.to_owned(), ..self.provider.clone() }
    }
}

/// Why no model can be asked, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
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

    /// The models of this person; `None` when nobody is connected. Asks a server for its models only when
    /// nothing names one.
    pub fn connect(self, wanted: Option<&str>) -> Result<Option<Connected>, ModelError> {
        let client = self.workspace.model_client().map_err(|error| {
            ModelError::usage(error.to_string()).hint("set HTTPS_PROXY to `http://host:port`, or unset it")
        })?;
        let named = self.model_word(wanted);
        let places = self.places()?;
        let mut notes = Vec::new();
        let usual = match (&named, places.first()) {
            (Some((word, origin)), _) => self.line(word, &places, true).map_err(|failure| ModelError {
                message: format!("{} ({origin})", failure.message),
                ..failure
            })?,
            (None, None) => return Ok(None),
            (None, Some(place)) => {
                let model = match place.own_model() {
                    Some((model, _)) => model,
                    None => served(&client, place, &mut notes)?,
                };
                self.usual(place.with(&model))
            }
        };
        let mut roster = Roster { client, usual, named: BTreeMap::new() };
        if let Some(place) =
            places.iter().find(|place| place.provider.wire == Wire::Anthropic && place.is_home())
        {
            for (alias, model) in known::ALIASES {
                roster.named.insert((*alias).to_owned(), bare(place.with(model)));
            }
        }
        for name in self.workspace.config().assistant.models.keys() {
            match self.line(name, &places, false) {
                Ok(line) => {
                    roster.named.insert(name.clone(), line);
                }
                Err(failure) => notes.push(format!("models.{name} is left out: {}", failure.message)),
            }
        }
        Ok(Some(Connected { roster, notes }))
    }

    /// Who would answer, as far as that can be said without asking a server: the model and where it is.
    pub fn connection(self) -> Result<Option<(String, String)>, ModelError> {
        let places = self.places()?;
        if let Some((word, _)) = self.model_word(None) {
            let line = self.line(&word, &places, true)?;
            return Ok(Some((line.provider.model, line.provider.base_url.as_str().to_owned())));
        }
        let Some(place) = places.first() else { return Ok(None) };
        let model = place.own_model().map(|(model, _)| model);
        let model = model.unwrap_or_else(|| "the first model that the server names".to_owned());
        Ok(Some((model, place.provider.base_url.as_str().to_owned())))
    }

    /// The model in effect and where its name comes from, when not the configuration names it.
    pub fn named_by_variables(self) -> Option<(String, &'static str)> {
        match self.model_word(None) {
            Some((_, "assistant.model")) => None,
            Some(named) => Some(named),
            None => self.places().ok().and_then(|places| places.first()?.own_model()),
        }
    }

    /// The word that names the model, and whose it is.
    fn model_word(self, wanted: Option<&str>) -> Option<(String, &'static str)> {
        let word = |text: Option<String>, origin| {
            let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
            text.map(|text| (text, origin))
        };
        word(wanted.map(str::to_owned), "--model")
            .or_else(|| word(self.workspace.environment().variable(MODEL_VARIABLE), MODEL_VARIABLE))
            .or_else(|| word(self.workspace.config().assistant.assistant.model.clone(), "assistant.model"))
    }

    /// Every provider that can be asked: those of the configuration, then those of the variables.
    fn places(self) -> Result<Vec<Place>, ModelError> {
        let mut places = Vec::new();
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
                        Wire::OpenAi => "OPENAI_API_KEY",
                    });
                    let key = if section.key_variable.is_some() { key } else { shared };
                    let Some(key) = key else { continue };
                    Provider::new(wire, wire.home(), "", Some(SecretString::from(key))).map_err(bad)?
                }
            };
            let provider = Provider { allow_plain_key: section.allow_plain_key, ..provider };
            places.push(Place { name: name.clone(), provider, model: None });
        }
        for (wire, name, model) in
            [(Wire::Anthropic, "anthropic", "ANTHROPIC_MODEL"), (Wire::OpenAi, "openai", "OPENAI_MODEL")]
        {
            let found = from_environment(&self.workspace.environment().variables, wire, "")
                .map_err(|fault| ModelError::usage(format!("the variables of {name}: {fault}")))?;
            let model = self.workspace.environment().variable(model).map(|model| model.trim().to_owned());
            let model = model.filter(|model| !model.is_empty());
            places.extend(found.map(|provider| Place { name: name.to_owned(), provider, model }));
        }
        Ok(places)
    }

    /// The model that a word means: one of `[models]`, `provider/model`, or a name at the provider that
    /// such names belong to. Settings of `[assistant]` are for the usual model.
    fn line(self, word: &str, places: &[Place], usual: bool) -> Result<Line, ModelError> {
        let entry = self.workspace.config().assistant.models.get(&word.to_lowercase());
        let table = match entry {
            Some(ModelEntry::Table(table)) => table.clone(),
            Some(ModelEntry::Word(word)) => split(word, places),
            None => split(word, places),
        };
        let place = match &table.provider {
            Some(name) => places.iter().find(|place| place.name == *name),
            None => {
                let native = |place: &&Place| {
                    (place.provider.wire == Wire::Anthropic) == known::is_anthropic(&table.model)
                };
                places.iter().find(native).or(places.first())
            }
        };
        let Some(place) = place else {
            let message = match &table.provider {
                Some(name) => {
                    format!("the provider `{name}` of the model `{}` is not connected", table.model)
                }
                None => format!("no provider is connected for the model `{}`", table.model),
            };
            return Err(ModelError::usage(message).hint(CONNECT));
        };
        let provider = place.with(&table.model);
        let mut line = if usual { self.usual(provider) } else { bare(provider) };
        line.window = table.window.filter(|window| *window > 0).unwrap_or(line.window);
        line.answer = table.answer.filter(|answer| *answer > 0).unwrap_or(line.answer);
        line.effort = table.effort.or(line.effort);
        line.price = table.price;
        Ok(line)
    }

    /// A model with what `[assistant]` says.
    fn usual(self, provider: Provider) -> Line {
        let agent = &self.workspace.config().assistant.assistant;
        let mut line = bare(provider);
        line.window = agent.window.unwrap_or(line.window);
        line.answer = agent.max_tokens.unwrap_or(line.answer);
        line.effort = agent.effort;
        line
    }
}

/// A model with what is known of its family.
fn bare(provider: Provider) -> Line {
    let window = known::window(&provider.model);
    let mut line = Line::new(provider);
    line.window = window.unwrap_or(line.window);
    line
}

/// `provider/model` where that provider is known; names with slashes of their own stay whole.
fn split(word: &str, places: &[Place]) -> ModelTable {
    let own =
        |name: &str| places.iter().any(|place| place.name == name) || matches!(name, "anthropic" | "openai");
    let (provider, model) = match word.split_once('/') {
        Some((name, model)) if own(name) && !model.is_empty() => (Some(name.to_owned()), model),
        _ => (None, word),
    };
    ModelTable { provider, model: model.to_owned(), ..ModelTable::default() }
}

/// The first model that a server names.
fn served(client: &Client, place: &Place, notes: &mut Vec<String>) -> Result<String, ModelError> {
    let address = place.provider.base_url.as_str();
    let models = client.models(&place.provider).map_err(|error| {
        ModelError::new(format!("the models at {address} are not known: {error}"))
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
