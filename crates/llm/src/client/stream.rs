//! Streams an answer to a caller who can cancel it.

use super::{Client, accepted, body, check_key, clean, signed};
use crate::{
    error::Error,
    message::{Reply, Request},
    provider::{Provider, Wire},
    retry,
    stream::{Cancel, Delta},
    wire::{Decoder, shown},
};
use serde_json::{Value, json};
use std::{
    io::{self, Read as _},
    sync::{
        PoisonError,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};
use ureq::{Body, http::Response};

/// How often the caller checks whether it was cancelled.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Size of one piece in bytes, and number of pieces that are buffered. When the buffer is full, reading from
/// the server stops until the caller catches up.
const PIECE: usize = 16 << 10;
const PIECES: usize = 16;
/// Number of servers whose refusal of token counts is remembered.
const SERVERS: usize = 64;

/// Limits of a streamed answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// Time limit of the whole call, with every attempt and every pause between them.
    pub total: Duration,
    /// Longest time without data.
    pub idle: Duration,
    /// Largest number of attempts, the first included.
    pub attempts: u32,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self { total: Duration::from_mins(10), idle: Duration::from_secs(90), attempts: 5 }
    }
}

/// A message from the reading thread to the caller.
enum Piece {
    /// The server starts to answer.
    Begins,
    Bytes(Vec<u8>),
    End,
    Failed(Failure),
}

/// Why an attempt failed, and whether a retry may help.
struct Failure {
    error: Error,
    is_passing: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { is_passing: error.is_transient(), error }
    }
}

impl Client {
    /// Calls a model, passes the answer to `on` piece by piece, and returns it as a whole. Returns soon after
    /// `cancel`; a separate thread closes a silent connection when the time limit is reached at the latest.
    pub fn stream(
        &self,
        provider: &Provider,
        request: &Request,
        limits: StreamLimits,
        cancel: &Cancel,
        on: &mut dyn FnMut(Delta),
    ) -> Result<Reply, Error> {
        check_key(provider)?;
        let watch = Watch { cancel, limits, start: Instant::now() };
        let mut body = body(provider, request);
        body["stream"] = json!(true);
        if provider.wire == Wire::OpenAi && !self.refuses_counts(provider) {
            body["stream_options"] = json!({ "include_usage": true });
        }
        let mut attempt = 1;
        loop {
            watch.check()?;
            let failure = match self.try_stream(provider, &body, &watch, on) {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            watch.check()?;
            if is_about_counts(&failure.error, &mut body) {
                self.remember_refused_counts(provider);
                continue;
            }
            let may = failure.is_passing && attempt < limits.attempts;
            let pause = may.then(|| retry::pause(&failure.error, attempt, watch.left())).flatten();
            let Some(pause) = pause else { return Err(failure.error) };
            attempt += 1;
            on(Delta::Retry { attempt, pause, why: failure.error.to_string() });
            watch.wait(pause)?;
        }
    }

    fn try_stream(
        &self,
        provider: &Provider,
        body: &Value,
        watch: &Watch<'_>,
        on: &mut dyn FnMut(Delta),
    ) -> Result<Reply, Failure> {
        let left = watch.left();
        let call = signed(self.agent(provider).post(provider.chat_url()), provider, left)
            .header("accept", "text/event-stream, application/json");
        let (sender, receiver) = sync_channel(PIECES);
        let text = body.to_string();
        let reading = provider.clone();
        let spawned = thread::Builder::new().name("model".to_owned()).spawn(move || {
            let last = match call.send(text) {
                Ok(response) => read(&reading, response, &sender),
                Err(error) => Some(Piece::Failed(failure(&reading, error, left))),
            };
            // A caller that has gone away ignores the last message.
            if let Some(last) = last {
                let _gone = sender.send(last);
            }
        });
        spawned.map_err(|error| {
            Error::Unreachable(format!("the thread that reads the answer could not start: {error}"))
        })?;
        let mut decoder = Decoder::new(provider.wire).hiding(provider.key.clone());
        loop {
            let piece = match watch.next(&receiver) {
                Ok(piece) => piece,
                // The answer is complete; only the connection stayed open.
                Err(Error::Stalled(_)) if decoder.is_complete() => Piece::End,
                Err(error) => return Err(error.into()),
            };
            match piece {
                Piece::Begins => {}
                Piece::Bytes(bytes) => {
                    decoder.push(&bytes)?.into_iter().for_each(&mut *on);
                    if decoder.is_done() {
                        return Ok(decoder.finish()?);
                    }
                }
                Piece::Failed(_) if decoder.is_complete() => return Ok(decoder.finish()?),
                Piece::Failed(failure) => return Err(failure),
                Piece::End => {
                    let is_whole = decoder.is_whole();
                    let reply = decoder.finish()?;
                    if is_whole {
                        shown(&reply).into_iter().for_each(&mut *on);
                    }
                    return Ok(reply);
                }
            }
        }
    }

    fn refuses_counts(&self, provider: &Provider) -> bool {
        let without_counts = self.without_counts.lock().unwrap_or_else(PoisonError::into_inner);
        without_counts.contains(provider.base_url.as_str())
    }

    fn remember_refused_counts(&self, provider: &Provider) {
        let mut without_counts = self.without_counts.lock().unwrap_or_else(PoisonError::into_inner);
        if without_counts.len() < SERVERS {
            without_counts.insert(provider.base_url.as_str().to_owned());
        }
    }
}

/// Whether a server refuses the option for token counts. If so, the option is removed from the body.
fn is_about_counts(error: &Error, body: &mut Value) -> bool {
    let Error::Status { status: 400 | 422, message, .. } = error else { return false };
    let is_named = ["stream_options", "include_usage"].into_iter().any(|word| message.contains(word));
    is_named && body.as_object_mut().is_some_and(|body| body.remove("stream_options").is_some())
}

/// The time limit and the cancellation of the caller.
struct Watch<'a> {
    cancel: &'a Cancel,
    limits: StreamLimits,
    start: Instant,
}

impl Watch<'_> {
    fn left(&self) -> Duration {
        self.limits.total.saturating_sub(self.start.elapsed())
    }

    fn check(&self) -> Result<(), Error> {
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if self.left().is_zero() { Err(Error::Timeout(self.limits.total)) } else { Ok(()) }
    }

    fn wait(&self, pause: Duration) -> Result<(), Error> {
        let start = Instant::now();
        loop {
            self.check()?;
            let left = pause.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(CHECK_INTERVAL));
        }
    }

    fn next(&self, receiver: &Receiver<Piece>) -> Result<Piece, Error> {
        let start = Instant::now();
        loop {
            self.check()?;
            let left = self.limits.idle.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(Error::Stalled(self.limits.idle));
            }
            match receiver.recv_timeout(left.min(CHECK_INTERVAL)) {
                Ok(piece) => return Ok(piece),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Error::Cut),
            }
        }
    }
}

/// Passes the body to the caller. Returns the last message, or `None` when the caller has gone away.
fn read(provider: &Provider, response: Response<Body>, sender: &SyncSender<Piece>) -> Option<Piece> {
    sender.send(Piece::Begins).ok()?;
    let response = match accepted(provider, response) {
        Ok(response) => response,
        Err(error) => return Some(Piece::Failed(error.into())),
    };
    let mut reader = response.into_body().into_with_config().limit(u64::MAX).reader();
    let mut piece = vec![0; PIECE];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Some(Piece::End),
            Ok(read) => {
                sender.send(Piece::Bytes(piece.get(..read).unwrap_or_default().to_vec())).ok()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Reading ends with the caller's own time limit, and the caller reports that itself.
            Err(_) => return Some(Piece::Failed(Error::Cut.into())),
        }
    }
}

/// Why there was no response. Errors that are typical of a server that is starting are worth a retry.
fn failure(provider: &Provider, error: ureq::Error, left: Duration) -> Failure {
    use io::ErrorKind as Kind;
    match error {
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => Failure {
            error: Error::Unreachable("the server did not accept a connection in time".to_owned()),
            is_passing: true,
        },
        ureq::Error::Timeout(_) => Error::Timeout(left).into(),
        ureq::Error::Io(error) if error.kind() == Kind::TimedOut => Error::Timeout(left).into(),
        error => {
            let is_passing = match &error {
                ureq::Error::Io(error) => matches!(
                    error.kind(),
                    Kind::ConnectionRefused
                        | Kind::ConnectionReset
                        | Kind::ConnectionAborted
                        | Kind::BrokenPipe
                        | Kind::UnexpectedEof
                        | Kind::NotConnected
                ),
                ureq::Error::ConnectionFailed => true,
                _ => false,
            };
            Failure { error: Error::Unreachable(clean(provider, &error.to_string())), is_passing }
        }
    }
}
