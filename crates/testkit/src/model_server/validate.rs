//! Checks whether the real servers would accept a request: by the types of their official clients, and by
//! rules that the types do not express.

mod anthropic;
mod openai;
mod responses;
mod schema;

use super::{RecordedRequest, answer_parts::WireFormat};
use serde_json::Value;
use std::collections::BTreeSet;

/// The version of the client's types.
const ANTHROPIC_VERSION: &str = "2026-10-21";

/// Everything that is wrong with a request.
pub(super) fn complaints(format: WireFormat, asked: &RecordedRequest) -> Vec<String> {
    let mut found = Vec::new();
    headers(format, asked, &mut found);
    let before = found.len();
    found.extend(schema::complaints(format, &asked.body));
    // The rules assume that the types are right.
    if found.len() == before {
        match format {
            WireFormat::Anthropic => anthropic::rules(&asked.body, &mut found),
            WireFormat::OpenAi => openai::rules(&asked.body, &mut found),
            WireFormat::Responses => responses::rules(&asked.body, &mut found),
        }
    }
    found
}

fn headers(format: WireFormat, asked: &RecordedRequest, found: &mut Vec<String>) {
    if !asked.header("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
        found.push("content-type is not application/json".to_owned());
    }
    let is_word = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    let (key, bearer) = (asked.header("x-api-key"), asked.header("authorization"));
    match format {
        WireFormat::Anthropic => {
            if asked.header("anthropic-version") != Some(ANTHROPIC_VERSION) {
                found.push(format!("anthropic-version is not {ANTHROPIC_VERSION}"));
            }
            if key.is_some() && bearer.is_some() {
                found.push("a key in both x-api-key and authorization; only one is allowed".to_owned());
            }
        }
        WireFormat::OpenAi | WireFormat::Responses if key.is_some() => {
            found.push("x-api-key belongs to the other format".to_owned());
        }
        WireFormat::OpenAi | WireFormat::Responses => {}
    }
    if key.is_some_and(|key| !is_word(key)) {
        found.push("x-api-key is not a single word".to_owned());
    }
    if bearer.is_some_and(|bearer| !bearer.strip_prefix("Bearer ").is_some_and(is_word)) {
        found.push("authorization is not `Bearer` and a single word".to_owned());
    }
}

/// Letters, digits, `_` and `-`, at most 64.
fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && is_id(name)
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Checks tools by name and schema.
fn tools<'a>(tools: impl Iterator<Item = (&'a Value, &'a Value)>, found: &mut Vec<String>) {
    let mut names = BTreeSet::new();
    for (name, schema) in tools {
        let name = name.as_str().unwrap_or_default();
        if !is_name(name) {
            found.push(format!("tools: `{name}` is not a valid name"));
        }
        if !names.insert(name) {
            found.push(format!("tools: `{name}` occurs twice"));
        }
        if schema["type"] != "object" {
            found.push(format!("tools: the schema of `{name}` is not the schema of an object"));
        } else if let Err(error) = jsonschema::meta::validate(schema) {
            found.push(format!("tools: the schema of `{name}` is not valid: {error}"));
        }
    }
}

/// The open tool calls. Each must get its result before the next message.
#[derive(Default)]
struct Calls<'a> {
    ever: BTreeSet<&'a str>,
    open: BTreeSet<&'a str>,
}

impl<'a> Calls<'a> {
    fn made(&mut self, place: &str, id: &'a Value, name: &Value, found: &mut Vec<String>) {
        let (id, name) = (id.as_str().unwrap_or_default(), name.as_str().unwrap_or_default());
        if !is_id(id) {
            found.push(format!("{place}: `{id}` is not a valid id of a call"));
        }
        if !is_name(name) {
            found.push(format!("{place}: `{name}` is not a valid name of a tool"));
        }
        if !self.ever.insert(id) {
            found.push(format!("{place}: the id `{id}` was used before"));
        }
        self.open.insert(id);
    }

    fn answered(&mut self, place: &str, id: &Value, found: &mut Vec<String>) {
        let id = id.as_str().unwrap_or_default();
        if !self.open.remove(id) {
            found.push(format!(
                "{place}: a result for `{id}`, which is not an open call of the previous message"
            ));
        }
    }

    /// Reports calls without a result, when a message of another kind follows.
    fn settled(&mut self, place: &str, found: &mut Vec<String>) {
        for id in std::mem::take(&mut self.open) {
            found.push(format!("{place}: the call `{id}` has no result yet"));
        }
    }
}
