//! URLs that disguise an address of this machine. None of them reaches a canary server on this machine.

use skillful_net::{CheckedResolver, DownloadRequest, Net, NetError, Reach, tls};
use skillful_testkit::{FileServer, Served};
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

/// Host names that lead to this machine or to the cloud metadata endpoint, in disguise.
fn hosts() -> Vec<String> {
    let mut hosts: Vec<String> = [
        "localhost",
        "LOCALHOST",
        "LocalHost",
        "localhost.",
        "localhost.localdomain",
        "ip6-localhost",
        "ip6-loopback",
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "127.1.",
        "127.0.0.2",
        "127.255.255.254",
        "127.000.000.001",
        "127.00.0.01",
        "0127.0.0.1",
        "0177.0.0.1",
        "0177.0.0.01",
        "0177.1",
        "0177.0.1",
        "00177.0.0.1",
        "0x7f.0.0.1",
        "0x7F.0x0.0x0.0x1",
        "0x7f.1",
        "0x7f.0.1",
        "0x7f000001",
        "0X7F000001",
        "0x7f000001.",
        "0x00007f000001",
        "2130706433",
        "2130706433.",
        "017700000001",
        "0017700000001",
        "0x7f.0.0x0.1",
        "127.0x0.0.1",
        "127.0.00000000.1",
        "127.0.0.0x1",
        "127.0.0.01",
        "127.65535",
        "0",
        "0.",
        "0.0.0.0",
        "00.00.00.00",
        "0x0",
        "0x0.0x0",
        "0.0",
        "0.0.0",
        "0x0.0.0.0",
        "①②⑦.⓪.⓪.①",
        "１２７.０.０.１",
        "127。0。0。1",
        "127．0．0．1",
        "127｡0｡0｡1",
        "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
        "ｌｏｃａｌｈｏｓｔ",
        "loc\u{ad}alhost",
        "%6c%6f%63%61%6c%68%6f%73%74",
        "127%2e0%2e0%2e1",
        "127.0.0.%31",
        "%31%32%37.0.0.1",
        "[::1]",
        "[::1%25lo]",
        "[0:0:0:0:0:0:0:1]",
        "[0000:0000:0000:0000:0000:0000:0000:0001]",
        "[::]",
        "[0::0]",
        "[::0.0.0.1]",
        "[::127.0.0.1]",
        "[::7f00:1]",
        "[::ffff:127.0.0.1]",
        "[::FFFF:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:127.0.0.1]",
        "[0:0:0:0:0:ffff:7f00:0001]",
        "[::ffff:0:127.0.0.1]",
        "[::ffff:0.0.0.0]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::127.0.0.1]",
        "[2002:7f00:1::]",
        "[2002:7f00:1::1]",
        "[2001::7f00:1]",
        "[fe80::1]",
        "[fe80::ffff:127.0.0.1]",
        "[fc00::1]",
        "[fd00::1]",
        "[fd00:ec2::254]",
        "[fec0::1]",
        "[ff02::1]",
        "[100::1]",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "169.254.169.254",
        "169.254.169.254.",
        "0xa9fea9fe",
        "2852039166",
        "0251.0376.0251.0376",
        "0xa9.0xfe.0xa9.0xfe",
        "169.254.43518",
        "169.16689662",
        "[2002:a9fe:a9fe::]",
        "[64:ff9b::a9fe:a9fe]",
        "10.0.0.1",
        "012.0.0.1",
        "0xa.1",
        "167772161",
        "172.16.0.1",
        "0xac.0x10.1",
        "192.168.0.1",
        "0300.0250.0.1",
        "3232235521",
        "100.64.0.1",
        "198.18.0.1",
        "192.0.0.192",
        "224.0.0.1",
        "255.255.255.255",
        "4294967295",
        "here.rebind.test",
        "HERE.rebind.test",
        "here.rebind.test.",
        "second.rebind.test",
        "both.rebind.test",
        "mapped.rebind.test",
        "metadata.rebind.test",
        "127.0.0.1.rebind.test",
        "www.example.org.rebind.test",
        "localhost.rebind.test",
    ]
    .map(str::to_owned)
    .to_vec();
    hosts.extend(
        ["example.org@127.0.0.1", "example.org:443@127.0.0.1", "127.0.0.1#@example.org"].map(str::to_owned),
    );
    hosts
}

/// Complete URLs, for cases where the port is not at the end.
fn whole(port: u16) -> Vec<String> {
    [
        "https://example.org@127.0.0.1:PORT/",
        "https://example.org%40127.0.0.1:PORT/",
        "https://user:pass@127.0.0.1:PORT/",
        "https:127.0.0.1:PORT",
        "https:/127.0.0.1:PORT/",
        "https:///127.0.0.1:PORT/",
        "https:\\\\127.0.0.1:PORT\\",
        "https://127.0.0.1:PORT\\@example.org/",
        "https://127.0.0.1:PORT?@example.org/",
        "https://127.0.0.1:PORT#@example.org/",
        "https://\t127.0.0.1:PORT/",
        "ht\ntps://127.0.0.1:PORT/",
        " https://127.0.0.1:PORT/ ",
        "https://127.0.0.1:000PORT/",
        "HTTPS://127.0.0.1:PORT/",
        "http://127.0.0.1:PORT/",
        "ftp://127.0.0.1:PORT/",
        "gopher://127.0.0.1:PORT/_GET",
        "ws://127.0.0.1:PORT/",
        "file://127.0.0.1:PORT/x",
        "https://[::ffff:127.0.0.1]:PORT/",
        "https://0x7f.1:PORT/..;/",
        "https://127.1:PORT/%2e%2e/",
    ]
    .map(|address| address.replace("PORT", &port.to_string()))
    .to_vec()
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
}
