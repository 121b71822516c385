//! The client: what it reports when there is no proxy.

use crate::fixture::{WAIT, lookup};
use skillful_credentials::proxy::{
    SANDBOX_VARIABLE, SOCKET_VARIABLE,
    client::{ClientError, Route, call, route},
};
use std::{
    collections::BTreeMap,
    io::{Read, Write},
    os::unix::net::UnixListener,
    path::PathBuf,
    time::Duration,
};

#[test]
fn in_a_sandbox_without_a_socket_nothing_is_run_locally() {
    let with = |names: &[&str]| -> BTreeMap<String, String> {
        names.iter().map(|name| ((*name).to_owned(), "/run/p.sock".to_owned())).collect()
    };
    assert_eq!(route(&with(&[])).unwrap(), Route::Here);
    assert!(matches!(route(&with(&[SANDBOX_VARIABLE])), Err(ClientError::NoProxy)));
    let socket = Route::Proxy(PathBuf::from("/run/p.sock"));
    assert_eq!(route(&with(&[SOCKET_VARIABLE, SANDBOX_VARIABLE])).unwrap(), socket);
    let mut empty = with(&[SANDBOX_VARIABLE]);
    empty.insert(SOCKET_VARIABLE.to_owned(), String::new());
    assert!(route(&empty).is_err());
}

#[test]
fn a_missing_a_dead_and_a_silent_proxy_are_distinguished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    assert!(matches!(call(&path, &lookup("X"), WAIT), Err(ClientError::NoSocket(_))));
    let listener = UnixListener::bind(&path).unwrap();
    let answer = |reply: &'static [u8]| {
        let listener = listener.try_clone().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut line = Vec::new();
            stream.read_to_end(&mut line).unwrap();
            stream.write_all(reply).unwrap();
            line
        })
    };
    let peer = answer(b"");
    assert!(matches!(call(&path, &lookup("X"), WAIT), Err(ClientError::Empty)));
    assert_eq!(peer.join().unwrap(), b"{\"type\":\"credential\",\"name\":\"X\"}\n");
    for reply in [&b"hello\n"[..], b"{}\n", b"{\"value\":7}\n", b"{\"reason\":\"x\"}\n", b"\n"] {
        let peer = answer(reply);
        assert!(matches!(call(&path, &lookup("X"), WAIT), Err(ClientError::Unreadable)), "{reply:?}");
        peer.join().unwrap();
    }
    let late = call(&path, &lookup("X"), Duration::from_millis(50));
    assert!(matches!(late, Err(ClientError::Late(_))), "nobody accepts: {late:?}");
    drop(listener);
    assert!(matches!(call(&path, &lookup("X"), WAIT), Err(ClientError::Unanswered { .. })));
}
