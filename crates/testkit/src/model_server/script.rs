//! A script in a file, for tests in other languages.

use super::{AnswerPart, ModelAnswer, ModelServer};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

/// Answers by model: in turn, then the last one repeated. A model that is not in the script does not exist.
#[derive(Clone, Debug, Deserialize)]
pub struct Script(BTreeMap<String, VecDeque<Written>>);

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Written {
    Say(Vec<AnswerPart>),
    Fail { status: u16, message: String },
    Events(String),
}

impl From<Written> for ModelAnswer {
    fn from(written: Written) -> Self {
        match written {
            Written::Say(parts) => Self::Parts(parts),
            Written::Fail { status, message } => Self::Fail(status, message),
            Written::Events(text) => Self::Events(text),
        }
    }
}

impl Script {
    /// Parses a script: an object from models to lists of `{"say": […]}`, `{"fail": {"status", "message"}}`
    /// and `{"events": "…"}`.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Starts a server that follows the script.
    pub fn serve(self) -> ModelServer {
        let models = Mutex::new(self.0);
        ModelServer::with(move |asked| {
            let mut models = models.lock().unwrap_or_else(PoisonError::into_inner);
            let model = asked.body["model"].as_str().unwrap_or_default();
            let Some(answers) = models.get_mut(model) else {
                return ModelAnswer::Fail(404, format!("the model `{model}` does not exist"));
            };
            let next = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
            next.map_or(ModelAnswer::HangUp, ModelAnswer::from)
        })
    }
}
