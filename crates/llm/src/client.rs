//! Calls models over HTTP: blocking, limited in time and size, without redirects.

mod stream;

pub use stream::StreamLimits;

use crate::{
    error::Error,
    key,
    message::{Reply, Request},
    provider::{Provider, Wire},
    retry,
    wire::{ANSWER_LIMIT, anthropic, embeddings, error_message, models, openai, responses, whole},
};
use secrecy::ExposeSecret;
use serde_json::Value;
use skillful_net::{USER_AGENT, tls};
use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};
use ureq::{Agent, Body, RequestBuilder, http::Response};

/// Bytes of an error response that are read.
const ERROR_LIMIT: u64 = 64 << 10;
/// A server that does not accept a connection within this time counts as unreachable.
const CONNECT: Duration = Duration::from_secs(10);

/// Time limit for the list of models.
const MODELS: Duration = Duration::from_secs(15);

/// Limits of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time limit of a call, with every attempt and every pause between them.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: Duration::from_mins(1) }
    }
}

/// Calls models. Keeps connections open between calls; cheap to clone.
#[derive(Clone)]
pub struct Client {
    direct: Agent,
    /// For servers on other machines, when there is a proxy.
    proxied: Option<Agent>,
    /// Servers that refuse the option that requests token counts in a stream.
    without_counts: Arc<Mutex<BTreeSet<String>>>,
}

/// Omits the proxy, which may contain a password.
impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

impl Default for Client {
    fn default() -> Self {
        Self { direct: agent(None), proxied: None, without_counts: Arc::default() }
    }
}

impl Client {
    /// Makes a client that reaches `https` servers on other machines through a proxy. The process environment
    /// is not read; the caller decides.
    pub fn with_proxy(proxy: &str) -> Result<Self, Error> {
        // The parser's error would repeat the address, which may contain a password.
        let proxy = ureq::Proxy::new(proxy).map_err(|_| Error::BadProxy)?;
        Ok(Self { direct: agent(None), proxied: Some(agent(Some(proxy))), without_counts: Arc::default() })
    }

    fn agent(&self, provider: &Provider) -> &Agent {
        let proxied = self.proxied.as_ref().filter(|_| provider.base_url.is_remote_and_secure());
        proxied.unwrap_or(&self.direct)
    }

    /// Calls a model and waits for the complete answer.
    pub fn complete(&self, provider: &Provider, request: &Request, limits: Limits) -> Result<Reply, Error> {
        let body = body(provider, request);
        let answer = self.call(provider, &provider.chat_url(), Some(&body), limits)?;
        whole(provider.wire, &answer, provider.key.as_ref())
    }

    /// Returns the vectors of the texts, in the same order.
    pub fn embed(&self, provider: &Provider, texts: &[&str], limits: Limits) -> Result<Vec<Vec<f32>>, Error> {
        if provider.wire == Wire::Anthropic {
            return Err(Error::NoEmbeddings);
        }
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let body = embeddings::request(&provider.model, texts);
        let answer = self.call(provider, &provider.embeddings_url(), Some(&body), limits)?;
        Ok(embeddings::reply(&answer, texts.len())?)
    }

    /// Lists the models of the server, in its order. Used when no model is configured.
    pub fn models(&self, provider: &Provider) -> Result<Vec<String>, Error> {
        let limits = Limits { timeout: MODELS };
        Ok(models::reply(&self.call(provider, &provider.models_url(), None, limits)?)?)
    }

    /// Sends a call, with retries; a call with a body is a POST.
    fn call(
        &self,
        provider: &Provider,
        url: &str,
        body: Option<&Value>,
        limits: Limits,
    ) -> Result<Vec<u8>, Error> {
        check_key(provider)?;
        let body = body.map(Value::to_string);
        let start = Instant::now();
        let mut attempt = 1;
        loop {
            let left = limits.timeout.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(Error::Timeout(limits.timeout));
            }
            let error = match self.attempt(provider, url, body.as_deref(), left) {
                Err(Error::Timeout(_)) => return Err(Error::Timeout(limits.timeout)),
                Err(error) => error,
                Ok(answer) => return Ok(answer),
            };
            let left = limits.timeout.saturating_sub(start.elapsed());
            let may = error.is_transient() && attempt < retry::ATTEMPTS;
            let pause = may.then(|| retry::pause(&error, attempt, left)).flatten();
            let Some(pause) = pause else { return Err(error) };
            thread::sleep(pause);
            attempt += 1;
        }
    }

    fn attempt(
        &self,
        provider: &Provider,
        url: &str,
        body: Option<&str>,
        left: Duration,
    ) -> Result<Vec<u8>, Error> {
        let agent = self.agent(provider);
        let failed = |error: ureq::Error| transport_error(provider, error, left, ANSWER_LIMIT);
        let sent = match body {
            Some(body) => signed(agent.post(url), provider, left).send(body),
            None => signed(agent.get(url), provider, left).call(),
        };
        let mut response = accepted(provider, sent.map_err(failed)?)?;
        response.body_mut().with_config().limit(ANSWER_LIMIT).read_to_vec().map_err(failed)
    }
}

/// Refuses a key that an HTTP header cannot carry, or that would be sent unencrypted to another machine.
fn check_key(provider: &Provider) -> Result<(), Error> {
    let Some(key) = &provider.key else { return Ok(()) };
    if !provider.base_url.is_private() && !provider.allow_plain_key {
        return Err(Error::PlainKey);
    }
    if !key.expose_secret().bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::BadKey);
    }
    Ok(())
}

/// The body of a chat call.
fn body(provider: &Provider, request: &Request) -> Value {
    match provider.wire {
        Wire::Anthropic => {
            let cache = if provider.caches { anthropic::Cache::Keep } else { anthropic::Cache::Leave };
            anthropic::request(&provider.model, request, cache)
        }
        Wire::OpenAi => {
            let is_own = provider.base_url.as_str() == Wire::OpenAi.home();
            let limit = if is_own { openai::Limit::Completion } else { openai::Limit::Tokens };
            openai::request(&provider.model, request, limit)
        }
        Wire::Responses => responses::request(&provider.model, request),
    }
}

/// Adds headers and time limits to a call.
fn signed<B>(call: RequestBuilder<B>, provider: &Provider, left: Duration) -> RequestBuilder<B> {
    let mut call = call.header("content-type", "application/json");
    if provider.wire == Wire::Anthropic {
        call = call.header("anthropic-version", anthropic::VERSION);
    }
    if let Some(key) = &provider.key {
        call = match provider.wire {
            Wire::Anthropic => call.header("x-api-key", key.expose_secret()),
            Wire::OpenAi | Wire::Responses => {
                call.header("authorization", format!("Bearer {}", key.expose_secret()))
            }
        };
    }
    call.config().timeout_global(Some(left)).timeout_connect(Some(CONNECT.min(left))).build()
}

/// The response, unless it is an error.
fn accepted(provider: &Provider, mut response: Response<Body>) -> Result<Response<Body>, Error> {
    let status = response.status().as_u16();
    if (200..300).contains(&status) {
        return Ok(response);
    }
    let header = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
    let retry_after = header.and_then(retry::retry_after);
    // The message of an error response is optional; the status is enough without it.
    let body = response.body_mut().with_config().limit(ERROR_LIMIT).read_to_vec().unwrap_or_default();
    // Before truncation, which could leave a part of the key that is not recognised.
    let body = clean(provider, &String::from_utf8_lossy(&body));
    let message = clean(provider, &error_message(body.as_bytes()));
    Err(Error::Status { status, message, retry_after })
}

fn agent(proxy: Option<ureq::Proxy>) -> Agent {
    let config = Agent::config_builder()
        .tls_config(tls())
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(proxy)
        .user_agent(USER_AGENT)
        .build();
    config.new_agent()
}

fn clean(provider: &Provider, text: &str) -> String {
    key::hide(provider.key.as_ref(), text)
}

fn transport_error(provider: &Provider, error: ureq::Error, left: Duration, limit: u64) -> Error {
    match error {
        ureq::Error::Timeout(_) => Error::Timeout(left),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => Error::Timeout(left),
        ureq::Error::BodyExceedsLimit(_) => Error::TooLarge(limit),
        error => Error::Unreachable(clean(provider, &error.to_string())),
    }
}
