//! `OpenAI`-compatible embeddings.

use super::{Malformed, parse};
use serde_json::{Value, json};

/// Largest length of a vector.
const DIMENSIONS: usize = 16_384;

/// The body of a call.
pub fn request(model: &str, texts: &[&str]) -> Value {
    json!({ "model": model, "input": texts, "encoding_format": "float" })
}

/// Parses the vectors of `wanted` texts, and returns them in the order of the texts.
pub fn reply(body: &[u8], wanted: usize) -> Result<Vec<Vec<f32>>, Malformed> {
    let value = parse(body)?;
    let data = value.get("data").and_then(Value::as_array).ok_or(Malformed::Field("data"))?;
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); wanted];
    for (at, item) in data.iter().enumerate() {
        let at = item["index"].as_u64().map_or(Some(at), |index| usize::try_from(index).ok());
        let numbers = item["embedding"].as_array().ok_or(Malformed::Field("embedding"))?;
        let numbers = numbers.iter().take(DIMENSIONS).map(number);
        if let Some(slot) = at.and_then(|at| vectors.get_mut(at)) {
            *slot = numbers.collect::<Option<_>>().ok_or(Malformed::Field("embedding"))?;
        }
    }
    let length = vectors.first().map_or(0, Vec::len);
    if data.len() != wanted || vectors.iter().any(|vector| vector.is_empty() || vector.len() != length) {
        return Err(Malformed::Vectors { wanted, found: data.len() });
    }
    Ok(vectors)
}

/// A finite number in single precision.
#[expect(clippy::cast_possible_truncation, reason = "vectors are stored in single precision")]
fn number(value: &Value) -> Option<f32> {
    value.as_f64().map(|number| number as f32).filter(|number| number.is_finite())
}
