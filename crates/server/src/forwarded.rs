//! The address of a client behind a proxy. The header counts only when a listed proxy sent it.

use axum::http::HeaderMap;
use std::net::IpAddr;

/// The proxies whose headers count, as networks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies(Vec<(IpAddr, u8)>);

impl Proxies {
    /// Reads addresses and networks: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
    pub fn parse(texts: &[String]) -> Result<Self, String> {
        let one = |text: &String| {
            let wrong = || format!("`{text}` is not an address or a network, such as 10.0.0.0/8");
            let (address, length) = match text.split_once('/') {
                Some((address, length)) => (address, Some(length)),
                None => (text.as_str(), None),
            };
            let address: IpAddr = address.trim().parse().map_err(|_| wrong())?;
            let whole = if address.is_ipv4() { 32 } else { 128 };
            let length = length.map_or(Ok(whole), |length| length.trim().parse().map_err(|_| wrong()))?;
            if length > whole {
                return Err(wrong());
            }
            Ok((address, length))
        };
        texts.iter().map(one).collect::<Result<_, _>>().map(Self)
    }

    fn has(&self, address: IpAddr) -> bool {
        let bits = |address: IpAddr| match address {
            IpAddr::V4(address) => (u128::from(address.to_bits()) << 96, 32),
            IpAddr::V6(address) => (address.to_bits(), 128),
        };
        let address = address.to_canonical();
        let (own, kind) = bits(address);
        self.0.iter().any(|(network, length)| {
            let (network, other) = bits(*network);
            kind == other && (*length == 0 || (own ^ network) >> (128 - u32::from(*length)) == 0)
        })
    }

    /// What a client is counted by: its address, and of an IPv6 address the network of 64 bits, in which one client has as many
    /// addresses as it likes.
    pub(crate) fn counted(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
        Some(match self.client(peer, headers)?.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
            address @ IpAddr::V4(_) => address,
        })
    }

    /// The address of the client: the last one in `x-forwarded-for` that is not a listed proxy. Without a listed proxy in front it
    /// is the address of the connection, whatever the header says.
    fn client(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
        let peer = peer?;
        if !self.has(peer) {
            return Some(peer);
        }
        let lines = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        let named: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
        let mut found = peer;
        for text in named.into_iter().rev() {
            // What cannot be read was not written by a proxy of ours.
            let Ok(address) = text.parse::<IpAddr>() else { break };
            found = address;
            if !self.has(address) {
                break;
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(proxies: &[&str], peer: &str, header: Option<&str>) -> String {
        let proxies: Vec<String> = proxies.iter().map(|text| (*text).to_owned()).collect();
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert("x-forwarded-for", header.parse().unwrap());
        }
        Proxies::parse(&proxies).unwrap().client(peer.parse().ok(), &headers).unwrap().to_string()
    }

    #[test]
    fn a_forwarded_address_counts_only_from_a_listed_proxy() {
        assert_eq!(client(&[], "10.0.0.1", Some("1.2.3.4")), "10.0.0.1", "no proxy is listed");
        assert_eq!(client(&["10.0.0.1"], "10.0.0.2", Some("1.2.3.4")), "10.0.0.2", "another machine");
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.2", Some("1.2.3.4")), "1.2.3.4");
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.2", None), "10.0.0.2");
        // A client may write the first entries; the proxy adds the last one.
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.2", Some("9.9.9.9, 1.2.3.4")), "1.2.3.4");
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.2", Some("9.9.9.9, 1.2.3.4, 10.0.0.3")), "1.2.3.4");
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.2", Some("1.2.3.4, nonsense")), "10.0.0.2");
        assert_eq!(client(&["fd00::/8"], "fd00::1", Some("2001:db8::5")), "2001:db8::5");
        assert_eq!(client(&["127.0.0.1"], "::ffff:127.0.0.1", Some("1.2.3.4")), "1.2.3.4");
    }

    #[test]
    fn the_addresses_of_one_ipv6_network_are_one_client() {
        let counted = |address: &str| {
            let proxies = Proxies::default();
            proxies.counted(address.parse().ok(), &HeaderMap::new()).unwrap().to_string()
        };
        assert_eq!(counted("2001:db8:1:2::1"), counted("2001:db8:1:2:ffff::7"));
        assert_ne!(counted("2001:db8:1:2::1"), counted("2001:db8:1:3::1"));
        assert_eq!(counted("::ffff:1.2.3.4"), "1.2.3.4");
        assert_ne!(counted("1.2.3.4"), counted("1.2.3.5"));
    }

    #[test]
    fn what_is_not_a_network_is_named() {
        for text in ["proxy", "10.0.0.0/33", "10.0.0.0/x", "::/129", ""] {
            let error = Proxies::parse(&[text.to_owned()]).unwrap_err();
            assert!(error.contains("is not an address or a network"), "{error}");
        }
    }
}
