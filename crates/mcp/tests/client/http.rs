//! Servers on the network, on loopback.

use crate::support::{LONG, declaration, messages, with};
use serde_json::{Value, json};
use skillful_mcp::client::{Declaration, Endpoint, Transport};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// What a request was.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Value,
}

/// What to answer: the status, further headers, the body.
pub(crate) type Answer = (u16, Vec<(&'static str, String)>, Vec<u8>);

/// A web server for a test. It ends with the test.
pub(crate) struct Web {
    pub(crate) url: String,
    pub(crate) asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Drop for Web {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Web {
    pub(crate) async fn new(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&asked), Arc::new(answer));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                tokio::spawn(async move { serve(stream, &kept, &*answer).await });
            }
        });
        Self { url, asked, task }
    }

    pub(crate) fn declaration(&self) -> Declaration {
        at(&self.url)
    }
}

pub(crate) fn at(url: &str) -> Declaration {
    let endpoint = Endpoint {
        url: url.to_owned(),
        headers: Vec::new(),
        proxy: None,
        reach: skillful_net::Reach::Loopback,
    };
    Declaration { transport: Transport::Http(endpoint), ..declaration("good") }
}

async fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Asked>>, answer: &(dyn Fn(&Asked) -> Answer + Sync)) {
    let mut bytes = Vec::new();
    let (head, body) = loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap_or_default();
        bytes.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0_usize) {
                break (head.to_owned(), body.to_owned());
            }
        }
        if read == 0 {
            return;
        }
    };
    let headers = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let asked = Asked { headers, body: serde_json::from_str(&body).unwrap_or_default() };
    kept.lock().unwrap().push(asked.clone());
    let (status, headers, body) =
        if head.starts_with("POST") { answer(&asked) } else { (405, vec![], vec![]) };
    let mut reply = format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        reply += &format!("{name}: {value}\r\n");
    }
    let _ = stream.write_all((reply + "\r\n").as_bytes()).await;
    let _ = stream.write_all(&body).await;
}

pub(crate) fn json_answer(value: &Value) -> Answer {
    (200, vec![("content-type", "application/json".to_owned())], value.to_string().into_bytes())
}

pub(crate) fn result(asked: &Asked, result: &Value) -> Answer {
    json_answer(&json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": result}))
}

/// An older server with one tool.
fn old(asked: &Asked) -> Answer {
    let method = asked.body["method"].as_str().unwrap_or_default();
    match method {
        "server/discover" => (400, vec![], b"what?".to_vec()),
        "initialize" => result(
            asked,
            &json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}),
        ),
        "tools/list" => {
            result(asked, &json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}))
        }
        "tools/call" => {
            let text = asked.headers.get("authorization").cloned().unwrap_or_default();
            result(asked, &json!({"content": [{"type": "text", "text": text}]}))
        }
        _ => (202, vec![], vec![]),
    }
}

#[tokio::test]
async fn an_older_server_over_http_is_spoken_to_with_its_headers() {
    let web = Web::new(old).await;
    let mut declaration = web.declaration();
    let Transport::Http(endpoint) = &mut declaration.transport else { panic!() };
    endpoint.headers.push(("Authorization".to_owned(), "Bearer x".to_owned()));
    let servers = with(declaration).await;
    let (tools, diagnostics) = servers.tools("s").await;
    assert_eq!((tools.len(), messages(&diagnostics).as_str()), (1, ""));
    assert_eq!(servers.call("s__echo", crate::support::nothing()).await.unwrap().text, "Bearer x");
    servers.stop_all().await;
}

#[tokio::test]
async fn a_server_that_answers_everything_is_greeted_in_the_old_way() {
    let web = Web::new(|asked| match asked.body["method"].as_str() {
        Some("server/discover") => result(asked, &json!({})),
        _ => old(asked),
    })
    .await;
    let servers = with(web.declaration()).await;
    let (tools, diagnostics) = servers.tools("s").await;
    assert_eq!((tools.len(), messages(&diagnostics).as_str()), (1, ""));
    servers.stop_all().await;
}

#[tokio::test]
async fn events_are_understood_too() {
    let web = Web::new(|asked| {
        let (status, _, body) = old(asked);
        if status != 200 {
            return old(asked);
        }
        let body = format!(": ping\r\n\r\nevent: message\ndata: {}\n\n", String::from_utf8(body).unwrap());
        (200, vec![("content-type", "text/event-stream".to_owned())], body.into_bytes())
    })
    .await;
    let servers = with(web.declaration()).await;
    let (tools, diagnostics) = servers.tools("s").await;
    assert_eq!((tools.len(), messages(&diagnostics).as_str()), (1, ""));
    servers.stop_all().await;
}

#[tokio::test]
async fn a_redirect_to_another_place_is_not_followed() {
    let thief = Web::new(old).await;
    let to = thief.url.clone();
    let web = Web::new(move |_| (307, vec![("location", to.clone())], vec![])).await;
    let mut declaration = web.declaration();
    let Transport::Http(endpoint) = &mut declaration.transport else { panic!() };
    endpoint.headers.push(("Authorization".to_owned(), "Bearer x".to_owned()));
    let servers = with(declaration).await;
    let (tools, diagnostics) = servers.tools("s").await;
    assert_eq!(tools, []);
    assert!(messages(&diagnostics).contains("HTTP 307"), "{}", messages(&diagnostics));
    assert!(!web.asked.lock().unwrap().is_empty() && thief.asked.lock().unwrap().is_empty());
    servers.stop_all().await;
}

#[tokio::test]
async fn a_message_that_is_too_long_is_not_read() {
    for kind in ["application/json", "text/event-stream"] {
        let web = Web::new(move |asked| {
            if asked.body["method"] != "tools/list" {
                return old(asked);
            }
            let body = format!("data: {{\"x\": \"{}\"}}\n\n", "y".repeat(9 << 20));
            let body = body.trim_start_matches(if kind == "application/json" { "data: " } else { "" });
            (200, vec![("content-type", kind.to_owned())], body.as_bytes().to_vec())
        })
        .await;
        let mut declaration = web.declaration();
        declaration.startup = std::time::Duration::from_secs(20);
        let servers = with(declaration).await;
        let start = std::time::Instant::now();
        let (tools, diagnostics) = servers.tools("s").await;
        assert_eq!(tools, []);
        let told = messages(&diagnostics);
        assert!(told.contains("mcp-start-failed"), "{told}");
        assert!(told.contains("more than 8388608 bytes"), "{kind}: {told}");
        assert!(start.elapsed() < LONG);
        servers.stop_all().await;
    }
}

#[tokio::test]
async fn what_is_wrong_with_an_address_is_said() {
    for (url, why) in [
        ("http://example.org/mcp", "plain `http` is spoken to this machine only; write `https`"),
        ("ftp://localhost/", "`ftp` is not supported; write `https`"),
        ("https://me:hush@example.org/", "put it into `headers`"),
        ("not an address", "its address is not valid"),
        ("http://127.0.0.1:1/mcp", "it does not speak the protocol as expected"),
        ("https://127.0.0.1:1/mcp", "it does not speak the protocol as expected"),
    ] {
        let servers = with(at(url)).await;
        let told = messages(&servers.tools("s").await.1);
        assert!(told.contains(why) && !told.contains("hush"), "{url}: {told}");
    }
    let mut reserved = at("http://localhost:1/");
    let Transport::Http(endpoint) = &mut reserved.transport else { panic!() };
    endpoint.headers.push(("Mcp-Session-Id".to_owned(), "x".to_owned()));
    let servers = with(reserved).await;
    let told = messages(&servers.tools("s").await.1);
    assert!(told.contains("the header `Mcp-Session-Id` belongs to the protocol"), "{told}");
}

#[tokio::test]
async fn a_server_that_wants_its_user_to_sign_in_reports_it() {
    let web = Web::new(|_| (401, vec![("www-authenticate", "Bearer realm=x".to_owned())], vec![])).await;
    let servers = with(web.declaration()).await;
    let told = messages(&servers.tools("s").await.1);
    assert!(told.contains("it asks its user to sign in"), "{told}");
}
