//! The client's end of the socket.

use super::{
    REPLY_LIMIT, SANDBOX_VARIABLE, SOCKET_VARIABLE, TALK_TIME,
    protocol::{Reply, Request},
};
use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use zeroize::Zeroizing;

/// How this process runs a program of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// The proxy at this socket runs it.
    Proxy(PathBuf),
    /// This process runs it: it is not in a sandbox.
    Here,
}

/// Why this process cannot run a program. A client exits with 1.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// This process is in a sandbox without a proxy, where a program would run without its secrets and with
    /// the rights of the sandbox.
    #[error("there is no proxy for this sandbox: {SOCKET_VARIABLE} is not set")]
    NoProxy,
    /// The socket does not exist.
    #[error("there is no proxy at `{}`", .0.display())]
    NoSocket(PathBuf),
    /// The socket exists and no proxy serves it.
    #[error("the proxy at `{}` does not answer: {error}", path.display())]
    Unanswered {
        /// The socket.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The connection was closed without a reply.
    #[error("the proxy gave no reply")]
    Empty,
    /// The reply took too long.
    #[error("the proxy did not reply in {} s", .0.as_secs())]
    Late(Duration),
    /// The answer is not a reply, or larger than one can be.
    #[error("the reply of the proxy cannot be read")]
    Unreadable,
}

/// Decides how a program is run, by the variables of the process.
pub fn route(variables: &BTreeMap<String, String>) -> Result<Route, ClientError> {
    let set = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    match (set(SOCKET_VARIABLE), set(SANDBOX_VARIABLE)) {
        (Some(path), _) => Ok(Route::Proxy(PathBuf::from(path))),
        (None, Some(_)) => Err(ClientError::NoProxy),
        (None, None) => Ok(Route::Here),
    }
}

/// Asks the proxy and waits for its reply, usually for [`WAIT_TIME`](super::WAIT_TIME).
pub fn call(socket: &Path, request: &Request, wait: Duration) -> Result<Reply, ClientError> {
    let end = Instant::now() + wait;
    let mut stream = UnixStream::connect(socket).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ClientError::NoSocket(socket.to_owned()),
        _ => ClientError::Unanswered { path: socket.to_owned(), error },
    })?;
    let sent = stream
        .set_write_timeout(Some(TALK_TIME))
        .and_then(|()| stream.write_all(&request.to_line()))
        .and_then(|()| stream.shutdown(std::net::Shutdown::Write));
    // A proxy that refuses a request early closes while we still write; its reply is there.
    let reply = read(&mut stream, end, wait);
    match (sent, reply) {
        (_, Ok(reply)) => Ok(reply),
        (Err(error), Err(ClientError::Empty)) => {
            Err(ClientError::Unanswered { path: socket.to_owned(), error })
        }
        (_, Err(error)) => Err(error),
    }
}

fn read(stream: &mut UnixStream, end: Instant, wait: Duration) -> Result<Reply, ClientError> {
    let (mut line, mut chunk) = (Zeroizing::new(Vec::new()), Zeroizing::new(vec![0; 64 << 10]));
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ClientError::Late(wait));
        }
        stream.set_read_timeout(Some(left)).map_err(|_| ClientError::Empty)?;
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => line.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Err(ClientError::Late(wait));
            }
            // Bytes that came before a reset still count.
            Err(_) => break,
        }
        if line.len() > REPLY_LIMIT {
            return Err(ClientError::Unreadable);
        }
        if line.ends_with(b"\n") {
            break;
        }
    }
    if line.is_empty() {
        return Err(ClientError::Empty);
    }
    Reply::from_line(&line).ok_or(ClientError::Unreadable)
}
