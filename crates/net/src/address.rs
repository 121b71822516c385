//! Decides which IP addresses a client may reach: public ones, but not this machine or private networks. The
//! check happens after name resolution and before the connection.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use ureq::{
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

/// IPv4 networks that are not public: address, prefix length.
const NOT_PUBLIC: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // Link-local, with the cloud metadata endpoint.
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

/// Whether an address is public.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !NOT_PUBLIC.iter().any(|(network, length)| (bits ^ u32::from_be_bytes(*network)) >> (32 - length) == 0)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let embedded =
        |high: u16, low: u16| is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match (parts[0], parts[1]) {
        // IPv4 addresses embedded in IPv6: mapped, translated, 6to4.
        (0, 0) if parts[2..6] == [0, 0, 0, 0xffff] => embedded(parts[6], parts[7]),
        (0x64, 0xff9b) if parts[2..6] == [0; 4] => embedded(parts[6], parts[7]),
        (0x2002, high) => embedded(high, parts[2]),
        // Tunnels, benchmarking, documentation.
        (0x2001, 0..0x200 | 0xdb8) | (0x3fff, 0..0x1000) => false,
        (first, _) => first & 0xe000 == 0x2000,
    }
}

/// Which addresses a client may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses.
    #[default]
    Public,
    /// Public addresses, and this machine if the URL names it literally. A host name that resolves to this
    /// machine is refused.
    Loopback,
    /// Every address; only when the user has allowed it.
    Anywhere,
}

impl Reach {
    /// Whether a host of a URL that resolves to an address may be reached.
    pub fn allows(self, host: &str, address: IpAddr) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Public => is_public(address),
            Self::Loopback => is_public(address) || (address.is_loopback() && is_this_machine(host)),
        }
    }
}

/// A resolver that refuses host names that resolve to a forbidden address.
#[derive(Debug, Default)]
pub struct CheckedResolver<R = DefaultResolver> {
    /// Which addresses are allowed.
    pub reach: Reach,
    /// The resolver that looks names up.
    pub inner: R,
}

/// Whether the host of a URL literally names this machine.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl<R: Resolver> Resolver for CheckedResolver<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        let host = uri.host().unwrap_or_default();
        match found.iter().find(|address| !self.reach.allows(host, address.ip())) {
            Some(address) => Err(ureq::Error::Other(Box::new(PrivateAddress(address.ip())))),
            // The connection uses exactly these addresses; the name is not resolved again.
            None => Ok(found),
        }
    }
}

/// An address that a client may not reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it resolves to {0}, an address of this machine or of a private network; only public addresses are allowed"
)]
pub struct PrivateAddress(pub IpAddr);

#[cfg(test)]
mod tests;
