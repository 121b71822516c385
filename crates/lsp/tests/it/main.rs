#![expect(clippy::unwrap_used, reason = "a test whose setup fails must stop")]
//! Properties of the server: random edits and random places.

use lsp_types::{Position, Range};
use proptest::{collection::vec, prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde_json::{Value, json};
use skillful::Workspace;
use skillful_lsp::{Encoding, Settings, Text, serve};
use std::{
    io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write},
    thread,
};

fn encodings() -> impl Strategy<Value = Encoding> {
    prop_oneof![Just(Encoding::Utf8), Just(Encoding::Utf16), Just(Encoding::Utf32)]
}

/// Pieces of skills: fences, keys, links, line ends, characters of one to four bytes, and nonsense.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("---\n"),
        Just("name: deploy\n"),
        Just("description: Use: it\n"),
        Just("allowed-tools: Read Ba\n"),
        Just("requires:\n  skills:\n    - a\n"),
        Just("vars:\n  A:\n    req"),
        Just("[a](b.md)"),
        Just("# H\n"),
        Just("$dep"),
        Just("\r\n"),
        Just("\r"),
        Just("\n"),
        Just("\t- "),
        Just("é"),
        Just("🚀"),
        Just("\u{feff}"),
        Just("\u{0}"),
        Just("x"),
        Just(": "),
        Just("\"'"),
        Just("](")
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn positions() -> impl Strategy<Value = Position> {
    (prop_oneof![0..12_u32, Just(u32::MAX)], prop_oneof![0..20_u32, Just(u32::MAX)])
        .prop_map(|(line, character)| Position { line, character })
}

proptest! {
    #[test]
    fn a_position_and_a_byte_are_the_same_place(text in pieces(), encoding in encodings()) {
        let content = Text::new(text.clone());
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let position = content.position(at, encoding);
            let back = content.offset(position, encoding);
            // Between `\r` and `\n` there is no position.
            let inside = text[..at].ends_with('\r') && text[at..].starts_with('\n');
            prop_assert_eq!(back, at - usize::from(inside));
        }
    }

    #[test]
    fn incremental_changes_give_the_full_text(
        start in pieces(),
        changes in vec((positions(), positions(), pieces()), 0..8),
        encoding in encodings(),
    ) {
        let mut text = Text::new(start.clone());
        let mut model = start;
        for (from, to, new) in changes {
            // The model finds places by walking over the lines, in its own way.
            let (a, b) = (model_offset(&model, from, encoding), model_offset(&model, to, encoding));
            model.replace_range(a.min(b)..a.max(b), &new);
            let fits = text.change(Some(Range { start: from, end: to }), &new, encoding);
            prop_assert!(fits);
            prop_assert_eq!(text.as_str(), &model);
            prop_assert_eq!(&text, &Text::new(model.clone()));
        }
    }
}

/// The byte of a position, one character after the other.
fn model_offset(text: &str, position: Position, encoding: Encoding) -> usize {
    let (mut line, mut units) = (0_u32, 0_u64);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let width = match encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        } as u64;
        let is_end = matches!(c, '\n' | '\r');
        if line == position.line && (is_end || units + width > u64::from(position.character)) {
            return at;
        }
        units += width;
        if is_end {
            if c == '\r' && chars.peek().is_some_and(|(_, next)| *next == '\n') {
                chars.next();
            }
            line += 1;
            units = 0;
        }
    }
    text.len()
}

/// A client in the same process.
struct Client {
    input: PipeWriter,
    output: BufReader<PipeReader>,
}

impl Client {
    fn start(folder: &std::path::Path) -> Self {
        let (input, to_server) = std::io::pipe().unwrap();
        let (from_server, output) = std::io::pipe().unwrap();
        let workspace = Workspace::for_folder(folder, folder);
        thread::spawn(move || serve(workspace, Settings::default(), input, output));
        let mut client = Self { input: to_server, output: BufReader::new(from_server) };
        client.ask(0, "initialize", &json!({ "capabilities": {} }));
        client
    }

    fn send(&mut self, message: &Value) {
        let bytes = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{bytes}", bytes.len()).unwrap();
    }

    fn ask(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
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
            let message: Value = serde_json::from_slice(&bytes).unwrap();
            if message["id"] == json!(id) && message.get("method").is_none() {
                return message;
            }
        }
    }
}

#[test]
fn no_request_fails_at_any_place_of_any_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(folder.path());
    let uri = format!("file://{}/deploy/SKILL.md", folder.path().display());
    let mut runner = TestRunner::deterministic();
    let mut id = 1;
    for version in 1..200 {
        let text = pieces().new_tree(&mut runner).unwrap().current();
        let text = if version % 2 == 0 { format!("---\n{text}") } else { text };
        let document = json!({ "uri": uri, "languageId": "markdown", "version": version, "text": text });
        client.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }));
        for method in [
            "completion",
            "hover",
            "definition",
            "documentLink",
            "documentSymbol",
            "codeAction",
            "codeLens",
            "formatting",
            "diagnostic",
        ] {
            let mut place = || json!(positions().new_tree(&mut runner).unwrap().current());
            let (a, b) = (place(), place());
            let params = json!({
                "textDocument": { "uri": uri }, "position": a, "range": { "start": a, "end": b },
                "context": { "diagnostics": [], "triggerKind": 1 }, "options": { "tabSize": 2, "insertSpaces": true },
            });
            id += 1;
            let answer = client.ask(id, &format!("textDocument/{method}"), &params);
            assert!(answer.get("error").is_none(), "{method} at {a} of {text:?}: {answer}");
        }
    }
}
