//! The socket itself.

use crate::world::{WAIT, World, call, lookup, options, ran, run};
use skillful_runtime::proxy::{Options, Proxy, REQUEST_LIMIT, Reason, Request, SocketError, client};
use skillful_testkit::wait_until;
use std::{
    fs,
    io::{Read, Write},
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    time::Duration,
};

fn world() -> World {
    World::new().skill("it", "").script("it", "hello", "echo hello")
}

/// What comes back for raw bytes.
fn raw(proxy: &Proxy, bytes: &[u8], close: bool) -> String {
    let mut stream = UnixStream::connect(proxy.path()).unwrap();
    stream.set_read_timeout(Some(WAIT)).unwrap();
    // A proxy that refuses early may close before all is written.
    drop(stream.write_all(bytes));
    if close {
        stream.shutdown(std::net::Shutdown::Write).unwrap();
    }
    let mut reply = Vec::new();
    drop(stream.read_to_end(&mut reply));
    String::from_utf8(reply).unwrap()
}

#[test]
fn the_socket_is_private_and_goes_with_its_proxy() {
    let world = world();
    let mut proxy = world.proxy();
    let path = proxy.path().to_owned();
    let meta = fs::symlink_metadata(&path).unwrap();
    assert!(meta.file_type().is_socket());
    assert_eq!(meta.mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
    assert!(path.as_os_str().len() < 104);
    proxy.stop();
    proxy.stop();
    assert!(!path.exists() && !path.parent().unwrap().exists());
    assert!(matches!(client::call(&path, &lookup("X"), WAIT), Err(client::ClientError::NoSocket(_))));
}

#[test]
fn a_stale_socket_is_replaced_and_a_served_one_or_a_file_is_not() {
    let world = world();
    let path = world.path().join("private/p.sock");
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "a dead proxy leaves its file");
    let place = Options { path: Some(path.clone()), ..options() };
    let mut proxy = Proxy::start(&place, world.desk()).unwrap();
    assert_eq!(ran(call(&path, &run("it", "hello", &[]))).stdout, "hello\n");
    assert!(matches!(Proxy::start(&place, world.desk()), Err(SocketError::Served(_))));
    proxy.stop();
    fs::write(&path, "precious").unwrap();
    assert!(matches!(Proxy::start(&place, world.desk()), Err(SocketError::Occupied(_))));
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn a_folder_that_others_can_enter_or_a_path_too_long_is_refused() {
    let world = world();
    let folder = world.path().join("open");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o711)).unwrap();
    let at = |path| Options { path: Some(path), ..options() };
    let exposed = Proxy::start(&at(folder.join("p.sock")), world.desk()).unwrap_err();
    assert!(matches!(exposed, SocketError::Exposed(_)) && exposed.help().contains("0700"));
    let long = Proxy::start(&at(folder.join("x".repeat(100))), world.desk()).unwrap_err();
    assert!(matches!(long, SocketError::TooLong(_)));
}

#[test]
fn requests_that_cannot_be_read_are_refused_without_an_echo() {
    let world = world();
    let proxy = world.proxy();
    let bad = [
        "\n",
        "hello\n",
        "{}\n",
        "[]\n",
        "null\n",
        "{\"skill\":7}\n",
        "{\"skill\":\"it\",\"args\":\"MARKER\"}\n",
        "{\"skill\":\"it\",\"args\":[1]}\n",
        "{\"skill\":\"it\",\"args\":[\"a\\u0000b\"]}\n",
        "{\"skill\":\"it\",\"MARKER\":1}\n",
        "{\"skill\":\"it\",\"skill\":\"MARKER\"}\n",
        "{\"type\":\"credential\"}\n",
        "{\"type\":\"credential\",\"name\":\"X\",\"args\":[]}\n",
        "{\"type\":\"MARKER\",\"name\":\"X\"}\n",
        "{\"skill\":\"it\",\"args\":[]",
        "{\"skill\":\"\u{ff}\"",
    ];
    for request in bad {
        let reply = raw(&proxy, request.as_bytes(), true);
        assert!(reply.contains("\"reason\":\"bad_request\"") && reply.ends_with('\n'), "{request}: {reply}");
        assert!(reply.contains("\"returncode\":1") && !reply.contains("MARKER"), "{request}: {reply}");
    }
    let many = format!("{{\"skill\":\"it\",\"args\":[{}\"\"]}}\n", "\"\",".repeat(2000));
    assert!(raw(&proxy, many.as_bytes(), true).contains("bad_request"));
    assert_eq!(world.heard().len(), bad.len() + 1);
    assert!(world.heard().iter().all(|one| one.reason == Reason::BadRequest));
    assert_eq!(ran(call(proxy.path(), &run("it", "hello", &[]))).stdout, "hello\n", "it still serves");
}

#[test]
fn a_request_over_the_limit_is_refused_before_it_is_kept() {
    let world = world().script("it", "count", "wc -c");
    let proxy = world.proxy();
    let with = |size: usize| Request::Run {
        skill: "it".to_owned(),
        args: Vec::new(),
        stdin: Some("x".repeat(size)),
        program: Some("count".to_owned()),
    };
    let output = ran(call(proxy.path(), &with(REQUEST_LIMIT - 200)));
    assert_eq!(output.stdout.trim(), (REQUEST_LIMIT - 200).to_string());
    let refusal = crate::world::refused(call(proxy.path(), &with(REQUEST_LIMIT)));
    assert_eq!(refusal.reason, Reason::TooLarge);
    assert!(raw(&proxy, &vec![b'x'; 4 * REQUEST_LIMIT], false).contains("too_large"));
}

#[test]
fn a_slow_request_is_refused_and_does_not_hold_the_others_up() {
    let world = world();
    let options = Options { talk_time: Duration::from_secs(2), ..options() };
    let proxy = Proxy::start(&options, world.desk()).unwrap();
    let mut slow = UnixStream::connect(proxy.path()).unwrap();
    slow.write_all(b"{\"skill\":").unwrap();
    assert_eq!(ran(call(proxy.path(), &run("it", "hello", &[]))).stdout, "hello\n");
    let mut reply = String::new();
    slow.set_read_timeout(Some(WAIT)).unwrap();
    slow.read_to_string(&mut reply).unwrap();
    assert!(reply.contains("bad_request"), "{reply}");
    // Who only looks whether somebody is there is no matter.
    let before = world.heard().len();
    drop(UnixStream::connect(proxy.path()).unwrap());
    assert_eq!(ran(call(proxy.path(), &run("it", "hello", &[]))).stdout, "hello\n");
    assert_eq!(world.heard().len(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_of_somebody_else_is_refused_whatever_it_asks() {
    let world = world();
    // The same check from the other side: we are not who is served.
    let options = Options { user: options().user + 1, ..options() };
    let proxy = Proxy::start(&options, world.desk()).unwrap();
    for request in [run("it", "hello", &[]), lookup("X")] {
        let refusal = crate::world::refused(call(proxy.path(), &request));
        assert_eq!((refusal.reason, refusal.authorized), (Reason::Peer, None));
    }
    assert_eq!(world.heard().len(), 2);
}

#[test]
fn two_calls_at_once_are_served_at_once() {
    // Each waits for the other; one after the other they would never end.
    let world = world()
        .script("it", "left", "touch left; while [ ! -e right ]; do sleep 0.05; done; echo left")
        .script("it", "right", "touch right; while [ ! -e left ]; do sleep 0.05; done; echo right");
    let proxy = world.proxy();
    let path = proxy.path();
    std::thread::scope(|scope| {
        let left = scope.spawn(|| ran(call(path, &run("it", "left", &[]))).stdout);
        let right = scope.spawn(|| ran(call(path, &run("it", "right", &[]))).stdout);
        assert_eq!(
            (left.join().unwrap(), right.join().unwrap()),
            ("left\n".to_owned(), "right\n".to_owned())
        );
    });
}

#[test]
fn more_calls_than_places_are_all_served() {
    let world = world();
    let proxy = world.proxy();
    let path = proxy.path();
    std::thread::scope(|scope| {
        let calls: Vec<_> =
            (0..40).map(|_| scope.spawn(|| ran(call(path, &run("it", "hello", &[]))).stdout)).collect();
        assert!(calls.into_iter().all(|call| call.join().unwrap() == "hello\n"));
    });
}

#[test]
fn the_end_of_a_proxy_ends_the_programs_it_runs() {
    let world = world().script("it", "long", "echo $$ > pid; sleep 600");
    let mut proxy = world.proxy();
    let path = proxy.path().to_owned();
    let caller = std::thread::spawn(move || call(&path, &run("it", "long", &[])));
    let pid = world.path().join("work/pid");
    wait_until("the program runs", || fs::read_to_string(&pid).is_ok_and(|text| !text.is_empty()));
    proxy.stop();
    assert_eq!(ran(caller.join().unwrap()).returncode, 1);
    let pid = fs::read_to_string(pid).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}/exe", pid.trim())).exists());
}

#[test]
fn a_long_output_is_cut_and_the_reply_says_so() {
    let world = world().script("it", "much", "head -c 9000000 /dev/zero | tr '\\0' x; echo end >&2");
    let output = ran(call(world.proxy().path(), &run("it", "much", &[])));
    assert!(output.truncated && output.stdout.len() <= skillful_runtime::proxy::OUTPUT_LIMIT);
    assert!(output.stdout.len() > 4_000_000);
    assert_eq!((output.stderr.as_str(), output.returncode), ("end\n", 0));
}
