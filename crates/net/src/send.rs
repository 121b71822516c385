//! One request with a body, and its answer whatever the status. No redirect is followed: a body is for the server that was
//! asked.

use crate::{
    Net,
    download::{NetError, body, net_error},
};
use std::time::{Duration, Instant};
use ureq::http::{Method, Request};
use url::Url;

/// What to send, and the limits of the answer.
#[derive(Clone, Debug)]
pub struct SendRequest<'a> {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: &'a str,
    /// Further header fields.
    pub headers: &'a [(&'a str, &'a str)],
    /// The media type of the body; without one there is no body.
    pub kind: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
    /// Largest answer in bytes.
    pub bytes: u64,
    /// Time limit of everything.
    pub time: Duration,
}

/// The answer of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Seconds after which the server wants to be asked again.
    pub retry_after: Option<u64>,
    /// The body.
    pub bytes: Vec<u8>,
}

impl Net {
    /// Sends a request. The credential of the origin goes with it, unless a header field names another one.
    pub fn send(&self, address: &Url, send: &SendRequest<'_>) -> Result<Reply, NetError> {
        let until = Instant::now() + send.time;
        let address = self.checked(address.clone())?;
        let method = Method::from_bytes(send.method.as_bytes())
            .map_err(|_| NetError::Address("the method is not valid"))?;
        let mut request = Request::builder().method(method).uri(address.as_str());
        let is_given = send.headers.iter().any(|(name, _)| {
            name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("x-api-key")
        });
        if let Some(value) = self.authorization(&address).filter(|_| !is_given) {
            request = request.header("authorization", value);
        }
        for (name, value) in send.headers {
            request = request.header(*name, *value);
        }
        request = request.header("accept-encoding", "identity");
        if let Some(kind) = send.kind {
            request = request.header("content-type", kind);
        }
        let limits = crate::DownloadRequest { accept: "", bytes: send.bytes, time: send.time };
        let failed = |error| net_error(error, &limits);
        let agent = self.agent();
        let mut response = if send.kind.is_some() {
            let request = request.body(send.body).map_err(|error| NetError::Failed(error.to_string()))?;
            let request = agent.configure_request(request).timeout_global(Some(send.time)).build();
            agent.run(request).map_err(failed)?
        } else {
            let request = request.body(()).map_err(|error| NetError::Failed(error.to_string()))?;
            let request = agent
                .configure_request(request)
                .allow_non_standard_methods(true)
                .timeout_global(Some(send.time))
                .build();
            agent.run(request).map_err(failed)?
        };
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let retry_after = header("retry-after").and_then(|value| value.parse().ok());
        let total = header("content-length").and_then(|value| value.parse::<u64>().ok());
        if total.is_some_and(|total| total > send.bytes) {
            return Err(NetError::TooLarge(send.bytes));
        }
        let status = response.status().as_u16();
        let mut reader = response.body_mut().with_config().limit(u64::MAX).reader();
        let bytes = body(&mut reader, &limits, until, total, &mut |_, _| {})?;
        Ok(Reply { status, retry_after, bytes })
    }
}
