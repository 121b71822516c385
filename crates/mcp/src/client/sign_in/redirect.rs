//! Receives the answer of an authorization server at an address of this machine.

use super::SignInError;
use crate::client::text::quote;
use reqwest::Url;
use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    time::{Duration, Instant},
};

/// The path of the address.
const PATH: &str = "/callback";
/// How often a waiting sign-in looks for an answer.
const LOOK: Duration = Duration::from_millis(50);
/// Time for a browser to send its request.
const READ: Duration = Duration::from_secs(2);
/// Bytes of a request that are read.
const REQUEST: usize = 16 << 10;
/// Requests that are answered; a browser also asks for an icon.
const REQUESTS: usize = 64;
/// What the browser shows.
const DONE: &str = "You are signed in. You can close this page and go back to Skillful.";
const FAILED: &str = "You are not signed in. Go back to Skillful for the reason.";

/// A port of this machine that waits for one answer.
pub(super) struct Redirect {
    listener: TcpListener,
    address: String,
}

impl Redirect {
    pub(super) fn listen() -> Result<Self, SignInError> {
        let failed = |error: std::io::Error| SignInError::Listen(error.to_string());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, address: format!("http://127.0.0.1:{port}{PATH}") })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Waits for the code. An answer with another state is not ours and is refused.
    pub(super) async fn code(
        &self,
        state: &str,
        issuer: &str,
        within: Duration,
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<String, SignInError> {
        let end = Instant::now() + within;
        let mut requests = 0;
        while requests < REQUESTS {
            if is_cancelled() {
                return Err(SignInError::Refused("the user cancelled".to_owned()));
            }
            if Instant::now() > end {
                break;
            }
            match self.listener.accept() {
                Ok((stream, _)) => {
                    requests += 1;
                    if let Some(answer) = serve(stream, state, issuer) {
                        return answer;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => tokio::time::sleep(LOOK).await,
                Err(error) => return Err(SignInError::Listen(error.to_string())),
            }
        }
        Err(SignInError::Timeout(within))
    }
}

/// Answers one request; `None` when it is not the one that is waited for.
fn serve(mut stream: TcpStream, state: &str, issuer: &str) -> Option<Result<String, SignInError>> {
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(READ)).ok()?;
    let target = target(&mut stream)?;
    let Some(answer) = code(&target, state, issuer) else {
        let _gone =
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return None;
    };
    let text = if answer.is_ok() { DONE } else { FAILED };
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n";
    let page = format!("{head}Connection: close\r\nContent-Length: {}\r\n\r\n{text}", text.len());
    let _gone = stream.write_all(page.as_bytes());
    Some(answer)
}

/// The target of a request: the second word of its first line.
fn target(stream: &mut TcpStream) -> Option<String> {
    let (mut head, mut chunk) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") && head.len() < REQUEST {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => break,
            Ok(count) => head.extend_from_slice(&chunk[..count]),
        }
    }
    let line = String::from_utf8_lossy(&head).lines().next()?.to_owned();
    let mut words = line.split(' ');
    (words.next()? == "GET").then_some(())?;
    words.next().map(str::to_owned)
}

/// The code of an answer; `None` when the request is about something else, or not an answer to us.
fn code(target: &str, state: &str, issuer: &str) -> Option<Result<String, SignInError>> {
    let url = Url::parse(&format!("http://127.0.0.1{target}")).ok()?;
    if url.path() != PATH {
        return None;
    }
    let value =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    if value("state").as_deref() != Some(state) {
        return None;
    }
    if let Some(other) = value("iss").filter(|named| named != issuer) {
        let why = format!("the answer is of another issuer, `{}`", quote(&other));
        return Some(Err(SignInError::Refused(why)));
    }
    if let Some(error) = value("error") {
        let why = value("error_description").unwrap_or(error);
        return Some(Err(SignInError::Refused(quote(&why))));
    }
    let code = value("code").filter(|code| !code.is_empty());
    Some(code.ok_or_else(|| SignInError::Refused("it returned no code".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_with_our_state_and_issuer_gives_a_code() {
        let read = |target: &str| code(target, "s", "https://a");
        assert_eq!(read("/callback?state=s&code=c&iss=https://a"), Some(Ok("c".to_owned())));
        assert_eq!(read("/callback?state=s&code=c"), Some(Ok("c".to_owned())));
        assert_eq!(read("/favicon.ico"), None);
        assert_eq!(read("/callback?state=other&code=c"), None);
        assert_eq!(read("/callback?code=c"), None);
        assert!(matches!(read("/callback?state=s&code=c&iss=https://b"), Some(Err(_))));
        assert!(matches!(read("/callback?state=s&error=access_denied"), Some(Err(_))));
        assert!(matches!(read("/callback?state=s"), Some(Err(_))));
    }
}
