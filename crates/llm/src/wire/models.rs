//! The list of a server's models; it is the same in both formats.

use super::{Malformed, parse};
use serde_json::Value;

/// Number of names that are read, and longest name in characters.
const NAMES: usize = 2_000;
const NAME: usize = 200;

/// The names of the models, in the server's order. Names that cannot be displayed are skipped.
pub fn reply(body: &[u8]) -> Result<Vec<String>, Malformed> {
    let value = parse(body)?;
    let data = value.get("data").and_then(Value::as_array).ok_or(Malformed::Field("data"))?;
    let names = data.iter().filter_map(|model| model["id"].as_str());
    let is_fine = |name: &&str| !name.is_empty() && name.len() <= NAME && !name.chars().any(char::is_control);
    Ok(names.filter(is_fine).take(NAMES).map(str::to_owned).collect())
}
