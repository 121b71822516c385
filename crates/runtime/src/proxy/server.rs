//! The socket served: a thread that accepts and a bounded number that answer.

use super::{
    CONNECTIONS, REQUEST_LIMIT, TALK_TIME,
    desk::{Desk, Told},
    protocol::{Reason, Reply, Request},
    refused::Kind,
    runner::Stop,
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
/// How often a full house looks whether it is to close.
const LOOK: Duration = Duration::from_millis(100);
/// How long the end of running programs is waited for.
const END_TIME: Duration = Duration::from_secs(5);
/// Bytes read at once.
const CHUNK: usize = 16 << 10;

/// Where and for whom.
#[derive(Clone, Debug)]
pub struct Options {
    /// The socket itself, in a private folder; without it, one in a new folder below [`Self::base`].
    pub path: Option<PathBuf>,
    /// Where the new folder is made. Short: a socket's path has about a hundred bytes.
    pub base: PathBuf,
    /// Whose processes are served.
    pub user: u32,
    /// Time for a request to arrive.
    pub talk_time: Duration,
}

impl Options {
    /// A socket of our own below a folder, for our own processes.
    pub fn below(base: impl Into<PathBuf>) -> Self {
        Self { path: None, base: base.into(), user: socket::own_user(), talk_time: TALK_TIME }
    }
}

/// A proxy that serves. It ends when it is dropped.
pub struct Proxy {
    path: PathBuf,
    desk: Arc<Desk>,
    wake: UnixStream,
    accepting: Option<JoinHandle<()>>,
    house: Arc<House>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Proxy {
    /// Opens the socket and serves it until [`Self::stop`].
    pub fn start(options: &Options, desk: Desk) -> Result<Self, SocketError> {
        let bound = match &options.path {
            Some(path) => socket::bind(path)?,
            None => socket::bind_below(&options.base)?,
        };
        let path = bound.path.clone();
        let failed = |error| SocketError::Io { what: "serve", path: path.clone(), error };
        bound.listener.set_nonblocking(true).map_err(failed)?;
        let (wake, woken) = UnixStream::pair().map_err(failed)?;
        let (desk, house) = (Arc::new(desk), Arc::new(House::default()));
        let serving = Serving {
            desk: Arc::clone(&desk),
            house: Arc::clone(&house),
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
        Ok(Self { path, desk, wake, accepting: Some(accepting), house })
    }

    /// Where the socket is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Who answers.
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Closes the socket and ends running programs. Again is harmless.
    pub fn stop(&mut self) {
        let Some(accepting) = self.accepting.take() else { return };
        self.desk.stop().set();
        drop(self.wake.write_all(&[1]));
        // It cannot panic on a request: those have threads of their own.
        drop(accepting.join());
        self.house.wait_empty(END_TIME);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The next connection; `None` when it is time to close.
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

/// How many are served.
#[derive(Default)]
struct House {
    guests: Mutex<usize>,
    left: Condvar,
}

impl House {
    /// Waits for room; `None` when it is time to close.
    fn enter(self: &Arc<Self>, stop: &Stop) -> Option<Guest> {
        let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        while *guests >= CONNECTIONS {
            if stop.is_set() {
                return None;
            }
            guests = self.left.wait_timeout(guests, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        *guests += 1;
        Some(Guest(Arc::clone(self)))
    }

    fn wait_empty(&self, time: Duration) {
        let guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.left.wait_timeout_while(guests, time, |guests| *guests > 0));
    }
}

/// A place in the house, given back also when its thread panics.
struct Guest(Arc<House>);

impl Drop for Guest {
    fn drop(&mut self) {
        let mut guests = self.0.guests.lock().unwrap_or_else(PoisonError::into_inner);
        *guests = guests.saturating_sub(1);
        self.0.left.notify_all();
    }
}

struct Serving {
    desk: Arc<Desk>,
    house: Arc<House>,
    user: u32,
    talk_time: Duration,
}

impl Serving {
    /// Serves what comes until there is no more. A failure to accept is no reason to end.
    fn serve(&self, mut next: impl FnMut() -> io::Result<Option<UnixStream>>) {
        while !self.desk.stop().is_set() {
            let stream = match next() {
                Ok(Some(stream)) => stream,
                Ok(None) => return,
                Err(_) => {
                    std::thread::sleep(PAUSE);
                    continue;
                }
            };
            let Some(guest) = self.house.enter(self.desk.stop()) else { return };
            let (desk, user, time) = (Arc::clone(&self.desk), self.user, self.talk_time);
            let thread = std::thread::Builder::new().name("proxy call".to_owned());
            // Without a thread the connection closes, and its client says so.
            drop(thread.spawn(move || {
                let _guest = guest;
                talk(&desk, &stream, user, time);
            }));
        }
    }
}

/// One connection: one request, one reply.
fn talk(desk: &Desk, mut stream: &UnixStream, user: u32, time: Duration) {
    let reply = if socket::peer_of(stream) == Some(user) {
        match read_line(stream, time) {
            Ok(line) => match Request::from_line(&line) {
                Ok(request) => desk.answer(&request),
                Err(why) => desk.refuse(Kind::Connection, "", Told::new(Reason::BadRequest, &why)),
            },
            Err(Unread::TooLarge) => {
                let detail = format!("it is larger than {REQUEST_LIMIT} bytes");
                desk.refuse(Kind::Connection, "", Told::new(Reason::TooLarge, &detail))
            }
            // Somebody looked whether the socket is served.
            Err(Unread::Nothing) => return,
            Err(Unread::Unfinished) => {
                let detail = "it did not come to the end of its line in time";
                desk.refuse(Kind::Connection, "", Told::new(Reason::BadRequest, detail))
            }
        }
    } else {
        let detail = "it comes from a process of somebody else";
        desk.refuse(Kind::Connection, "", Told::new(Reason::Peer, detail))
    };
    send(&mut stream, &reply);
}

/// Who went away, or does not read, misses the reply.
fn send(stream: &mut &UnixStream, reply: &Reply) {
    let ready = stream.set_write_timeout(Some(TALK_TIME));
    drop(ready.and_then(|()| stream.write_all(&reply.to_line())));
}

/// Why there is no request.
enum Unread {
    Nothing,
    TooLarge,
    Unfinished,
}

/// The bytes before the first line end. The time is for all of them together.
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
