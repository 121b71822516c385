//! Judged requests, read from the usual formats.
//!
//! - JSON lines: `{"query", "relevant": [id], "accept": [id], "not_relevant": [id], "source"}`
//! - trigger sets: `[{"query", "should_trigger": true}]`, for one skill
//! - `evals.json`: `{"skill_name", "evals": [{"prompt", "assertions" or "expectations": [...]}]}`
//!
//! Reading never fails: a part that cannot be read becomes a [`Fault`] with its position.

use serde_json::Value;

/// One judged request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// The id of the case; its position in the file when it has none.
    pub id: String,
    /// The request.
    pub query: String,
    /// Skills that serve the request; empty when none does.
    pub relevant: Vec<String>,
    /// Other skills that are accepted as well.
    pub accept: Vec<String>,
    /// Skills that must not be selected.
    pub refused: Vec<String>,
    /// Where the case comes from; metrics are reported per source.
    pub source: String,
    /// What a good answer does, in natural language.
    pub expectations: Vec<String>,
}

impl Case {
    /// Whether a skill is a right answer.
    pub fn accepts(&self, id: &str) -> bool {
        self.relevant.iter().chain(&self.accept).any(|right| right == id)
    }
}

/// A part of the input that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line of a JSON-lines file, position in an array otherwise; from 1.
    pub at: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// The cases, and the parts of the input that could not be read.
pub type Read = (Vec<Case>, Vec<Fault>);

/// Reads any of the formats. `skill` is the skill that a trigger set, or an `evals.json` without a skill
/// name, is about.
pub fn read(text: &str, skill: &str) -> Read {
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(items)) => read_items(&items, skill),
        Ok(Value::Object(object)) if object.contains_key("evals") => {
            let skill = object.get("skill_name").and_then(Value::as_str).unwrap_or(skill);
            match object.get("evals") {
                Some(Value::Array(items)) => read_items(items, skill),
                _ => (
                    Vec::new(),
                    vec![fault(1, "`evals` is not a list; write `\"evals\": [{\"prompt\": …}]`")],
                ),
            }
        }
        _ => read_lines(text, skill),
    }
}

/// Reads one JSON object per line.
pub fn read_lines(text: &str, skill: &str) -> Read {
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    for (line, at) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Value>(line) {
            Ok(value) => match read_case(&value, at, skill) {
                Ok(case) => cases.push(case),
                Err(found) => faults.push(found),
            },
            Err(error) => faults.push(fault(at, &format!("not JSON: {error}"))),
        }
    }
    (cases, faults)
}

fn read_items(items: &[Value], skill: &str) -> Read {
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    for (item, at) in items.iter().zip(1..) {
        match read_case(item, at, skill) {
            Ok(case) => cases.push(case),
            Err(found) => faults.push(found),
        }
    }
    (cases, faults)
}

fn read_case(value: &Value, at: usize, skill: &str) -> Result<Case, Fault> {
    let Value::Object(object) = value else {
        return Err(fault(at, "not an object; write `{\"query\": …}`"));
    };
    let query = ["query", "prompt", "input"].iter().find_map(|key| object.get(*key)?.as_str());
    let Some(query) = query.map(str::trim).filter(|query| !query.is_empty()) else {
        return Err(fault(at, "the case has no text in `query` or `prompt`"));
    };
    let named = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut case = Case {
        id: named("id")
            .or_else(|| Some(object.get("id")?.as_u64()?.to_string()))
            .unwrap_or_else(|| at.to_string()),
        query: query.to_owned(),
        source: named("source").unwrap_or_else(|| "eval".to_owned()),
        expectations: ["expectations", "assertions"]
            .iter()
            .flat_map(|key| strings(object.get(*key)))
            .collect(),
        ..Case::default()
    };
    match object.get("should_trigger") {
        Some(Value::Bool(true)) => case.relevant = vec![skill.to_owned()],
        Some(Value::Bool(false)) => case.refused = vec![skill.to_owned()],
        Some(_) => return Err(fault(at, "`should_trigger` is neither true nor false")),
        None if object.contains_key("relevant") || object.contains_key("not_relevant") => {
            case.relevant = strings(object.get("relevant"));
            case.accept = strings(object.get("accept"));
            case.refused = strings(object.get("not_relevant"));
        }
        None if skill.is_empty() => {
            return Err(fault(at, "the case has no `relevant` list, and the file does not name a skill"));
        }
        None => case.relevant = vec![skill.to_owned()],
    }
    Ok(case)
}

/// Reads a list of strings; for an object, its `text` or `description`.
fn strings(value: Option<&Value>) -> Vec<String> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(object) => ["text", "description", "name"]
            .iter()
            .find_map(|key| object.get(*key)?.as_str())
            .map(str::to_owned),
        _ => None,
    };
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(one).collect(),
        Some(single) => one(single).into_iter().collect(),
        None => Vec::new(),
    }
}

fn fault(at: usize, message: &str) -> Fault {
    Fault { at, message: message.to_owned() }
}
