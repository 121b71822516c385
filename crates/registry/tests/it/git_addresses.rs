//! Git sources and the judge of addresses: no spelling of an address of this machine reaches it, and git connects to the
//! addresses that were checked.

use skillful_net::{Net, Reach};
use skillful_registry::{
    Source,
    fetch::{Bounds, FetchError, GitError, Outside, Web, fetch},
};
use skillful_testkit::{
    Attempts, FileServer, Served,
    disguised::{hosts, whole},
    has_tool, require_tool,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    path::Path,
};
use ureq::{
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

/// A resolver of an attacker: every name below `.test` is this machine.
#[derive(Debug)]
struct Hostile;

impl Resolver for Hostile {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default().trim_end_matches('.');
        if !host.to_ascii_lowercase().ends_with(".test") {
            return DefaultResolver::default().resolve(uri, config, timeout);
        }
        let mut found = self.empty();
        found.push(SocketAddr::new("127.0.0.1".parse().unwrap(), uri.port_u16().unwrap_or(443)));
        Ok(found)
    }
}

fn outside(folder: &Path, reach: Reach) -> Outside {
    let net = Net::with_resolver(reach, BTreeSet::new(), Hostile);
    Outside {
        base: folder.to_path_buf(),
        home: folder.join("home"),
        variables: BTreeMap::from([("PATH".to_owned(), std::env::var("PATH").unwrap_or_default())]),
        scratch: folder.join("scratch"),
        bounds: Bounds { seconds: 3, ..Bounds::default() },
        web: Web { net, ..Web::default() },
    }
}

/// The ways in which a source names a repository on a host.
const FORMS: [&str; 5] = [
    "git+https://HOST:PORT/r",
    "https://HOST:PORT/r.git",
    "http://HOST:PORT/r.git",
    "ssh://git@HOST:PORT/r",
    "git@HOST:r",
];

#[test]
fn no_spelling_of_a_local_address_is_reached_by_git() {
    require_tool!("git");
    let canary = FileServer::with(|_| Served::Status(404));
    let port = canary.port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let outside = outside(folder.path(), Reach::Public);
    let written = hosts().into_iter().flat_map(|host| FORMS.map(|form| form.replace("HOST", &host)));
    let written = written.map(|form| form.replace("PORT", &port));
    let (mut attempts, mut refused) = (0, 0);
    for text in written.chain(whole(canary.port()).into_iter().map(|url| format!("git+{url}"))) {
        attempts += 1;
        // A source that cannot be written is not fetched.
        let Ok(source) = text.parse::<Source>() else { continue };
        match fetch(&source, None, &outside) {
            Err(FetchError::Git(GitError::Address { .. } | GitError::NoHost(_))) => refused += 1,
            // It was read as a path or as an index, which downloads judge; or, as `0127.0.0.1`, which is 87.0.0.1, it
            // is public.
            Err(
                FetchError::Web(_)
                | FetchError::Disk { .. }
                | FetchError::Git(GitError::Failed { .. } | GitError::TooSlow { .. }),
            ) => {}
            came => panic!("{text}: {came:?}"),
        }
    }
    assert!(attempts >= 600 && refused >= 300, "{attempts} {refused}");
    assert_eq!(canary.connections(), 0, "a source reached this machine");
    Attempts::of("no_spelling_of_a_local_address_is_reached_by_git").refused(attempts).report();
}

#[test]
fn git_connects_to_the_address_that_was_checked_and_looks_up_nothing() {
    require_tool!("git");
    let server = FileServer::with(|_| Served::Status(404));
    let folder = tempfile::tempdir().unwrap();
    // No name server knows the host, so that a connection shows that the given address was used.
    let outside = outside(folder.path(), Reach::Anywhere);
    let mut forms = vec!["https://repo.test:PORT/r.git"];
    if has_tool("ssh") {
        forms.push("ssh://git@repo.test:PORT/r");
    }
    for form in forms {
        let before = server.connections();
        let source: Source = form.replace("PORT", &server.port().to_string()).parse().unwrap();
        assert!(fetch(&source, None, &outside).is_err(), "{form}: it is not a git server");
        assert!(server.connections() > before, "{form}: another address was used");
    }
}

#[test]
fn loopback_is_reached_only_when_downloads_may_reach_it_and_no_redirect_is_followed() {
    require_tool!("git");
    let canary = FileServer::with(|_| Served::Status(404));
    let target = format!("http://127.0.0.1:{}/r.git/info/refs?service=git-upload-pack", canary.port());
    let server = FileServer::with(move |_| Served::Redirect(target.clone()));
    let folder = tempfile::tempdir().unwrap();
    let source: Source = format!("{}/r.git", server.url()).parse().unwrap();
    let refused = fetch(&source, None, &outside(folder.path(), Reach::Public)).unwrap_err();
    assert!(matches!(refused, FetchError::Git(GitError::Address { .. })), "{refused}");
    assert_eq!(server.connections(), 0);
    let refused = fetch(&source, None, &outside(folder.path(), Reach::Loopback)).unwrap_err();
    assert!(matches!(refused, FetchError::Git(GitError::Redirected)), "{refused}");
    assert!(server.connections() > 0);
    assert_eq!(canary.connections(), 0, "a redirect was followed");
}
