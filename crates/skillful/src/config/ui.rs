//! The section `[ui]` of the configuration: keys, colours and the mouse of the full-screen view. The interface judges names
//! of actions and colours; this is what a user wrote.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The section as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UiSection {
    /// Whether the mouse is used.
    pub mouse: Option<bool>,
    /// The keys of an action, by its name.
    pub keys: BTreeMap<String, KeyWords>,
    /// The colour of a role, by its name.
    pub colors: BTreeMap<String, String>,
}

/// One key, or several.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum KeyWords {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl KeyWords {
    /// The keys.
    pub fn words(&self) -> &[String] {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::Several(words) => words,
        }
    }
}

impl UiSection {
    /// Takes what another file says. Returns each value with its key.
    pub(super) fn put(&mut self, other: Self) -> Vec<(String, String)> {
        let mut values = Vec::new();
        if let Some(mouse) = other.mouse {
            values.push(("ui.mouse".to_owned(), mouse.to_string()));
            self.mouse = Some(mouse);
        }
        for (name, keys) in other.keys {
            values.push((format!("ui.keys.{name}"), super::list(keys.words().iter().cloned())));
            self.keys.insert(name, keys);
        }
        for (name, color) in other.colors {
            values.push((format!("ui.colors.{name}"), format!("{color:?}")));
            self.colors.insert(name, color);
        }
        values
    }
}
