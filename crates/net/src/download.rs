//! A download: one address, bounded in time and size, its redirects judged one by one.

use crate::{
    address::{Judge, NotTheWorlds, Reach, is_this_machine},
    tls::{USER_AGENT, tls},
};
use std::{
    collections::BTreeSet,
    io::{self, Read},
    sync::Arc,
    time::{Duration, Instant},
};
use ureq::{
    Agent,
    unversioned::{
        resolver::{DefaultResolver, Resolver},
        transport::DefaultConnector,
    },
};
use url::Url;

/// A server that cannot be connected to in this time is not there.
const CONNECT: Duration = Duration::from_secs(10);
/// Redirects of one download.
const REDIRECTS: usize = 3;
/// Bytes of an address.
const ADDRESS: usize = 4_096;
/// Bytes between two words to whoever watches.
const PIECE: usize = 64 << 10;
/// No server is asked for less time than this, since zero would mean for ever.
const LEAST: Duration = Duration::from_millis(1);

/// What is wanted, and how far a download may go for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want {
    /// For the header `accept`.
    pub accept: &'static str,
    /// More bytes than these are not read.
    pub bytes: u64,
    /// All of it: names, connections, redirects and bytes.
    pub time: Duration,
}

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// Where it came from, after redirects.
    pub address: Url,
    /// `content-type` without its parameters, in small letters.
    pub kind: String,
    /// The bytes as they were sent.
    pub bytes: Vec<u8>,
}

/// Why nothing came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// No address of the web.
    #[error("{0}")]
    Address(&'static str),
    /// Plain `http` to another machine, or to this one without leave.
    #[error("it is not https; plain http is used for this machine only, and only when that is allowed")]
    Plain,
    /// A place that is not the world's.
    #[error(transparent)]
    NotTheWorlds(#[from] NotTheWorlds),
    /// Nobody of that name.
    #[error("there is no such host")]
    NoHost,
    /// A host that nobody agreed to.
    #[error("it leads to another host, `{0}`, which is not asked; allow that host if you trust it")]
    Elsewhere(String),
    /// A chain of redirects.
    #[error("it redirects more than {REDIRECTS} times")]
    Redirects,
    /// It takes too long.
    #[error("it did not come within {} seconds", .0.as_secs_f32())]
    TooSlow(Duration),
    /// It is too large.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    /// The server said no.
    #[error("the server answered {0}")]
    Status(u16),
    /// The server packed what it sends, which nobody asked for.
    #[error("the server sent it encoded as `{0}`, which was not asked for")]
    Encoded(String),
    /// The connection failed.
    #[error("it could not be fetched: {0}")]
    Failed(String),
}

/// Downloads. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Net {
    agent: Agent,
    reach: Reach,
    hosts: Arc<BTreeSet<String>>,
}

/// What asks, one address at a time: every name is judged by what it leads to, and redirects are left to the caller.
pub fn judged(reach: Reach, inner: impl Resolver) -> Agent {
    let config = Agent::config_builder()
        .tls_config(tls())
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // A proxy would look names up itself, where nobody judges what they lead to.
        .proxy(None)
        .timeout_connect(Some(CONNECT))
        .user_agent(USER_AGENT)
        .build();
    Agent::with_parts(config, DefaultConnector::default(), Judge { reach, inner })
}

/// Reaches the world, and no host but the one that is asked.
impl Default for Net {
    fn default() -> Self {
        Self::new(Reach::World, BTreeSet::new())
    }
}

impl Net {
    /// A client that reaches so far. `hosts` are others that an address may lead to.
    pub fn new(reach: Reach, hosts: BTreeSet<String>) -> Self {
        Self::with_resolver(reach, hosts, DefaultResolver::default())
    }

    /// The same, with names looked up by somebody else; what they lead to is judged all the same.
    pub fn with_resolver(reach: Reach, hosts: BTreeSet<String>, inner: impl Resolver) -> Self {
        Self { agent: judged(reach, inner), reach, hosts: Arc::new(hosts) }
    }

    /// An address below another one, when this client may go there: to the same host, or to a listed one.
    pub fn join(&self, base: &Url, to: &str) -> Result<Url, NetError> {
        let next = base.join(to).map_err(|_| NetError::Address("it is no address"))?;
        let next = self.checked(next)?;
        if self.may_lead(base, &next) { Ok(next) } else { Err(elsewhere(&next)) }
    }

    /// Gets an address. `heard` is told how many bytes came, and of how many when that is known.
    pub fn get(
        &self,
        address: &Url,
        want: &Want,
        heard: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<Download, NetError> {
        let until = Instant::now() + want.time;
        let mut address = self.checked(address.clone())?;
        for _ in 0..=REDIRECTS {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NetError::TooSlow(want.time));
            }
            let request = self.agent.get(address.as_str());
            let request = request.header("accept", want.accept).header("accept-encoding", "identity");
            let request = request.config().timeout_global(Some(left.max(LEAST))).build();
            let mut response = request.call().map_err(|error| told(error, want))?;
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
            let bytes = body(&mut reader, want, until, total, heard)?;
            return Ok(Download { address, kind, bytes });
        }
        Err(NetError::Redirects)
    }

    /// An address as it is asked for.
    fn checked(&self, mut address: Url) -> Result<Url, NetError> {
        if address.as_str().len() > ADDRESS {
            return Err(NetError::Address("the address is too long"));
        }
        let host = address.host_str().unwrap_or_default();
        if host.is_empty() {
            return Err(NetError::Address("the address names no host"));
        }
        if !address.username().is_empty() || address.password().is_some() {
            return Err(NetError::Address("an address with a name or a password is not fetched"));
        }
        match address.scheme() {
            "https" => {}
            "http" if self.reach == Reach::Anywhere => {}
            "http" if self.reach == Reach::Loopback && is_this_machine(host) => {}
            "http" => return Err(NetError::Plain),
            _ => return Err(NetError::Address("only https is fetched")),
        }
        address.set_fragment(None);
        Ok(address)
    }

    fn may_lead(&self, from: &Url, to: &Url) -> bool {
        let same = from.scheme() == to.scheme()
            && from.host() == to.host()
            && from.port_or_known_default() == to.port_or_known_default();
        same || (to.scheme() == "https" && to.host_str().is_some_and(|host| self.hosts.contains(host)))
    }
}

fn elsewhere(address: &Url) -> NetError {
    let port = address.port().map_or_else(String::new, |port| format!(":{port}"));
    NetError::Elsewhere(format!("{}{port}", address.host_str().unwrap_or_default()))
}

fn body(
    reader: &mut impl Read,
    want: &Want,
    until: Instant,
    total: Option<u64>,
    heard: &mut dyn FnMut(u64, Option<u64>),
) -> Result<Vec<u8>, NetError> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        let read = match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(told(ureq::Error::from(error), want)),
        };
        bytes.extend_from_slice(&piece[..read]);
        if bytes.len() as u64 > want.bytes {
            return Err(NetError::TooLarge(want.bytes));
        }
        // A server that sends a byte now and then keeps no clock of a socket.
        if Instant::now() > until {
            return Err(NetError::TooSlow(want.time));
        }
        heard(bytes.len() as u64, total);
    }
    if total.is_some_and(|total| total != bytes.len() as u64) {
        return Err(NetError::Failed("the connection ended early".to_owned()));
    }
    Ok(bytes)
}

fn told(error: ureq::Error, want: &Want) -> NetError {
    match error {
        ureq::Error::Timeout(_) => NetError::TooSlow(want.time),
        ureq::Error::HostNotFound => NetError::NoHost,
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => NetError::TooSlow(want.time),
        ureq::Error::Other(other) => match other.downcast::<NotTheWorlds>() {
            Ok(refused) => NetError::NotTheWorlds(*refused),
            Err(other) => NetError::Failed(other.to_string()),
        },
        error => NetError::Failed(error.to_string()),
    }
}
