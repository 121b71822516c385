use crate::{bare, has_sandbox};
use insta::assert_snapshot;
use serde_json::{Value, json};
use skillful_testkit::TestContext;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc,
    time::Duration,
};

/// Long enough for a busy machine; nothing waits for it that goes well.
const PATIENCE: Duration = Duration::from_mins(1);
const TOKEN: &str = "a-token-for-this-test-only";

/// The program at the other end of two pipes.
pub(crate) struct Piped {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    asked: u64,
}

impl Piped {
    fn spawn(machine: &TestContext, options: &[&str]) -> Self {
        let arguments = ["mcp"].iter().chain(options);
        let mut child =
            machine.command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, input, lines, asked: 0 }
    }

    pub(crate) fn start(machine: &TestContext, options: &[&str]) -> Self {
        let mut piped = Self::spawn(machine, options);
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        assert_eq!(piped.ask("initialize", &params)["result"]["serverInfo"]["name"], "skillful");
        piped.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        piped
    }

    fn hear(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn tell(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        self.tell(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        loop {
            let answer = self.hear();
            if answer["id"] == json!(self.asked) {
                return answer;
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }

    /// Goes away, as clients do, and gives the exit code.
    fn end(mut self) -> Option<i32> {
        self.input.take();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

#[test]
fn an_agent_finds_and_uses_skills_over_pipes() {
    let machine = bare();
    machine.skill("home/.agents/skills/pdf", "Read and fill PDF forms.");
    machine.skill("home/.claude/skills/slides", "Make slides for a talk.");
    machine.skill("work/.agents/skills/foreign", "Of a repository that nobody trusts.");
    let mut server = Piped::start(&machine, &[]);
    let found = server.call("search_skills", &json!({ "query": "fill in a PDF form" }));
    assert!(found["content"][0]["text"].as_str().unwrap().starts_with("- pdf: "), "{found}");
    let loaded = server.call("use_skill", &json!({ "name": "pdf" }));
    assert!(loaded["content"][0]["text"].as_str().unwrap().contains("Do it."), "{loaded}");
    let foreign = server.call("use_skill", &json!({ "name": "foreign" }));
    assert_eq!(foreign["isError"], json!(true));
    assert!(!server.call("list_skills", &json!({})).to_string().contains("foreign"));
    assert_eq!(server.end(), Some(0));
}

#[test]
fn the_log_of_a_client_explains_untrusted_skills_to_the_user() {
    let machine = bare();
    machine.skill("work/.agents/skills/foreign", "Of a repository that the user did not trust.");
    let mut child = machine
        .command(["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let said = [lines.next().unwrap(), lines.next().unwrap()];
    drop(child.stdin.take());
    child.wait().unwrap();
    let work = machine.work().display().to_string();
    assert_eq!(said[0], format!("note: 1 skill is untrusted and not offered in {work}: foreign"));
    assert_eq!(said[1], "  fix:   skillful trust");
    assert!(machine.see("doctor").contains("1 skill is untrusted: foreign"));
}

#[test]
fn a_skill_that_an_agent_loads_counts_as_used() {
    let machine = bare();
    machine.skill("home/.agents/skills/pdf", "Read and fill PDF forms.");
    let data = machine.path("home/.local/share/skillful");
    let mut server = Piped::start(&machine, &[]);
    let used = json!({ "name": "pdf" });
    server.call("use_skill", &used);
    assert!(!data.join("sessions.db").exists(), "who remembers nothing is not made to");
    let store = skillful_database::Database::open(&data).unwrap();
    for name in ["pdf", "none"] {
        server.call("use_skill", &json!({ "name": name }));
    }
    let uses: Vec<_> = store.skill_uses().unwrap().into_iter().map(|one| (one.name, one.count)).collect();
    assert_eq!(uses, [("pdf".to_owned(), 1)]);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn decisions_during_a_session_count_and_proposals_are_pending() {
    let machine = bare();
    let mut server = Piped::start(&machine, &[]);
    let proposal = json!({ "operation": "create", "name": "learned", "description": "What was learned.", "content": "Do it so." });
    let proposed = server.call("skill_management", &proposal);
    assert!(proposed.to_string().contains("is proposed and disabled"), "{proposed}");
    assert!(machine.exists("home/.local/share/skillful/proposed/learned/SKILL.md"));
    assert_eq!(server.call("use_skill", &json!({ "name": "learned" }))["isError"], json!(true));
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME     STATE    LOADED BY  DESCRIPTION
    learned  pending  -          What was learned.

    1 skill: 1 pending

    Why not available
      pending      learned: a model proposed it, and you have not reviewed it   skillful review learned
    ");
    // A configuration that cannot be read switches nothing on.
    machine.file("home/.config/skillful/config.toml", "system = [");
    assert!(machine.see("list learned").contains("pending"), "{}", machine.see("list learned"));
    machine.file("home/.config/skillful/config.toml", "system = false\n");
    assert_snapshot!(machine.see("enable learned"), @r"
    exit: 0
    ----- stdout -----
    enabled learned at ~/.local/share/skillful/proposed/learned/SKILL.md in ~/.config/skillful/config.toml
    ");
    let begin = std::time::Instant::now();
    while server.call("use_skill", &json!({ "name": "learned" }))["isError"] == json!(true) {
        assert!(begin.elapsed() < PATIENCE, "the decision was never seen");
        std::thread::sleep(Duration::from_millis(100));
    }
    let refused = server.call("skill_management", &json!({ "operation": "delete", "name": "learned" }));
    assert!(refused.to_string().contains("the user enabled"), "{refused}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_client_of_the_newest_protocol_needs_no_handshake_and_listens_for_changes() {
    let machine = bare();
    machine.skill("home/.agents/skills/one", "One.");
    let mut server = Piped::spawn(&machine, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = server.ask("server/discover", &json!({ "_meta": meta }));
    let skills = &found["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/skills"];
    assert_eq!(skills, &json!({ "directoryRead": true }), "{found}");
    let listed = server.ask("skills/list", &json!({ "_meta": meta }));
    assert_eq!(listed["result"]["skills"][0]["uri"], "skill://one/SKILL.md", "{listed}");
    let wanted = json!({ "promptsListChanged": true, "toolsListChanged": true });
    let listen = json!({ "notifications": wanted, "_meta": meta });
    server
        .tell(&json!({ "jsonrpc": "2.0", "id": "ears", "method": "subscriptions/listen", "params": listen }));
    let acknowledged = server.hear();
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({ "promptsListChanged": true, "toolsListChanged": true }),
        "{acknowledged}"
    );
    machine.skill("home/.agents/skills/two", "Two.");
    let told = server.hear();
    assert_eq!(told["method"], "notifications/prompts/list_changed", "{told}");
    let prompts = server.ask("prompts/list", &json!({ "_meta": meta }));
    assert_eq!(prompts["result"]["prompts"].as_array().map(Vec::len), Some(2), "{prompts}");
}

#[test]
fn commands_of_a_skill_run_as_everywhere_else_and_only_if_they_may() {
    if !has_sandbox() {
        return;
    }
    let machine = bare();
    machine.file(
        "home/.agents/skills/status/SKILL.md",
        "---\nname: status\ndescription: Tells.\nallowed-tools: Bash(wc:*)\n---\n\nLines: !`wc -l $0`\n",
    );
    machine.file("work/a b.txt", "one\ntwo\n");
    let used = json!({ "name": "status", "arguments": "'a b.txt'" });
    let mut server = Piped::start(&machine, &[]);
    let loaded = server.call("use_skill", &used);
    assert!(loaded["content"][0]["text"].as_str().unwrap().contains("Lines: 2 a b.txt"), "{loaded}");
    let failed = server.call("use_skill", &json!({ "name": "status", "arguments": "gone.txt" }));
    assert_eq!(failed["isError"], json!(true));
    assert!(failed.to_string().contains("gone.txt: No such file"), "{failed}");
    assert_eq!(server.end(), Some(0));
    let mut server = Piped::start(&machine, &["--no-run"]);
    let loaded = server.call("use_skill", &used);
    assert!(loaded["content"][0]["text"].as_str().unwrap().contains("Lines: !`wc -l $0`"), "{loaded}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn as_an_agent_only_what_it_reads_counts() {
    let machine = bare();
    machine.skill("home/.claude/skills/theirs", "Of Claude Code.");
    machine.skill("home/.codex/skills/other", "Of Codex.");
    let mut server = Piped::start(&machine, &["--agent", "claude-code"]);
    let listed = server.call("list_skills", &json!({})).to_string();
    assert!(listed.contains("theirs") && !listed.contains("other"), "{listed}");
    assert_eq!(server.end(), Some(0));
    assert_snapshot!(bare().see("mcp --agent nobody"), @"
    exit: 2
    ----- stderr -----
    error: no agent named `nobody`
      fix:   skillful agents lists all agents
    ");
}

#[test]
fn an_empty_line_is_not_an_error() {
    assert_snapshot!(bare().see("mcp"), @"exit: 0");
}

/// The program at an address.
struct Served {
    child: Child,
    address: String,
    /// What it said before.
    said: String,
}

impl Served {
    fn start(machine: &TestContext, options: &[&str]) -> Self {
        let arguments = ["mcp", "--http", "127.0.0.1:0"].iter().chain(options);
        let child = machine.command(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut served = Self { child, address: String::new(), said: String::new() };
        for line in BufReader::new(served.child.stderr.take().unwrap()).lines().map_while(Result::ok) {
            if let Some(rest) = line.strip_prefix("listening at http://") {
                rest.split('/').next().unwrap().clone_into(&mut served.address);
                return served;
            }
            served.said.push_str(&line);
        }
        panic!("it does not listen: {}", served.said);
    }

    /// Posts a body with some headers; gives the status and the answer.
    fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let host =
            headers.iter().find(|(name, _)| *name == "Host").map_or(self.address.as_str(), |(_, host)| host);
        let mut head = format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
        head.push_str("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
        for (name, value) in headers.iter().filter(|(name, _)| *name != "Host") {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has seen enough may hang up before it has read everything.
        let _refused = stream.write_all(body.as_bytes());
        let mut answer = Vec::new();
        let _cut = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("no status: {answer}")), answer)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn hello() -> String {
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    })
    .to_string()
}

#[test]
fn a_web_page_and_another_machine_cannot_connect() {
    let machine = bare().variable("SKILLFUL_MCP_TOKEN", TOKEN);
    let server = Served::start(&machine, &[]);
    let port = server.address.rsplit(':').next().unwrap().to_owned();
    let bearer = format!("Bearer {TOKEN}");
    let token = ("Authorization", bearer.as_str());
    let own = format!("http://localhost:{port}");
    let (named, other) = (format!("localhost:{port}"), format!("http://localhost:{}", port.len()));
    for (what, headers, expected) in [
        ("the token", vec![token], 200),
        ("the token in another case", vec![("authorization", &bearer.replace("Bearer", "bearer"))], 200),
        ("by the name of this machine", vec![token, ("Host", &named)], 200),
        ("our own page", vec![token, ("Origin", &own)], 200),
        ("no token", vec![], 401),
        ("another token", vec![("Authorization", "Bearer a-token-of-somebody-else")], 401),
        ("a part of the token", vec![("Authorization", &bearer[..bearer.len() - 1])], 401),
        ("another scheme", vec![("Authorization", &bearer.replace("Bearer", "Basic"))], 401),
        ("a name that leads here", vec![token, ("Host", "evil.example")], 403),
        (
            "a name that leads here, with our port",
            vec![token, ("Host", &format!("evil.example:{port}"))],
            403,
        ),
        ("a name like ours", vec![token, ("Host", &format!("localhost.evil.example:{port}"))], 403),
        ("a name behind our port", vec![token, ("Host", &format!("127.0.0.1:{port}.evil.example"))], 403),
        (
            "a name behind our port and no token",
            vec![("Host", &format!("localhost:{port}.evil.example"))],
            403,
        ),
        ("a web page", vec![token, ("Origin", "https://evil.example")], 403),
        ("a page of another port", vec![token, ("Origin", &other)], 403),
        ("a page of nowhere", vec![token, ("Origin", "null")], 403),
    ] {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, *value)).collect();
        let (status, answer) = server.post("/mcp", &headers, &hello());
        assert_eq!(status, expected, "{what}: {answer}");
        assert!(status == 200 || !answer.contains("serverInfo"), "{what}: {answer}");
    }
    assert_eq!(server.post("/", &[token], &hello()).0, 404);
    assert_eq!(server.post("/mcp", &[token], &" ".repeat((1 << 20) + 1)).0, 413);
    assert_eq!(server.said, "");
}

#[test]
fn a_session_over_http_uses_skills() {
    let machine = bare();
    machine.skill("home/.agents/skills/pdf", "Read PDF forms.");
    machine.file("home/token", format!("{TOKEN}\n"));
    let file = machine.path("home/token").display().to_string();
    let server = Served::start(&machine, &["--token-file", &file]);
    let bearer = format!("Bearer {TOKEN}");
    let token = ("Authorization", bearer.as_str());
    let (_, answer) = server.post("/mcp", &[token], &hello());
    let session = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    let session = ("Mcp-Session-Id", session.as_str());
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    assert_eq!(server.post("/mcp", &[token, session], &ready).0, 202);
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "use_skill", "arguments": { "name": "pdf" } } });
    let (status, answer) = server.post("/mcp", &[token, session], &call.to_string());
    assert!(status == 200 && answer.contains("Do it."), "{answer}");
    // A session is no token.
    assert_eq!(server.post("/mcp", &[session], &call.to_string()).0, 401);
}

#[test]
fn a_token_is_generated_and_printed_when_none_is_given() {
    let server = Served::start(&bare(), &[]);
    let token = server.said.strip_prefix("token: ").unwrap();
    assert_eq!(token.len(), 64);
    assert_eq!(server.post("/mcp", &[("Authorization", &format!("Bearer {token}"))], &hello()).0, 200);
}

#[test]
fn other_machines_come_in_only_when_asked_and_with_a_token() {
    let machine = bare();
    machine.file("work/short", "secret\n");
    assert_snapshot!(machine.see("mcp --http 0.0.0.0:0"), @"
    exit: 2
    ----- stderr -----
    error: 0.0.0.0:0 can be reached from other machines
      fix:   listen at 127.0.0.1, or say --public
    ");
    assert_snapshot!(machine.see("mcp --http 0.0.0.0:0 --public"), @"
    exit: 2
    ----- stderr -----
    error: --public needs a token of your own
      fix:   write one to a file and give it with --token-file, or set SKILLFUL_MCP_TOKEN
    ");
    assert_snapshot!(machine.see("mcp --http 127.0.0.1:0 --token-file short"), @r"
    exit: 2
    ----- stderr -----
    error: a token has 16 to 512 visible characters and no blanks
    ");
    assert_snapshot!(machine.see("mcp --http nonsense"), @"
    exit: 2
    ----- stderr -----
    error: `nonsense` is not an address
      fix:   write an address and a port, such as 127.0.0.1:8765
    ");
    assert_eq!(machine.run("mcp --http 127.0.0.1:0 --public --no-token").status.code(), Some(2));
    assert_eq!(machine.run("mcp --public").status.code(), Some(2));
}
