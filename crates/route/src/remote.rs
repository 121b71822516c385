//! Classifier and embeddings over HTTP.

use crate::{
    decide::Chat,
    embed::{Embed, EmbedError},
};
use skillful_llm::{Client, Error, Limits, Provider, Reply, Request};
use std::time::Duration;

/// Largest number of texts in one call. Servers have limits of their own, all above this one.
const TEXTS: usize = 64;

/// A chat model behind an HTTP endpoint, used as the classifier.
#[derive(Clone, Debug)]
pub struct RemoteChat {
    client: Client,
    provider: Provider,
}

impl RemoteChat {
    /// Makes a chat model that calls this provider.
    pub fn new(client: Client, provider: Provider) -> Self {
        Self { client, provider }
    }
}

impl Chat for RemoteChat {
    fn id(&self) -> String {
        self.provider.id()
    }

    fn complete(&self, request: &Request, timeout: Duration) -> Result<Reply, Error> {
        self.client.complete(&self.provider, request, Limits { timeout })
    }
}

/// An embeddings endpoint.
#[derive(Clone, Debug)]
pub struct Endpoint {
    client: Client,
    provider: Provider,
}

impl Endpoint {
    /// Makes an endpoint that calls this provider.
    pub fn new(client: Client, provider: Provider) -> Self {
        Self { client, provider }
    }
}

impl Embed for Endpoint {
    fn id(&self) -> String {
        self.provider.id()
    }

    fn wants_bodies(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str], timeout: Duration) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(TEXTS) {
            let found = self.client.embed(&self.provider, texts, Limits { timeout });
            vectors.extend(found.map_err(|error| EmbedError {
                message: error.to_string(),
                // With 400, 413 or 422 a server refuses this text and may accept others.
                concerns_all: !matches!(
                    error,
                    Error::Status { status: 400 | 413 | 422, .. } | Error::TooLarge(_)
                ),
            })?);
        }
        Ok(vectors)
    }
}
