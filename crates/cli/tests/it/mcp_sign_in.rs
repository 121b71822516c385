//! Signing in to a remote MCP server: against `oidc-provider`, an authorization server that others wrote.

use crate::{
    agents_rules::results,
    assistant::{connected, read, skill},
    assistant_terminal::{at_terminal, without_colours},
};
use serde_json::{Value, json};
use skillful_testkit::{ModelAnswer, ModelServer, TestContext, has_tool, skip};
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The authorization server and the MCP server behind it. They end with this value.
struct Peer {
    process: Child,
    resource: String,
    counts: String,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

impl Peer {
    /// Starts them; `None` when they are not installed, which is reported.
    fn start(seconds: u32) -> Option<Self> {
        if !has_tool("node") {
            return None;
        }
        let folder = std::env::var_os("SKILLFUL_OAUTH_PEERS").map(PathBuf::from);
        let folder = folder.unwrap_or_else(|| repository().join("target/peers/oauth"));
        if !folder.join("node_modules/oidc-provider").is_dir() {
            skip("oidc-provider is not installed: python3 tests/peers/sign_in/install.py");
            return None;
        }
        let mut process = Command::new("node")
            .arg(repository().join("tests/peers/sign_in/server.mjs"))
            .arg(seconds.to_string())
            .env("SKILLFUL_OAUTH_PEERS", &folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let known: Value = serde_json::from_str(&line).unwrap();
        let text = |key: &str| known[key].as_str().unwrap().to_owned();
        Some(Self { resource: text("resource"), counts: text("counts"), process })
    }

    /// Requests that the MCP server answered, and those that it refused.
    fn counts(&self) -> (u64, u64) {
        let script = "fetch(process.argv[1]).then(r => r.text()).then(t => console.log(t))";
        let output = Command::new("node").args(["-e", script, &self.counts]).output().unwrap();
        let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
        (counts["signed"].as_u64().unwrap(), counts["refused"].as_u64().unwrap())
    }
}

/// A user with a skill whose server wants them to sign in.
fn machine(server: &ModelServer, peer: &Peer) -> TestContext {
    let browser = repository().join("tests/peers/sign_in/browser.mjs");
    let machine = connected(server).variable("BROWSER", &browser.display().to_string());
    skill(&machine, "files", &format!("mcp: {{url: '{}'}}\n", peer.resource), "Look at files.");
    machine
}

fn asking() -> ModelServer {
    ModelServer::with(|asked| {
        let has_result = asked.body["messages"].to_string().contains("tool_result");
        let tools = asked.body["tools"].to_string();
        match (has_result, tools.contains("files__whoami")) {
            (false, true) => ModelAnswer::calls([("files__whoami", json!({}))]),
            _ => ModelAnswer::says("Done."),
        }
    })
}

#[test]
fn the_user_signs_in_once_and_the_vault_keeps_it() {
    let Some(peer) = Peer::start(3600) else { return };
    let server = asking();
    let machine = machine(&server, &peer);
    let mut terminal = at_terminal(&machine, &["ask", "--mode", "autonomous", "$files who am I?"]);
    terminal.wait_for("connect: files connects to");
    terminal.wait_for("[s] stop");
    terminal.press("y");
    terminal.wait_for_after("sign in: files signs you in at", "[s] stop");
    terminal.press("y");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let shown = without_colours(&shown);
    assert!(shown.contains("note: sign in at http://127.0.0.1:"), "{shown}");
    assert_eq!(results(&server), ["signed in as ada"]);

    // The next run is signed in, without a terminal; the token is in no file in the clear and in no request.
    machine.run("mcp allow files");
    let refused = peer.counts().1;
    let output = machine.command(["ask", "--mode", "autonomous", "$files who am I?"]).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
    assert_eq!(results(&server), ["signed in as ada"]);
    assert_eq!(peer.counts().1, refused, "nothing was refused");
    assert!(machine.see("mcp tools files whoami").contains("signed in as ada"));
    for asked in server.asked() {
        assert!(!read(&asked.body).contains("Bearer"), "{}", asked.body);
    }
    assert!(machine.see("secret list").contains("mcp-sign-in"));

    let seen = machine.see("mcp sign-out files");
    assert!(seen.contains("signed out of") && seen.contains("for every skill"), "{seen}");
    let output = machine.command(["ask", "$files who am I?"]).output().unwrap();
    let seen = machine.tell(&output);
    assert!(seen.contains("is not signed in") && seen.contains("skillful mcp sign-in files"), "{seen}");
}

#[test]
fn a_token_that_ends_is_renewed_without_the_user() {
    // Every token is so near its end that each use renews it.
    let Some(peer) = Peer::start(30) else { return };
    let server = asking();
    let machine = machine(&server, &peer);
    machine.run("mcp allow files");
    let signed = machine.json("mcp sign-in files --json");
    assert_eq!(signed["signed_in"], true);
    for _ in 0..2 {
        let output = machine.command(["ask", "--mode", "autonomous", "$files who am I?"]).output().unwrap();
        assert!(output.status.success(), "{}", machine.tell(&output));
        assert_eq!(results(&server), ["signed in as ada"]);
    }
}
