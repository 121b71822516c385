//! The address of a provider.

use std::{fmt, net::IpAddr};

/// An address that paths are appended to: a scheme, a host, optionally a port and a path, and nothing else.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    host: String,
    is_secure: bool,
}

/// Why an address cannot be used. The message does not repeat the address, because it may contain a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// The scheme is neither `https://` nor `http://`.
    #[error("the base URL must start with `https://` or `http://`")]
    Scheme,
    /// The address has no host.
    #[error("the base URL has no host")]
    Host,
    /// The address has a user name or password before the host.
    #[error("the base URL contains a user name or password; set the API key in its own variable instead")]
    Credentials,
    /// The address has a query, a fragment, spaces or control characters.
    #[error("the base URL must not contain `?`, `#`, spaces or control characters")]
    Characters,
}

impl BaseUrl {
    /// Parses an address; trailing slashes are ignored.
    pub fn new(text: &str) -> Result<Self, BadUrl> {
        let text = text.trim().trim_end_matches('/');
        let (is_secure, rest) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(BadUrl::Scheme),
        };
        let authority = rest.split('/').next().unwrap_or_default();
        if authority.contains('@') {
            return Err(BadUrl::Credentials);
        }
        if text.contains(|c: char| c.is_whitespace() || c.is_control() || "?#\\".contains(c)) {
            return Err(BadUrl::Characters);
        }
        let host = match authority.strip_prefix('[') {
            Some(six) => six.split(']').next().unwrap_or_default(),
            None => authority.split(':').next().unwrap_or_default(),
        };
        if host.is_empty() {
            return Err(BadUrl::Host);
        }
        Ok(Self { text: text.to_owned(), host: host.to_lowercase(), is_secure })
    }

    /// The address without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the connection cannot be read by others: it uses TLS or stays on this machine.
    pub fn is_private(&self) -> bool {
        self.is_secure || self.is_local()
    }

    fn is_local(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// Whether calls to this address go through the proxy.
    #[cfg(feature = "remote")]
    pub(crate) fn is_remote_and_secure(&self) -> bool {
        self.is_secure && !self.is_local()
    }

    /// The URL of one call.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{}{path}", self.text)
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
