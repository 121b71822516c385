//! The conduct of a server, watched at its messages: unrequested answers, and floods.

use super::{limits::UNASKED_MESSAGES, sign_in::Challenge, text::quote};
use rmcp::{
    RoleClient,
    model::{JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use std::{
    collections::HashSet,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Questions that may be open, or were given up on, before the oldest are forgotten.
const OPEN_QUESTIONS: usize = 10_000;

/// What is known of a server's behaviour. Shared by everything that reads from it.
#[derive(Debug, Default)]
pub(crate) struct Conduct(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    noise: u64,
    first_noise: String,
    unasked_answers: u64,
    unasked: u64,
    reason: Option<String>,
    challenge: Option<Challenge>,
}

impl Conduct {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line that is not a message. Returns how many there were.
    pub(crate) fn noise(&self, line: &[u8]) -> u64 {
        let mut seen = self.seen();
        if seen.noise == 0 {
            // Cut before it is decoded: a line may be megabytes.
            seen.first_noise = quote(&String::from_utf8_lossy(&line[..line.len().min(1024)]));
        }
        seen.noise += 1;
        seen.noise
    }

    /// The connection ends, and why. The first reason counts.
    pub(crate) fn ends(&self, reason: String) {
        self.seen().reason.get_or_insert(reason);
    }

    /// The server wants its user to sign in.
    pub(crate) fn challenged(&self, challenge: Challenge) {
        self.seen().challenge = Some(challenge);
    }

    /// What the server said when it wanted its user to sign in.
    pub(crate) fn challenge(&self) -> Option<Challenge> {
        self.seen().challenge.clone()
    }

    /// Whether it was us who ended the connection.
    pub(crate) fn was_ended(&self) -> bool {
        self.seen().reason.is_some()
    }

    /// A question of ours is about to be asked.
    pub(crate) fn asking(&self) {
        self.seen().unasked = 0;
    }

    /// Whether one more unrequested message exceeds the limit.
    fn is_flood(&self) -> bool {
        let mut seen = self.seen();
        seen.unasked += 1;
        seen.unasked > UNASKED_MESSAGES
    }

    /// Everything worth telling, as sentences about "it".
    pub(crate) fn told(&self) -> Vec<String> {
        let seen = self.seen();
        let mut told = Vec::new();
        if seen.noise > 0 {
            let (noise, first) = (seen.noise, &seen.first_noise);
            told.push(format!(
                "it wrote {noise} lines to its output that are not messages; the first: `{first}`"
            ));
        }
        if seen.unasked_answers > 0 {
            told.push(format!("it sent {} answers without a request", seen.unasked_answers));
        }
        told.extend(seen.reason.clone());
        told
    }
}

/// A transport whose messages are counted.
pub(crate) struct Watched<T> {
    inner: T,
    conduct: Arc<Conduct>,
    open: HashSet<RequestId>,
}

impl<T> Watched<T> {
    pub(crate) fn new(inner: T, conduct: Arc<Conduct>) -> Self {
        Self { inner, conduct, open: HashSet::new() }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item {
            // Given up on long ago, all of them.
            if self.open.len() >= OPEN_QUESTIONS {
                self.open.clear();
            }
            self.open.insert(request.id.clone());
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.inner.receive().await?;
            let answers = match &message {
                JsonRpcMessage::Response(response) => Some(self.open.remove(&response.id)),
                JsonRpcMessage::Error(error) => error.id.as_ref().map(|id| self.open.remove(id)),
                _ => None,
            };
            if answers == Some(true) {
                return Some(message);
            }
            if self.conduct.is_flood() {
                let reason = format!("it sent more than {UNASKED_MESSAGES} unrequested messages");
                self.conduct.ends(reason);
                return None;
            }
            if answers.is_none() {
                return Some(message);
            }
            self.conduct.seen().unasked_answers += 1;
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
