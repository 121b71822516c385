//! The server over HTTP. A web page must not reach it, nor another user of the machine: the `Host` and the
//! `Origin` of a request are on a list, and it carries a token.

use crate::server::{Live, Skills};
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::local::LocalSessionManager,
};
use skillful_format::{Digest, digest_bytes};
use std::{convert::Infallible, fmt, io, io::Read, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::Semaphore};

/// The one path that is served.
pub const PATH: &str = "/mcp";
/// Bytes of a request; a proposed skill is the largest request.
const REQUEST_LIMIT: usize = 1 << 20;
/// Connections at a time; more of them wait.
const CONNECTIONS: usize = 128;
/// How long the head of a request may take.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
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
    /// The token; without one everybody on this machine may come.
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
    let service = Arc::new(StreamableHttpService::new(
        move || Ok(Skills::new(Arc::clone(&live))),
        Arc::new(LocalSessionManager::default()),
        settings(address, &entrance),
    ));
    let token = Arc::new(entrance.token);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::pin!(end);
    loop {
        let place = tokio::select! {
            () = &mut end => break,
            place = Arc::clone(&places).acquire_owned() => place.map_err(io::Error::other)?,
        };
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
        let (service, token) = (Arc::clone(&service), Arc::clone(&token));
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let (service, token) = (Arc::clone(&service), Arc::clone(&token));
                async move { Ok::<_, Infallible>(answer(&service, token.as_ref().as_ref(), request).await) }
            });
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .serve_connection(TokioIo::new(stream), answer)
                .await;
            // A client that goes away is no failure of ours.
            let _gone = served;
            drop(place);
        });
    }
    service.config.cancellation_token.cancel();
    Ok(())
}

fn settings(address: SocketAddr, entrance: &Entrance) -> StreamableHttpServerConfig {
    let (ip, port) = (address.ip().to_string(), address.port());
    let own = ["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let origins = own.iter().map(|host| {
        if host.contains(':') { format!("http://[{host}]:{port}") } else { format!("http://{host}:{port}") }
    });
    let origins: Vec<String> = origins.chain(entrance.origins.iter().cloned()).collect();
    // The address itself is no name that somebody else could point at us.
    let ip = Some(ip).filter(|_| !address.ip().is_unspecified());
    let hosts: Vec<String> = own.into_iter().chain(ip).chain(entrance.hosts.iter().cloned()).collect();
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(REQUEST_LIMIT)
}

type Body = BoxBody<Bytes, Infallible>;

async fn answer(
    service: &StreamableHttpService<Skills, LocalSessionManager>,
    token: Option<&Token>,
    request: Request<Incoming>,
) -> Response<Body> {
    if request.uri().path() != PATH {
        return refuse(StatusCode::NOT_FOUND, "only /mcp is served here\n");
    }
    if let Some(token) = token {
        let shown = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let shown = shown.and_then(|value| {
            let (scheme, rest) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| rest.trim())
        });
        if !shown.is_some_and(|shown| token.is(shown)) {
            let mut response =
                refuse(StatusCode::UNAUTHORIZED, "send the header `Authorization: Bearer TOKEN`\n");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
            return response;
        }
    }
    service.handle(request).await
}

fn refuse(status: StatusCode, words: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(words.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_whole_and_never_printed() {
        let (token, text) = Token::random().unwrap();
        assert!(token.is(&text) && !token.is(&text[1..]) && !token.is(""));
        assert!(!format!("{token:?}").contains(&text));
        assert!(Token::new("short").is_err() && Token::new("with a blank in its middle").is_err());
        assert!(Token::new("long-enough-and-visible\n").unwrap().is("long-enough-and-visible"));
    }
}
