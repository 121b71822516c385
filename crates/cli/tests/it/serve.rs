//! `serve`: a team server with nothing configured, and a client that installs from it.

use crate::machine;
use insta::assert_snapshot;
use serde_json::Value;
use skillful_testkit::TestContext;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

pub(crate) struct Server {
    process: Child,
    pub(crate) ready: Value,
    took: Duration,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}

impl Server {
    pub(crate) fn start(machine: &TestContext, options: &[&str]) -> Self {
        let mut command: Command = machine.command(["--json", "serve", "--listen", "127.0.0.1:0"]).into();
        let began = Instant::now();
        let mut process = command
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, ready: serde_json::from_str(&line).unwrap(), took: began.elapsed() }
    }

    pub(crate) fn address(&self) -> &str {
        self.ready["address"].as_str().unwrap()
    }

    /// The head and the body of an answer.
    pub(crate) fn ask(&self, method: &str, path: &str, head: &str, body: &str) -> (String, String) {
        let host = self.address().strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n{head}\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    /// The header fields of a browser in which the first administrator is signed in.
    pub(crate) fn administrator(&self) -> String {
        let link = self.ready["first_administrator"].as_str().unwrap();
        let path = link.strip_prefix(self.address()).unwrap();
        let (head, _) = self.ask("POST", path, "", "");
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let cookie = cookie.split(';').next().unwrap();
        format!("cookie: {cookie}\r\norigin: {}\r\n", self.address())
    }
}

#[test]
fn a_server_starts_with_nothing_configured_and_a_client_installs_from_it() {
    let team = machine().variable("SKILLFUL_SERVE_GUESTS_READ_GLOBAL", "true");
    let server = Server::start(&team, &[]);
    assert!(server.took < Duration::from_secs(20), "{:?}", server.took);
    let admin = server.administrator();
    let policy = r#"{"rule":"review","setting":"off"}"#;
    let json = format!("{admin}content-type: application/json\r\n");
    assert!(server.ask("PUT", "/api/v1/admin/policies", &json, policy).0.starts_with("HTTP/1.1 200"));
    let text = "---\nname: pdf\ndescription: Fill PDF forms. Use when asked.\n---\n\nDo it.\n";
    let markdown = format!("{admin}content-type: text/markdown\r\n");
    let (head, stored) = server.ask("POST", "/api/v1/skills?scope=global", &markdown, text);
    assert!(head.starts_with("HTTP/1.1 201"), "{head}");
    let stored: Value = serde_json::from_str(&stored).unwrap();
    let client = machine();
    client.file(
        "home/.config/skillful/sources.toml",
        format!(
            "loopback = true\n\n[source.team]\nsource = \"{}/registry\"\nenabled = true\nregistry = true\n",
            server.address()
        ),
    );
    client.run("add registry:team/pdf --agent claude-code --yes");
    let approved = client.run("review approve pdf");
    assert!(approved.status.success(), "{}", client.tell(&approved));
    assert_eq!(client.text("work/.claude/skills/pdf/SKILL.md"), text);
    assert!(client.text("work/skillful.lock").contains(stored["version"]["tree"].as_str().unwrap()));
    for (path, mode) in [("team.db", 0o600), ("team.db-wal", 0o600), ("team", 0o700)] {
        let path = team.path("home/.local/share/skillful").join(path);
        let found = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(
            found & 0o777,
            mode,
            "{}: others may read tokens' digests and secrets of webhooks",
            path.display()
        );
    }
    drop(server);
    let again = Server::start(&team, &[]);
    assert_eq!(again.ready["first_administrator"], Value::Null, "there is an administrator");
}

#[test]
fn open_signs_the_browser_of_this_machine_in_once_and_never_where_others_reach_it() {
    let machine = machine();
    let browser = machine.path("home/browser");
    let script = "#!/bin/sh\nprintf '%s' \"$1\" > \"$0.new\" && mv \"$0.new\" \"$0.opened\"\n";
    skillful_testkit::write_program(&browser, script);
    let machine = machine.variable("BROWSER", browser.to_str().unwrap());
    let server = Server::start(&machine, &["--open"]);
    let opened = browser.with_file_name("browser.opened");
    let began = Instant::now();
    while !opened.exists() && began.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let link = std::fs::read_to_string(opened).unwrap();
    let path = link.strip_prefix(server.address()).unwrap();
    assert!(path.starts_with("/ui/open/"), "{link}");
    let (head, _) = server.ask("GET", path, "", "");
    let cookie =
        head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap().split(';').next().unwrap();
    assert!(head.starts_with("HTTP/1.1 303") && cookie.starts_with("skillful_session="), "{head}");
    let (head, page) = server.ask("GET", "/ui/skills", &format!("cookie: {cookie}\r\n"), "");
    assert!(head.starts_with("HTTP/1.1 200") && page.contains("Administrator"), "{head}");
    let (again, _) = server.ask("GET", path, "", "");
    assert!(
        again.contains("location: /ui/sign-in") && !again.contains("skillful_session"),
        "a link works once: {again}"
    );
    assert_snapshot!(machine.see("serve --listen 0.0.0.0:0 --public --open"), @r"
    exit: 2
    ----- stderr -----
    error: 0.0.0.0:0 is not on this machine only, and --open signs in without asking
      fix:   listen at 127.0.0.1, or leave --open out
    ");
}

#[test]
fn settings_are_checked_before_a_server_starts() {
    let machine = machine();
    assert_snapshot!(machine.see("serve check --listen 127.0.0.1:0"), @r"
    exit: 0
    ----- stdout -----
    address   http://127.0.0.1:0
    database  [TEMP]/home/.local/share/skillful/team.db
    contents  [TEMP]/home/.local/share/skillful/team
    The server can start.
    ");
    let wrong = machine.see("serve check --listen 127.0.0.1:0 --database /nowhere/at/all.db");
    assert!(
        wrong.starts_with("exit: 1") && wrong.contains("problem the team's data cannot be opened"),
        "{wrong}"
    );
    let data = machine.path("home/.local/share/skillful");
    assert!(!data.join("team.db").exists() && !data.join("team").exists(), "a check creates nothing");
    machine.file(
        "home/team.txt",
        "This is not a database, and it is longer than the head of one would be. ".repeat(20),
    );
    let other = machine.see("serve check --listen 127.0.0.1:0 --database ../home/team.txt");
    assert!(other.starts_with("exit: 1") && other.contains("problem the team's data"), "{other}");
    let settings = machine
        .command(["serve", "check", "--listen", "127.0.0.1:0", "--address", "skills.example.org/x"])
        .env("SKILLFUL_SERVE_REQUESTS", "many")
        .env("SKILLFUL_SERVE_PRIVATE_ADDRESSES", "yes")
        .env("SKILLFUL_SERVE_PROXIES", "proxy")
        .env("SKILLFUL_SERVE_OIDC_ISSUER", "http://id.invalid")
        .env("SKILLFUL_SERVE_HOSTS", "https://skills.example.org/")
        .env("SKILLFUL_SERVE_DATABASE", "mysql://user:hunter2@db/skills")
        .output()
        .unwrap();
    let text = String::from_utf8(settings.stdout).unwrap();
    for part in [
        "SKILLFUL_SERVE_REQUESTS: `many`",
        "PRIVATE_ADDRESSES: `yes`",
        "proxies: `proxy`",
        "address: `skills",
        "oidc_issuer: http://id.invalid is not https",
        "hosts: `https://skills.example.org/` is not a host name",
        "database: `mysql://` is not known",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("is not a folder"), "{text}");
    let away =
        machine.see("serve check --listen 127.0.0.1:0 --database postgres://user:hunter2@127.0.0.1:1/skills");
    assert!(away.contains("does not answer: Connection refused") && !away.contains("hunter2"), "{away}");
    let reachable = machine.see("serve check --listen 0.0.0.0:0");
    assert!(reachable.starts_with("exit: 1") && reachable.contains("--public"), "{reachable}");
    assert!(machine.see("serve check --listen 0.0.0.0:0 --public").starts_with("exit: 0"));
    let started = machine.see("serve --listen 127.0.0.1:0 --address skills.example.org");
    assert!(started.starts_with("exit: 2") && started.contains("is not an address such as"), "{started}");
    let open = machine.see("serve --listen 0.0.0.0:8787");
    assert!(open.starts_with("exit: 2") && open.contains("--public"), "{open}");
    machine.file("home/.config/skillful/serve.toml", "database = \"team.db\"\nlisen = \"x\"\n");
    let typo = machine.see("serve check");
    assert!(typo.starts_with("exit: 2") && typo.contains("serve.toml") && typo.contains("lisen"), "{typo}");
    assert!(typo.contains("line 2"), "{typo}");
    machine.file("home/.config/skillful/serve.toml", "database = \"postgres://user:hunter2@db/skills\n");
    let secret = machine.see("serve check");
    assert!(secret.contains("line 1") && !secret.contains("hunter2"), "a password is not repeated: {secret}");
}

#[test]
fn a_backup_is_made_whatever_address_the_server_listens_at() {
    let machine = machine();
    let keep = |command: &str| {
        let words = ["serve", command, "kept"];
        machine.command(words).env("SKILLFUL_SERVE_LISTEN", "0.0.0.0:8787").output().unwrap()
    };
    let kept = keep("backup");
    assert!(kept.status.success(), "{}", machine.tell(&kept));
    assert!(machine.exists("work/kept/rows.jsonl"));
    let back = keep("restore");
    assert!(back.status.success(), "{}", machine.tell(&back));
}
