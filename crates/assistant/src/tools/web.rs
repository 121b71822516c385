//! Requests to the web, limited in time and size; each redirect is checked.

use skillful_llm::Cancel;
use skillful_net::{PrivateAddress, Reach, checked_agent};
use std::{
    io::Read,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};
use ureq::{Agent, unversioned::resolver::DefaultResolver};
use url::Url;

/// Time limit of a request.
const TIME: Duration = Duration::from_secs(30);
/// How often a request checks whether it was cancelled.
const LOOK_UP: Duration = Duration::from_millis(50);
/// Most bytes of a response.
pub(super) const BODY: usize = 2 << 20;
/// Most redirects within one host.
const REDIRECTS: usize = 5;
/// Most bytes of an address.
const ADDRESS: usize = 4_096;

/// A response.
#[derive(Debug)]
pub(super) struct Page {
    /// Where it came from, after redirects.
    pub(super) address: Url,
    pub(super) status: u16,
    /// `content-type`, in lower case.
    pub(super) kind: String,
    pub(super) body: Vec<u8>,
    /// Whether the body was cut.
    pub(super) cut: bool,
}

/// The result of a request.
#[derive(Debug)]
pub(super) enum Fetched {
    Page(Page),
    /// A redirect to another host, which needs its own call.
    Redirect(Url),
}

/// The HTTP client. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Client {
    agent: Agent,
}

impl Client {
    /// A client for public addresses, and for private networks when that is allowed.
    pub(super) fn new(allow_private: bool) -> Self {
        let reach = if allow_private { Reach::Anywhere } else { Reach::Public };
        Self { agent: checked_agent(reach, DefaultResolver::default()) }
    }

    /// Fetches an address; returns early when the user cancels.
    pub(super) fn get(
        &self,
        address: &Url,
        accept: &'static str,
        cancel: &Cancel,
    ) -> Result<Fetched, String> {
        let (send, receive) = mpsc::sync_channel(1);
        let (client, address) = (self.clone(), address.clone());
        // The thread is not joined: it ends by its own time limit.
        thread::spawn(move || drop(send.send(client.follow(address, accept))));
        loop {
            match receive.recv_timeout(LOOK_UP) {
                Ok(came) => return came,
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                    return Err("the user cancelled the call".to_owned());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err("the request was lost; try again".to_owned());
                }
            }
        }
    }

    fn follow(&self, mut address: Url, accept: &str) -> Result<Fetched, String> {
        let until = Instant::now() + TIME;
        for _ in 0..=REDIRECTS {
            let left = until.saturating_duration_since(Instant::now());
            let request = self.agent.get(address.as_str()).header("accept", accept);
            let request = request.config().timeout_global(Some(left.max(Duration::from_millis(1)))).build();
            let mut response = request.call().map_err(|error| explain(&error))?;
            let status = response.status().as_u16();
            let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
            if let (301 | 302 | 303 | 307 | 308, Some(to)) = (status, header("location")) {
                let next = address.join(to).map_err(|_| "it redirects to an invalid address".to_owned())?;
                let next = checked(next)?;
                if !same_host(&address, &next) {
                    return Ok(Fetched::Redirect(next));
                }
                address = next;
                continue;
            }
            let kind = header("content-type").unwrap_or_default().to_ascii_lowercase();
            let mut body = Vec::new();
            let reader = response.body_mut().with_config().limit(u64::MAX).reader();
            let read = reader.take(BODY as u64 + 1).read_to_end(&mut body);
            // The part that arrived before the connection broke is still useful.
            if let Err(error) = read
                && body.is_empty()
            {
                return Err(format!("its answer could not be read: {error}"));
            }
            let cut = body.len() > BODY;
            body.truncate(BODY);
            return Ok(Fetched::Page(Page { address, status, kind, body, cut }));
        }
        Err(format!("it redirects more than {REDIRECTS} times"))
    }
}

/// Parses and checks an address.
pub(super) fn address(text: &str) -> Result<Url, String> {
    if text.len() > ADDRESS {
        return Err(format!("the address is longer than {ADDRESS} bytes"));
    }
    let whole = Url::parse(text.trim()).map_err(|error| {
        format!(
            "`{}` is not an address: {error}; an address begins with https://",
            super::real_path::printable(text)
        )
    })?;
    checked(whole)
}

fn checked(mut address: Url) -> Result<Url, String> {
    let scheme = address.scheme();
    if !matches!(scheme, "http" | "https") {
        return Err(format!("only http and https are fetched, and this is `{scheme}`"));
    }
    if !address.username().is_empty() || address.password().is_some() {
        return Err("an address with a user name or a password is not fetched".to_owned());
    }
    if address.host_str().is_none_or(str::is_empty) {
        return Err("the address names no host".to_owned());
    }
    address.set_fragment(None);
    Ok(address)
}

/// Whether a redirect stays on the same host and port, and does not change from https to http.
fn same_host(from: &Url, to: &Url) -> bool {
    let upgrade =
        from.scheme() == "http" && to.scheme() == "https" && from.port().is_none() && to.port().is_none();
    from.host() == to.host()
        && (from.scheme() == to.scheme() && from.port_or_known_default() == to.port_or_known_default()
            || upgrade)
}

fn explain(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Timeout(_) => format!("it did not answer within {} s", TIME.as_secs()),
        ureq::Error::HostNotFound => "the host name was not found".to_owned(),
        ureq::Error::Other(other) if other.is::<PrivateAddress>() => other.to_string(),
        error => error.to_string(),
    }
}
