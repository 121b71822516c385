//! An answer as it comes, for a caller who may change their mind.

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

/// How often the caller looks whether the answer is still wanted.
const LOOK: Duration = Duration::from_millis(50);
/// Bytes of one piece, and pieces that wait for the caller. When there are more, the server waits.
const PIECE: usize = 16 << 10;
const PIECES: usize = 16;
/// Servers whose addresses are remembered for a peculiarity.
const SERVERS: usize = 64;

/// How far an answer in pieces may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// All of it: every attempt and every pause between them.
    pub total: Duration,
    /// The longest silence.
    pub idle: Duration,
    /// Calls at most, the first included.
    pub attempts: u32,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self { total: Duration::from_mins(10), idle: Duration::from_secs(90), attempts: 5 }
    }
}

/// What the thread that reads tells the caller.
enum Piece {
    /// The server begins to answer.
    Begins,
    Bytes(Vec<u8>),
    End,
    Failed(Failure),
}

/// Why an attempt failed, and whether another may help.
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
    /// Asks a model and gives its answer to `on` as it comes, then as a whole. It returns soon after `cancel`
    /// was said; a silent connection is closed by a thread of its own, at the latest when the time is up.
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
        if provider.wire == Wire::OpenAi && !self.is_countless(provider) {
            body["stream_options"] = json!({ "include_usage": true });
        }
        let mut attempt = 1;
        loop {
            watch.look()?;
            let failure = match self.try_stream(provider, &body, &watch, on) {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            watch.look()?;
            if is_about_counts(&failure.error, &mut body) {
                self.remember_countless(provider);
                continue;
            }
            let may = failure.is_passing && attempt < limits.attempts;
            let pause = may.then(|| retry::pause(&failure.error, attempt, watch.left())).flatten();
            let Some(pause) = pause else { return Err(failure.error) };
            attempt += 1;
            on(Delta::Again { attempt, pause, why: failure.error.to_string() });
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
            // A caller who is gone needs no last word.
            if let Some(last) = last {
                let _gone = sender.send(last);
            }
        });
        spawned.map_err(|error| Error::Unreachable(format!("no thread to read with: {error}")))?;
        let mut decoder = Decoder::new(provider.wire).hiding(provider.key.clone());
        loop {
            let piece = match watch.next(&receiver) {
                Ok(piece) => piece,
                // All was said; only the connection stayed open.
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

    fn is_countless(&self, provider: &Provider) -> bool {
        let countless = self.countless.lock().unwrap_or_else(PoisonError::into_inner);
        countless.contains(provider.base_url.as_str())
    }

    fn remember_countless(&self, provider: &Provider) {
        let mut countless = self.countless.lock().unwrap_or_else(PoisonError::into_inner);
        if countless.len() < SERVERS {
            countless.insert(provider.base_url.as_str().to_owned());
        }
    }
}

/// Whether a server refuses to be asked for counts, and then asks no more.
fn is_about_counts(error: &Error, body: &mut Value) -> bool {
    let Error::Status { status: 400 | 422, message, .. } = error else { return false };
    let is_named = ["stream_options", "include_usage"].into_iter().any(|word| message.contains(word));
    is_named && body.as_object_mut().is_some_and(|body| body.remove("stream_options").is_some())
}

/// Clock and wish of the caller.
struct Watch<'a> {
    cancel: &'a Cancel,
    limits: StreamLimits,
    start: Instant,
}

impl Watch<'_> {
    fn left(&self) -> Duration {
        self.limits.total.saturating_sub(self.start.elapsed())
    }

    fn look(&self) -> Result<(), Error> {
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if self.left().is_zero() { Err(Error::Timeout(self.limits.total)) } else { Ok(()) }
    }

    fn wait(&self, pause: Duration) -> Result<(), Error> {
        let start = Instant::now();
        loop {
            self.look()?;
            let left = pause.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(LOOK));
        }
    }

    fn next(&self, receiver: &Receiver<Piece>) -> Result<Piece, Error> {
        let start = Instant::now();
        loop {
            self.look()?;
            let left = self.limits.idle.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(Error::Stalled(self.limits.idle));
            }
            match receiver.recv_timeout(left.min(LOOK)) {
                Ok(piece) => return Ok(piece),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Error::Cut),
            }
        }
    }
}

/// Hands the body over; the last word, unless nobody listens any more.
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
            // The time that is over is the caller's own, who looks at it too.
            Err(_) => return Some(Piece::Failed(Error::Cut.into())),
        }
    }
}

/// Why there was no response. What a server that starts or restarts looks like may pass.
fn failure(provider: &Provider, error: ureq::Error, left: Duration) -> Failure {
    use io::ErrorKind as Kind;
    match error {
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            Failure { error: Error::Unreachable("no connection in time".to_owned()), is_passing: true }
        }
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
