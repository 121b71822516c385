//! The server over HTTP. A web page must not reach it, nor another user of the machine: the `Host` and the
//! `Origin` of a request are on a list, and it carries a token.

mod limits;

use crate::server::{Live, Skills};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited, combinators::BoxBody};
use hyper::{
    body::{Body as _, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use limits::{
    BODIES, BODY_TIMEOUT, Connection, Connections, HEAD_LIMIT, HEAD_TIMEOUT, HEADERS, REQUEST_LIMIT,
    SMALL_BODY, Sessions,
};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::local::LocalSessionManager,
};
use skillful_format::{Digest, digest_bytes};
use std::{convert::Infallible, fmt, io, io::Read, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::Semaphore, time::timeout};

/// The one path that is served.
pub const PATH: &str = "/mcp";
/// What a client reads when every place is at work.
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
/// The header that names a session.
const SESSION: &str = "mcp-session-id";
/// Fewer characters than this can be guessed.
const TOKEN_LEAST: usize = 16;
/// Characters of a token, at most.
const TOKEN_MOST: usize = 512;

/// A token that clients must show. It cannot be printed, and only its digest is kept.
#[derive(Clone)]
pub struct Token(Digest);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Why a text is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token has {TOKEN_LEAST} to {TOKEN_MOST} visible characters and no blanks")]
pub struct NotAToken;

impl Token {
    /// A token that the user chose.
    pub fn new(text: &str) -> Result<Self, NotAToken> {
        let text = text.trim();
        let fits = (TOKEN_LEAST..=TOKEN_MOST).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(digest_bytes(text.as_bytes()))) } else { Err(NotAToken) }
    }

    /// A new token, with the text to show the user.
    pub fn random() -> io::Result<(Self, String)> {
        let mut bytes = [0; 32];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let text = Digest::from_bytes(bytes).to_hex();
        Ok((Self(digest_bytes(text.as_bytes())), text))
    }

    /// Compares digests, every byte of them, so that the time reveals nothing.
    fn is(&self, shown: &str) -> bool {
        let shown = digest_bytes(shown.as_bytes());
        let pairs = self.0.as_bytes().iter().zip(shown.as_bytes());
        std::hint::black_box(pairs.fold(0, |different, (a, b)| different | (a ^ b))) == 0
    }
}

/// Who may come in.
#[derive(Clone, Debug, Default)]
pub struct Entrance {
    /// The token; without one every program on this machine may connect.
    pub token: Option<Token>,
    /// Names in `Host` besides those of this machine itself.
    pub hosts: Vec<String>,
    /// Web pages, as `https://name:port`, besides our own address.
    pub origins: Vec<String>,
}

/// Serves clients that send the token, until `end` is done.
pub async fn serve(
    listener: TcpListener,
    live: Arc<Live>,
    entrance: Entrance,
    end: impl Future<Output = ()>,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    let sessions = Sessions::new();
    let service = StreamableHttpService::new(
        move || Ok(Skills::new(Arc::clone(&live))),
        Arc::clone(&sessions.manager),
        settings(address, &entrance),
    );
    let hosts = names(address, &entrance);
    let door =
        Arc::new(Door { service, sessions, hosts, token: entrance.token, bodies: Semaphore::new(BODIES) });
    let connections = Arc::new(Connections::default());
    tokio::pin!(end);
    loop {
        let stream = tokio::select! {
            () = &mut end => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Out of handles, most likely: let some go first.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Some(connection) = connections.enter() else {
            let _gone = stream.try_write(BUSY);
            continue;
        };
        let (door, connections) = (Arc::clone(&door), Arc::clone(&connections));
        tokio::spawn(async move {
            let own = Arc::clone(&connection);
            let answer = service_fn(move |request| {
                let (door, connection) = (Arc::clone(&door), Arc::clone(&own));
                async move { Ok::<_, Infallible>(door.answer(&connection, request).await) }
            });
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .max_buf_size(HEAD_LIMIT)
                .max_headers(HEADERS)
                .serve_connection(TokioIo::new(stream), answer);
            tokio::select! {
                // A client that goes away is not a failure of ours.
                _gone = served => {}
                () = connection.closed() => {}
            }
            connections.leave(&connection);
        });
    }
    door.service.config.cancellation_token.cancel();
    Ok(())
}

/// The names of this machine itself.
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The names that a request may call us by.
fn names(address: SocketAddr, entrance: &Entrance) -> Vec<String> {
    // The address itself is not a name that an attacker could point at us.
    let ip = Some(address.ip().to_string()).filter(|_| !address.ip().is_unspecified());
    OWN.iter().map(|name| (*name).to_owned()).chain(ip).chain(entrance.hosts.iter().cloned()).collect()
}

/// Whether the value of `Host` is exactly one of the names, with or without a port of digits.
fn is_named(host: &str, names: &[String]) -> bool {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, rest)) => (name, rest.strip_prefix(':').or_else(|| (!rest.is_empty()).then_some("!"))),
        None => host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
    };
    let is_exact = |known: &String| {
        // A user may name a host with its port.
        known.eq_ignore_ascii_case(host) || known.trim_matches(['[', ']']).eq_ignore_ascii_case(name)
    };
    port.is_none_or(is_port) && names.iter().any(is_exact)
}

fn settings(address: SocketAddr, entrance: &Entrance) -> StreamableHttpServerConfig {
    let port = address.port();
    let origins = OWN.iter().map(|host| {
        if host.contains(':') { format!("http://[{host}]:{port}") } else { format!("http://{host}:{port}") }
    });
    let origins: Vec<String> = origins.chain(entrance.origins.iter().cloned()).collect();
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(names(address, entrance))
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(REQUEST_LIMIT)
}

type Body = BoxBody<Bytes, Infallible>;

/// Answers requests that another HTTP server received and let in. There are no sessions, so that each request is answered
/// from the skills that its caller has then, by any process.
pub struct Answering {
    service: StreamableHttpService<Skills, LocalSessionManager>,
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answering")
    }
}

impl Answering {
    /// Answers from a library.
    pub fn new(live: Arc<Live>) -> Self {
        let settings = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(REQUEST_LIMIT);
        let manager = Arc::new(LocalSessionManager::default());
        Self {
            service: StreamableHttpService::new(
                move || Ok(Skills::new(Arc::clone(&live))),
                manager,
                settings,
            ),
        }
    }

    /// Answers one request. The caller checked its host, its origin and its token.
    pub async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        self.service.handle(request.map(Full::new)).await
    }
}

/// Everything that a request passes.
struct Door {
    service: StreamableHttpService<Skills, LocalSessionManager>,
    sessions: Sessions,
    /// Names in `Host` that are ours.
    hosts: Vec<String>,
    token: Option<Token>,
    bodies: Semaphore,
}

impl Door {
    async fn answer(&self, connection: &Arc<Connection>, request: Request<Incoming>) -> Response<Body> {
        if request.uri().path() != PATH {
            return refuse(StatusCode::NOT_FOUND, "only /mcp is served here\n");
        }
        // Before the protocol's own check, which reads a name behind the port as part of the port.
        let mut named = request.headers().get_all(header::HOST).iter();
        let host = named.next().and_then(|host| host.to_str().ok());
        if !host.is_some_and(|host| is_named(host, &self.hosts)) || named.next().is_some() {
            return refuse(StatusCode::FORBIDDEN, "the header `Host` does not name this server\n");
        }
        if !self.knows(&request) {
            let mut response =
                refuse(StatusCode::UNAUTHORIZED, "send the header `Authorization: Bearer TOKEN`\n");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
            return response;
        }
        let (head, body) = request.into_parts();
        // Until its body is there, a request does not keep its place from others.
        let body = match timeout(BODY_TIMEOUT, self.body(body)).await {
            Ok(Ok(body)) => body,
            Ok(Err(response)) => return response,
            Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT, "the body of the request took too long\n"),
        };
        let work = connection.works();
        match head.headers.get(SESSION).and_then(|id| id.to_str().ok()) {
            Some(id) => self.sessions.used(id).await,
            None => self.sessions.make_room().await,
        }
        let ends = head.method == Method::DELETE;
        // A stream that only listens waits: it gives way to a client that asks.
        let work = (head.method != Method::GET).then_some(work);
        let mut response = self.service.handle(Request::from_parts(head, Full::new(body))).await;
        // The session is gone by now; clients warn of another answer.
        if ends && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        if let Some(id) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
            self.sessions.used(id).await;
        }
        // The request is under way until the last byte of its answer.
        response.map(|body| {
            body.map_frame(move |frame| {
                let _held = &work;
                frame
            })
            .boxed()
        })
    }

    /// Whether a request carries the token.
    fn knows(&self, request: &Request<Incoming>) -> bool {
        let Some(token) = &self.token else { return true };
        let shown = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let shown = shown.and_then(|value| {
            let (scheme, rest) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| rest.trim())
        });
        shown.is_some_and(|shown| token.is(shown))
    }

    /// The whole body of a request, within its limit.
    async fn body(&self, body: Incoming) -> Result<Bytes, Response<Body>> {
        // Small ones fit into memory however many there are.
        let large = body.size_hint().upper().is_none_or(|most| most > SMALL_BODY);
        let _place = if large { self.bodies.acquire().await.ok() } else { None };
        match Limited::new(body, REQUEST_LIMIT).collect().await {
            Ok(body) => Ok(body.to_bytes()),
            Err(error) if error.is::<http_body_util::LengthLimitError>() => {
                Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, "the request is larger than 1 MiB\n"))
            }
            Err(_) => Err(refuse(StatusCode::BAD_REQUEST, "the body of the request cannot be read\n")),
        }
    }
}

fn refuse(status: StatusCode, words: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(words.as_bytes())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONNECTION, header::HeaderValue::from_static("close"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_ours_only_when_it_is_exactly_one_of_our_names() {
        let entrance = Entrance { hosts: vec!["box.lan".to_owned()], ..Entrance::default() };
        let names = names("127.0.0.1:8080".parse().unwrap(), &entrance);
        for host in
            ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "[::1]", "box.lan", "box.lan:1"]
        {
            assert!(is_named(host, &names), "{host}");
        }
        for host in [
            "127.0.0.1:8080.evil.example",
            "localhost:8080.evil.example",
            "localhost:8080@evil.example",
            "localhost:",
            "localhost:80:80",
            "localhost:8080/",
            "[::1].evil.example",
            "[::1]:8080.evil.example",
            "[::1",
            "::1:8080",
            "box.lan.evil.example",
            "localhost.evil.example",
            "evil.example:8080",
            "evil.example",
            " localhost",
            "",
        ] {
            assert!(!is_named(host, &names), "{host}");
        }
    }

    #[test]
    fn a_token_is_compared_whole_and_never_printed() {
        let (token, text) = Token::random().unwrap();
        assert!(token.is(&text) && !token.is(&text[1..]) && !token.is(""));
        assert!(!format!("{token:?}").contains(&text));
        assert!(Token::new("short").is_err() && Token::new("with a blank in its middle").is_err());
        assert!(Token::new("long-enough-and-visible\n").unwrap().is("long-enough-and-visible"));
    }
}
