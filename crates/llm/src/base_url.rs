//! Where a provider listens.

use std::{fmt, net::IpAddr};

/// An address that paths are appended to: a scheme, a host, perhaps a port and a path, nothing else.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    host: String,
    is_secure: bool,
}

/// Why an address cannot be used. It is not repeated, because it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// Neither `https://` nor `http://`.
    #[error("the base URL must start with `https://` or `http://`")]
    Scheme,
    /// No host.
    #[error("the base URL names no host")]
    Host,
    /// A user or password before the host.
    #[error("the base URL holds a user name or password; give the key by its own variable instead")]
    Credentials,
    /// A query, a fragment, blanks or control characters.
    #[error("the base URL must be a plain address without `?`, `#` or blanks")]
    Characters,
}

impl BaseUrl {
    /// Reads an address; slashes at its end do not matter.
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

    /// The address without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether nobody on the way can read along: TLS, or this very machine.
    pub fn is_private(&self) -> bool {
        self.is_secure || self.is_local()
    }

    fn is_local(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// Whether a proxy is meant for it.
    #[cfg(feature = "remote")]
    pub(crate) fn is_remote_and_secure(&self) -> bool {
        self.is_secure && !self.is_local()
    }

    /// The address of one call.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{}{path}", self.text)
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
