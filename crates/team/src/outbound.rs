//! What the server may reach by itself: sources and webhooks. Public addresses only, unless a setting of the server allows more.

use crate::{error::TeamError, team::Team};
use skillful_net::{Net, Reach};
use std::collections::BTreeSet;
use url::Url;

/// Settings about connections that the server makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outbound {
    /// Whether addresses of private networks and of this machine may be reached, and plain http.
    pub private_addresses: bool,
    /// The only hosts that sources may name and redirects may lead to; empty means every public host.
    pub source_hosts: BTreeSet<String>,
    /// Where programs are looked for; `git` fetches repositories.
    pub program_path: String,
}

impl Outbound {
    /// The way out, with every address checked.
    pub(crate) fn net(&self) -> Net {
        Net::new(self.reach(), self.source_hosts.clone())
    }

    /// Which addresses may be reached.
    pub fn reach(&self) -> Reach {
        if self.private_addresses { Reach::Anywhere } else { Reach::Public }
    }

    /// Checks an address before it is saved: its form, whether its host is listed, and where it leads. A host that cannot be
    /// looked up now is not refused: that is found out, and said, when it is asked.
    pub(crate) fn check(&self, address: &Url, hosts: &BTreeSet<String>) -> Result<(), TeamError> {
        let host = address.host_str().unwrap_or_default();
        if host.is_empty() || !address.username().is_empty() || address.password().is_some() {
            return Err(TeamError::invalid(
                "wrong-address",
                "the address needs a host, and has no user or password",
            ));
        }
        match address.scheme() {
            "https" => {}
            "http" if self.private_addresses => {}
            scheme => {
                return Err(TeamError::invalid("not-https", format!("`{scheme}` is not allowed; use https")));
            }
        }
        if !hosts.is_empty() && !hosts.contains(host) {
            let listed: Vec<&str> = hosts.iter().map(String::as_str).collect();
            return Err(TeamError::invalid(
                "host-not-listed",
                format!("`{host}` is not a host that this server may use; it may use {}", listed.join(", ")),
            ));
        }
        match self.net().pin(host, address.port_or_known_default().unwrap_or(443)) {
            Err(error @ skillful_net::NetError::PrivateAddress(_)) => {
                Err(TeamError::invalid("private-address", format!("`{host}` is refused: {error}")))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

impl Team {
    /// The same team with other settings about connections that the server makes.
    #[must_use]
    pub fn with_outbound(mut self, outbound: Outbound) -> Self {
        self.outbound = std::sync::Arc::new(outbound);
        self
    }

    /// What the server may reach by itself.
    pub fn outbound(&self) -> &Outbound {
        &self.outbound
    }
}
