//! How much clients may take: connections, time, bytes and sessions. A client that waits gives way to one that asks.

use rmcp::transport::streamable_http_server::session::{
    SessionId, SessionManager, local::LocalSessionManager,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::Notify;

/// Connections at a time.
pub(super) const CONNECTIONS: usize = 128;
/// Bytes of a request; a proposed skill is the largest request.
pub(super) const REQUEST_LIMIT: usize = 1 << 20;
/// A body of this many bytes is small.
pub(super) const SMALL_BODY: u64 = 64 << 10;
/// Requests with larger bodies, or of unknown length, that are read at a time.
pub(super) const BODIES: usize = 32;
/// How long the head of a request may take, and how long a connection may wait for one.
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the body of a request may take.
pub(super) const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of the head of a request.
pub(super) const HEAD_LIMIT: usize = 32 << 10;
/// Lines in the head of a request.
pub(super) const HEADERS: usize = 64;
/// Sessions at a time; a new one ends the one that was not used for longest.
const SESSIONS: usize = 256;
/// A session that is not used for this long ends.
const SESSION_IDLE: Duration = Duration::from_mins(5);

/// The open connections.
#[derive(Default)]
pub(super) struct Connections {
    open: Mutex<Vec<Arc<Connection>>>,
}

/// One connection.
pub(super) struct Connection {
    /// Since when no request is under way; `None` while one is.
    waits: Mutex<Option<Instant>>,
    closed: Notify,
}

impl Connections {
    /// Takes a connection in. When all places are taken, the connection that has waited longest for a request is
    /// closed; when all are at work the new one is refused.
    pub(super) fn enter(&self) -> Option<Arc<Connection>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= CONNECTIONS {
            let waiting = open.iter().enumerate().filter_map(|(at, one)| Some((one.waits()?, at)));
            let (_, oldest) = waiting.min()?;
            open.swap_remove(oldest).closed.notify_one();
        }
        let waits = Mutex::new(Some(Instant::now()));
        let connection = Arc::new(Connection { waits, closed: Notify::new() });
        open.push(Arc::clone(&connection));
        Some(connection)
    }

    /// A connection ended.
    pub(super) fn leave(&self, connection: &Arc<Connection>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|one| !Arc::ptr_eq(one, connection));
    }
}

impl Connection {
    fn waits(&self) -> Option<Instant> {
        *self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a request as under way, until the returned value is dropped.
    pub(super) fn works(self: &Arc<Self>) -> AtWork {
        *self.waits.lock().unwrap_or_else(PoisonError::into_inner) = None;
        AtWork(Arc::clone(self))
    }

    /// Done when the connection has to give way.
    pub(super) async fn closed(&self) {
        self.closed.notified().await;
    }
}

/// A request that is under way.
pub(super) struct AtWork(Arc<Connection>);

impl Drop for AtWork {
    fn drop(&mut self) {
        *self.0.waits.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

/// The sessions, with the time at which each was last used.
pub(super) struct Sessions {
    pub(super) manager: Arc<LocalSessionManager>,
    used: Mutex<HashMap<SessionId, Instant>>,
}

impl Sessions {
    pub(super) fn new() -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(SESSION_IDLE);
        Self { manager: Arc::new(manager), used: Mutex::default() }
    }

    /// A session was used. One that is not known is not remembered.
    pub(super) async fn used(&self, id: &str) {
        if let Some((id, _)) = self.manager.sessions.read().await.get_key_value(id) {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.insert(Arc::clone(id), Instant::now());
        }
    }

    /// Makes room for one more session.
    pub(super) async fn make_room(&self) {
        loop {
            let oldest = {
                let sessions = self.manager.sessions.read().await;
                let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
                used.retain(|id, _| sessions.contains_key(id));
                if sessions.len() < SESSIONS {
                    return;
                }
                sessions.keys().min_by_key(|id| used.get(*id).copied()).cloned()
            };
            let Some(oldest) = oldest else { return };
            // It is out of the map either way.
            let _ended = self.manager.close_session(&oldest).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_that_waits_longest_gives_way_and_one_at_work_stays() {
        let connections = Connections::default();
        let first = connections.enter().unwrap();
        let busy = first.works();
        let all: Vec<_> = (1..CONNECTIONS).map(|_| connections.enter().unwrap()).collect();
        let late = connections.enter().unwrap();
        assert_eq!(connections.open.lock().unwrap().len(), CONNECTIONS);
        assert!(connections.open.lock().unwrap().iter().any(|one| Arc::ptr_eq(one, &first)), "it is at work");
        assert!(
            !connections.open.lock().unwrap().iter().any(|one| Arc::ptr_eq(one, &all[0])),
            "it waited longest"
        );
        let work: Vec<_> = all.iter().chain([&late]).map(Connection::works).collect();
        assert!(connections.enter().is_none(), "all are at work");
        drop((work, busy));
        connections.leave(&late);
        assert!(connections.enter().is_some());
    }
}
