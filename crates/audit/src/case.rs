//! Skills written in one text, for the examples of rules and for tests.
//!
//! What stands before the first marker is SKILL.md; a header is added when there is none. A line
//! `@@@ file PATH` begins another file, `@@@ bytes PATH HEX` is a whole one, `@@@ long PATH N` one
//! with a line of N letters. `\u{…}` stands for a character that cannot be seen.

use skillful_format::{Limits, Tree, TreeFile, TreePath};

/// Builds the tree that a text describes; parts that no tree can hold are left out.
pub fn tree(text: &str) -> Tree {
    let mut tree = Tree::default();
    let mut path = "SKILL.md".to_owned();
    let mut content = String::new();
    let mut add = |path: &str, bytes: Vec<u8>| {
        let limits = Limits::default();
        if let Ok(path) = TreePath::new(path, &limits) {
            let executable = bytes.starts_with(b"#!");
            let _refused = tree.insert(path, TreeFile { bytes, executable }, &limits);
        }
    };
    for line in text.lines() {
        let Some(marker) = line.strip_prefix("@@@ ") else {
            content.push_str(line);
            content.push('\n');
            continue;
        };
        let mut words = marker.split(' ');
        let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let rest = words.next().unwrap_or_default();
        match kind {
            "file" => {
                add(&path, finished(&path, &content));
                name.clone_into(&mut path);
                content.clear();
            }
            "bytes" => {
                let bytes = (0..rest.len() / 2)
                    .filter_map(|at| u8::from_str_radix(rest.get(at * 2..at * 2 + 2)?, 16).ok());
                add(name, bytes.collect());
            }
            "long" => add(name, "x".repeat(rest.parse().unwrap_or(0)).into_bytes()),
            _ => {}
        }
    }
    add(&path, finished(&path, &content));
    tree
}

fn finished(path: &str, content: &str) -> Vec<u8> {
    let text = unescaped(content);
    let bare = path == "SKILL.md" && !text.starts_with("---");
    if bare {
        format!("---\nname: sample\ndescription: A sample.\n---\n{text}").into_bytes()
    } else {
        text.into_bytes()
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u{") {
        out.push_str(before);
        let (code, behind) = after.split_once('}').unwrap_or((after, ""));
        match u32::from_str_radix(code, 16).ok().and_then(char::from_u32) {
            Some(c) => out.push(c),
            None => out.push_str(code),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}
