//! The JSON Schemas of everything that is printed as JSON.

use super::SCHEMA;
use schemars::{
    JsonSchema, Schema,
    generate::SchemaSettings,
    transform::{Transform, transform_subschemas},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A value that is printed as JSON: it has a type, a version and a schema. The list in `views` implements it, so
/// that a value cannot be printed without a schema in `schemas/`.
pub trait View: Serialize + JsonSchema {
    /// The name of its schema: `schemas/NAME.json`.
    const NAME: &'static str;
}

/// The schema of one view.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewSchema {
    /// The name of the view.
    pub name: &'static str,
    /// The JSON Schema, draft 2020-12.
    pub schema: Value,
}

impl ViewSchema {
    /// The schema of a view.
    pub fn of<V: View>() -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(Strict);
        let generated = settings.into_generator().into_root_schema_for::<V>().to_value();
        let mut schema = json!({
            "$schema": generated["$schema"],
            "$id": format!("urn:skillful:{}:{SCHEMA}", V::NAME),
            "title": V::NAME,
        });
        for (key, mut value) in generated.as_object().cloned().unwrap_or_default() {
            if let Value::Object(definitions) = &mut value
                && key == "$defs"
            {
                definitions.sort_keys();
            }
            if schema.get(&key).is_none() {
                schema[key] = value;
            }
        }
        if let Some(Value::Object(version)) = schema.pointer_mut("/properties/schema") {
            version.retain(|key, _| key == "description");
            version.insert("const".to_owned(), json!(SCHEMA));
        }
        Self { name: V::NAME, schema }
    }

    /// The text of its file in `schemas/`.
    pub fn text(&self) -> String {
        format!("{:#}\n", self.schema)
    }
}

/// Objects have the named fields and no others, so that a field without a type fails the tests.
#[derive(Clone)]
struct Strict;

/// Keywords whose parts describe the same object as the schema that holds them.
const COMPOSITION: [&str; 3] = ["allOf", "anyOf", "oneOf"];

impl Transform for Strict {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        if !object.contains_key("properties") {
            return;
        }
        let closed = if COMPOSITION.iter().any(|key| object.contains_key(*key)) {
            open_parts(object);
            "unevaluatedProperties"
        } else {
            "additionalProperties"
        };
        object.entry(closed).or_insert(Value::Bool(false));
    }
}

/// The parts of a composed object must not refuse the fields of one another.
fn open_parts(object: &mut Map<String, Value>) {
    let parts = COMPOSITION.iter().filter_map(|key| object.get(*key)?.as_array().map(|_| *key));
    for key in parts.collect::<Vec<_>>() {
        for part in object.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(part) = part.as_object_mut() {
                part.remove("additionalProperties");
                open_parts(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::schemas;

    #[test]
    fn every_view_is_named_once_and_carries_its_version() {
        let schemas = schemas();
        for pair in schemas.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} and {} are out of order", pair[0].name, pair[1].name);
        }
        for view in schemas {
            assert_eq!(
                view.schema.pointer("/properties/schema/const"),
                Some(&super::SCHEMA.into()),
                "{}",
                view.name
            );
            let required = view.schema["required"].as_array().cloned().unwrap_or_default();
            assert!(required.contains(&"schema".into()), "{} does not require its version", view.name);
        }
    }
}
