//! Single settings of the user's own configuration file: comments and order are kept, and a value that Skillful could not
//! read is never written.

use super::{Library, LibraryError, read_settings, write_settings};
use crate::{
    config::{ConfigFile, InEffect},
    views::{PathText, SCHEMA},
};
use schemars::JsonSchema;
use serde::Serialize;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

/// A setting that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettingChanged {
    /// The version of this object.
    pub schema: u32,
    /// The key, dotted.
    pub key: String,
    /// The value as TOML; absent when the setting was removed.
    pub value: Option<String>,
    /// The file.
    pub file: PathText,
    /// The value in effect now, which another file may decide.
    pub in_effect: Option<String>,
    /// Where that comes from.
    pub origin: Option<String>,
}

impl Library<'_> {
    /// The settings in effect that a key means: that one, or all below it.
    pub fn settings_at(&self, key: &str) -> Result<Vec<InEffect>, LibraryError> {
        let values = &self.workspace.config().values;
        let below = format!("{key}.");
        let found: Vec<InEffect> =
            values.iter().filter(|one| one.key == key || one.key.starts_with(&below)).cloned().collect();
        if found.is_empty() { Err(self.unknown_key(key)) } else { Ok(found) }
    }

    /// Sets, or with `None` removes, a setting of the user's configuration file.
    pub fn change_setting(&self, key: &str, value: Option<&str>) -> Result<SettingChanged, LibraryError> {
        let file = self.workspace.paths().config.clone();
        let mut document = read_settings(&file, None)?;
        let parts: Vec<&str> = key.split('.').collect();
        if parts.iter().any(|part| part.is_empty()) {
            return Err(self.unknown_key(key));
        }
        let written = match value {
            Some(text) => {
                let value = text.parse::<Value>().unwrap_or_else(|_| Value::from(text));
                let shown = value.to_string().trim().to_owned();
                set(&mut document, &parts, value).ok_or_else(|| self.unknown_key(key))?;
                Some(shown)
            }
            None => {
                if !unset(document.as_table_mut(), &parts) {
                    return Err(LibraryError::new(format!("`{key}` is not set in `{}`", file.display()))
                        .fix(format!("skillful config get {key}")));
                }
                None
            }
        };
        let text = document.to_string();
        if let Err(error) = toml::from_str::<ConfigFile>(&text) {
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            let is_unknown = message.starts_with("unknown field");
            let failure = if is_unknown {
                self.unknown_key(key)
            } else {
                LibraryError::usage(format!("`{key}` cannot be {}", value.unwrap_or_default())).cause(message)
            };
            return Err(failure);
        }
        write_settings(&file, &text, None)?;
        let next = self.workspace.reopened();
        let now = next.config().values.iter().find(|one| one.key == key);
        Ok(SettingChanged {
            schema: SCHEMA,
            key: key.to_owned(),
            value: written,
            file: file.into(),
            in_effect: now.map(|one| one.value.clone()),
            origin: now.map(|one| one.origin.clone()),
        })
    }

    fn unknown_key(&self, key: &str) -> LibraryError {
        let known = self.workspace.config().values.iter().map(|one| one.key.as_str());
        let near = skillful_catalog::names::nearest(key, known);
        let error = LibraryError::usage(format!("no setting named `{key}`"));
        match near.first() {
            Some(near) => error.fix(format!("did you mean `{near}`?")),
            None => error.fix("skillful config lists all settings"),
        }
    }
}

fn set(document: &mut DocumentMut, parts: &[&str], mut value: Value) -> Option<()> {
    let (last, way) = parts.split_last()?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for part in way {
        table = table.entry(part).or_insert_with(|| Item::Table(Table::new())).as_table_like_mut()?;
    }
    // The comment behind the old value stays.
    if let Some(old) = table.get(last).and_then(Item::as_value) {
        *value.decor_mut() = old.decor().clone();
    }
    table.insert(last, Item::Value(value));
    Some(())
}

/// Removes a value, and tables that it leaves empty; returns whether there was one.
fn unset(table: &mut dyn TableLike, parts: &[&str]) -> bool {
    let Some((first, rest)) = parts.split_first() else { return false };
    if rest.is_empty() {
        return table.remove(first).is_some();
    }
    let Some(inner) = table.get_mut(first).and_then(Item::as_table_like_mut) else { return false };
    let removed = unset(inner, rest);
    if removed && inner.is_empty() {
        table.remove(first);
    }
    removed
}
