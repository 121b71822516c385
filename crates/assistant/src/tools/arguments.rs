//! Typed access to the arguments of a call. An error names the argument, what was expected and what came, so
//! that the model can correct itself.

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
    /// Checks that a call has only the known arguments.
    pub(super) fn new(values: &'a Map<String, Value>, known: &[&str]) -> Result<Self, String> {
        match values.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => {
                let name: String = name.chars().take(SHOWN).collect();
                Err(format!("no argument named `{name}`; the arguments are {}", known.join(", ")))
            }
            None => Ok(Self { values }),
        }
    }

    /// The value; `null` counts as missing.
    fn get(self, name: &str) -> Option<&'a Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    /// A required string.
    pub(super) fn text(self, name: &str) -> Result<&'a str, String> {
        self.maybe_text(name)?.ok_or_else(|| format!("the argument `{name}` is missing; it is a string"))
    }

    /// An optional string.
    pub(super) fn maybe_text(self, name: &str) -> Result<Option<&'a str>, String> {
        let read = |value: &'a Value| value.as_str().ok_or_else(|| wrong(name, "a string", value, ""));
        self.get(name).map(read).transpose()
    }

    /// A whole number within bounds, or a default.
    pub(super) fn number(
        self,
        name: &str,
        bounds: RangeInclusive<usize>,
        default: usize,
    ) -> Result<usize, String> {
        let Some(value) = self.get(name) else { return Ok(default) };
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        number.filter(|number| bounds.contains(number)).ok_or_else(|| {
            let expected = format!("a whole number from {} to {}", bounds.start(), bounds.end());
            wrong(name, &expected, value, "")
        })
    }

    /// A flag; false when it is missing.
    pub(super) fn flag(self, name: &str) -> Result<bool, String> {
        let read = |value: &Value| value.as_bool().ok_or_else(|| wrong(name, "true or false", value, ""));
        self.get(name).map_or(Ok(false), read)
    }

    /// A list of objects with only the known arguments.
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
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("the argument `{name}` must be {expected}, not {kind}{place}: {shown}")
}

#[cfg(test)]
mod tests;
