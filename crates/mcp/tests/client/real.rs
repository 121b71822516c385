//! Servers that others wrote. `tests/peers/mcp_client.py` installs them and runs these tests.

use crate::support::{LONG, all_gone, declaration, messages, raw, with};
use serde_json::{Map, Value, json};
use skillful_mcp::client::{Command, Declaration, Endpoint, ServerState, Transport};
use std::{
    collections::BTreeMap,
    net::{TcpListener, TcpStream},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

/// The folder with `node_modules` of the real servers.
fn peers() -> PathBuf {
    PathBuf::from(std::env::var("SKILLFUL_MCP_PEERS").unwrap())
}

fn program(name: &str) -> String {
    peers().join("node_modules/.bin").join(name).display().to_string()
}

fn process(program: &str, arguments: &[&str]) -> Declaration {
    let variable = |name: &str| (name.to_owned(), std::env::var(name).unwrap_or_default());
    let command = Command {
        skill: "s".to_owned(),
        program: program.to_owned(),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        environment: BTreeMap::from([variable("PATH"), variable("HOME")]),
        folder: peers(),
        files: None,
    };
    Declaration { transport: Transport::Process(command), ..declaration("good") }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// Every process whose command line holds this text.
fn running(text: &str) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let own = std::process::id();
    processes
        .filter(|process| *process != own)
        .filter(|process: &u32| {
            let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(text)
        })
        .collect()
}

#[expect(clippy::print_stdout, reason = "figures for whoever runs this by hand")]
fn figure(text: &str) {
    println!("{text}");
}

async fn everything(declaration: Declaration) {
    let servers = with(declaration).await;
    let start = Instant::now();
    let (tools, diagnostics) = servers.tools("s").await;
    figure(&format!("{} tools after {} ms", tools.len(), start.elapsed().as_millis()));
    assert_eq!(messages(&diagnostics), "");
    for name in ["echo", "get-sum", "get-env", "get-tiny-image", "get-structured-content"] {
        assert!(raw(&tools).contains(&name), "{:?}", raw(&tools));
    }
    assert!(tools.iter().all(|tool| tool.name == format!("s__{}", tool.raw)));
    let echo = servers.call("s__echo", object(&json!({"message": "héllo\n"}))).await.unwrap();
    assert_eq!(echo.text, "Echo: héllo\n");
    let sum = servers.call("get-sum", object(&json!({"a": 2, "b": 40}))).await.unwrap();
    assert!(sum.text.contains("42"), "{}", sum.text);
    let wrong = servers.call("s__get-sum", object(&json!({"a": "x"}))).await;
    assert!(wrong.is_err() || wrong.as_ref().is_ok_and(|outcome| outcome.failed), "{wrong:?}");
    let image = servers.call("s__get-tiny-image", Map::new()).await.unwrap();
    assert_eq!(
        (image.left_out[0].kind, image.left_out[0].mime_type.as_deref()),
        ("image", Some("image/png"))
    );
    let links = servers.call("s__get-resource-links", object(&json!({"count": 2}))).await.unwrap();
    assert!(links.text.contains("://"), "{}", links.text);
    let weather =
        servers.call("s__get-structured-content", object(&json!({"location": "Chicago"}))).await.unwrap();
    assert!(weather.text.contains("temperature"), "{}", weather.text);
    let slow = servers
        .call_within(
            "s__trigger-long-running-operation",
            object(&json!({"duration": 30, "steps": 1})),
            Duration::from_millis(300),
        )
        .await;
    assert!(slow.unwrap_err().to_string().contains("did not answer within 0.3 s"));
    // It still works after a call that was cancelled.
    let start = Instant::now();
    for _ in 0..100 {
        servers.call("s__echo", object(&json!({"message": "x"}))).await.unwrap();
    }
    figure(&format!("a call takes {} µs", start.elapsed().as_micros() / 100));
    assert_eq!(servers.status().await[0].state, ServerState::Running);
    servers.stop_all().await;
}

#[tokio::test]
#[ignore = "needs the real servers: tests/peers/mcp_client.py"]
async fn server_everything_over_stdio() {
    everything(process(&program("mcp-server-everything"), &["stdio"])).await;
}

#[tokio::test]
#[ignore = "needs the real servers: tests/peers/mcp_client.py"]
async fn a_whole_tree_of_npx_sh_and_node_is_stopped() {
    // A word of our own, to find all of the tree by.
    let word = format!("skillful-tree-{}", std::process::id());
    let line = format!("npx --no-install mcp-server-everything stdio {word}; true");
    let servers = with(process("sh", &["-c", &line])).await;
    let (tools, diagnostics) = servers.tools("s").await;
    assert!(!tools.is_empty(), "{}", messages(&diagnostics));
    let tree = running(&word);
    assert!(tree.len() >= 3, "sh, npx and node: {tree:?}");
    servers.stop_all().await;
    all_gone(&tree).await;
    assert!(running(&word).is_empty());
}

struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
#[ignore = "needs the real servers: tests/peers/mcp_client.py"]
async fn server_everything_over_http() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = std::process::Command::new(program("mcp-server-everything"))
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .process_group(0)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _server = Stopped(server);
    let start = Instant::now();
    while TcpStream::connect(("localhost", port)).is_err() {
        assert!(start.elapsed() < LONG);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let endpoint = Endpoint {
        url: format!("http://localhost:{port}/mcp"),
        headers: Vec::new(),
        proxy: None,
        reach: skillful_net::Reach::Loopback,
    };
    everything(Declaration { transport: Transport::Http(endpoint), ..declaration("good") }).await;
}

#[tokio::test]
#[ignore = "needs the real servers: tests/peers/mcp_client.py"]
async fn server_filesystem_stays_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let allowed = folder.path().canonicalize().unwrap();
    std::fs::write(allowed.join("a.txt"), "inside").unwrap();
    let servers = with(process(&program("mcp-server-filesystem"), &[&allowed.display().to_string()])).await;
    let (tools, diagnostics) = servers.tools("s").await;
    assert!(raw(&tools).contains(&"read_text_file"), "{}", messages(&diagnostics));
    let path = |path: PathBuf| object(&json!({ "path": path }));
    let read = servers.call("read_text_file", path(allowed.join("a.txt"))).await.unwrap();
    assert_eq!((read.text.as_str(), read.failed), ("inside", false));
    let outside = servers.call("read_text_file", path(PathBuf::from("/etc/passwd"))).await.unwrap();
    assert!(outside.failed && outside.text.contains("denied"), "{outside:?}");
    let missing = servers.call("read_text_file", path(allowed.join("none.txt"))).await.unwrap();
    assert!(missing.failed, "{missing:?}");
    servers.stop_all().await;
}
