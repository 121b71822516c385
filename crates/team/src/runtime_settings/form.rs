//! The keys of each section, the kind of each value, and what of them is secret.

use super::{ENVIRONMENT, SettingSection, VARIABLES};
use crate::error::TeamError;
use serde_json::{Map, Value, json};
use skillful_catalog::variables::{MASK, says_secret};

/// Bytes of a section.
const SECTION: usize = 256 << 10;
/// Bytes of a value.
const VALUE: usize = 8_192;
/// Characters of the name of a variable.
const NAME: usize = 128;

/// What a key holds.
#[derive(Clone, Copy)]
enum FieldKind {
    Truth,
    Text,
    Number,
    /// A list of objects with these keys.
    Objects(&'static [(&'static str, FieldKind)]),
    /// Texts by name.
    Texts,
}

const SKILLS: &[(&str, FieldKind)] = &[
    ("enabled", FieldKind::Truth),
    ("progressiveLoading", FieldKind::Truth),
    ("marketplaceSourceType", FieldKind::Text),
    ("marketplaceRepositoryDirectory", FieldKind::Text),
    ("marketplaceSandboxPath", FieldKind::Text),
    ("marketplaceRepositoryUrl", FieldKind::Text),
    ("marketplaceBranch", FieldKind::Text),
];
const VARIABLE: &[(&str, FieldKind)] = &[("name", FieldKind::Text), ("value", FieldKind::Text)];
const TOOLS: &[(&str, FieldKind)] = &[
    ("filesystemEnabled", FieldKind::Truth),
    ("shellEnabled", FieldKind::Truth),
    ("skillManagementEnabled", FieldKind::Truth),
    ("skillTransitionEnabled", FieldKind::Truth),
    ("tierEnabled", FieldKind::Truth),
    ("goalManagementEnabled", FieldKind::Truth),
    (ENVIRONMENT, FieldKind::Objects(VARIABLE)),
];
const SERVER: &[(&str, FieldKind)] = &[
    ("name", FieldKind::Text),
    ("description", FieldKind::Text),
    ("command", FieldKind::Text),
    ("env", FieldKind::Texts),
    ("startupTimeoutSeconds", FieldKind::Number),
    ("idleTimeoutMinutes", FieldKind::Number),
    ("enabled", FieldKind::Truth),
];
const MCP: &[(&str, FieldKind)] = &[
    ("enabled", FieldKind::Truth),
    ("defaultStartupTimeout", FieldKind::Number),
    ("defaultIdleTimeout", FieldKind::Number),
    ("catalog", FieldKind::Objects(SERVER)),
];

fn keys(section: SettingSection) -> &'static [(&'static str, FieldKind)] {
    match section {
        SettingSection::Skills => SKILLS,
        SettingSection::Tools => TOOLS,
        SettingSection::Mcp => MCP,
        SettingSection::Variables => &[],
    }
}

/// A section before it is set: every key with its default, which for a switch is on.
pub(super) fn default_of(section: SettingSection) -> Value {
    let mut all = Map::new();
    for (key, kind) in keys(section) {
        all.insert(
            (*key).to_owned(),
            match (*key, kind) {
                ("defaultStartupTimeout", _) => json!(30),
                ("defaultIdleTimeout", _) => json!(5),
                (_, FieldKind::Truth) => json!(true),
                (_, FieldKind::Objects(_)) => json!([]),
                _ => Value::Null,
            },
        );
    }
    Value::Object(all)
}

fn wrong(why: String) -> TeamError {
    TeamError::invalid("wrong-setting", why)
}

/// A section that a client sends, with the defaults of what it leaves out.
pub(super) fn checked(section: SettingSection, given: Value) -> Result<Value, TeamError> {
    if given.to_string().len() > SECTION {
        return Err(TeamError::TooLarge(format!("a section of the settings has at most {SECTION} bytes")));
    }
    if section == SettingSection::Variables {
        let Value::Object(sections) = &given else {
            return Err(wrong("write {\"_global\": {\"NAME\": \"value\"}}".to_owned()));
        };
        for (name, values) in sections {
            of_kind(name, values, FieldKind::Texts)?;
        }
        return Ok(given);
    }
    let mut all = object(section.word(), &given, keys(section))?;
    if let Value::Object(defaults) = default_of(section) {
        for (key, value) in defaults {
            all.entry(key).or_insert(value);
        }
    }
    let mut all = Value::Object(all);
    if let Value::Array(variables) = all[ENVIRONMENT].take() {
        if variables.len() > VARIABLES {
            return Err(TeamError::TooLarge(format!("at most {VARIABLES} variables")));
        }
        let mut kept: Vec<Value> = Vec::new();
        for one in variables {
            let (name, variable) = checked_variable(&one)?;
            if kept.iter().any(|one| one["name"] == name.as_str()) {
                return Err(wrong(format!("the variable `{name}` is there twice")));
            }
            kept.push(variable);
        }
        all[ENVIRONMENT] = kept.into();
    } else if let Value::Object(all) = &mut all {
        all.remove(ENVIRONMENT);
    }
    Ok(all)
}

/// The keys of an object that are known, each of its kind, without those that are `null`.
fn object(
    place: &str,
    given: &Value,
    keys: &[(&'static str, FieldKind)],
) -> Result<Map<String, Value>, TeamError> {
    let Value::Object(given) = given else { return Err(wrong(format!("`{place}` is not an object"))) };
    let mut kept = Map::new();
    for (key, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        let Some((_, kind)) = keys.iter().find(|(known, _)| known == key) else {
            let known: Vec<&str> = keys.iter().map(|(known, _)| *known).collect();
            return Err(wrong(format!("`{key}` of `{place}` is not one of {}", known.join(", "))));
        };
        of_kind(key, value, *kind)?;
        kept.insert(key.clone(), value.clone());
    }
    Ok(kept)
}

fn of_kind(key: &str, value: &Value, kind: FieldKind) -> Result<(), TeamError> {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| text.len() <= VALUE);
    let fits = match kind {
        FieldKind::Truth => value.is_boolean(),
        FieldKind::Text => is_text(value),
        FieldKind::Number => value.as_i64().is_some_and(|number| (0..=86_400).contains(&number)),
        FieldKind::Texts => value.as_object().is_some_and(|all| all.values().all(is_text)),
        FieldKind::Objects(keys) => {
            let Some(all) = value.as_array() else { return Err(wrong(format!("`{key}` is not a list"))) };
            for one in all {
                object(key, one, keys)?;
            }
            true
        }
    };
    if fits {
        Ok(())
    } else {
        Err(wrong(format!("`{key}` has a value of a wrong kind, or one that is too long")))
    }
}

/// A variable of the environment, with its name trimmed.
pub(super) fn checked_variable(given: &Value) -> Result<(String, Value), TeamError> {
    let kept = object("a variable", given, VARIABLE)?;
    let name = kept.get("name").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !begins || name.len() > NAME || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(wrong(format!(
            "the name of a variable has letters, digits and `_`, does not begin with a digit, and is at most {NAME} long"
        )));
    }
    let value = kept.get("value").and_then(Value::as_str).unwrap_or_default();
    let variable = json!({ "name": name, "value": value });
    Ok((name, variable))
}

/// Every value that may be a secret, by the name that it stands under.
fn secrets(section: SettingSection, value: &mut Value, each: &mut dyn FnMut(&str, &mut Value)) {
    let named = |all: &mut Value, place: &str, each: &mut dyn FnMut(&str, &mut Value)| {
        for (name, value) in all.as_object_mut().into_iter().flatten() {
            if says_secret(name) {
                each(&format!("{place}/{name}"), value);
            }
        }
    };
    match section {
        SettingSection::Skills => {}
        SettingSection::Tools => {
            for one in value[ENVIRONMENT].as_array_mut().into_iter().flatten() {
                let name = one["name"].as_str().unwrap_or_default().to_owned();
                if says_secret(&name) {
                    each(&name, &mut one["value"]);
                }
            }
        }
        SettingSection::Mcp => {
            for one in value["catalog"].as_array_mut().into_iter().flatten() {
                let server = one["name"].as_str().unwrap_or_default().to_owned();
                named(&mut one["env"], &server, each);
            }
        }
        SettingSection::Variables => {
            for (skill, values) in value.as_object_mut().into_iter().flatten() {
                named(values, skill, each);
            }
        }
    }
}

/// A section as it is given out.
pub(super) fn masked(section: SettingSection, mut value: Value) -> Value {
    secrets(section, &mut value, &mut |_, secret| {
        if secret.as_str().is_some_and(|text| !text.is_empty()) {
            *secret = MASK.into();
        }
    });
    value
}

/// A section that a client got masked and sends back: what is still masked stays as it was.
pub(super) fn keep_masked(
    section: SettingSection,
    mut given: Value,
    kept: &mut Value,
) -> Result<Value, TeamError> {
    let mut known = std::collections::BTreeMap::new();
    secrets(section, kept, &mut |name, secret| drop(known.insert(name.to_owned(), secret.clone())));
    let mut unknown = None;
    secrets(section, &mut given, &mut |name, secret| {
        if secret.as_str() == Some(MASK) {
            match known.get(name) {
                Some(before) => *secret = before.clone(),
                None => unknown = Some(name.to_owned()),
            }
        }
    });
    match unknown {
        None => Ok(given),
        Some(name) => Err(wrong(format!("`{name}` is masked and was not set before; send its value"))),
    }
}
