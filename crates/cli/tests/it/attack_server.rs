//! Attacks on `skillful mcp --http`: clients that take places, time, bytes or sessions and give nothing back. A client
//! that asks properly is answered all the same.

use crate::bare;
use skillful_testkit::{Attempts, TestContext, wait_until};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

const TOKEN: &str = "a-token-for-this-test-only";
/// An honest client does not wait longer, on a busy machine neither.
const PATIENCE: Duration = Duration::from_secs(8);

/// The server as a process of its own.
struct Server {
    child: Child,
    address: SocketAddr,
    _machine: TestContext,
}

impl Server {
    fn start() -> Self {
        let machine = bare();
        machine.skill("home/.agents/skills/one", "A skill.");
        let mut child = Command::new(env!("CARGO_BIN_EXE_skillful"))
            .args(["mcp", "--http", "127.0.0.1:0"])
            .current_dir(machine.work())
            .env_clear()
            .env("HOME", machine.home())
            .env("PATH", "/usr/bin:/bin")
            .env("SKILLFUL_MCP_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.by_ref().map_while(Result::ok).find(|line| line.contains("http://")).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
        let address = address.parse().unwrap();
        // What it writes later must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address, _machine: machine }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A greeting as a client sends it; its status, and how long it took.
    fn greet(&self) -> (String, Duration) {
        let started = Instant::now();
        let mut stream = self.connect();
        let mut head = [0; 12];
        let sent = stream.write_all(&greeting(self.address)).and_then(|()| stream.read_exact(&mut head));
        let status =
            sent.map_or_else(|error| error.to_string(), |()| String::from_utf8_lossy(&head).into_owned());
        (status, started.elapsed())
    }

    /// Kilobytes of memory that the server holds.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or("VmRSS: 0");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn head(address: SocketAddr, length: usize) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {length}\r\n\r\n"
    )
}

fn greeting(address: SocketAddr) -> Vec<u8> {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    [head(address, body.len()).as_bytes(), body.as_bytes()].concat()
}

/// What clients of an attacker send before they fall silent.
fn silent(address: SocketAddr) -> Vec<(&'static str, Vec<u8>)> {
    let whole = head(address, 1_000);
    let stranger = whole.replace(TOKEN, "not-the-token-of-this-server");
    vec![
        ("nothing", Vec::new()),
        ("one byte", b"P".to_vec()),
        ("half a line", b"POST /mcp HT".to_vec()),
        ("half a head", whole.as_bytes()[..60].to_vec()),
        ("a head without an end", b"POST /mcp HTTP/1.1\r\nhost: x\r\nx: y\r\n".to_vec()),
        ("a head and no body", whole.clone().into_bytes()),
        ("half a body", [whole.as_bytes(), b"{\"jsonrpc\":"].concat()),
        ("a large body that does not come", head(address, 1 << 20).into_bytes()),
        (
            "chunks that do not come",
            whole.replace("content-length: 1000", "transfer-encoding: chunked").into_bytes(),
        ),
        ("a stranger without a body", stranger.into_bytes()),
        ("another protocol", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec()),
    ]
}

#[test]
fn silent_clients_of_every_kind_do_not_keep_an_honest_one_waiting() {
    let server = Server::start();
    assert_eq!(server.greet().0, "HTTP/1.1 200");
    for (what, bytes) in silent(server.address) {
        // More than there are places.
        let mut held = Vec::new();
        for _ in 0..150 {
            let mut stream = server.connect();
            let _gone = stream.write_all(&bytes);
            held.push(stream);
        }
        let (status, took) = server.greet();
        assert_eq!(status, "HTTP/1.1 200", "{what}: {took:?}");
        assert!(took < PATIENCE, "{what}: {took:?}");
    }
    Attempts::of("silent_clients_of_every_kind_do_not_keep_an_honest_one_waiting")
        .refused(silent(server.address).len())
        .report();
}

#[test]
fn streams_that_only_listen_do_not_keep_an_honest_client_waiting() {
    let server = Server::start();
    let mut held = Vec::new();
    // More than there are places.
    for at in 0..150 {
        let mut stream = server.connect();
        stream.write_all(&greeting(server.address)).unwrap();
        let mut answer = vec![0; 4 << 10];
        let read = stream.read(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
        let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        let id = id.unwrap_or_else(|| panic!("stream {at}: {answer}")).trim();
        let mut stream = server.connect();
        let host = server.address;
        let head = format!(
            "GET /mcp HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {TOKEN}\r\naccept: text/event-stream\r\nmcp-session-id: {id}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200", "stream {at}");
        held.push(stream);
    }
    let (status, took) = server.greet();
    assert_eq!(status, "HTTP/1.1 200", "{took:?}");
    assert!(took < PATIENCE, "{took:?}");
    Attempts::of("streams_that_only_listen_do_not_keep_an_honest_client_waiting")
        .refused(held.len())
        .report();
}

#[test]
fn a_head_or_body_that_is_too_large_or_too_slow_is_refused() {
    let server = Server::start();
    let address = server.address;
    let filler = "a".repeat(64 << 10);
    let many: String = (0..200).map(|at| format!("x-{at}: y\r\n")).collect();
    let cases: [(&str, Vec<u8>, &[&str]); 4] = [
        (
            "a long header",
            format!("POST /mcp HTTP/1.1\r\nhost: {address}\r\nx: {filler}\r\n\r\n").into_bytes(),
            &["431", "400"],
        ),
        (
            "many headers",
            format!("POST /mcp HTTP/1.1\r\nhost: {address}\r\n{many}\r\n").into_bytes(),
            &["431", "400"],
        ),
        ("a long body", [head(address, 2 << 20).into_bytes(), vec![b' '; 2 << 20]].concat(), &["413"]),
        ("a slow body", head(address, 100).into_bytes(), &["408"]),
    ];
    let count = cases.len();
    for (what, bytes, expected) in cases {
        let mut stream = server.connect();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut other = stream.try_clone().unwrap();
        // The server may answer before it has read everything.
        let writer = std::thread::spawn(move || drop(other.write_all(&bytes)));
        let mut start = [0; 12];
        let read = stream.read_exact(&mut start);
        let start = String::from_utf8_lossy(&start).into_owned();
        assert!(
            read.is_err() || expected.iter().any(|status| start.ends_with(status)),
            "{what}: {start} {read:?}"
        );
        drop(stream);
        writer.join().unwrap();
    }
    assert_eq!(server.greet().0, "HTTP/1.1 200");
    Attempts::of("a_head_or_body_that_is_too_large_or_too_slow_is_refused").refused(count).report();
}

/// Sessions, and silent clients all the while; how much memory it took, and the longest wait.
fn soak(sessions: usize) -> (u64, u64, Duration) {
    let server = Server::start();
    for _ in 0..300 {
        assert_eq!(server.greet().0, "HTTP/1.1 200");
    }
    let before = server.memory();
    let ended = AtomicBool::new(false);
    let longest = std::thread::scope(|scope| {
        scope.spawn(|| {
            let kinds = silent(server.address);
            let mut held = std::collections::VecDeque::new();
            for at in 0.. {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(mut stream) = TcpStream::connect(server.address) else { continue };
                let _gone = stream.write_all(&kinds[at % kinds.len()].1);
                held.push_back(stream);
                if held.len() > 200 {
                    held.pop_front();
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let mut longest = Duration::ZERO;
        for at in 0..sessions {
            let (status, took) = server.greet();
            if status != "HTTP/1.1 200" {
                ended.store(true, Ordering::Relaxed);
                panic!("session {at}: {status} after {took:?}");
            }
            longest = longest.max(took);
        }
        ended.store(true, Ordering::Relaxed);
        longest
    });
    wait_until("the silent clients are gone", || server.greet().0 == "HTTP/1.1 200");
    (before, server.memory(), longest)
}

#[test]
fn sessions_have_a_cap_and_memory_stays() {
    let (before, after, longest) = soak(1_000);
    assert!(after < before + 32 * 1024, "{before} KB before, {after} KB after 1,000 sessions");
    assert!(longest < PATIENCE, "{longest:?}");
}

#[test]
#[ignore = "takes minutes; the long mode of the test above"]
#[expect(clippy::print_stdout, reason = "the figures are for a reader")]
fn sessions_have_a_cap_and_memory_stays_for_long() {
    let (before, after, longest) = soak(50_000);
    println!("50,000 sessions: {before} KB before, {after} KB after, longest wait {longest:?}");
    assert!(after < before + 32 * 1024, "{before} KB before, {after} KB after 50,000 sessions");
    assert!(longest < PATIENCE, "{longest:?}");
}
