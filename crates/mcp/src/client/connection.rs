//! One connection: the handshake, questions, and the end of everything behind it.

use super::{
    declare::{Declaration, Transport},
    error::StartError,
    expand::Mask,
    greeting::{Attempt, Handler, Purpose, classify},
    http,
    launch::{Command, Launch, Process, Tail},
    limits::STOP_GRACE,
    lines::Lines,
    text::quote,
    watch::{Conduct, Watched},
};
use rmcp::{
    RoleClient, ServiceError,
    model::{ClientRequest, CustomRequest},
    service::{ClientLifecycleMode, ClientServiceExt, Peer, RunningService},
    transport::{IntoTransport, async_rw::AsyncRwTransport},
};
use serde_json::Value;
use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// A server that closed its output gets this long to end by itself, so that its exit status can be reported.
const EXIT: Duration = Duration::from_secs(2);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(10);

/// What is behind a transport.
#[derive(Default)]
struct Backing {
    process: Option<Box<dyn Process>>,
    tail: Tail,
    conduct: Arc<Conduct>,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Asked {
    #[error("the connection is closed")]
    Closed,
    #[error("{message} ({code})")]
    Refused { code: i32, message: String },
    #[error("{0}")]
    Nonsense(String),
}

impl From<ServiceError> for Asked {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => {
                Self::Refused { code: error.code.0, message: quote(&error.message) }
            }
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => Self::Closed,
            ServiceError::UnexpectedResponse => Self::Nonsense("an answer to another question".to_owned()),
            other => Self::Nonsense(quote(&other.to_string())),
        }
    }
}

/// A server that has answered the handshake.
pub(crate) struct Connection {
    service: tokio::sync::Mutex<Option<RunningService<RoleClient, Handler>>>,
    peer: Peer<RoleClient>,
    conduct: Arc<Conduct>,
    changed: Arc<AtomicBool>,
    process: Mutex<Option<Box<dyn Process>>>,
    tail: Tail,
}

impl Connection {
    /// Starts a server and shakes hands, both before `deadline`.
    pub(crate) async fn start(
        declaration: &Declaration,
        launch: &dyn Launch,
        purpose: Purpose,
        deadline: Instant,
    ) -> Result<Self, StartError> {
        let mut started = Err(Attempt::Failed(StartError::Ended { said: String::new() }));
        for mode in purpose.modes(&declaration.transport) {
            let next = match &declaration.transport {
                Transport::Process(command) => {
                    Self::start_process(command, launch, purpose, mode, deadline).await
                }
                Transport::Http(endpoint) => {
                    let backing = Backing::default();
                    let transport = http::transport(endpoint, purpose.message_bytes(), &backing.conduct)?;
                    Self::shake(purpose.handler(), transport, mode, backing, deadline).await
                }
            };
            // The answer to the first request is more useful than the answer to the next.
            started = match (started, next) {
                (Err(Attempt::Refused(first)), Err(_)) => Err(Attempt::Failed(first)),
                (_, next) => next,
            };
            if !matches!(started, Err(Attempt::Refused(_))) {
                break;
            }
        }
        started.map_err(|attempt| StartError::from(attempt).hidden_by(&declaration.mask, declaration.startup))
    }

    async fn start_process(
        command: &Command,
        launch: &dyn Launch,
        purpose: Purpose,
        mode: ClientLifecycleMode,
        deadline: Instant,
    ) -> Result<Self, Attempt> {
        let launched = launch.launch(command).map_err(StartError::from)?;
        let backing =
            Backing { process: Some(launched.process), tail: launched.stderr, conduct: Arc::default() };
        let lines = Lines::new(launched.stdout, purpose.message_bytes(), Arc::clone(&backing.conduct));
        let transport = AsyncRwTransport::<RoleClient, _, _>::new_client(lines, launched.stdin)
            .with_max_line_length(usize::MAX);
        Self::shake(purpose.handler(), transport, mode, backing, deadline).await
    }

    /// Shakes hands over a transport. Whatever goes wrong, no process is left.
    async fn shake<T, E, A>(
        handler: Handler,
        transport: T,
        mode: ClientLifecycleMode,
        backing: Backing,
        deadline: Instant,
    ) -> Result<Self, Attempt>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let Backing { process, tail, conduct } = backing;
        let changed = Arc::clone(&handler.changed);
        let watched = Watched::new(transport.into_transport(), Arc::clone(&conduct));
        // Boxed, because otherwise the compiler loses sight of whether all of this can change threads.
        let greeting: Pin<Box<dyn Future<Output = _> + Send>> =
            Box::pin(handler.serve_with_lifecycle(watched, mode));
        let failure = match timeout_at(deadline, greeting).await {
            Ok(Ok(service)) => {
                let peer = service.peer().clone();
                let service = tokio::sync::Mutex::new(Some(service));
                return Ok(Self { service, peer, conduct, changed, process: Mutex::new(process), tail });
            }
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        let on_its_own = failure.is_some() && !conduct.was_ended();
        let patience = if on_its_own { EXIT } else { Duration::ZERO };
        let ended = end(process, patience, Duration::ZERO).await;
        tail.settle().await;
        if let Some(challenge) = conduct.challenge() {
            return Err(Attempt::Failed(StartError::SignIn(challenge)));
        }
        let said = said(ended.as_deref(), &conduct, &tail);
        Err(match failure {
            None => Attempt::Failed(StartError::Timeout { within: Duration::ZERO, said }),
            Some(error) => classify(&error, said),
        })
    }

    /// Asks a question by its method, and waits for the answer as long as it takes.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Result<Value, Asked> {
        self.conduct.asking();
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        let answer = self.peer.send_request(request).await?;
        serde_json::to_value(answer).map_err(|_| Asked::Nonsense("an answer that is not JSON".to_owned()))
    }

    /// The other side.
    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.conduct.asking();
        &self.peer
    }

    /// Whether the server reported that its tools changed. Asking resets it.
    pub(crate) fn tools_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// Whether it can still be spoken to.
    pub(crate) fn is_alive(&self) -> bool {
        !self.peer.is_transport_closed() && self.exited().is_none()
    }

    /// How the process ended, if it has.
    pub(crate) fn exited(&self) -> Option<String> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.as_mut().and_then(|process| process.exited())
    }

    /// Everything known about its end.
    pub(crate) async fn last_words(&self) -> String {
        // Only what ended of its own has more to say.
        if self.peer.is_transport_closed() && !self.conduct.was_ended() {
            self.tail.settle().await;
            let start = Instant::now();
            while self.exited().is_none() && start.elapsed() < EXIT {
                sleep(LOOK).await;
            }
        }
        said(self.exited().as_deref(), &self.conduct, &self.tail)
    }

    /// What it does wrong although it works.
    pub(crate) fn misconduct(&self) -> Vec<String> {
        self.conduct.told()
    }

    /// Ends the connection and the whole process group, and waits for both.
    pub(crate) async fn stop(&self) {
        if let Some(mut service) = self.service.lock().await.take() {
            let _ = service.close_with_timeout(STOP_GRACE).await;
        }
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        end(process, Duration::ZERO, STOP_GRACE).await;
    }
}

/// Ends a process on a thread that may wait. How it ended of its own, if it did within `patience`.
async fn end(process: Option<Box<dyn Process>>, patience: Duration, grace: Duration) -> Option<String> {
    let mut process = process?;
    let ended = tokio::task::spawn_blocking(move || {
        let start = std::time::Instant::now();
        let mut ended = process.exited();
        while ended.is_none() && start.elapsed() < patience {
            std::thread::sleep(LOOK);
            ended = process.exited();
        }
        process.stop(grace);
        ended
    });
    // Its own bound, should a sandbox hang; dropping the handle is the last word anyway.
    timeout(Duration::from_secs(30), ended).await.ok()?.ok()?
}

fn said(ended: Option<&str>, conduct: &Conduct, tail: &Tail) -> String {
    let mut said = String::new();
    if let Some(ended) = ended {
        said = format!(" ({ended})");
    }
    for sentence in conduct.told() {
        said = format!("{said}; {sentence}");
    }
    let tail = quote(&tail.text());
    if !tail.is_empty() {
        said = format!("{said}; it wrote: {tail}");
    }
    said
}

impl StartError {
    /// Without secrets, and with the time that it really had.
    fn hidden_by(self, mask: &Mask, startup: Duration) -> Self {
        match self {
            Self::Timeout { said, .. } => Self::Timeout { within: startup, said: mask.hide(&said) },
            Self::Ended { said } => Self::Ended { said: mask.hide(&said) },
            Self::Handshake { why, said } => Self::Handshake { why: mask.hide(&why), said: mask.hide(&said) },
            other => other,
        }
    }
}
