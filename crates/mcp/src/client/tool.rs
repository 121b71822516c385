//! One tool of a server, as a model may be offered it.

use super::{declare::Declaration, limits, name, text::cut};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A tool that was listed by a server and found usable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tool {
    /// The name to call it by: unique among all skills, at most 64 letters, digits, `_` and `-`.
    pub name: String,
    /// The name that its server has for it.
    pub raw: String,
    /// The skill whose server it is.
    pub skill: String,
    /// What it does, in the words of its server.
    pub description: Option<String>,
    /// JSON schema of its arguments; always an object schema.
    pub schema: Value,
}

impl Tool {
    /// Reads a tool as it was listed, with what about it was changed; or returns why it cannot be offered.
    /// Only the name is needed: without a schema it takes no arguments.
    pub(crate) fn read(listed: &Value, declaration: &Declaration) -> Result<(Self, Option<String>), String> {
        let listed = listed.as_object().ok_or("it is not an object")?;
        let raw = listed.get("name").and_then(Value::as_str).unwrap_or_default();
        if raw.trim().is_empty() {
            return Err("it has no name".to_owned());
        }
        if raw.len() > limits::RAW_NAME_BYTES {
            return Err(format!("its name has more than {} bytes", limits::RAW_NAME_BYTES));
        }
        if raw.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err("its name holds blanks or control characters".to_owned());
        }
        let schema = schema(listed)?;
        let said = listed.get("description").or_else(|| listed.get("title")).and_then(Value::as_str);
        let said = said.map(|text| cut(text, limits::DESCRIPTION_BYTES));
        let is_cut = said.is_some_and(|(_, is_cut)| is_cut);
        let tool = Self {
            name: name::of_tool(&declaration.skill, declaration.server.as_deref(), raw),
            raw: raw.to_owned(),
            skill: declaration.skill.clone(),
            description: said.map(|(text, _)| declaration.mask.hide(text)),
            schema,
        };
        let changed =
            is_cut.then(|| format!("its description was cut after {} bytes", limits::DESCRIPTION_BYTES));
        Ok((tool, changed))
    }
}

fn schema(listed: &Map<String, Value>) -> Result<Value, &'static str> {
    let schema = match listed.get("inputSchema") {
        None | Some(Value::Null) => return Ok(json!({"type": "object", "properties": {}})),
        Some(Value::Object(schema)) => schema,
        Some(_) => return Err("its schema is not an object"),
    };
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        None => {
            let mut schema = schema.clone();
            schema.insert("type".to_owned(), json!("object"));
            return within(Value::Object(schema));
        }
        Some(_) => return Err("its schema describes something else than an object"),
    }
    within(Value::Object(schema.clone()))
}

fn within(schema: Value) -> Result<Value, &'static str> {
    if schema.to_string().len() > limits::SCHEMA_BYTES {
        return Err("its schema has more than 65,536 bytes");
    }
    Ok(schema)
}
