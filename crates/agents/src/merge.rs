//! Merges mappings of several configuration files entry by entry.

use serde_json::Value as Json;

#[cfg(test)]
mod tests;

/// Merges `next` into `value`. Known keys keep their place, and new ones come last, which decides which of several
/// patterns wins. A value that is not a mapping in both is replaced.
pub(super) fn deep(value: &mut Json, next: Json) {
    match (value, next) {
        (Json::Object(map), Json::Object(next)) => {
            for (key, next) in next {
                match map.get_mut(&key) {
                    Some(known) => deep(known, next),
                    None => drop(map.insert(key, next)),
                }
            }
        }
        (value, next) => *value = next,
    }
}
