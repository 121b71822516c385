//! The arguments of a call, read by their types. An error names the argument, what was expected and
//! what came, so that a model can correct itself.

use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// Characters of a wrong value that an error repeats.
const SHOWN: usize = 60;

/// The arguments of one call.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    values: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    /// Takes the arguments of a call that knows these and no others.
    pub(super) fn new(values: &'a Map<String, Value>, known: &[&str]) -> Result<Self, String> {
        match values.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => {
                let name: String = name.chars().take(SHOWN).collect();
                Err(format!("there is no argument `{name}`; there are {}", known.join(", ")))
            }
            None => Ok(Self { values }),
        }
    }

    /// What is there; `null` is what is left out.
    fn get(self, name: &str) -> Option<&'a Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    /// A text that must be there.
    pub(super) fn text(self, name: &str) -> Result<&'a str, String> {
        self.maybe_text(name)?.ok_or_else(|| format!("the argument `{name}` is missing; it is a text"))
    }

    /// A text that may be left out.
    pub(super) fn maybe_text(self, name: &str) -> Result<Option<&'a str>, String> {
        let read = |value: &'a Value| value.as_str().ok_or_else(|| wrong(name, "a text", value, ""));
        self.get(name).map(read).transpose()
    }

    /// A whole number within bounds, or what counts when it is left out.
    pub(super) fn number(
        self,
        name: &str,
        bounds: RangeInclusive<usize>,
        otherwise: usize,
    ) -> Result<usize, String> {
        let Some(value) = self.get(name) else { return Ok(otherwise) };
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        number.filter(|number| bounds.contains(number)).ok_or_else(|| {
            let expected = format!("a whole number from {} to {}", bounds.start(), bounds.end());
            wrong(name, &expected, value, "")
        })
    }

    /// Yes or no; no when it is left out.
    pub(super) fn flag(self, name: &str) -> Result<bool, String> {
        let read = |value: &Value| value.as_bool().ok_or_else(|| wrong(name, "true or false", value, ""));
        self.get(name).map_or(Ok(false), read)
    }

    /// A list of objects, each of which knows these arguments and no others.
    pub(super) fn list(self, name: &str, known: &[&str]) -> Result<Option<Vec<Self>>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let items = value.as_array().ok_or_else(|| wrong(name, "a list of objects", value, ""))?;
        let read = |(at, item): (usize, &'a Value)| {
            let values =
                item.as_object().ok_or_else(|| wrong(name, "objects", item, &format!(" at {at}")))?;
            Self::new(values, known).map_err(|error| format!("in `{name}` at {at}: {error}"))
        };
        items.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>().map(Some)
    }
}

fn wrong(name: &str, expected: &str, came: &Value, place: &str) -> String {
    let text = came.to_string();
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    let kind = match came {
        Value::Null => "nothing",
        Value::Bool(_) => "a flag",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("the argument `{name}` must be {expected}, and{place} came {kind}: {shown}")
}

#[cfg(test)]
mod tests;
