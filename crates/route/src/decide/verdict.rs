//! Parses the answer of the classifier strictly: one JSON object, on its own, in a code fence or surrounded
//! by text.

use super::decision::Tier;
use crate::embed::cut;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Number of positions that are tried as the start of the object.
const STARTS: usize = 32;
/// Longer names cannot be those of a skill.
const NAME: usize = 256;
/// The confidence when the answer does not give one.
const UNSAID: f32 = 0.8;

/// The classifier's choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Verdict {
    /// The skill it named; `None` when it answered that no skill fits.
    pub(crate) skill: Option<String>,
    pub(crate) confidence: f32,
    pub(crate) tier: Tier,
}

/// Parses an answer; `None` when it has no object with the key `skill`.
pub(crate) fn read(text: &str) -> Option<Verdict> {
    let starts = text.match_indices('{').map(|(at, _)| at).take(STARTS);
    let mut objects = starts.filter_map(|at| {
        let rest = text.get(at..)?;
        serde_json::Deserializer::from_str(rest).into_iter::<Value>().next()?.ok()
    });
    let object = objects.find(|object| object.get("skill").is_some())?;
    let skill = match object.get("skill")? {
        Value::Null => None,
        Value::String(name) => Some(cut(name.trim(), NAME)).filter(|name| !is_none(name)),
        _ => return None,
    };
    Some(Verdict { skill, confidence: confidence(&object["confidence"]), tier: tier(&object["model_tier"]) })
}

fn is_none(name: &str) -> bool {
    name.is_empty() || name.eq_ignore_ascii_case("none") || name.eq_ignore_ascii_case("null")
}

#[expect(clippy::cast_possible_truncation, reason = "single precision suffices for a probability")]
fn confidence(value: &Value) -> f32 {
    value.as_f64().filter(|number| number.is_finite()).map_or(UNSAID, |number| number.clamp(0.0, 1.0) as f32)
}

fn tier(value: &Value) -> Tier {
    value.as_str().and_then(Tier::read).unwrap_or_default()
}

#[cfg(test)]
mod tests;
