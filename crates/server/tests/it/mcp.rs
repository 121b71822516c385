//! MCP with a user's token: each user has what is theirs.

use crate::running::{Answer, Running};
use serde_json::{Value, json};

fn rpc(server: &Running, token: Option<&str>, method: &str, params: &Value) -> Answer {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let bearer = format!("Bearer {}", token.unwrap_or_default());
    let mut head = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    if token.is_some() {
        head.push(("authorization", bearer.as_str()));
    }
    server.ask("POST", "/mcp", &head, body.as_bytes())
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

#[test]
fn each_user_has_their_own_skills_over_mcp_and_nothing_runs_or_is_written_there() {
    let server = Running::start();
    let [ada, bob] = ["ada", "bob"].map(|name| server.user(name, &[]));
    let body = "Run this: !`touch /tmp/never-$(id -u)` and go on.";
    assert_eq!(server.upload(&ada, "/api/v1/skills", "mine-only", body).status, 201);
    let first = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let opened = rpc(&server, Some(&ada), "initialize", &first);
    assert!(opened.status == 200 && text(&opened).contains("Skillful"), "{}", text(&opened));
    let tools = rpc(&server, Some(&ada), "tools/list", &json!({}));
    assert!(text(&tools).contains("list_skills"), "{}", text(&tools));
    assert!(!text(&tools).contains("skill_management"), "{}", text(&tools));
    let list = |token: &str| {
        text(&rpc(&server, Some(token), "tools/call", &json!({"name": "list_skills", "arguments": {}})))
    };
    assert!(list(&ada).contains("mine-only"), "{}", list(&ada));
    assert!(!list(&bob).contains("mine-only"), "{}", list(&bob));
    let loaded = rpc(
        &server,
        Some(&ada),
        "tools/call",
        &json!({"name": "use_skill", "arguments": {"name": "mine-only"}}),
    );
    assert!(text(&loaded).contains("go on"), "{}", text(&loaded));
    let management = json!({"name": "skill_management", "arguments": {"operation": "list"}});
    assert!(text(&rpc(&server, Some(&ada), "tools/call", &management)).contains("there is no tool"));
    let written = |path: &str| server.upload(&bob, path, "new-one", "New.").status;
    assert_eq!(written("/api/v1/skills"), 201);
    assert!(list(&bob).contains("new-one"), "a change is seen with the next request");
    assert_eq!(rpc(&server, None, "tools/list", &json!({})).status, 401);
    assert_eq!(rpc(&server, Some("skf_wrong"), "tools/list", &json!({})).status, 401);
    let browser = server.browser("ada");
    let cookie = [("cookie", browser.as_str()), ("content-type", "application/json")];
    assert_eq!(server.ask("POST", "/mcp", &cookie, b"{}").status, 401, "a browser session does not count");
    assert_eq!(server.ask("GET", "/mcp", &[("authorization", &format!("Bearer {ada}"))], &[]).status, 405);
}

#[test]
fn the_well_known_index_lists_what_a_user_can_install() {
    let server = Running::start();
    let [ada, bob] = ["ada", "bob"].map(|name| server.user(name, &[]));
    server.upload(&ada, "/api/v1/skills", "mine-only", "One.");
    let index = |token: &str| server.call(token, "GET", "/.well-known/agent-skills/index.json", &Value::Null);
    let found = index(&ada).json();
    assert_eq!(found["$schema"], "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    let entry = &found["skills"][0];
    assert_eq!((entry["name"].as_str(), entry["type"].as_str()), (Some("mine-only"), Some("archive")));
    let path = entry["url"].as_str().unwrap().strip_prefix("../..").unwrap();
    let archive = server.call(&ada, "GET", path, &Value::Null);
    assert_eq!(archive.status, 200);
    let digest = skillful_format::digest_bytes(&archive.body).to_string();
    assert_eq!(entry["digest"].as_str(), Some(digest.as_str()));
    assert_eq!(index(&bob).json()["skills"], json!([]));
    assert_eq!(server.call(&bob, "GET", path, &Value::Null).status, 404);
    assert_eq!(server.ask("GET", "/.well-known/agent-skills/index.json", &[], &[]).status, 401);
}
