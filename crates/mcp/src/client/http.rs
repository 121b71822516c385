//! Servers on the network: which addresses are spoken to, and with which headers.
//!
//! Addresses are checked like those of downloads: looked up, judged, and connected to as they were judged. Plain `http`
//! goes to this machine only. A redirect is followed within the same origin and where it keeps
//! the question, so that no header with a credential travels elsewhere.

use super::{bounded::Bounded, declare::Endpoint, error::StartError, text::quote, watch::Conduct};
use reqwest::{
    Client, NoProxy, Proxy, StatusCode,
    dns::{Addrs, Name, Resolve, Resolving},
    header::{HeaderName, HeaderValue},
    redirect::Policy,
};
use rmcp::transport::{
    StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
};
use skillful_net::{PrivateAddress, Reach};
use std::{collections::HashMap, net::SocketAddr, sync::Arc, time::Duration};

/// A server that cannot be connected to in this time is not there.
const CONNECT: Duration = Duration::from_secs(10);
/// Redirects of one request.
const REDIRECTS: usize = 5;
/// Headers that are the protocol's own.
const RESERVED: [&str; 8] = [
    "accept",
    "content-type",
    "content-length",
    "host",
    "last-event-id",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
];

/// The transport to a server, or why its address cannot be used.
pub(crate) fn transport(
    endpoint: &Endpoint,
    limit: usize,
    conduct: &Arc<Conduct>,
) -> Result<StreamableHttpClientTransport<Bounded>, StartError> {
    let url = reqwest::Url::parse(&endpoint.url)
        .map_err(|error| StartError::Address(format!("its address is not valid: {error}")))?;
    let is_here = is_loopback(&url);
    match url.scheme() {
        "https" => {}
        "http" if is_here && endpoint.reach != Reach::Public => {}
        "http" if is_here => {
            let why = "a skill of a repository or plugin connects to public addresses only";
            return Err(StartError::Address(why.to_owned()));
        }
        "http" => {
            let why = "plain `http` is spoken to this machine only; write `https`";
            return Err(StartError::Address(why.to_owned()));
        }
        other => return Err(StartError::Address(format!("`{other}` is not supported; write `https`"))),
    }
    // The resolver does not see a literal address.
    let literal = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').parse();
    if let Ok(address) = literal
        && !endpoint.reach.allows(url.host_str().unwrap_or_default(), address)
    {
        return Err(StartError::Address(PrivateAddress(address).to_string()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let why = "a name or password in the address would be shown; put it into `headers`";
        return Err(StartError::Address(why.to_owned()));
    }
    let client = client(endpoint.proxy.as_deref().filter(|_| !is_here), endpoint.reach)?;
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .custom_headers(headers(&endpoint.headers)?);
    Ok(StreamableHttpClientTransport::with_client(Bounded::new(client, limit, Arc::clone(conduct)), config))
}

/// The client that talks to the authorization server of a server, under the same rules.
pub(crate) fn sign_in_client(endpoint: &Endpoint) -> Result<Client, StartError> {
    client(endpoint.proxy.as_deref(), endpoint.reach)
}

/// Looks names up and refuses those that lead to an address that may not be reached. The connection uses the addresses
/// that were judged.
#[derive(Clone, Copy, Debug)]
struct Judge(Reach);

impl Resolve for Judge {
    fn resolve(&self, name: Name) -> Resolving {
        let (reach, host) = (self.0, name.as_str().to_owned());
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            match found.iter().find(|address| !reach.allows(&host, address.ip())) {
                Some(address) => Err(PrivateAddress(address.ip()).into()),
                None => Ok(Box::new(found.into_iter()) as Addrs),
            }
        })
    }
}

fn client(proxy: Option<&str>, reach: Reach) -> Result<Client, StartError> {
    // The first call decides; the failure only means that there was one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let policy = Policy::custom(|attempt| {
        let keeps =
            matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
        if keeps && same && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
    });
    // A connection whose answer was not read to its end must not be used again.
    let builder = Client::builder().redirect(policy).connect_timeout(CONNECT).pool_max_idle_per_host(0);
    // The name of a proxy is the user's own.
    let judge = if proxy.is_some() { Reach::Anywhere } else { reach };
    let builder = builder.dns_resolver(Arc::new(Judge(judge)));
    let builder = match proxy {
        Some(proxy) => {
            // The error of the parser would repeat the address, which may hold a password.
            let proxy = Proxy::all(proxy)
                .map_err(|_| StartError::Address("the proxy's address is not valid".to_owned()))?;
            builder.proxy(proxy.no_proxy(NoProxy::from_string("localhost,127.0.0.0/8,::1")))
        }
        None => builder.no_proxy(),
    };
    builder.build().map_err(|error| StartError::Address(format!("no TLS to be had: {error}")))
}

fn headers(given: &[(String, String)]) -> Result<HashMap<HeaderName, HeaderValue>, StartError> {
    let mut headers = HashMap::new();
    for (name, value) in given {
        let refused = |why: &str| StartError::Address(format!("the header `{}` {why}", quote(name)));
        let parsed = HeaderName::try_from(name).map_err(|_| refused("has a name that is not valid"))?;
        if RESERVED.contains(&parsed.as_str()) {
            return Err(refused("belongs to the protocol; remove it"));
        }
        let mut value =
            HeaderValue::try_from(value).map_err(|_| refused("has a value that no header can"))?;
        value.set_sensitive(true);
        headers.insert(parsed, value);
    }
    Ok(headers)
}

pub(crate) fn is_loopback(url: &reqwest::Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
