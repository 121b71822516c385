//! Each seed system as a transcript: the headline behaviours of its own document, with the examples of that document,
//! through the program.

mod claude_code;
mod codex;
mod golemcore;
mod istota;
mod opencode;
mod personal_agent;
mod pisces;

use crate::assistant::read;
use serde_json::Value;
use skillful_testkit::ModelServer;

/// Everything that the model read in its last request.
fn last(server: &ModelServer) -> String {
    read(&server.asked().last().unwrap().body)
}

/// The names of the tools of the last request.
fn tools(server: &ModelServer) -> Vec<String> {
    let body = server.asked().last().unwrap().body.clone();
    let all = body["tools"].as_array().cloned().unwrap_or_default();
    all.iter().filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect()
}

/// The names of a list of objects.
fn names(list: &Value) -> Vec<String> {
    let all = list.as_array().cloned().unwrap_or_default();
    all.iter().filter_map(|one| Some(one["name"].as_str()?.to_owned())).collect()
}
