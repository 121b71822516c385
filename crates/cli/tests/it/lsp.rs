//! The language server through the program: real frames over real pipes.

mod hostile;
mod neovim;

use crate::bare;
use insta::assert_snapshot;
use serde_json::{Value, json};
use skillful_testkit::{PATIENCE, TestContext, wait_until};
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Stdio},
    sync::mpsc,
};

const SKILL: &str = "---\nname: deploy\ndescription: Ships the site. Use when a release is due.\n---\n\n# Deploy\n\nRead [the guide](references/guide.md).\n";

/// An editor at the other end of two pipes.
struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: mpsc::Receiver<Value>,
    /// What arrived while another message was waited for.
    kept: VecDeque<Value>,
    asked: u64,
}

fn frame(bytes: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", bytes.len()).as_bytes(), bytes].concat()
}

fn read_message(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            line => length = line.strip_prefix("Content-Length: ")?.parse().ok()?,
        }
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).unwrap())
}

impl Editor {
    fn spawn(machine: &TestContext, options: &[&str]) -> Self {
        let arguments = ["lsp"].iter().chain(options);
        let mut child =
            machine.command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read_message(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self { child, input, messages, kept: VecDeque::new(), asked: 0 }
    }

    fn start(machine: &TestContext) -> Self {
        Self::start_with(machine, &[], &json!({}), &json!({}))
    }

    fn start_with(machine: &TestContext, options: &[&str], capabilities: &Value, settings: &Value) -> Self {
        let mut editor = Self::spawn(machine, options);
        let params = json!({
            "processId": std::process::id(), "rootUri": uri(&machine.work()),
            "capabilities": capabilities, "initializationOptions": settings,
        });
        let answer = editor.ask("initialize", &params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "skillful", "{answer}");
        editor.tell("initialized", &json!({}));
        editor
    }

    fn send(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send_json(&mut self, message: &Value) {
        self.send(&frame(message.to_string().as_bytes()));
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.send_json(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = json!(self.asked);
        self.send_json(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The result of a request about a file.
    fn of_file(&mut self, method: &str, file: &Path, more: &Value) -> Value {
        let mut params = json!({ "textDocument": { "uri": uri(file) } });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        let answer = self.ask(method, &params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&is_it) {
            return self.kept.remove(at).unwrap();
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if is_it(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    fn open(&mut self, file: &Path, text: &str) {
        let document = json!({ "uri": uri(file), "languageId": "markdown", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    /// The diagnostics of a version: code, severity, range.
    fn diagnostics(&mut self, file: &Path, version: i64) -> Vec<String> {
        self.report(file, version)["params"]["diagnostics"].as_array().unwrap().iter().map(line).collect()
    }

    fn report(&mut self, file: &Path, version: i64) -> Value {
        let uri = uri(file);
        self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == json!(uri)
                && message["params"]["version"] == json!(version)
        })
    }

    /// Labels of what is offered at a place.
    fn offered(&mut self, file: &Path, line: u32, character: u32) -> Vec<String> {
        let at = json!({ "position": { "line": line, "character": character } });
        let list = self.of_file("textDocument/completion", file, &at);
        list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["label"].as_str().unwrap().to_owned())
            .collect()
    }

    fn leave(mut self) -> Option<i32> {
        self.ask("shutdown", &Value::Null);
        self.tell("exit", &Value::Null);
        self.child.wait().unwrap().code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn line(found: &Value) -> String {
    let at = |end: &str| {
        let place = &found["range"][end];
        format!("{}:{}", place["line"], place["character"])
    };
    let code = found["code"].as_str().unwrap();
    format!("{} {code} {}-{}", found["severity"], at("start"), at("end"))
}

fn uri(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// Applies the edits of a code action or of formatting to a text; columns are those of ASCII.
fn edited(text: &str, edits: &Value) -> String {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let offset = |place: &Value| {
        let line = usize::try_from(place["line"].as_u64().unwrap()).unwrap();
        let start = starts.get(line).copied().unwrap_or(text.len());
        start + usize::try_from(place["character"].as_u64().unwrap()).unwrap()
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort_unstable();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

#[test]
fn problems_of_unsaved_text_have_places_and_fixes() {
    let machine = bare();
    let file = machine.skill("work/.claude/skills/deploy", "Ships the site.");
    let mut editor = Editor::start(&machine);
    let text = "---\nname: Deploy\ndescription: Use: to 🚀 ship\n---\n\nSee [x](missing.md).\n";
    editor.open(&file, text);
    let report = editor.report(&file, 1);
    let found: Vec<String> = report["params"]["diagnostics"].as_array().unwrap().iter().map(line).collect();
    // The rocket is two units of UTF-16.
    assert_snapshot!(found.join("\n"), @"
    2 name-differs-from-folder 1:6-1:12
    2 name-upper-case 1:6-1:12
    2 unquoted-colon 2:13-2:28
    2 file-missing 5:4-5:19
    ");
    let first = &report["params"]["diagnostics"][0];
    assert_eq!(first["source"], "skillful");
    assert!(first["codeDescription"]["href"].as_str().unwrap().ends_with("docs/diagnostics.md"), "{first}");

    let all = json!({ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } },
        "context": { "diagnostics": [] } });
    let actions = editor.of_file("textDocument/codeAction", &file, &all);
    let titles: Vec<String> = actions
        .as_array()
        .unwrap()
        .iter()
        .map(|action| format!("{}: {}", action["kind"].as_str().unwrap(), action["title"].as_str().unwrap()))
        .collect();
    assert_snapshot!(titles.join("\n"), @"
    quickfix: Use the folder's name
    quickfix: Put the value in quotes
    source.fixAll.skillful: Fix all problems that have one clear fix
    ");
    let fix_all =
        actions.as_array().unwrap().iter().find(|action| action["kind"] == "source.fixAll.skillful");
    let edits = &fix_all.unwrap()["edit"]["changes"][uri(&file)];
    assert!(edited(text, edits).contains("description: \"Use: to 🚀 ship\"\n"), "{edits}");
    // The file on the disk is as it was: the server writes nothing.
    assert!(std::fs::read_to_string(&file).unwrap().contains("Ships the site."));
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn incremental_changes_are_checked_in_their_newest_version() {
    let machine = bare();
    let file = machine.skill("work/.claude/skills/deploy", "Ships the site.");
    let mut editor = Editor::start_with(
        &machine,
        &[],
        &json!({ "general": { "positionEncodings": ["utf-16", "utf-8"] } }),
        &json!({}),
    );
    editor.open(&file, SKILL);
    let at = |line: u32, start: u32, end: u32| json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } });
    for (version, change) in [
        (2, json!({ "range": at(1, 6, 12), "text": "dé" })),
        // In UTF-8 the é has two bytes.
        (3, json!({ "range": at(1, 9, 9), "text": "Ploy" })),
    ] {
        let document = json!({ "uri": uri(&file), "version": version });
        editor
            .tell("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": [change] }));
    }
    assert_snapshot!(editor.diagnostics(&file, 3).join("\n"), @"
    2 name-differs-from-folder 1:6-1:13
    2 name-upper-case 1:6-1:13
    2 file-missing 7:5-7:37
    ");
    editor.tell("textDocument/didClose", &json!({ "textDocument": { "uri": uri(&file) } }));
    let cleared = editor.wait(|message| {
        message["method"] == "textDocument/publishDiagnostics" && message["params"].get("version").is_none()
    });
    assert_eq!(cleared["params"]["diagnostics"], json!([]));
}

#[test]
fn fields_values_tools_skills_and_files_are_offered_and_explained() {
    let machine = bare();
    machine.skill("work/.claude/skills/release-notes", "Writes release notes.");
    let file = machine.skill("work/.claude/skills/deploy", "Ships the site.");
    machine.file("work/.claude/skills/deploy/references/the guide.md", "# Guide\n");
    machine.file("home/.claude/settings.json", "{}");
    let mut editor = Editor::start_with(
        &machine,
        &[],
        &json!({ "workspace": { "codeLens": { "refreshSupport": true } } }),
        &json!({}),
    );
    let text = "---\nname: deploy\ndescription: Ships.\nallowed-tools: Ba\neffort: \ndis\nrequires:\n  skills:\n    - rel\n  \nuser-invocable: \n---\n\nSee [guide](ref) and $rel now. Read [it](references/the%20guide.md).\n";
    editor.open(&file, text);
    // The workspace is read on a thread of its own.
    wait_until("the lens about agents", || {
        editor.of_file("textDocument/codeLens", &file, &json!({})).as_array().unwrap().len() == 2
    });
    editor.wait(|message| message["method"] == "workspace/codeLens/refresh");
    let keys = editor.offered(&file, 5, 3);
    assert!(keys.contains(&"disable-model-invocation".to_owned()), "{keys:?}");
    assert!(!keys.contains(&"name".to_owned()), "a key that is there is not offered again");
    assert_eq!(editor.offered(&file, 4, 8), ["low", "medium", "high", "xhigh", "max"]);
    assert_eq!(editor.offered(&file, 10, 16), ["true", "false"]);
    assert!(editor.offered(&file, 3, 17).contains(&"Bash".to_owned()));
    assert_eq!(editor.offered(&file, 8, 9)[0], "release-notes");
    assert_eq!(editor.offered(&file, 9, 2), ["env", "binary", "skills", "mcp"]);
    assert_eq!(editor.offered(&file, 13, 15), ["references/the guide.md"]);
    assert_eq!(editor.offered(&file, 13, 25)[0], "release-notes");

    let mut hover = |line: u32, character: u32| {
        let at = json!({ "position": { "line": line, "character": character } });
        editor.of_file("textDocument/hover", &file, &at)["contents"]["value"]
            .as_str()
            .unwrap_or("")
            .to_owned()
    };
    assert_snapshot!(hover(10, 3), @"
    **user-invocable** — `true` or `false`

    With `false`, a user cannot call the skill by name; only a model can load it.

    A gate: while its value cannot be read, the skill is unavailable.

    Not part of the specification. Read by Claude Code, GitHub Copilot, Mistral Vibe, Qwen Code, Skillful. Ignored by Agent Skills client guide, Cline, Codex, Continue, Cursor, Gemini CLI, golemcore-bot, goose, Istota, Kilo Code, Kimi Code CLI, oh-my-pi and 4 more. Not known for 63 other agents.
    ");
    assert!(hover(1, 2).contains("At most 64 characters"), "{}", hover(1, 2));
    assert!(hover(7, 4).starts_with("**requires.skills**"));

    let links = editor.of_file("textDocument/documentLink", &file, &json!({}));
    assert_eq!(links.as_array().unwrap().len(), 1, "only files that exist: {links}");
    assert!(links[0]["target"].as_str().unwrap().ends_with("/references/the%20guide.md"), "{links}");
    let at = json!({ "position": { "line": 13, "character": 50 } });
    let place = editor.of_file("textDocument/definition", &file, &at);
    assert_eq!(place["uri"], links[0]["target"]);
    let symbols = editor.of_file("textDocument/documentSymbol", &file, &json!({}));
    assert_eq!(symbols, json!([]));

    let lenses = editor.of_file("textDocument/codeLens", &file, &json!({}));
    let titles: Vec<&str> =
        lenses.as_array().unwrap().iter().map(|lens| lens["command"]["title"].as_str().unwrap()).collect();
    assert_snapshot!(titles.join("\n"), @"
    1 of 1 agent on this machine loads it
    ~5 tokens in the menu, ~18 when loaded
    ");
    let command = json!({ "command": "skillful.showAgents", "arguments": [uri(&file)] });
    let answer = editor.ask("workspace/executeCommand", &command);
    assert_snapshot!(answer["result"].as_str().unwrap(), @"
    1 of 1 agent on this machine loads it
    Claude Code: loads it
    ");
    editor.wait(|message| message["method"] == "window/showMessage");
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn formatting_is_that_of_fmt_in_small_edits() {
    let machine = bare();
    let text = "---\ndescription: \"Ships the site.\"\nname: deploy\nallowed_tools: [Read, Bash]\n---\n\n# One\n\n## Two\n\n# Three\n";
    let file = machine.file("work/.claude/skills/deploy/SKILL.md", text);
    let mut editor = Editor::start(&machine);
    editor.open(&file, text);
    let symbols = editor.of_file("textDocument/documentSymbol", &file, &json!({}));
    assert_eq!(symbols[0]["name"], "One");
    assert_eq!(symbols[0]["children"][0]["name"], "Two");
    assert_eq!(symbols[1]["name"], "Three");
    let options = json!({ "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = editor.of_file("textDocument/formatting", &file, &options);
    let last =
        edits.as_array().unwrap().iter().map(|edit| edit["range"]["end"]["line"].as_u64().unwrap()).max();
    assert!(last.unwrap() <= 4, "the body is not touched: {edits}");
    machine.run("fmt");
    assert_eq!(edited(text, &edits), std::fs::read_to_string(&file).unwrap());
}

#[test]
fn diagnostics_can_be_pulled_and_settings_raise_them() {
    let machine = bare();
    let file =
        machine.file("work/skills/deploy/SKILL.md", "---\ndescription: Ships.\ncolour: red\n---\nDo it.\n");
    let text = std::fs::read_to_string(&file).unwrap();
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    let settings = json!({ "skillful": { "profile": "spec", "agent": "opencode" } });
    let mut editor = Editor::start_with(&machine, &[], &capabilities, &settings);
    editor.open(&file, &text);
    let report = editor.of_file("textDocument/diagnostic", &file, &json!({}));
    let found: Vec<String> = report["items"].as_array().unwrap().iter().map(line).collect();
    assert_snapshot!(found.join("\n"), @"
    1 name-missing 0:0-0:3
    1 unknown-key 2:0-2:6
    1 agent-refuses 0:0-0:3
    ");
    // Without frontmatter of its own a file that is not a skill has no problems.
    let other = machine.file("work/README.md", "x");
    editor.open(&other, "x");
    assert_eq!(editor.of_file("textDocument/diagnostic", &other, &json!({}))["items"], json!([]));
    assert_eq!(editor.leave(), Some(0));
}
