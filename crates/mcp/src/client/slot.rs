//! One server of a skill: started when it is needed, stopped when it is idle, with its tools.

use super::{
    connection::{Asked, Connection},
    declare::Declaration,
    error::StartError,
    greeting::Purpose,
    launch::Launch,
    limits::TIMEOUTS_IN_A_ROW,
    listing,
    servers::{Options, ServerState},
    sign_in::Challenge,
    tool::Tool,
};
use skillful_format::{Code, Diagnostic};
use std::{
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// While a call is open, how often the process behind it is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// The place of one server.
pub(crate) struct Slot {
    pub(crate) declaration: Declaration,
    inside: tokio::sync::Mutex<Inside>,
    /// The tools of the last list. They stay known while the server rests, so that a call can wake it.
    tools: Mutex<Arc<Listed>>,
    open_calls: AtomicUsize,
    timeouts: AtomicU32,
    used: Mutex<Instant>,
}

#[derive(Default)]
pub(crate) struct Listed {
    pub(crate) tools: Vec<Tool>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

enum Inside {
    Stopped,
    Running(Arc<Connection>),
    Failed { at: Instant, why: StartError },
}

impl Slot {
    pub(crate) fn new(declaration: Declaration) -> Self {
        Self {
            declaration,
            inside: tokio::sync::Mutex::new(Inside::Stopped),
            tools: Mutex::default(),
            open_calls: AtomicUsize::new(0),
            timeouts: AtomicU32::new(0),
            used: Mutex::new(Instant::now()),
        }
    }

    /// The connection, started if there is none.
    pub(crate) async fn awake(
        self: &Arc<Self>,
        launch: &Arc<dyn Launch>,
        options: Options,
    ) -> Result<Arc<Connection>, StartError> {
        // Before the lock, so that the idle watch does not stop a server that is about to be used.
        let _open = self.open_call();
        let mut inside = self.inside.lock().await;
        match &*inside {
            Inside::Running(connection) if connection.is_alive() => {
                let connection = Arc::clone(connection);
                if !connection.tools_changed() {
                    return Ok(connection);
                }
                match timeout(self.declaration.startup, self.list(&connection)).await {
                    Ok(Ok(())) => return Ok(connection),
                    // It says that its tools changed and cannot say to what: begin anew.
                    _ => connection.stop().await,
                }
            }
            Inside::Running(connection) => connection.stop().await,
            Inside::Failed { at, why } => {
                let next = options.retry_pause.saturating_sub(at.elapsed());
                if !next.is_zero() {
                    return Err(StartError::Again { before: Box::new(why.clone()), next });
                }
            }
            Inside::Stopped => {}
        }
        *inside = Inside::Stopped;
        match self.start(launch).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                *inside = Inside::Running(Arc::clone(&connection));
                tokio::spawn(watch_idle(Arc::downgrade(self), Arc::downgrade(&connection)));
                Ok(connection)
            }
            Err(why) => {
                *inside = Inside::Failed { at: Instant::now(), why: why.clone() };
                Err(why)
            }
        }
    }

    /// What the server said when it wanted its user to sign in.
    pub(crate) async fn challenge(&self) -> Option<Challenge> {
        match &*self.inside.lock().await {
            Inside::Failed { why: StartError::SignIn(challenge), .. } => Some(challenge.clone()),
            _ => None,
        }
    }

    pub(crate) async fn state(&self) -> ServerState {
        match &*self.inside.lock().await {
            Inside::Running(connection) if connection.is_alive() => ServerState::Running,
            Inside::Running(_) | Inside::Stopped => ServerState::Stopped,
            Inside::Failed { .. } => ServerState::Failed,
        }
    }

    /// A call had no answer in time. A server that does this again and again hangs, and is stopped.
    pub(crate) async fn ran_out_of_time(&self, connection: &Arc<Connection>) {
        if self.timeouts.fetch_add(1, Ordering::AcqRel) + 1 >= TIMEOUTS_IN_A_ROW {
            self.stop_if(connection).await;
        }
    }

    pub(crate) fn was_in_time(&self) {
        self.timeouts.store(0, Ordering::Release);
    }

    async fn start(&self, launch: &Arc<dyn Launch>) -> Result<Connection, StartError> {
        let deadline = Instant::now() + self.declaration.startup;
        let connection =
            Connection::start(&self.declaration, launch.as_ref(), Purpose::Tools, deadline).await?;
        let listed = tokio::time::timeout_at(deadline, self.list(&connection)).await;
        if let Ok(Ok(())) = listed {
            return Ok(connection);
        }
        let said = self.declaration.mask.hide(&connection.last_words().await);
        connection.stop().await;
        Err(match listed {
            Err(_) => StartError::Timeout { within: self.declaration.startup, said },
            Ok(Err(Asked::Closed) | Ok(())) => StartError::Ended { said },
            Ok(Err(why)) => StartError::Handshake {
                why: self.declaration.mask.hide(&why.to_string()),
                said: String::new(),
            },
        })
    }

    async fn list(&self, connection: &Connection) -> Result<(), Asked> {
        let (tools, diagnostics) = listing::tools(connection, &self.declaration).await?;
        let listed = Arc::new(Listed { tools, diagnostics });
        *self.tools.lock().unwrap_or_else(PoisonError::into_inner) = listed;
        Ok(())
    }

    pub(crate) fn listed(&self) -> Arc<Listed> {
        Arc::clone(&self.tools.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn misconduct(&self, connection: &Connection) -> Vec<Diagnostic> {
        let Declaration { skill, file, mask, .. } = &self.declaration;
        let told = |what: &String| {
            let message = mask.hide(&format!("the MCP server of `{skill}` works, but {what}"));
            let told = Diagnostic::new(Code::McpMisbehaved, message).in_path(file);
            told.help("report it to the author of the server; its log belongs to stderr")
        };
        connection.misconduct().iter().map(told).collect()
    }

    pub(crate) fn open_call(&self) -> OpenCall<'_> {
        self.open_calls.fetch_add(1, Ordering::AcqRel);
        OpenCall(self)
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// When it will have been idle for long enough; `None` while it is in use.
    fn idle_at(&self) -> Option<Instant> {
        let used = *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        (self.open_calls.load(Ordering::Acquire) == 0).then_some(used + self.declaration.idle)
    }

    pub(crate) async fn stop(&self) {
        let mut inside = self.inside.lock().await;
        if let Inside::Running(connection) = std::mem::replace(&mut *inside, Inside::Stopped) {
            connection.stop().await;
        }
        self.was_in_time();
    }

    /// Stops this very connection, if it is still the one.
    pub(crate) async fn stop_if(&self, connection: &Arc<Connection>) {
        let mut inside = self.inside.lock().await;
        if matches!(&*inside, Inside::Running(running) if Arc::ptr_eq(running, connection)) {
            *inside = Inside::Stopped;
        }
        self.was_in_time();
        connection.stop().await;
    }
}

/// A use of a server that is going on.
pub(crate) struct OpenCall<'a>(&'a Slot);

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.0.touch();
        self.0.open_calls.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Stops a connection that was not used for its idle time. Ends with the connection.
async fn watch_idle(slot: Weak<Slot>, connection: Weak<Connection>) {
    loop {
        if connection.strong_count() == 0 {
            return;
        }
        let Some(at) = slot.upgrade().map(|slot| slot.idle_at()) else { return };
        match at {
            Some(at) if at <= Instant::now() => {}
            Some(at) => {
                sleep_until(at).await;
                continue;
            }
            None => {
                sleep(LOOK).await;
                continue;
            }
        }
        let (Some(slot), Some(connection)) = (slot.upgrade(), connection.upgrade()) else { return };
        let mut inside = slot.inside.lock().await;
        if !matches!(&*inside, Inside::Running(running) if Arc::ptr_eq(running, &connection)) {
            return;
        }
        // Somebody may have come while we waited for the lock.
        if slot.idle_at().is_some_and(|at| at <= Instant::now()) {
            *inside = Inside::Stopped;
            connection.stop().await;
            return;
        }
    }
}

/// Returns when the process behind a connection has been gone for a while: a process that it started
/// may still hold its pipes.
pub(crate) async fn death(connection: &Connection) {
    loop {
        sleep(LOOK).await;
        if connection.exited().is_some() {
            sleep(4 * LOOK).await;
            return;
        }
    }
}
