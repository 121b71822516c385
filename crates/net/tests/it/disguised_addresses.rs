//! URLs that disguise an address of this machine. None of them reaches a canary server on this machine.

use skillful_net::{CheckedResolver, DownloadRequest, Net, NetError, Reach, tls};
use skillful_testkit::{
    Attempts, FileServer, Served,
    disguised::{hosts, whole},
};
use std::{
    collections::BTreeSet,
    net::{IpAddr, SocketAddr},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use ureq::{
    Agent,
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::{DefaultConnector, NextTimeout},
    },
};
use url::Url;

/// A resolver of an attacker: the name selects the answer, and the answer can change.
#[derive(Debug, Default)]
struct Hostile {
    asked: AtomicUsize,
}

const PUBLIC: &str = "93.184.216.34";

impl Resolver for Hostile {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default().trim_end_matches('.');
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        let meant: Vec<&str> = match host.strip_suffix(".rebind.test") {
            Some("second") => vec![PUBLIC, "127.0.0.1"],
            Some("both") => vec!["127.0.0.1", PUBLIC],
            Some("mapped") => vec!["::ffff:127.0.0.1"],
            Some("metadata") => vec!["169.254.169.254"],
            // A public address first, this machine afterwards.
            Some("turn") if turn == 0 => vec![PUBLIC],
            Some(_) => vec!["127.0.0.1"],
            None => return DefaultResolver::default().resolve(uri, config, timeout),
        };
        let port = uri.port_u16().unwrap_or(443);
        let mut found = self.empty();
        for address in meant {
            found.push(SocketAddr::new(address.parse::<IpAddr>().unwrap(), port));
        }
        Ok(found)
    }
}

const WANT: DownloadRequest = DownloadRequest { accept: "*/*", bytes: 1 << 10, time: Duration::from_secs(5) };

#[test]
fn no_spelling_of_a_local_address_reaches_this_machine() {
    let canary = FileServer::with(|_| Served::File("text/plain", b"secret".to_vec()));
    let port = canary.port();
    let hosts = hosts();
    let whole = whole(port);
    assert!(hosts.len() + whole.len() >= 120, "{}", hosts.len() + whole.len());
    let net = Net::with_resolver(Reach::Public, BTreeSet::new(), Hostile::default());
    // Without the check of the scheme, the address check alone must refuse them.
    let config = Agent::config_builder().tls_config(tls()).proxy(None).max_redirects(0);
    let config = config.timeout_global(Some(WANT.time)).build();
    let judge = CheckedResolver { reach: Reach::Public, inner: Hostile::default() };
    let plain = Agent::with_parts(config, DefaultConnector::default(), judge);
    for host in &hosts {
        for scheme in ["https", "http"] {
            // URLs that the parser refuses cannot be fetched.
            let Ok(address) = Url::parse(&format!("{scheme}://{host}:{port}/")) else { continue };
            let came = net.get(&address, &WANT, &mut |_, _| {});
            assert!(came.is_err(), "{address}: {came:?}");
            assert!(plain.get(address.as_str()).call().is_err(), "{address}");
        }
    }
    for text in &whole {
        if let Ok(address) = Url::parse(text) {
            assert!(net.get(&address, &WANT, &mut |_, _| {}).is_err(), "{text}");
        }
    }
    assert_eq!(canary.connections(), 0, "a URL reached this machine");
    let count = 4 * hosts.len() + whole.len();
    Attempts::of("no_spelling_of_a_local_address_reaches_this_machine").refused(count).report();
}

#[test]
fn a_name_that_changes_its_address_is_checked_each_time_and_resolved_once() {
    let canary = FileServer::with(|_| Served::Status(200));
    let inner = Hostile { asked: AtomicUsize::new(1) };
    // Loopback is allowed only for URLs that name this machine literally, not for names that resolve to it.
    let net = Net::with_resolver(Reach::Loopback, BTreeSet::new(), inner);
    for name in ["turn", "here", "both", "second"] {
        let address = Url::parse(&format!("https://{name}.rebind.test:{}/", canary.port())).unwrap();
        let came = net.get(&address, &WANT, &mut |_, _| {});
        assert!(matches!(came, Err(NetError::PrivateAddress(_))), "{name}: {came:?}");
    }
    assert_eq!(canary.connections(), 0);
}

#[test]
fn no_redirect_leads_to_another_port_of_this_machine() {
    let canary = FileServer::with(|_| Served::File("text/plain", b"secret".to_vec()));
    let port = canary.port();
    let hosts = hosts();
    let targets: Vec<String> =
        hosts.iter().map(|host| format!("https://{host}:{port}/")).chain(whole(port)).collect();
    let count = targets.len();
    let server = FileServer::with(move |path| {
        let at: usize = path.trim_start_matches('/').parse().unwrap_or_default();
        // A header contains only visible ASCII characters; others are dropped.
        let target: String = targets[at].chars().filter(char::is_ascii_graphic).collect();
        Served::Redirect(target)
    });
    let net = Net::new(Reach::Loopback, BTreeSet::new());
    for at in 0..count {
        let address = Url::parse(&format!("{}/{at}", server.url())).unwrap();
        assert!(net.get(&address, &WANT, &mut |_, _| {}).is_err(), "{at}");
    }
    assert_eq!(canary.connections(), 0);
    Attempts::of("no_redirect_leads_to_another_port_of_this_machine").refused(count).report();
}
