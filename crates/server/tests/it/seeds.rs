//! The routes in the forms of other skill systems, by the numbers of their contracts.

mod chat_and_resources;
mod codex;
mod golemcore;
mod integrations;
mod personal;

use crate::running::{Answer, Running};
use serde_json::Value;
use skillful_format::{Limits, Tree, TreeFile, TreePath};

fn tree(files: &[(&str, &[u8])]) -> Tree {
    let mut tree = Tree::default();
    for (path, bytes) in files {
        let file = TreeFile { bytes: bytes.to_vec(), executable: bytes.starts_with(b"#!") };
        tree.insert(TreePath::new(path, &Limits::default()).unwrap(), file, &Limits::default()).unwrap();
    }
    tree
}

fn skill(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}. Use when asked.\n{more}---\n\nText of {name}.\n")
}

fn send(server: &Running, token: &str, path: &str, kind: &str, bytes: &[u8]) -> Answer {
    let bearer = format!("Bearer {token}");
    server.ask("POST", path, &[("authorization", &bearer), ("content-type", kind)], bytes)
}

fn get(server: &Running, token: &str, path: &str) -> Answer {
    server.call(token, "GET", path, &Value::Null)
}
