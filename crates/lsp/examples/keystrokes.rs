//! Types into a skill of 100 KB in the server over pipes, and prints how long the answers take.
//!
//! `cargo run --release -p skillful-lsp --example keystrokes` starts the server in a process of its own; with the path of
//! a program, such as `target/release/skillful`, that program. Beside the time on the clock, which other processes
//! make longer, it prints the processor time of the server for each key.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, and stops when it cannot measure"
)]

use serde_json::{Value, json};
use skillful::Workspace;
use skillful_lsp::{Settings, serve};
use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// Bytes of the skill.
const SIZE: usize = 100 << 10;
/// Key presses.
const KEYS: usize = 1_000;

struct Client {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.input.write_all(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes()).unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            match line.trim() {
                "" => break,
                line => length = line.strip_prefix("Content-Length: ").unwrap().parse().unwrap(),
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) {
        while !is_it(&self.hear()) {}
    }
}

/// A skill with everything that checking looks at.
fn skill() -> String {
    let mut text = String::from(
        "---\nname: deploy\ndescription: Ships the site. Use when a release is due.\nallowed-tools: Read Bash(git:*)\nmetadata:\n  a: b\n---\n\n# Deploy\n\n",
    );
    let mut section = 0;
    while text.len() < SIZE {
        section += 1;
        text.push_str(&format!(
            "## Step {section}\n\nRead [the guide](references/guide.md) and *then* run it with `$ARGUMENTS`.\n\n```sh\ngit push origin main\n```\n\n- one\n- two [link](https://example.org/{section})\n\n"
        ));
    }
    text
}

/// The processor time of all threads of a process so far.
fn processor_time(process: u32) -> Duration {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let nanoseconds = tasks.filter_map(Result::ok).filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

fn shown(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |permille: usize| times[(times.len() * permille / 1000).min(times.len() - 1)];
    println!("{what:<28} p50 {:>9.2?}  p99 {:>9.2?}  max {:>9.2?}", at(500), at(990), at(1000));
}

fn main() {
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some("lsp") {
        let folder = std::env::current_dir().unwrap();
        let workspace = Workspace::for_folder(&folder, &folder);
        serve(workspace, Settings::default(), std::io::stdin(), std::io::stdout());
        return;
    }
    let program = argument.map_or_else(|| std::env::current_exe().unwrap(), Into::into);
    let folder = std::env::temp_dir().join(format!("skillful-keystrokes-{}", std::process::id()));
    let own = folder.join(".claude/skills/deploy");
    std::fs::create_dir_all(own.join("references")).unwrap();
    std::fs::write(own.join("references/guide.md"), "# Guide\n").unwrap();
    let text = skill();
    std::fs::write(own.join("SKILL.md"), &text).unwrap();
    let uri = format!("file://{}/SKILL.md", own.display());
    let mut child = Command::new(program)
        .arg("lsp")
        .current_dir(&folder)
        .env("HOME", &folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut client =
        Client { input: child.stdin.take().unwrap(), output: BufReader::new(child.stdout.take().unwrap()) };
    client.send(
        &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } }),
    );
    client.wait(|message| message["id"] == 0);
    let document = json!({ "uri": uri, "languageId": "markdown", "version": 0, "text": text });
    client.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }));
    client.wait(|message| message["params"]["version"] == 0);

    let (mut diagnostics, mut completions, mut work) = (Vec::new(), Vec::new(), Vec::new());
    for key in 1..=KEYS {
        // Half of the keys in the description, half in the body.
        let at = if key % 2 == 0 {
            json!({ "line": 2, "character": 20 })
        } else {
            json!({ "line": 9, "character": 0 })
        };
        let change = json!({ "range": { "start": at, "end": at }, "text": "x" });
        let document = json!({ "uri": uri, "version": key });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        let before = processor_time(child.id());
        let start = Instant::now();
        client.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params }));
        client.wait(|message| message["params"]["version"] == json!(key));
        diagnostics.push(start.elapsed());
        work.push(processor_time(child.id()).saturating_sub(before));
        let start = Instant::now();
        let params = json!({ "textDocument": { "uri": uri }, "position": { "line": 3, "character": 18 } });
        client.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": { "uri": uri, "version": key }, "contentChanges": [] } }));
        client.send(
            &json!({ "jsonrpc": "2.0", "id": key, "method": "textDocument/completion", "params": params }),
        );
        client.wait(|message| message["id"] == json!(key));
        completions.push(start.elapsed());
    }
    println!("{KEYS} keys in a skill of {} bytes", text.len());
    shown("key to diagnostics", diagnostics);
    shown("of it, processor time", work);
    shown("completion", completions);
    drop(client);
    let _ended = child.wait();
    let _removed = std::fs::remove_dir_all(&folder);
}
