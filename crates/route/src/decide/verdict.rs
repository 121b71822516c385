//! What a classifier says, read strictly: one JSON object, alone, fenced or within other words.

use super::decision::Tier;
use crate::embed::cut;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Places where an object may start that are tried.
const STARTS: usize = 32;
/// Characters of a name; longer ones are nobody's.
const NAME: usize = 256;
/// How sure a model counts that does not say.
const UNSAID: f32 = 0.8;

/// A classifier's choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Verdict {
    /// The name it gave; `None` when it says that no skill fits.
    pub(crate) skill: Option<String>,
    pub(crate) confidence: f32,
    pub(crate) tier: Tier,
}

/// Reads an answer; `None` when there is no object with a `skill` in it.
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

#[expect(clippy::cast_possible_truncation, reason = "a probability in single precision")]
fn confidence(value: &Value) -> f32 {
    value.as_f64().filter(|number| number.is_finite()).map_or(UNSAID, |number| number.clamp(0.0, 1.0) as f32)
}

fn tier(value: &Value) -> Tier {
    value.as_str().and_then(Tier::read).unwrap_or_default()
}

#[cfg(test)]
mod tests;
