//! Origins that the user named: they may be in a private network, and each may have a credential of its own.

use crate::address::{CheckedResolver, is_this_machine};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::Arc;
use ureq::{
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};
use url::Url;

/// A server that the user named, with the credential that is sent to it and to no other.
#[derive(Clone, Debug)]
pub struct NamedOrigin {
    scheme: String,
    host: String,
    port: u16,
    token: Option<SecretString>,
}

impl NamedOrigin {
    /// The origin of a URL: https, or plain http to this machine. `None` for every other URL.
    pub fn new(address: &Url, token: Option<SecretString>) -> Option<Self> {
        let host = address.host_str()?;
        let is_safe = address.scheme() == "https" || (address.scheme() == "http" && is_this_machine(host));
        is_safe.then_some(())?;
        Some(Self {
            scheme: address.scheme().to_owned(),
            host: host.to_owned(),
            port: address.port_or_known_default()?,
            token,
        })
    }

    /// Whether it is this machine, by name or address.
    pub fn is_this_machine(&self) -> bool {
        is_this_machine(&self.host)
    }

    /// Whether a URL is on this origin.
    pub fn is_of(&self, address: &Url) -> bool {
        self.scheme == address.scheme()
            && address.host_str() == Some(&self.host)
            && address.port_or_known_default() == Some(self.port)
    }
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedOrigins(Arc<Vec<NamedOrigin>>);

impl NamedOrigins {
    pub(crate) fn new(origins: Vec<NamedOrigin>) -> Self {
        Self(Arc::new(origins))
    }

    /// Whether the user named the server of a URL.
    pub(crate) fn has(&self, address: &Url) -> bool {
        self.0.iter().any(|origin| origin.is_of(address))
    }

    /// The header field with the credential for a URL.
    pub(crate) fn authorization(&self, address: &Url) -> Option<String> {
        let token = self.0.iter().find(|origin| origin.is_of(address))?.token.as_ref()?;
        Some(format!("Bearer {}", token.expose_secret()))
    }

    fn has_host(&self, host: &str, port: Option<u16>) -> bool {
        self.0.iter().any(|origin| origin.host.eq_ignore_ascii_case(host) && port == Some(origin.port))
    }
}

/// A resolver that checks addresses, but for servers that the user named.
#[derive(Debug)]
pub(crate) struct NamedResolver<R> {
    pub(crate) named: NamedOrigins,
    pub(crate) checked: CheckedResolver<R>,
}

impl<R: Resolver> Resolver for NamedResolver<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let known = if uri.scheme_str() == Some("http") { 80 } else { 443 };
        if self.named.has_host(uri.host().unwrap_or_default(), uri.port_u16().or(Some(known))) {
            return self.checked.inner.resolve(uri, config, timeout);
        }
        self.checked.resolve(uri, config, timeout)
    }
}
