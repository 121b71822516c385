//! Serving the socket: one thread accepts, and a bounded number of threads answer.

use super::{
    CONNECTIONS, REQUEST_LIMIT, TALK_TIME,
    handler::{Explained, RequestHandler},
    protocol::{Reason, Reply, Request},
    refusal_log::RequestKind,
    runner::StopFlag,
    socket::{self, Bound, SocketError},
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    io::{self, Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

#[cfg(test)]
mod tests;

/// Pause after a failed accept: the cause, such as too many open files, needs time to pass.
const PAUSE: Duration = Duration::from_millis(20);
/// How often a proxy without free slots checks whether it should end.
const LOOK: Duration = Duration::from_millis(100);
/// Time to wait for running programs to end.
const END_TIME: Duration = Duration::from_secs(5);
/// Bytes read at once.
const CHUNK: usize = 16 << 10;

/// Where the socket is and whose processes it serves.
#[derive(Clone, Debug)]
pub struct SocketOptions {
    /// The socket itself, in a private folder; without it, one in a new folder below [`Self::base`].
    pub path: Option<PathBuf>,
    /// Where the new folder is made. Short: a socket's path has about a hundred bytes.
    pub base: PathBuf,
    /// The user whose processes are served.
    pub user: u32,
    /// Time for a request to arrive.
    pub talk_time: Duration,
}

impl SocketOptions {
    /// A new socket below a folder, for processes of the current user.
    pub fn below(base: impl Into<PathBuf>) -> Self {
        Self { path: None, base: base.into(), user: socket::own_user(), talk_time: TALK_TIME }
    }
}

/// A proxy that is serving. It ends when it is dropped.
pub struct Proxy {
    path: PathBuf,
    handler: Arc<RequestHandler>,
    wake: UnixStream,
    accepting: Option<JoinHandle<()>>,
    slots: Arc<Slots>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Proxy {
    /// Opens the socket and serves it until [`Self::stop`].
    pub fn start(options: &SocketOptions, handler: RequestHandler) -> Result<Self, SocketError> {
        let bound = match &options.path {
            Some(path) => socket::bind(path)?,
            None => socket::bind_below(&options.base)?,
        };
        let path = bound.path.clone();
        let failed = |error| SocketError::Io { what: "serve", path: path.clone(), error };
        bound.listener.set_nonblocking(true).map_err(failed)?;
        let (wake, woken) = UnixStream::pair().map_err(failed)?;
        let (handler, slots) = (Arc::new(handler), Arc::new(Slots::default()));
        let serving = Serving {
            handler: Arc::clone(&handler),
            slots: Arc::clone(&slots),
            user: options.user,
            talk_time: options.talk_time,
        };
        let accepting = std::thread::Builder::new()
            .name("proxy".to_owned())
            .spawn(move || {
                let bound: Bound = bound;
                serving.serve(|| next(&bound.listener, &woken));
            })
            .map_err(failed)?;
        Ok(Self { path, handler, wake, accepting: Some(accepting), slots })
    }

    /// The path of the socket.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The handler that answers requests.
    pub fn handler(&self) -> &RequestHandler {
        &self.handler
    }

    /// Closes the socket and ends running programs. A second call does nothing.
    pub fn stop(&mut self) {
        let Some(accepting) = self.accepting.take() else { return };
        self.handler.stop().set();
        drop(self.wake.write_all(&[1]));
        // It cannot panic on a request: requests have threads of their own.
        drop(accepting.join());
        self.slots.wait_empty(END_TIME);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The next connection; `None` when the proxy should end.
fn next(listener: &UnixListener, woken: &UnixStream) -> io::Result<Option<UnixStream>> {
    let mut wanted = [PollFd::new(listener, PollFlags::IN), PollFd::new(woken, PollFlags::IN)];
    let forever: Option<&Timespec> = None;
    poll(&mut wanted, forever)?;
    if !wanted[1].revents().is_empty() {
        return Ok(None);
    }
    let (stream, _) = listener.accept()?;
    stream.set_nonblocking(false)?;
    Ok(Some(stream))
}

/// The slots for requests that are served at once.
#[derive(Default)]
struct Slots {
    taken: Mutex<usize>,
    freed: Condvar,
}

impl Slots {
    /// Waits for a free slot; `None` when the proxy should end.
    fn take(self: &Arc<Self>, stop: &StopFlag) -> Option<Slot> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken >= CONNECTIONS {
            if stop.is_set() {
                return None;
            }
            taken = self.freed.wait_timeout(taken, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken += 1;
        Some(Slot(Arc::clone(self)))
    }

    fn wait_empty(&self, time: Duration) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.freed.wait_timeout_while(taken, time, |taken| *taken > 0));
    }
}

/// A slot that is taken, freed also when its thread panics.
struct Slot(Arc<Slots>);

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(1);
        self.0.freed.notify_all();
    }
}

struct Serving {
    handler: Arc<RequestHandler>,
    slots: Arc<Slots>,
    user: u32,
    talk_time: Duration,
}

impl Serving {
    /// Serves connections until `next` ends. A failure to accept does not end it.
    fn serve(&self, mut next: impl FnMut() -> io::Result<Option<UnixStream>>) {
        while !self.handler.stop().is_set() {
            let stream = match next() {
                Ok(Some(stream)) => stream,
                Ok(None) => return,
                Err(_) => {
                    std::thread::sleep(PAUSE);
                    continue;
                }
            };
            let Some(slot) = self.slots.take(self.handler.stop()) else { return };
            let (handler, user, time) = (Arc::clone(&self.handler), self.user, self.talk_time);
            let thread = std::thread::Builder::new().name("proxy call".to_owned());
            // Without a thread the connection closes, and its client reports it.
            drop(thread.spawn(move || {
                let _slot = slot;
                talk(&handler, &stream, user, time);
            }));
        }
    }
}

/// One connection: one request, one reply.
fn talk(handler: &RequestHandler, mut stream: &UnixStream, user: u32, time: Duration) {
    let reply = if socket::peer_of(stream) == Some(user) {
        match read_line(stream, time) {
            Ok(line) => match Request::from_line(&line) {
                Ok(request) => handler.answer(&request),
                Err(why) => {
                    handler.refuse(RequestKind::Connection, "", Explained::new(Reason::BadRequest, &why))
                }
            },
            Err(Unread::TooLarge) => {
                let detail = format!("it is larger than {REQUEST_LIMIT} bytes");
                handler.refuse(RequestKind::Connection, "", Explained::new(Reason::TooLarge, &detail))
            }
            // A client only checked whether the socket is served.
            Err(Unread::Nothing) => return,
            Err(Unread::Unfinished) => {
                let detail = "it did not come to the end of its line in time";
                handler.refuse(RequestKind::Connection, "", Explained::new(Reason::BadRequest, detail))
            }
        }
    } else {
        let detail = "it comes from a process of another user";
        handler.refuse(RequestKind::Connection, "", Explained::new(Reason::Peer, detail))
    };
    send(&mut stream, &reply);
}

/// Sends a reply. A client that went away or does not read misses it.
fn send(stream: &mut &UnixStream, reply: &Reply) {
    let ready = stream.set_write_timeout(Some(TALK_TIME));
    drop(ready.and_then(|()| stream.write_all(&reply.to_line())));
}

/// Why a request was not read.
enum Unread {
    Nothing,
    TooLarge,
    Unfinished,
}

/// The bytes before the first line end, all of them within `time`.
fn read_line(mut stream: &UnixStream, time: Duration) -> Result<Vec<u8>, Unread> {
    let end = Instant::now() + time;
    let (mut line, mut chunk) = (Vec::new(), vec![0; CHUNK]);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Err(Unread::Unfinished);
        }
        let count = match stream.read(&mut chunk) {
            Ok(0) if line.is_empty() => return Err(Unread::Nothing),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(Unread::Unfinished),
        };
        if count == 0 {
            return Err(Unread::Unfinished);
        }
        let piece = &chunk[..count];
        let stop = piece.iter().position(|byte| *byte == b'\n');
        line.extend_from_slice(&piece[..stop.unwrap_or(count)]);
        if line.len() > REQUEST_LIMIT {
            return Err(Unread::TooLarge);
        }
        if stop.is_some() {
            return Ok(line);
        }
    }
}
