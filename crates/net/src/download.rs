//! Downloads one URL with limits on time and size; every redirect is checked.

use crate::{
    address::{CheckedResolver, PrivateAddress, Reach, is_this_machine},
    origin::{NamedOrigin, NamedOrigins, NamedResolver},
    tls::{USER_AGENT, tls},
};
use std::{
    collections::BTreeSet,
    io::{self, Read},
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use ureq::{
    Agent, Timeout,
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::{DefaultConnector, NextTimeout},
    },
};
use url::Url;

/// A server that does not accept a connection within this time counts as unreachable.
const CONNECT: Duration = Duration::from_secs(10);
/// Largest number of redirects of one download.
const REDIRECTS: usize = 3;
/// Longest URL in bytes.
const ADDRESS: usize = 4_096;
/// Bytes that are read at a time; progress is reported after each piece.
const PIECE: usize = 64 << 10;
/// Shortest timeout of a request, because zero would mean no timeout.
const LEAST: Duration = Duration::from_millis(1);

/// What to request, and the limits of the download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownloadRequest {
    /// The value of the `accept` header.
    pub accept: &'static str,
    /// Largest size in bytes.
    pub bytes: u64,
    /// Time limit of the whole download: names, connections, redirects and data.
    pub time: Duration,
}

/// A completed download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// The final URL, after redirects.
    pub address: Url,
    /// The media type of `content-type` without parameters, in lower case.
    pub kind: String,
    /// The bytes as they were sent.
    pub bytes: Vec<u8>,
}

/// Why a download failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// The URL cannot be fetched.
    #[error("{0}")]
    Address(&'static str),
    /// Unencrypted `http` to another machine, or to this one without permission.
    #[error(
        "it is not https; unencrypted http is allowed only for this machine, and only when it is enabled"
    )]
    Plain,
    /// The name resolves to an address that is not public.
    #[error(transparent)]
    PrivateAddress(#[from] PrivateAddress),
    /// The host name does not exist.
    #[error("the host does not exist")]
    NoHost,
    /// A redirect to a host that is not allowed.
    #[error("it redirects to another host, `{0}`; allow that host if you trust it")]
    OtherHost(String),
    /// Too many redirects.
    #[error("it redirects more than {REDIRECTS} times")]
    Redirects,
    /// The time limit was reached.
    #[error("the download exceeded the time limit of {} seconds", .0.as_secs_f32())]
    TooSlow(Duration),
    /// The size limit was exceeded.
    #[error("it is larger than the limit of {0} bytes")]
    TooLarge(u64),
    /// The server answered with an error status.
    #[error("the server answered {0}")]
    Status(u16),
    /// The server compressed the content although the request does not accept that.
    #[error("the server sent it encoded as `{0}`, which the request does not accept")]
    Encoded(String),
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Failed(String),
}

/// Downloads files. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Net {
    agent: Agent,
    resolver: SharedResolver,
    reach: Reach,
    hosts: Arc<BTreeSet<String>>,
    named: NamedOrigins,
}

/// An HTTP agent that checks the addresses of every host name and leaves redirects to the caller.
pub fn checked_agent(reach: Reach, inner: impl Resolver) -> Agent {
    agent_with(CheckedResolver { reach, inner })
}

/// One resolver for downloads and for programs that connect by themselves.
#[derive(Clone, Debug)]
struct SharedResolver(Arc<dyn Resolver>);

impl Resolver for SharedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        self.0.resolve(uri, config, timeout)
    }
}

fn agent_with(resolver: impl Resolver) -> Agent {
    let config = Agent::config_builder()
        .tls_config(tls())
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // A proxy would resolve names itself, out of reach of the address check.
        .proxy(None)
        .timeout_connect(Some(CONNECT))
        .user_agent(USER_AGENT)
        .build();
    Agent::with_parts(config, DefaultConnector::default(), resolver)
}

/// Reaches public addresses, and follows redirects only within one host.
impl Default for Net {
    fn default() -> Self {
        Self::new(Reach::Public, BTreeSet::new())
    }
}

impl Net {
    /// Makes a client. `hosts` are additional hosts that redirects may lead to.
    pub fn new(reach: Reach, hosts: BTreeSet<String>) -> Self {
        Self::with_resolver(reach, hosts, DefaultResolver::default())
    }

    /// Like [`Net::new`], with another resolver; the addresses it returns are checked as well.
    pub fn with_resolver(reach: Reach, hosts: BTreeSet<String>, inner: impl Resolver) -> Self {
        Self::assembled(reach, hosts, Vec::new(), inner)
    }

    /// Like [`Net::new`], with servers that the user named: they may be in a private network, and each gets its own
    /// credential.
    pub fn with_origins(reach: Reach, hosts: BTreeSet<String>, origins: Vec<NamedOrigin>) -> Self {
        Self::assembled(reach, hosts, origins, DefaultResolver::default())
    }

    fn assembled(
        reach: Reach,
        hosts: BTreeSet<String>,
        origins: Vec<NamedOrigin>,
        inner: impl Resolver,
    ) -> Self {
        let named = NamedOrigins::new(origins);
        let checked = CheckedResolver { reach, inner };
        let resolver = SharedResolver(Arc::new(NamedResolver { named: named.clone(), checked }));
        Self { agent: agent_with(resolver.clone()), resolver, reach, hosts: Arc::new(hosts), named }
    }

    pub(crate) fn agent(&self) -> &Agent {
        &self.agent
    }

    pub(crate) fn authorization(&self, address: &Url) -> Option<String> {
        self.named.authorization(address)
    }

    /// Resolves a host once and checks its addresses, for a program that connects by itself: it must be given these
    /// addresses and resolve nothing.
    pub fn pin(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NetError> {
        let uri = format!("https://{host}:{port}/");
        let uri: Uri = uri.parse().map_err(|_| NetError::Address("the URL has no valid host"))?;
        if uri.host() != Some(host) || uri.port_u16() != Some(port) {
            return Err(NetError::Address("the URL has no valid host"));
        }
        let timeout =
            NextTimeout { after: CONNECT.into(), reason: Timeout::Resolve, ..NextTimeout::default() };
        let found = self.resolver.resolve(&uri, self.agent.config(), timeout);
        let want = DownloadRequest { accept: "", bytes: 0, time: CONNECT };
        found.map(|found| found.to_vec()).map_err(|error| net_error(error, &want))
    }

    /// Resolves a relative or absolute URL against `base`. Refuses other hosts, except the allowed ones.
    pub fn join(&self, base: &Url, to: &str) -> Result<Url, NetError> {
        let next = base.join(to).map_err(|_| NetError::Address("it is not a valid URL"))?;
        let next = self.checked(next)?;
        if self.may_follow(base, &next) { Ok(next) } else { Err(other_host(&next)) }
    }

    /// Downloads a URL. `progress` is called with the number of bytes received, and the total when it is known.
    pub fn get(
        &self,
        address: &Url,
        want: &DownloadRequest,
        progress: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<Download, NetError> {
        let until = Instant::now() + want.time;
        let mut address = self.checked(address.clone())?;
        for _ in 0..=REDIRECTS {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NetError::TooSlow(want.time));
            }
            let request = self.agent.get(address.as_str());
            let mut request = request.header("accept", want.accept).header("accept-encoding", "identity");
            // The origin of this hop decides, so that a redirect carries no credential elsewhere.
            if let Some(value) = self.authorization(&address) {
                request = request.header("authorization", value);
            }
            let request = request.config().timeout_global(Some(left.max(LEAST))).build();
            let mut response = request.call().map_err(|error| net_error(error, want))?;
            let status = response.status().as_u16();
            let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
            if let (301 | 302 | 303 | 307 | 308, Some(to)) = (status, header("location")) {
                address = self.join(&address, to)?;
                continue;
            }
            if status != 200 {
                return Err(NetError::Status(status));
            }
            if let Some(encoding) = header("content-encoding").filter(|it| *it != "identity") {
                return Err(NetError::Encoded(
                    encoding.chars().filter(char::is_ascii_graphic).take(40).collect(),
                ));
            }
            let total = header("content-length").and_then(|value| value.parse::<u64>().ok());
            if total.is_some_and(|total| total > want.bytes) {
                return Err(NetError::TooLarge(want.bytes));
            }
            let kind = header("content-type").unwrap_or_default();
            let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            let mut reader = response.body_mut().with_config().limit(u64::MAX).reader();
            let bytes = body(&mut reader, want, until, total, progress)?;
            return Ok(Download { address, kind, bytes });
        }
        Err(NetError::Redirects)
    }

    /// Validates a URL and removes its fragment.
    pub(crate) fn checked(&self, mut address: Url) -> Result<Url, NetError> {
        if address.as_str().len() > ADDRESS {
            return Err(NetError::Address("the URL is too long"));
        }
        let host = address.host_str().unwrap_or_default();
        if host.is_empty() {
            return Err(NetError::Address("the URL has no host"));
        }
        if !address.username().is_empty() || address.password().is_some() {
            return Err(NetError::Address("the URL contains a user name or a password; remove it"));
        }
        match address.scheme() {
            "https" => {}
            "http" if self.reach == Reach::Anywhere => {}
            "http" if self.reach == Reach::Loopback && is_this_machine(host) => {}
            "http" if self.named.has(&address) => {}
            "http" => return Err(NetError::Plain),
            _ => return Err(NetError::Address("only https URLs can be fetched")),
        }
        address.set_fragment(None);
        Ok(address)
    }

    fn may_follow(&self, from: &Url, to: &Url) -> bool {
        let same = from.scheme() == to.scheme()
            && from.host() == to.host()
            && from.port_or_known_default() == to.port_or_known_default();
        same || (to.scheme() == "https" && to.host_str().is_some_and(|host| self.hosts.contains(host)))
    }
}

fn other_host(address: &Url) -> NetError {
    let port = address.port().map_or_else(String::new, |port| format!(":{port}"));
    NetError::OtherHost(format!("{}{port}", address.host_str().unwrap_or_default()))
}

pub(crate) fn body(
    reader: &mut impl Read,
    want: &DownloadRequest,
    until: Instant,
    total: Option<u64>,
    progress: &mut dyn FnMut(u64, Option<u64>),
) -> Result<Vec<u8>, NetError> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        let read = match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(net_error(ureq::Error::from(error), want)),
        };
        bytes.extend_from_slice(&piece[..read]);
        if bytes.len() as u64 > want.bytes {
            return Err(NetError::TooLarge(want.bytes));
        }
        // The timeout of the socket does not stop a server that keeps sending single bytes.
        if Instant::now() > until {
            return Err(NetError::TooSlow(want.time));
        }
        progress(bytes.len() as u64, total);
    }
    if total.is_some_and(|total| total != bytes.len() as u64) {
        return Err(NetError::Failed("the server closed the connection before the end".to_owned()));
    }
    Ok(bytes)
}

pub(crate) fn net_error(error: ureq::Error, want: &DownloadRequest) -> NetError {
    match error {
        ureq::Error::Timeout(_) => NetError::TooSlow(want.time),
        ureq::Error::HostNotFound => NetError::NoHost,
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => NetError::TooSlow(want.time),
        ureq::Error::Other(other) => match other.downcast::<PrivateAddress>() {
            Ok(refused) => NetError::PrivateAddress(*refused),
            Err(other) => NetError::Failed(other.to_string()),
        },
        error => NetError::Failed(error.to_string()),
    }
}
