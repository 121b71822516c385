//! The recorded answers of one program.

use crate::worlds::{lines, rows};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// A skill as a program lists it; the path is relative to the world.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SeenByProgram {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) label: String,
}

/// What one program answered in one world.
pub(crate) struct Answer {
    /// Variables of this world alone.
    pub(crate) env: BTreeMap<String, String>,
    /// What it lists; nothing when it did not start.
    pub(crate) seen: Option<BTreeSet<SeenByProgram>>,
    /// Of the validator: what it accepts, by case.
    pub(crate) accepts: BTreeMap<String, bool>,
}

/// Everything that one program answered.
pub(crate) struct Recorded {
    pub(crate) peer: String,
    /// Where it reads the skills that the worlds have in `.agents/skills`.
    pub(crate) root: Option<String>,
    /// Whether it shows only what its model sees.
    pub(crate) only_model: bool,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) answers: BTreeMap<String, Answer>,
}

impl Recorded {
    pub(crate) fn read(folder: &Path, peer: &str) -> Self {
        let mut lines = lines(&folder.join(format!("recorded/{peer}.jsonl")));
        let head = lines.remove(0);
        let answers = lines.iter().map(|line| (text(&line["world"]), answer(line)));
        Self {
            peer: peer.to_owned(),
            root: head["root"].as_str().map(str::to_owned),
            only_model: head["only_model"] == Value::Bool(true),
            env: texts(&head["env"]),
            answers: answers.collect(),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn texts(value: &Value) -> BTreeMap<String, String> {
    let pairs = value.as_object().into_iter().flatten();
    pairs.map(|(name, value)| (name.clone(), text(value))).collect()
}

fn answer(line: &Value) -> Answer {
    let accepts = line["accepts"].as_object().into_iter().flatten();
    Answer {
        env: texts(&line["env"]),
        seen: line["seen"].as_array().map(|seen| rows(seen).iter().map(|row| entry(row)).collect()),
        accepts: accepts.map(|(case, accepted)| (case.clone(), accepted.as_bool().unwrap())).collect(),
    }
}

fn entry(row: &[Value]) -> SeenByProgram {
    let name = text(&row[1]);
    SeenByProgram {
        path: text(&row[0]),
        description: row.get(2).map_or_else(|| format!("Says that {name} was found."), text),
        label: row.get(3).map(text).unwrap_or_default(),
        name,
    }
}
