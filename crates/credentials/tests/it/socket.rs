//! The socket itself.

use crate::fixture::{Fixture, WAIT, call, lookup, options, ran, refused, run, written};
use skillful_credentials::proxy::{
    CapturedOutput, OUTPUT_LIMIT, ProgramCall, ProgramOutput, Proxy, REQUEST_LIMIT, Reason, Request,
    RunError, SocketError, SocketOptions, client,
};
use std::{
    fs,
    io::{Read, Write},
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Waits inside of a program until something holds, or the program's time is over.
fn wait_for(call: &ProgramCall, holds: impl Fn() -> bool) -> Result<(), RunError> {
    let end = Instant::now() + call.timeout;
    while !holds() {
        if Instant::now() > end {
            return Err(RunError::TimedOut);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
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
    let fixture = Fixture::new();
    let mut proxy = fixture.proxy();
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
    let fixture = Fixture::new();
    let path = fixture.path().join("private/p.sock");
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
    drop(UnixListener::bind(&path).unwrap());
    assert!(path.exists(), "a dead proxy leaves its file");
    let place = SocketOptions { path: Some(path.clone()), ..options() };
    let mut proxy = Proxy::start(&place, fixture.handler()).unwrap();
    assert_eq!(ran(call(&path, &run("hello"))).stdout, "hello\n");
    assert!(matches!(Proxy::start(&place, fixture.handler()), Err(SocketError::Served(_))));
    proxy.stop();
    fs::write(&path, "precious").unwrap();
    assert!(matches!(Proxy::start(&place, fixture.handler()), Err(SocketError::Occupied(_))));
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn a_folder_that_others_can_enter_or_a_path_too_long_is_refused() {
    let fixture = Fixture::new();
    let folder = fixture.path().join("open");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o711)).unwrap();
    let at = |path| SocketOptions { path: Some(path), ..options() };
    let exposed = Proxy::start(&at(folder.join("p.sock")), fixture.handler()).unwrap_err();
    assert!(matches!(exposed, SocketError::Exposed(_)) && exposed.help().contains("0700"));
    let long = Proxy::start(&at(folder.join("x".repeat(100))), fixture.handler()).unwrap_err();
    assert!(matches!(long, SocketError::TooLong(_)));
}

#[test]
fn requests_that_cannot_be_read_are_refused_without_an_echo() {
    let fixture = Fixture::new();
    let proxy = fixture.proxy();
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
    assert_eq!(fixture.refused().len(), bad.len() + 1);
    assert!(fixture.refused().iter().all(|one| one.reason == Reason::BadRequest));
    assert_eq!(ran(call(proxy.path(), &run("hello"))).stdout, "hello\n", "it still serves");
}

#[test]
fn a_request_over_the_limit_is_refused_before_it_is_kept() {
    let fixture = Fixture::new().program("count", |call| Ok(written(&call.stdin.len().to_string())));
    let proxy = fixture.proxy();
    let with = |size: usize| Request::Run {
        skill: "it".to_owned(),
        args: Vec::new(),
        stdin: Some("x".repeat(size)),
        program: Some("count".to_owned()),
    };
    let output = ran(call(proxy.path(), &with(REQUEST_LIMIT - 200)));
    assert_eq!(output.stdout, (REQUEST_LIMIT - 200).to_string());
    let refusal = refused(call(proxy.path(), &with(REQUEST_LIMIT)));
    assert_eq!(refusal.reason, Reason::TooLarge);
    assert!(raw(&proxy, &vec![b'x'; 4 * REQUEST_LIMIT], false).contains("too_large"));
}

#[test]
fn a_slow_request_is_refused_and_does_not_hold_the_others_up() {
    let fixture = Fixture::new();
    let options = SocketOptions { talk_time: Duration::from_millis(300), ..options() };
    let proxy = Proxy::start(&options, fixture.handler()).unwrap();
    let mut slow = UnixStream::connect(proxy.path()).unwrap();
    slow.write_all(b"{\"skill\":").unwrap();
    assert_eq!(ran(call(proxy.path(), &run("hello"))).stdout, "hello\n");
    let mut reply = String::new();
    slow.set_read_timeout(Some(WAIT)).unwrap();
    slow.read_to_string(&mut reply).unwrap();
    assert!(reply.contains("bad_request"), "{reply}");
    // Who only looks whether somebody is there is no matter.
    let before = fixture.refused().len();
    drop(UnixStream::connect(proxy.path()).unwrap());
    assert_eq!(ran(call(proxy.path(), &run("hello"))).stdout, "hello\n");
    assert_eq!(fixture.refused().len(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_of_another_user_is_refused_whatever_it_asks() {
    let fixture = Fixture::new();
    // The same check from the other side: we are not who is served.
    let options = SocketOptions { user: options().user + 1, ..options() };
    let proxy = Proxy::start(&options, fixture.handler()).unwrap();
    for request in [run("hello"), lookup("X")] {
        let refusal = refused(call(proxy.path(), &request));
        assert_eq!((refusal.reason, refusal.authorized), (Reason::Peer, None));
    }
    assert_eq!(fixture.refused().len(), 2);
}

#[test]
fn two_calls_at_once_are_served_at_once() {
    // Each waits for the other; one after the other they would never succeed.
    let here: [Arc<AtomicBool>; 2] = Default::default();
    let meet = |mine: usize, other: usize| {
        let here = here.clone();
        move |call: &ProgramCall| {
            here[mine].store(true, Ordering::Release);
            wait_for(call, || here[other].load(Ordering::Acquire))?;
            Ok(written(&call.command[0].to_string_lossy()))
        }
    };
    let fixture = Fixture::new().program("left", meet(0, 1)).program("right", meet(1, 0));
    let proxy = fixture.proxy();
    let path = proxy.path();
    std::thread::scope(|scope| {
        let left = scope.spawn(|| ran(call(path, &run("left"))).stdout);
        let right = scope.spawn(|| ran(call(path, &run("right"))).stdout);
        assert_eq!((left.join().unwrap(), right.join().unwrap()), ("left".to_owned(), "right".to_owned()));
    });
}

#[test]
fn more_calls_than_places_are_all_served() {
    let fixture = Fixture::new();
    let proxy = fixture.proxy();
    let path = proxy.path();
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..40).map(|_| scope.spawn(|| ran(call(path, &run("hello"))).stdout)).collect();
        assert!(calls.into_iter().all(|call| call.join().unwrap() == "hello\n"));
    });
}

#[test]
fn the_end_of_a_proxy_ends_the_programs_it_runs() {
    let (started, ended): (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
    let (in_program, at_end) = (Arc::clone(&started), Arc::clone(&ended));
    let fixture = Fixture::new().program("long", move |call| {
        in_program.store(true, Ordering::Release);
        wait_for(call, || call.stop.is_set())?;
        at_end.store(true, Ordering::Release);
        Err(RunError::Failed("it was ended".to_owned()))
    });
    let mut proxy = fixture.proxy();
    let path = proxy.path().to_owned();
    let caller = std::thread::spawn(move || call(&path, &run("long")));
    let end = Instant::now() + WAIT;
    while !started.load(Ordering::Acquire) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    proxy.stop();
    assert!(ended.load(Ordering::Acquire), "the proxy waited for it");
    assert_eq!(ran(caller.join().unwrap()).returncode, 1);
}

#[test]
fn a_long_output_is_cut_and_the_reply_says_so() {
    let fixture = Fixture::new().program("much", |call| {
        let stdout = CapturedOutput { bytes: vec![b'x'; call.output], cut: true };
        let stderr = CapturedOutput { bytes: b"end\n".to_vec(), cut: false };
        Ok(ProgramOutput { stdout, stderr, code: 0 })
    });
    let output = ran(call(fixture.proxy().path(), &run("much")));
    assert!(output.truncated);
    assert_eq!(output.stdout.len(), OUTPUT_LIMIT);
    assert_eq!((output.stderr.as_str(), output.returncode), ("end\n", 0));
}
