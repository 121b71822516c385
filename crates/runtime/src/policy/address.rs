//! Patterns of addresses: `domain:example.com`, `domain:*.example.com`.

use super::unproven::Unproven;

/// An address longer than this is not read.
const ADDRESS_LIMIT: usize = 8 << 10;

/// What is inside the parentheses of a grant for the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostPattern {
    name: String,
    /// Whether it means the names below it and not the name itself.
    below: bool,
}

impl HostPattern {
    /// Reads `domain:name`; anything else matches nothing, and the caller reports it.
    pub(crate) fn read(pattern: &str) -> Option<Self> {
        let name = pattern.trim().strip_prefix("domain:")?.trim().to_ascii_lowercase();
        let (name, below) = match name.strip_prefix("*.") {
            Some(name) => (name.to_owned(), true),
            None => (name, false),
        };
        is_name(&name).then_some(Self { name, below })
    }

    /// Whether it means this host. The host comes from [`host_of`].
    pub(crate) fn means(&self, host: &str) -> bool {
        if self.below {
            host.strip_suffix(&self.name).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        } else {
            host == self.name
        }
    }

    /// Whether everything this lets through is let through by `wider` too.
    pub(crate) fn within(&self, wider: &Self) -> bool {
        self == wider || wider.below && wider.means(&self.name)
    }
}

/// The host of an address. Readers of URLs disagree about anything unusual, so that is refused.
pub(crate) fn host_of(address: &str) -> Result<String, Unproven> {
    let refused = || Unproven::Address(address.chars().take(80).collect());
    let lower = address.to_ascii_lowercase();
    let rest =
        lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")).ok_or_else(refused)?;
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
    let plain = address.len() <= ADDRESS_LIMIT
        && !address.contains('\\')
        && !address.chars().any(|c| c.is_control() || c.is_whitespace());
    if plain && is_name(host) && port.is_none_or(|port| matches!(port, "80" | "443")) {
        Ok(host.to_owned())
    } else {
        Err(refused())
    }
}

/// A name of a host with at least one letter, so that no spelling of a number is one.
fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    name.len() <= 253
        && name.split('.').all(label)
        && name.rsplit('.').next().is_some_and(|top| !top.starts_with(|c: char| c.is_ascii_digit()))
}
