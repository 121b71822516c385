//! Which addresses of the network a fetch may reach: those of the world, and none of this machine or of the
//! networks around it. Judged after a name was looked up and right before it is connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use ureq::{
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

/// Networks of IPv4 that are not the world's: address, bits.
const CLOSED: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    // With the address that clouds tell secrets at.
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

/// Whether an address is one of the world.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !CLOSED.iter().any(|(network, length)| (bits ^ u32::from_be_bytes(*network)) >> (32 - length) == 0)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let embedded =
        |high: u16, low: u16| is_public_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match (parts[0], parts[1]) {
        // An address of IPv4 in another dress: mapped, or by a translator.
        (0, 0) if parts[2..6] == [0, 0, 0, 0xffff] => embedded(parts[6], parts[7]),
        (0x64, 0xff9b) if parts[2..6] == [0; 4] => embedded(parts[6], parts[7]),
        (0x2002, high) => embedded(high, parts[2]),
        // Tunnels, measuring, examples.
        (0x2001, 0..0x200 | 0xdb8) | (0x3fff, 0..0x1000) => false,
        (first, _) => first & 0xe000 == 0x2000,
    }
}

/// How far a client may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Addresses of the world.
    #[default]
    World,
    /// These, and this machine when the address says so itself. A name that leads here is refused still.
    Loopback,
    /// Every address, because the person said so.
    Anywhere,
}

/// Looks names up, and refuses those that lead to a place that is not the world's.
#[derive(Debug, Default)]
pub struct Judge<R = DefaultResolver> {
    /// How far.
    pub reach: Reach,
    /// Looks them up.
    pub inner: R,
}

impl<R> Judge<R> {
    fn lets(&self, uri: &Uri, address: IpAddr) -> bool {
        match self.reach {
            Reach::Anywhere => true,
            Reach::World => is_public(address),
            Reach::Loopback => {
                is_public(address) || (address.is_loopback() && uri.host().is_some_and(is_this_machine))
            }
        }
    }
}

/// Whether a host, as an address spells it, is this machine by its own words.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl<R: Resolver> Resolver for Judge<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        match found.iter().find(|address| !self.lets(uri, address.ip())) {
            Some(address) => Err(ureq::Error::Other(Box::new(NotTheWorlds(address.ip())))),
            // What is connected to is what was judged: nobody looks the name up again.
            None => Ok(found),
        }
    }
}

/// An address that a fetch may not reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it leads to {0}, an address of this machine or of a private network, which is not fetched")]
pub struct NotTheWorlds(pub IpAddr);

#[cfg(test)]
mod tests;
