//! Skills written as one text, for the examples of rules and for tests.
//!
//! The text before the first marker is SKILL.md; frontmatter is added when it has none. A line `@@@
//! file PATH` begins another file, `@@@ bytes PATH HEX` is a complete file, and `@@@ long PATH N`
//! is a file with a line of N letters. `\u{…}` is an invisible character.

use skillful_format::{Limits, Tree, TreeFile, TreePath};

/// A hostile skill and an honest one that uses the same words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// The name of the case.
    pub name: String,
    /// The skill that must be blocked or reported as not scanned.
    pub hostile: String,
    /// The skill that must not be blocked.
    pub twin: String,
}

/// The pairs of a file: `@@@ case NAME`, then `@@@ hostile` and `@@@ twin` with the skills below
/// them.
pub fn pairs(text: &str) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut in_twin = false;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("@@@ case ") {
            pairs.push(Pair { name: name.to_owned(), ..Pair::default() });
        } else if line == "@@@ hostile" || line == "@@@ twin" {
            in_twin = line == "@@@ twin";
        } else if let Some(pair) = pairs.last_mut() {
            let side = if in_twin { &mut pair.twin } else { &mut pair.hostile };
            side.push_str(line);
            side.push('\n');
        }
    }
    pairs
}

/// Builds the tree that a text describes; paths that a tree does not allow are ignored.
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
