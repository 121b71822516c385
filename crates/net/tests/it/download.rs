use skillful_net::{DownloadRequest, NamedOrigin, Net, NetError, Reach, SendRequest};
use skillful_testkit::{FileServer, Served};
use std::{collections::BTreeSet, time::Duration};
use url::Url;

fn want() -> DownloadRequest {
    DownloadRequest { accept: "*/*", bytes: 1 << 20, time: Duration::from_secs(30) }
}

fn local() -> Net {
    Net::new(Reach::Loopback, BTreeSet::new())
}

fn get(server: &FileServer, path: &str, want: &DownloadRequest) -> Result<(String, Vec<u8>), NetError> {
    let address = Url::parse(&format!("{}{path}", server.url())).unwrap();
    local().get(&address, want, &mut |_, _| {}).map(|came| (came.kind, came.bytes))
}

fn text(body: &str) -> Served {
    Served::File("Text/Plain; charset=utf-8", body.as_bytes().to_vec())
}

#[test]
fn a_download_has_its_media_type_and_sends_no_credentials() {
    let server = FileServer::with(|_| Served::File("Application/Zip; x=y", vec![7; 200_000]));
    let mut heard = Vec::new();
    let address = Url::parse(&format!("{}/x.zip#part", server.url())).unwrap();
    let came = local().get(&address, &want(), &mut |done, total| heard.push((done, total))).unwrap();
    assert_eq!((came.kind.as_str(), came.bytes.len()), ("application/zip", 200_000));
    assert_eq!(heard.last(), Some(&(200_000, Some(200_000))));
    let head = server.heads().concat().to_lowercase();
    assert!(head.contains("accept-encoding: identity") && head.contains("user-agent: skillful/"), "{head}");
    assert!(!head.contains("cookie") && !head.contains("authorization"), "{head}");
}

#[test]
fn a_body_is_limited_with_and_without_a_content_length() {
    let server = FileServer::with(|path| match path {
        "/endless" => Served::Endless,
        "/large" => Served::File("a/b", vec![0; 2_000]),
        _ => Served::Short(b"ab".to_vec()),
    });
    let small = DownloadRequest { bytes: 1_000, ..want() };
    assert_eq!(get(&server, "/endless", &small), Err(NetError::TooLarge(1_000)));
    assert_eq!(get(&server, "/large", &small), Err(NetError::TooLarge(1_000)));
    assert!(matches!(get(&server, "/short", &want()), Err(NetError::Failed(_))));
}

#[test]
fn a_slow_server_is_stopped_at_the_time_limit() {
    let server = FileServer::with(|_| Served::Drip);
    let short = DownloadRequest { time: Duration::from_millis(400), ..want() };
    assert_eq!(get(&server, "/", &short), Err(NetError::TooSlow(Duration::from_millis(400))));
}

#[test]
fn redirects_stay_on_their_host_and_are_limited() {
    let other = FileServer::with(|_| text("never"));
    let there = other.url();
    let server = FileServer::with(move |path| match path {
        "/1" => Served::Redirect("/2".to_owned()),
        "/2" => Served::Redirect("3".to_owned()),
        "/3" => Served::Redirect("./here".to_owned()),
        "/here" => text("here"),
        "/loop" => Served::Redirect("/loop".to_owned()),
        "/file" => Served::Redirect("file:///etc/passwd".to_owned()),
        "/user" => Served::Redirect("http://me@127.0.0.1/".to_owned()),
        "/other" => Served::Redirect("http://example.org/".to_owned()),
        _ => Served::Redirect(format!("{there}/x")),
    });
    assert_eq!(get(&server, "/1", &want()).unwrap(), ("text/plain".to_owned(), b"here".to_vec()));
    assert_eq!(get(&server, "/loop", &want()), Err(NetError::Redirects));
    assert!(matches!(get(&server, "/file", &want()), Err(NetError::Address(_))));
    assert!(matches!(get(&server, "/user", &want()), Err(NetError::Address(_))));
    assert_eq!(get(&server, "/other", &want()), Err(NetError::Plain));
    assert_eq!(
        get(&server, "/away", &want()),
        Err(NetError::OtherHost(format!("127.0.0.1:{}", other.port())))
    );
    assert_eq!(other.connections(), 0);
}

#[test]
fn redirects_to_another_host_need_permission() {
    let net = Net::new(Reach::Public, BTreeSet::from(["cdn.example.org".to_owned()]));
    let base = Url::parse("https://example.org/a/index.json").unwrap();
    assert_eq!(net.join(&base, "../x.zip").unwrap().as_str(), "https://example.org/x.zip");
    assert!(net.join(&base, "https://cdn.example.org/x.zip").is_ok());
    for away in [
        "https://example.com/x",
        "//evil.example/x",
        "https://example.org:8443/x",
        "https://cdn.example.org.evil.example/",
        "http://cdn.example.org/x",
        "http://example.org/x",
        "https://user@example.org/x",
        "data:text/plain,x",
        "\\\\evil.example\\x",
    ] {
        assert!(net.join(&base, away).is_err(), "{away}");
    }
}

#[test]
fn an_error_status_and_an_encoding_are_reported() {
    let server = FileServer::with(|path| match path {
        "/gone" => Served::Status(404),
        _ => Served::Encoded("gzip", vec![0x1f, 0x8b]),
    });
    assert_eq!(get(&server, "/gone", &want()), Err(NetError::Status(404)));
    assert_eq!(get(&server, "/packed", &want()), Err(NetError::Encoded("gzip".to_owned())));
}

#[test]
fn plain_http_needs_permission_and_is_only_for_this_machine() {
    let server = FileServer::with(|_| text("here"));
    let address = Url::parse(&server.url()).unwrap();
    assert_eq!(Net::default().get(&address, &want(), &mut |_, _| {}), Err(NetError::Plain));
    let other = Url::parse("http://example.org/").unwrap();
    assert_eq!(local().get(&other, &want(), &mut |_, _| {}), Err(NetError::Plain));
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_token_goes_to_its_own_origin_and_to_no_other_also_after_a_redirect() {
    let other = FileServer::with(|_| text("other"));
    let there = format!("{}/x", other.url());
    let team = FileServer::with(move |path| match path {
        "/away" => Served::Redirect(there.clone()),
        "/here" => Served::Redirect("/skill".to_owned()),
        _ => text("mine"),
    });
    let at = |server: &FileServer, path: &str| Url::parse(&format!("{}{path}", server.url())).unwrap();
    let origin = NamedOrigin::new(&at(&team, ""), Some("skf_secret".to_owned().into())).unwrap();
    assert!(!format!("{origin:?}").contains("skf_secret"));
    let net = Net::with_origins(Reach::Loopback, BTreeSet::from(["127.0.0.1".to_owned()]), vec![origin]);
    assert_eq!(net.get(&at(&team, "/here"), &want(), &mut |_, _| {}).unwrap().bytes, b"mine");
    let _refused = net.get(&at(&team, "/away"), &want(), &mut |_, _| {});
    net.get(&at(&other, "/y"), &want(), &mut |_, _| {}).unwrap();
    assert!(team.heads().iter().all(|head| head.contains("Bearer skf_secret")), "{:?}", team.heads());
    assert!(!other.heads().concat().contains("skf_secret"), "{:?}", other.heads());
    let plain = Url::parse("http://skills.example.org/").unwrap();
    assert!(
        NamedOrigin::new(&plain, None).is_none(),
        "a token never goes over plain http to another machine"
    );
}

#[test]
fn a_server_that_the_user_named_may_be_on_this_machine_and_others_may_not() {
    let team = FileServer::with(|_| text("mine"));
    let at = Url::parse(&team.url()).unwrap();
    let named = Net::with_origins(Reach::Public, BTreeSet::new(), vec![NamedOrigin::new(&at, None).unwrap()]);
    assert_eq!(named.get(&at, &want(), &mut |_, _| {}).unwrap().bytes, b"mine");
    let send = SendRequest {
        method: "GET",
        headers: &[],
        kind: None,
        body: &[],
        bytes: 1_000,
        time: Duration::from_secs(5),
    };
    assert_eq!(named.send(&at, &send).unwrap().status, 200);
    let neighbour = FileServer::with(|_| text("another service of this machine"));
    let at = Url::parse(&neighbour.url()).unwrap();
    assert!(named.get(&at, &want(), &mut |_, _| {}).is_err());
    assert!(named.send(&at, &send).is_err());
}
