//! The addresses that git may connect to: looked up once, checked like those of a download, and given to git, which looks
//! up nothing itself.

use super::super::GitError;
use crate::source::Forge;
use skillful_net::Net;
use std::net::{IpAddr, SocketAddr};
use url::Url;

/// A host with its checked addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pin {
    /// A repository on this disk.
    Disk,
    /// `http` or `https`: host, port, addresses.
    Web(String, u16, Vec<IpAddr>),
    /// `ssh`: host, port, address.
    Ssh(String, u16, IpAddr),
}

/// Looks the host of a repository up and checks where it leads.
pub(super) fn pin(address: &str, protocol: &str, net: &Net) -> Result<Pin, GitError> {
    let (host, port) = match protocol {
        "file" => return Ok(Pin::Disk),
        "ssh" => ssh_host(address)?,
        _ => {
            let url = Url::parse(address).map_err(|_| GitError::NoHost(address.to_owned()))?;
            let host = url.host_str().unwrap_or_default().to_owned();
            (host, url.port_or_known_default().unwrap_or(443))
        }
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if bare.starts_with('-')
        || !(bare.chars().all(plain) && !bare.is_empty() || bare.parse::<IpAddr>().is_ok())
    {
        return Err(GitError::NoHost(host));
    }
    let found = net.pin(&host, port).map_err(|error| GitError::Address { host: host.clone(), error })?;
    let addresses: Vec<IpAddr> = found.iter().map(SocketAddr::ip).collect();
    let Some(first) = addresses.first().copied() else { return Err(GitError::NoHost(host)) };
    let host = bare.to_owned();
    Ok(if protocol == "ssh" { Pin::Ssh(host, port, first) } else { Pin::Web(host, port, addresses) })
}

/// Host and port of `ssh://user@host:port/path` or `user@host:path`.
fn ssh_host(address: &str) -> Result<(String, u16), GitError> {
    let none = || GitError::NoHost(address.to_owned());
    if address.starts_with("ssh://") {
        let url = Url::parse(address).map_err(|_| none())?;
        return Ok((url.host_str().ok_or_else(none)?.to_owned(), url.port().unwrap_or(22)));
    }
    let (_, rest) = address.split_once('@').ok_or_else(none)?;
    let (host, _) = rest.split_once(':').ok_or_else(none)?;
    Ok((host.to_owned(), 22))
}

impl Pin {
    /// The setting that gives curl the addresses of the host.
    pub(super) fn curl(&self) -> Option<String> {
        let Self::Web(host, port, addresses) = self else { return None };
        // An address stands for itself.
        if host.parse::<IpAddr>().is_ok() {
            return None;
        }
        let addresses: Vec<String> = addresses.iter().map(written).collect();
        Some(format!("http.curloptResolve={host}:{port}:{}", addresses.join(",")))
    }

    /// Whether the host is that of a known forge, whose name leads to no machine of its visitors.
    pub(super) fn is_forge(&self) -> bool {
        matches!(self, Self::Web(host, ..) if Forge::ALL.iter().any(|forge| forge.host() == host))
    }

    /// Options that give ssh the address, and the name that the host's key is known by.
    pub(super) fn ssh(&self) -> String {
        match self {
            Self::Ssh(host, port, address) => {
                let known = if *port == 22 { host.clone() } else { format!("[{host}]:{port}") };
                format!(" -oHostName={address} -oHostKeyAlias='{known}' -oCheckHostIP=no")
            }
            // Nothing that is not ssh starts it.
            Self::Disk | Self::Web(..) => " -oProxyCommand=false".to_owned(),
        }
    }
}

fn written(address: &IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillful_net::Reach;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_pinned_is_what_git_connects_to() {
        let web = Pin::Web(
            "git.example".to_owned(),
            443,
            vec!["93.184.216.34".parse().unwrap(), "2606:2800::1".parse().unwrap()],
        );
        assert_eq!(web.curl().unwrap(), "http.curloptResolve=git.example:443:93.184.216.34,[2606:2800::1]");
        let ssh = Pin::Ssh("git.example".to_owned(), 2222, "93.184.216.34".parse().unwrap());
        assert_eq!(
            ssh.ssh(),
            " -oHostName=93.184.216.34 -oHostKeyAlias='[git.example]:2222' -oCheckHostIP=no"
        );
        assert_eq!(ssh.curl(), None);
    }

    #[test]
    fn a_host_that_a_shell_would_read_is_refused() {
        let net = Net::new(Reach::Anywhere, BTreeSet::new());
        for host in ["a;b", "$(id)", "a'b", "`id`", "a&b", "-oProxyCommand=x", "a*b", "a!b", "a%20b"] {
            for address in
                [format!("ssh://git@{host}/r"), format!("git@{host}:r"), format!("https://{host}/r")]
            {
                let protocol = if address.starts_with("https") { "https" } else { "ssh" };
                assert!(pin(&address, protocol, &net).is_err(), "{address}");
            }
        }
    }
}
