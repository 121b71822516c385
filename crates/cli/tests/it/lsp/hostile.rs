//! Clients that break the rules, and files with strange names.

use super::{Editor, SKILL, frame, uri};
use crate::bare;
use serde_json::{Value, json};
use skillful_testkit::wait_until;
use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

#[test]
fn bad_messages_are_answered_and_the_next_one_is_read() {
    let machine = bare();
    let file = machine.skill("work/.claude/skills/deploy", "Ships the site.");
    let mut editor = Editor::spawn(&machine, &[]);
    // Before `initialize`.
    let error = |answer: &Value| answer["error"]["code"].as_i64().unwrap();
    assert_eq!(error(&editor.ask("textDocument/hover", &json!({}))), -32002);
    editor.tell("textDocument/didOpen", &json!({}));
    let init = editor.ask("initialize", &json!({ "capabilities": {} }));
    assert_eq!(init["result"]["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(error(&editor.ask("initialize", &json!({ "capabilities": {} }))), -32600);
    for (bytes, code) in [
        (&b"{"[..], -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (b"17", -32600),
        (b"{\"jsonrpc\":\"2.0\"}", -32600),
        (b"{\"id\":{},\"method\":\"x\"}", -32600),
    ] {
        editor.send(&frame(bytes));
        let answer = editor.wait(|message| message["id"].is_null() && message.get("error").is_some());
        assert_eq!(error(&answer), code, "{}", String::from_utf8_lossy(bytes));
    }
    editor.send(&frame("[".repeat(100_000).as_bytes()));
    editor.wait(|message| message["error"]["code"] == -32700);
    assert_eq!(error(&editor.ask("no/such/method", &json!({}))), -32601);
    assert_eq!(error(&editor.ask("textDocument/hover", &json!({ "position": "here" }))), -32602);
    assert_eq!(
        error(
            &editor.ask("workspace/executeCommand", &json!({ "command": "rm", "arguments": [uri(&file)] }))
        ),
        -32602
    );
    editor.tell(
        "textDocument/didChange",
        &json!({ "textDocument": { "uri": "file:///no", "version": 1 }, "contentChanges": [] }),
    );
    editor.tell(
        "textDocument/didOpen",
        &json!({ "textDocument": { "uri": "not an address", "languageId": "", "version": 1, "text": "" } }),
    );
    editor.tell("$/unknown", &json!([1, 2]));
    // It still works.
    editor.open(&file, SKILL);
    assert_eq!(editor.diagnostics(&file, 1), ["2 file-missing 7:5-7:37"]);
    // Places outside of the text, and a version that goes back.
    let far = json!({ "start": { "line": 4_000_000_000_u32, "character": 9 }, "end": { "line": 0, "character": 4_294_967_295_u32 } });
    let change = json!({ "textDocument": { "uri": uri(&file), "version": -5 }, "contentChanges": [{ "range": far, "text": "!" }] });
    editor.tell("textDocument/didChange", &change);
    editor.report(&file, -5);
    assert_eq!(
        error(
            &editor
                .ask("shutdown", &Value::Null)
                .as_object()
                .map_or(json!({}), |_| editor.ask("textDocument/hover", &json!({})))
        ),
        -32600
    );
    editor.tell("exit", &Value::Null);
    assert_eq!(editor.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_text_over_the_limit_is_reported_and_not_kept() {
    let machine = bare();
    let file = machine.skill("work/.claude/skills/deploy", "Ships the site.");
    let mut editor = Editor::start(&machine);
    // Over the limit of a SKILL.md, and over that of the server.
    for (version, bytes) in [(2, 2 << 20), (3, 17 << 20)] {
        editor.open(&file, SKILL);
        let change = json!({ "text": "x".repeat(bytes) });
        let document = json!({ "uri": uri(&file), "version": version });
        editor
            .tell("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": [change] }));
        let found = editor.diagnostics(&file, version);
        assert!(found.len() == 1 && found[0].starts_with("1 file-too-large"), "{found:?}");
    }
    let at = json!({ "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.of_file("textDocument/hover", &file, &at), Value::Null);
    // An incremental change of an unknown text changes nothing; a whole text does.
    let document = json!({ "uri": uri(&file), "version": 4 });
    let zero = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    editor.tell("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": [{ "range": zero, "text": "y" }, { "text": SKILL }] }));
    assert_eq!(editor.diagnostics(&file, 4), ["2 file-missing 7:5-7:37"]);
}

#[test]
fn a_client_that_leaves_ends_the_server() {
    let machine = bare();
    // Standard input is closed.
    let mut editor = Editor::start(&machine);
    editor.input.take();
    assert_eq!(editor.child.wait().unwrap().code(), Some(1));
    // `exit` without `shutdown`.
    let mut editor = Editor::start(&machine);
    editor.tell("exit", &Value::Null);
    assert_eq!(editor.child.wait().unwrap().code(), Some(1));
    // Bytes without a frame.
    let mut editor = Editor::start(&machine);
    editor.send(b"hello\r\n\r\n");
    editor.wait(|message| message["error"]["code"] == -32700);
    assert_eq!(editor.child.wait().unwrap().code(), Some(1));
    // The process of the client is gone, and its pipes are still open elsewhere.
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    let pid = gone.id();
    gone.wait().unwrap();
    let mut editor = Editor::spawn(&machine, &[]);
    editor.ask("initialize", &json!({ "processId": pid, "capabilities": {} }));
    wait_until("the server ends", || editor.child.try_wait().unwrap().is_some());
}

#[test]
fn strange_paths_are_paths() {
    let machine = bare();
    let base = machine.work().join(OsStr::from_bytes(b"my sk\xffills %41#?/deploy"));
    std::fs::create_dir_all(base.join("references")).unwrap();
    std::fs::write(base.join("references/guide.md"), "x").unwrap();
    let file = base.join("SKILL.md");
    let mut editor = Editor::start(&machine);
    editor.open(&file, SKILL);
    assert_eq!(editor.diagnostics(&file, 1), Vec::<String>::new());
    let links = editor.of_file("textDocument/documentLink", &file, &json!({}));
    assert_eq!(links[0]["target"], uri(&base.join("references/guide.md")));
    // A file that is not on the disk yet, in a folder that does not exist.
    let new = machine.work().join("new/deploy/SKILL.md");
    editor.open(&new, SKILL);
    assert_eq!(editor.diagnostics(&new, 1), Vec::<String>::new());
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_cancelled_request_is_answered_as_cancelled_or_done() {
    let machine = bare();
    let file = machine.skill("work/.claude/skills/deploy", "Ships the site.");
    let mut editor = Editor::start(&machine);
    editor.open(&file, &format!("{SKILL}{}", "words [a](b.md) ".repeat(20_000)));
    let mut all = Vec::new();
    for id in 1000..1040 {
        let params = json!({ "textDocument": { "uri": uri(&file) } });
        all.extend(frame(
            json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/documentLink", "params": params })
                .to_string()
                .as_bytes(),
        ));
    }
    for id in 1000..1040 {
        all.extend(frame(
            json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } })
                .to_string()
                .as_bytes(),
        ));
    }
    editor.send(&all);
    let mut cancelled = 0;
    for id in 1000..1040 {
        let answer = editor.wait(|message| message["id"] == json!(id));
        match answer["error"]["code"].as_i64() {
            None => assert!(answer["result"].is_array(), "{answer}"),
            Some(code) => {
                assert_eq!(code, -32800);
                cancelled += 1;
            }
        }
    }
    assert!(cancelled > 0, "requests that wait are cancelled");
}

/// An editor loads the pictures of markup and offers its links, so that what an author wrote must be text.
#[test]
fn what_the_author_of_a_skill_wrote_is_text_in_an_editor() {
    let machine = bare();
    let about =
        "![x](http://127.0.0.1:9/x.png) [run](command:x) <img src=http://127.0.0.1:9/y> \\e[31m\\u202e";
    let text = format!("---\nname: evil\ndescription: \"{about}\"\n---\nText.\n");
    machine.file("work/.agents/skills/evil/SKILL.md", &text);
    for (at, name) in ["a: b", "a\\nhooks: {}", "a #b", "\\u202ea"].iter().enumerate() {
        let text = format!("---\nname: \"{name}\"\ndescription: Text.\n---\nText.\n");
        machine.file(&format!("work/.agents/skills/s{at}/SKILL.md"), &text);
    }
    let own = "---\nname: own\ndescription: Own.\nrequires:\n  skills:\n    - \n---\nUse $evil here.\n";
    let file = machine.file("work/.agents/skills/own/SKILL.md", own);
    let mut editor = Editor::spawn(&machine, &[]);
    let folder = uri(&machine.work());
    editor.ask("initialize", &json!({ "capabilities": {}, "rootUri": folder }));
    editor.open(&file, own);
    let at = |line: u32, character: u32| json!({ "position": { "line": line, "character": character } });
    let mut hover = Value::Null;
    wait_until("the skills of the workspace", || {
        hover = editor.of_file("textDocument/hover", &file, &at(7, 6));
        !hover.is_null()
    });
    assert_eq!(hover["contents"]["kind"], "plaintext", "{hover}");
    let shown = hover["contents"]["value"].as_str().unwrap();
    assert!(shown.contains("<U+202E>") && !shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    let offered = editor.of_file("textDocument/completion", &file, &at(5, 6));
    let items = offered["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["label"] == "evil"), "{offered}");
    for item in items {
        // A documentation without a kind is plain text.
        assert!(item.get("documentation").is_none_or(Value::is_string), "{item}");
        let text = item["textEdit"]["newText"].as_str().unwrap();
        assert!(text.chars().all(|c| c.is_alphanumeric() || "._:/@+-".contains(c)), "{item}");
    }
}
